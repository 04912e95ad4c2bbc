package webhooks

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/secretbox"
)

// Due returns the endpoints for which something is due now.
func (d *Service) Due(ctx context.Context) ([]int64, error) {
	var ids []int64
	now := d.clock.Now()
	err := d.db.Gorm().WithContext(ctx).Raw(`SELECT e.id FROM endpoints e WHERE e.state = `+endpointActiveSQL+` AND EXISTS (
		SELECT FROM delivery_lanes l WHERE l.endpoint_id = e.id AND l.due_at <= ? AND (l.leased_until IS NULL OR l.leased_until <= ?))
		ORDER BY e.id`, now, now).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	return ids, nil
}

// Claim leases lanes of an endpoint that are due, those that have waited longest
// first.
func (d *Service) Claim(ctx context.Context, endpointID int64, most int) ([]Lane, error) {
	var lanes []Lane
	now := d.clock.Now()
	err := d.db.Gorm().WithContext(ctx).Raw(`UPDATE delivery_lanes SET leased_until = ?, lease = gen_random_uuid()
		WHERE (endpoint_id, lane) IN (
			SELECT endpoint_id, lane FROM delivery_lanes
			WHERE endpoint_id = ? AND due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
			ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING endpoint_id, lane, lease`, now.Add(laneLease), endpointID, now, now, most).Scan(&lanes).Error
	if err != nil {
		return nil, fmt.Errorf("take deliveries of endpoint %d: %w", endpointID, err)
	}
	return lanes, nil
}

// Release releases a lane that the caller still holds, because the process stops.
func (d *Service) Release(ctx context.Context, lane Lane) error {
	err := d.db.Gorm().WithContext(ctx).Exec(`UPDATE delivery_lanes SET leased_until = NULL, lease = NULL
		WHERE endpoint_id = ? AND lane = ? AND lease = ?`,
		lane.EndpointID, lane.Lane, lane.Lease).Error
	if err != nil {
		return fmt.Errorf("give back lane %s: %w", lane.Lane, err)
	}
	return nil
}

// headRow is the first delivery of a lane, with the data needed to send it.
type headRow struct {
	Delivery
	Kind            EndpointKind
	EndpointState   EndpointState
	SealedURL       []byte `gorm:"column:sealed_url"`
	SealedSecret    []byte `gorm:"column:sealed_secret"`
	SealedOldSecret []byte `gorm:"column:sealed_old_secret"`
	OldSecretUntil  *time.Time
	RelayBody       RelayBody
	Body            *string // of a relay: the stored result
	ReceivedAt      *time.Time
}

// empty reports whether nothing is stored that could be sent.
func (h *headRow) empty() bool {
	return h.ResultID != nil && h.SealedBody == nil && (h.Body == nil || *h.Body == "")
}

// Head returns the next delivery of a lane. It is nil when there is none, when the
// endpoint is not active (the lane is then released), and when another process has
// taken the lane. Deliveries without stored content are set aside.
func (d *Service) Head(ctx context.Context, lane Lane) (*Outgoing, error) {
	for {
		var row headRow
		found := d.db.Gorm().WithContext(ctx).Raw(`SELECT d.*, e.kind, e.state AS endpoint_state, e.sealed_url, e.sealed_secret,
				e.sealed_old_secret, e.old_secret_until, e.relay_body, r.body, r.received_at
			FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id LEFT JOIN results r ON r.id = d.result_id
				JOIN delivery_lanes l ON l.endpoint_id = d.endpoint_id AND l.lane = d.lane AND l.lease = ?
			WHERE d.endpoint_id = ? AND d.lane = ? AND d.state = `+deliveryWaitingSQL+` ORDER BY d.id LIMIT 1`,
			lane.Lease, lane.EndpointID, lane.Lane).Scan(&row)
		if found.Error != nil {
			return nil, fmt.Errorf("read head of lane %s: %w", lane.Lane, found.Error)
		}
		if found.RowsAffected == 0 || row.EndpointState != EndpointActive {
			return nil, d.db.InTx(ctx, func(t database.Tx) error { return releaseLane(t, lane) })
		}
		if row.RelayBody != BodyOriginal {
			row.SealedBody = nil // it waited while the original was wanted
		}
		if !row.empty() {
			return d.parcel(&row, lane.Lease), nil
		}
		_, err := d.exec(ctx, `UPDATE deliveries SET state = `+deliverySetAsideSQL+`, detail = ?, finished_at = ?
			WHERE id = ? AND state = `+deliveryWaitingSQL,
			OverEmpty, d.clock.Now(), row.ID)
		if err != nil {
			return nil, fmt.Errorf("set delivery %d aside: %w", row.ID, err)
		}
	}
}

