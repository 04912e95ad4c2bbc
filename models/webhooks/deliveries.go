package webhooks

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/secretbox"
)

// Service forwards what terminals post, and the events of cancellations, to the
// merchant's own programs: never in the request that caused it, at least once, and
// in order.
//
// A delivery is written in the same transaction as the data it is about. It waits in
// a lane: of one terminal, or of one cancellation, to one endpoint. Processes lease
// lanes, so each lane has one delivery in progress. The next one waits until that
// has arrived, is abandoned, or is set aside manually.
type Service struct {
	db           *database.DB
	clock        models.Clock
	box          *secretbox.Box // nil: no key, so no endpoint can be made
	allowPrivate bool
	woken        chan struct{}
}

// Config contains the parts of a Service.
type Config struct {
	DB           *database.DB
	Clock        models.Clock
	Box          *secretbox.Box // nil: no key is set (RELAY_KEY)
	AllowPrivate bool           // endpoints in private networks and on this machine (DELIVERY_ALLOW_PRIVATE)
}

// New returns a Service.
func New(c Config) *Service {
	return &Service{db: c.DB, clock: c.Clock, box: c.Box, allowPrivate: c.AllowPrivate, woken: make(chan struct{}, 1)}
}

// HasKey reports whether there is an encryption key. Without one no endpoint can be
// created, and nothing is delivered to existing ones.
func (d *Service) HasKey() bool { return d.box != nil }

// AllowsPrivate reports whether endpoints may be in private networks.
func (d *Service) AllowsPrivate() bool { return d.allowPrivate }

// Woken receives a value when this process has queued a delivery. Deliveries queued
// by other processes are found by polling.
func (d *Service) Woken() <-chan struct{} { return d.woken }

func (d *Service) NotifyWorkers() {
	if d == nil {
		return
	}
	select {
	case d.woken <- struct{}{}:
	default: // already notified
	}
}

// The timeouts of deliveries.
const (
	// maxAge is how long a delivery is tried, and how long a terminal's post is
	// stored for it.
	maxAge = 72 * time.Hour
	// firstRetry is the wait after the first failure; it doubles up to longestRetry.
	firstRetry   = 2 * time.Second
	longestRetry = 30 * time.Minute
	// laneLease is how long a process may work on one delivery. It releases the
	// lanes of a process that died; it is far above the timeout of a request.
	laneLease = 30 * time.Second
	// disableAfter is how long nothing may arrive before an endpoint is
	// disabled.
	disableAfter = 72 * time.Hour
	// deliveryRetention is how long deliveries that have ended are stored.
	deliveryRetention = 30 * 24 * time.Hour
	// secretOverlap is how long the previous secret signs too.
	secretOverlap = 24 * time.Hour
)

// maxContentType is how much of a content type is stored.
const maxContentType = 200

// Relay queues a result for every relay: as received for those that two people wanted it
// for, else what is stored of it. It is part of the transaction
// that stores the result, after the row of its terminal is locked, so that the
// deliveries of a terminal are numbered in the order in which they are committed.
// What we delivered to ourselves is not forwarded again.
//
// Of some posts nothing is stored, neither as received nor masked: too long ones,
// and compressed ones. They are set aside at once, so that the log names them.
// Sending an empty message would only mislead a receiver.
func (d *Service) Relay(t database.Tx, r *models.Result, p models.Post) error {
	if d == nil || p.Forwarded {
		return nil
	}
	var body blob // nil: the post is not stored
	if d.box != nil && len(p.Raw) > 0 {
		body = d.box.Encrypt(secretbox.PurposeBody, p.Raw)
	}
	contentType := headerText(p.ContentType)
	if contentType == "" || body == nil {
		contentType = "application/json"
	}
	given := map[string]any{
		"lane": "terminal " + r.SerialNumber, "event": string(eventOfResult(r.Kind)), "result": r.ID, "serial": r.SerialNumber,
		"order": r.OrderID, "body": body, "type": contentType, "now": r.ReceivedAt,
		"state": Waiting, "detail": "", "over": (*time.Time)(nil),
	}
	lanes := openLanes
	if body == nil && r.Body == "" {
		given["state"], given["detail"], given["over"] = SetAside, OverEmpty, &r.ReceivedAt
		lanes = `SELECT FROM added`
	}
	err := t.Exec(`WITH wanted AS (SELECT id, relay_body FROM endpoints WHERE kind = 'relay' AND state <> `+endpointRetiredSQL+` ORDER BY id),
		added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, result_id, serial_number, order_id, sealed_body, content_type,
				created_at, queued_at, state, detail, finished_at)
			SELECT id, @lane, @event, @result, @serial, @order,
				CASE relay_body WHEN 'original' THEN CAST(@body AS bytea) END, @type, @now, @now, @state, @detail, CAST(@over AS timestamptz)
			FROM wanted RETURNING endpoint_id)
		`+lanes, given).Error
	if err != nil {
		return fmt.Errorf("put in line for relays: %w", err)
	}
	return nil
}

// headerText is a header's value in a form that can be forwarded.
func headerText(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxContentType || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return s
}

// blob is bytes as one SQL value: after a parenthesis gorm would expand a slice into
// a list.
type blob []byte

// Value returns the bytes; NULL when there are none.
func (b blob) Value() (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	return []byte(b), nil
}
