package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sweepBatch is how many rows one statement of the sweep handles, so that no
// statement takes long.
const sweepBatch = 5000

// Sweep removes old secrets, abandons what has waited for three days for a paused or
// disabled endpoint and what waits for a retired one, and deletes deliveries that
// ended a month ago. It also opens lanes that are missing after a backup was
// restored.
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

// abandonStale abandons what has waited too long for a paused or disabled endpoint,
// and everything that waits for a retired one. Deliveries to active endpoints are
// tried at least once after their time.
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

// closeRetired closes the lanes of retired endpoints, because nobody delivers from
// them. A delivery that is added at the same moment is abandoned without a lane.
func (d *Service) closeRetired(ctx context.Context, _ time.Time) (int64, error) {
	return d.exec(ctx, `DELETE FROM delivery_lanes WHERE (endpoint_id, lane) IN (
			SELECT l.endpoint_id, l.lane FROM delivery_lanes l JOIN endpoints e ON e.id = l.endpoint_id WHERE e.state = `+endpointRetiredSQL+`
			ORDER BY l.endpoint_id, l.lane LIMIT ? FOR UPDATE OF l SKIP LOCKED)`, sweepBatch)
}

// removeOld deletes deliveries, with their tries, that ended a month ago.
func (d *Service) removeOld(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE finished_at < ?
		ORDER BY finished_at LIMIT ? FOR UPDATE SKIP LOCKED)`, now.Add(-deliveryRetention), sweepBatch)
}

func (d *Service) openLost(ctx context.Context, now time.Time) (int64, error) {
	return d.exec(ctx, `INSERT INTO delivery_lanes (endpoint_id, lane, due_at)
		SELECT DISTINCT d.endpoint_id, d.lane, CAST(? AS timestamptz) FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
		WHERE d.state = `+deliveryWaitingSQL+` AND e.state <> `+endpointRetiredSQL+` ORDER BY d.endpoint_id, d.lane ON CONFLICT DO NOTHING`, now)
}

// DisabledNames returns the names of the endpoints that were disabled automatically.
func (d *Service) DisabledNames(ctx context.Context) ([]string, error) {
	var names []string
	err := d.db.Gorm().WithContext(ctx).Model(&Endpoint{}).Where("state = ?", EndpointDisabled).Order("name").Pluck("name", &names).Error
	if err != nil {
		return nil, fmt.Errorf("list disabled endpoints: %w", err)
	}
	return names, nil
}