// parcel builds an Outgoing from a row.
func (d *Service) parcel(row *headRow, lease string) *Outgoing {
	p := &Outgoing{Delivery: row.Delivery, Lease: lease, EndpointKind: row.Kind, Body: []byte(row.Payload)}
	if row.ReceivedAt != nil {
		p.ReceivedAt = *row.ReceivedAt
	}
	p.Trouble = d.decrypt(p, row.SealedURL, row.SealedSecret)
	if p.Trouble == nil && row.OldSecretUntil != nil && d.clock.Now().Before(*row.OldSecretUntil) {
		if old, err := d.box.Decrypt(secretbox.PurposeSecret, row.SealedOldSecret); err == nil {
			p.Secrets = append(p.Secrets, secretbox.SecretOf(string(old)))
		}
	}
	if p.ResultID != nil && p.SealedBody == nil {
		p.Body, p.Masked, p.ContentType = []byte(*row.Body), true, "application/json"
	}
	return p
}

// decrypt decrypts the address and the secrets that are needed to send a delivery.
func (d *Service) decrypt(p *Outgoing, address, secret []byte) error {
	url, err := d.box.Decrypt(secretbox.PurposeURL, address)
	if err != nil {
		return err
	}
	plain, err := d.box.Decrypt(secretbox.PurposeSecret, secret)
	if err != nil {
		return err
	}
	p.URL, p.Secrets = string(url), []secretbox.Secret{secretbox.SecretOf(string(plain))}
	if p.SealedBody != nil {
		p.Body, err = d.box.Decrypt(secretbox.PurposeBody, p.SealedBody)
	}
	return err
}

// Report stores the outcome of sending a delivery, and reports whether the next one
// of its lane follows at once, in which case the caller keeps the lane. When another
// process has taken the lane meanwhile, only a success is stored.
func (d *Service) Report(ctx context.Context, p *Outgoing, a Response) (next bool, err error) {
	var back bool
	err = d.db.InTx(ctx, func(t database.Tx) error {
		// The outcome need not survive a crash of the database: the delivery
		// would be sent again under the same id. So do not wait for the
		// disk, which is needed for the terminals' posts.
		if err := t.Exec(`SET LOCAL synchronous_commit = off`).Error; err != nil {
			return err
		}
		lane := Lane{p.EndpointID, p.Lane, p.Lease}
		owned, err := lockLane(t, lane)
		if err != nil {
			return err
		}
		now := d.clock.Now()
		state, err := writeTry(t, p, a, owned, now)
		if err != nil {
			return err
		}
		if back, err = d.judgeEndpoint(t, p, a, now); err != nil {
			return err
		}
		if !owned {
			return nil
		}
		if state == Waiting {
			return retryLane(t, lane, now, a.RetryAfter)
		}
		next, err = nextInLane(t, lane, now)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("write what came of delivery %d: %w", p.ID, err)
	}
	if back {
		// The endpoint is back: everything that waits is due, except for a
		// delay that the receiver requested.
		if err := d.hasten(ctx, p.EndpointID, `due_at = greatest(@now, not_before)`, `due_at > greatest(@now, not_before)`); err != nil {
			return false, err
		}
	}
	return next, nil
}

// writeTry adds the try to the delivery and returns the delivery's new state. A
// caller that has lost the lane abandons nothing, because another process is
// delivering from it.
func writeTry(t database.Tx, p *Outgoing, a Response, owned bool, now time.Time) (State, error) {
	state := Waiting
	switch {
	case a.Detail == TryDelivered:
		state = Delivered
	case !owned:
	case p.Event == EventTest, a.Detail != TryGone && !now.Before(p.QueuedAt.Add(maxAge)):
		state = GivenUp
	}
	columns := map[string]any{"tries": gorm.Expr("tries + 1"), "detail": a.Detail}
	if state != Waiting {
		columns["state"], columns["finished_at"], columns["sealed_body"] = state, now, nil
	}
	// A user may have set it aside meanwhile, or another process may have
	// delivered it while this one was suspended.
	done := t.Model(&Delivery{}).Where("id = ? AND state = "+deliveryWaitingSQL, p.ID).Updates(columns)
	if done.Error != nil {
		return "", done.Error
	}
	if done.RowsAffected == 0 {
		state = SetAside
		if err := t.Model(&Delivery{}).Where("id = ?", p.ID).Update("tries", gorm.Expr("tries + 1")).Error; err != nil {
			return "", err
		}
	}
	return state, t.Exec(`INSERT INTO delivery_tries (delivery_id, number, at, duration_ms, http_status, detail, answer, masked_body)
		SELECT id, tries, ?, ?, ?, ?, ?, ? FROM deliveries WHERE id = ?`,
		a.At, a.Duration.Milliseconds(), a.HTTPStatus, a.Detail, models.Truncate(a.Excerpt, 300), p.Masked, p.ID).Error
}
