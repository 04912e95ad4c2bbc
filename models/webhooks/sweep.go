package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sweepBatch is how many rows one statement of the sweep takes, so that none
// of them is long.
const sweepBatch = 5000

// Sweep ends what nobody else ends: old secrets, what waited for three days for
// an endpoint that is not delivered to, what waits for one that was retired, and
// deliveries that have been over for a month. It also opens lanes that a restored backup would lack.
func (d *Service) Sweep(ctx context.Context) error {
	now := d.clock.Now()
	var failures []error
	for what, sweep := range map[string]func(context.Context, time.Time) (int64, error){
		"old secrets": d.forgetSecrets, "what waits for nobody": d.abandonStale, "old deliveries": d.removeOld, "lanes": d.openLost,
		"lanes of nobody": d.closeRetired,
	} {
		for {
			n, err := sweep(ctx, now)
			if err != nil {
				failures = append(failures, fmt.Errorf("sweep %s: %w", what, err))
			}
			if err != nil || n < sweepBatch {
				break
			}
		}
	}
	return errors.Join(failures...)
}

func (d *Service) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	done := d.db.Gorm().WithContext(ctx).Exec(statement, args...)
	return done.RowsAffected, done.Error
}

func (d *Service) forgetSecrets(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `UPDATE endpoints SET sealed_old_secret = NULL, old_secret_until = NULL WHERE old_secret_until <= ?`, now)
}

// abandonStale gives up what has waited too long for an endpoint that is paused
// or disabled, and all that waits for one that was retired. Of the others each
// is tried at least once after its time.
func (d *Service) abandonStale(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `UPDATE deliveries SET state = `+deliveryGivenUpSQL+`, detail = stale.detail,
			finished_at = @now, sealed_body = NULL FROM (
			SELECT d.id, CASE e.state WHEN `+endpointRetiredSQL+` THEN @retired ELSE @off END AS detail
			FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
			WHERE d.state = `+deliveryWaitingSQL+`
			AND (e.state = `+endpointRetiredSQL+` OR d.queued_at < @since AND e.state <> `+endpointActiveSQL+`)
			ORDER BY d.id LIMIT @most FOR UPDATE OF d SKIP LOCKED) stale WHERE deliveries.id = stale.id`,
		map[string]any{"retired": OverRetired, "off": OverOff, "now": now, "since": now.Add(-maxAge), "most": sweepBatch})
}

// closeRetired closes the lanes of retired endpoints: nobody delivers from them.
// What a post adds at this very moment is given up without one.
func (d *Service) closeRetired(ctx context.Context, _ time.Time) (int64, error) {
	return d.exec(ctx, `DELETE FROM delivery_lanes WHERE (endpoint_id, lane) IN (
			SELECT l.endpoint_id, l.lane FROM delivery_lanes l JOIN endpoints e ON e.id = l.endpoint_id WHERE e.state = `+endpointRetiredSQL+`
			ORDER BY l.endpoint_id, l.lane LIMIT ? FOR UPDATE OF l SKIP LOCKED)`, sweepBatch)
}

// removeOld removes deliveries, and with them their tries, that have been over
// for a month.
func (d *Service) removeOld(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE finished_at < ?
		ORDER BY finished_at LIMIT ? FOR UPDATE SKIP LOCKED)`, now.Add(-deliveryRetention), sweepBatch)
}

func (d *Service) openLost(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `INSERT INTO delivery_lanes (endpoint_id, lane, due_at)
		SELECT DISTINCT d.endpoint_id, d.lane, CAST(? AS timestamptz) FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
		WHERE d.state = `+deliveryWaitingSQL+` AND e.state <> `+endpointRetiredSQL+` ORDER BY d.endpoint_id, d.lane ON CONFLICT DO NOTHING`, now)
}

// DisabledNames returns the names of the endpoints that were disabled by themselves.
func (d *Service) DisabledNames(ctx context.Context) ([]string, error) {
	var names []string
	err := d.db.Gorm().WithContext(ctx).Model(&Endpoint{}).Where("state = ?", EndpointDisabled).Order("name").Pluck("name", &names).Error
	if err != nil {
		return nil, fmt.Errorf("list disabled endpoints: %w", err)
	}
	return names, nil
}
