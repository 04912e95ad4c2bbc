package webhooks

import (
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// outage is how long no delivery must have arrived before a success means that an
// endpoint is back. A single refused lane, while others succeed, is no outage.
const outage = time.Minute

// judgeEndpoint records an endpoint's success or failure, and disables it when it
// responds 410 or has failed for days. It reports whether the endpoint is back after
// an outage.
func (d *Service) judgeEndpoint(t database.Tx, p *Outgoing, a Response, now time.Time) (back bool, err error) {
	if a.Detail == TryDelivered {
		var was struct{ FailingSince *time.Time }
		// At most once a minute, because all lanes of the endpoint share
		// this row.
		err := t.Raw(`UPDATE endpoints e SET failing_since = NULL, delivered_at = @now
			FROM (SELECT id, failing_since FROM endpoints WHERE id = @endpoint
				AND (failing_since IS NOT NULL OR delivered_at IS NULL OR delivered_at < @recent) FOR NO KEY UPDATE) was
			WHERE e.id = was.id RETURNING was.failing_since`,
			map[string]any{"endpoint": p.EndpointID, "now": now, "recent": now.Add(-time.Minute)}).Scan(&was).Error
		return was.FailingSince != nil && now.Sub(*was.FailingSince) >= outage, err
	}
	if p.Event == EventTest {
		return false, nil // the user who sent it sees the outcome
	}
	err = t.Exec(`UPDATE endpoints SET failing_since = ? WHERE id = ? AND failing_since IS NULL`, now, p.EndpointID).Error
	if err != nil {
		return false, err
	}
	var e Endpoint
	if err := database.TakeRow(t.Where("id = ?", p.EndpointID), &e); err != nil {
		return false, err
	}
	reason := ""
	switch {
	case a.Detail == TryGone:
		reason = DisabledGone
	case e.FailingSince != nil && now.Sub(*e.FailingSince) >= disableAfter:
		reason = DisabledFailing
	}
	if reason == "" {
		return false, nil
	}
	return false, disable(t, &e, reason, now)
}

// disable stops the deliveries to an endpoint that responds 410 or keeps failing.
func disable(t database.Tx, e *Endpoint, reason string, now time.Time) error {
	// The audit entry must be durable, unlike the outcome of a delivery.
	if err := t.Exec(`SET LOCAL synchronous_commit = on`).Error; err != nil {
		return err
	}
	done := t.Exec(`UPDATE endpoints SET state = `+endpointDisabledSQL+`, state_reason = ?, state_at = ?, version = version + 1
		WHERE id = ? AND state = `+endpointActiveSQL, reason, now, e.ID)
	if done.Error != nil || done.RowsAffected == 0 {
		return done.Error
	}
	about := audit.About{Reason: reason, Before: e.attributesIn(e.State), After: e.attributesIn(EndpointDisabled)}
	return audit.Record(t, models.System("deliveries", ""), now, models.ActionEndpointDisabled, models.OutcomeFailure, about)
}
