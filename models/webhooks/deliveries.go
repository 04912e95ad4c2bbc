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

// Service forwards what terminals post, and what becomes of cancellations,
// to the merchant's own programs: never in the request that brought it, at least
// once, in order.
//
// What is to be delivered is written by the transaction of what it tells. It
// waits in a lane: of one terminal, or of one case, to one endpoint. Processes
// take lanes, so one delivery is under way in each, and the next waits for it
// until it has arrived, is given up, or is set aside by hand.
type Service struct {
	db           *database.DB
	clock        models.Clock
	box          *secretbox.Box // nil: no key, so no endpoint can be made
	allowPrivate bool
	woken        chan struct{}
}

// Config is what the service is made of.
type Config struct {
	DB           *database.DB
	Clock        models.Clock
	Box          *secretbox.Box // nil: no key is set (RELAY_KEY)
	AllowPrivate bool           // endpoints in private networks and on this machine (DELIVERY_ALLOW_PRIVATE)
}

// New makes the service.
func New(c Config) *Service {
	return &Service{db: c.DB, clock: c.Clock, box: c.Box, allowPrivate: c.AllowPrivate, woken: make(chan struct{}, 1)}
}

// HasKey reports whether there is a key to seal with. Without one no endpoint
// can be made, and nothing is delivered to those that are there.
func (d *Service) HasKey() bool { return d.box != nil }

// AllowsPrivate reports whether endpoints may be in private networks.
func (d *Service) AllowsPrivate() bool { return d.allowPrivate }

// Woken is told when this process has put something in line. What other
// processes put there is found by looking.
func (d *Service) Woken() <-chan struct{} { return d.woken }

func (d *Service) NotifyWorkers() {
	if d == nil {
		return
	}
	select {
	case d.woken <- struct{}{}:
	default: // told already
	}
}

// The patience of deliveries.
const (
	// maxAge is how long a delivery is tried, and how long what came
	// from a terminal is kept for it.
	maxAge = 72 * time.Hour
	// firstRetry is the wait after the first failure; it doubles up to longestRetry.
	firstRetry   = 2 * time.Second
	longestRetry = 30 * time.Minute
	// laneLease is how long a process may be at one delivery. One that died lets
	// go of its lanes by it; it is far above the wait for an answer.
	laneLease = 30 * time.Second
	// disableAfter is how long nothing may arrive before an endpoint is disabled.
	disableAfter = 72 * time.Hour
	// deliveryRetention is how long deliveries that are over are kept.
	deliveryRetention = 30 * 24 * time.Hour
	// secretOverlap is how long the secret before signs too.
	secretOverlap = 24 * time.Hour
)

// maxContentType is how much of a content type is kept.
const maxContentType = 200

// Relay puts a result in line for every relay, as it came. It is part of the
// transaction that stores it, after the row of its terminal is locked: so the
// deliveries of a terminal are numbered in the order in which they are committed.
// What was forwarded to us goes no further.
//
// Of some posts nothing is kept, neither as it came nor masked: too long ones,
// and compressed ones. They are set aside at once, so that the log names them:
// an empty message would tell a receiver of a result that says nothing.
func (d *Service) Relay(t database.Tx, r *models.Result, p models.Post) error {
	if d == nil || p.Forwarded {
		return nil
	}
	var body blob // nil: what came is not kept
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
	err := t.Exec(`WITH wanted AS (SELECT id FROM endpoints WHERE kind = 'relay' AND state <> `+endpointRetiredSQL+` ORDER BY id),
		added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, result_id, serial_number, order_id, sealed_body, content_type,
				created_at, queued_at, state, detail, finished_at)
			SELECT id, @lane, @event, @result, @serial, @order, CAST(@body AS bytea), @type, @now, @now, @state, @detail, CAST(@over AS timestamptz)
			FROM wanted RETURNING endpoint_id)
		`+lanes, given).Error
	if err != nil {
		return fmt.Errorf("put in line for relays: %w", err)
	}
	return nil
}

// headerText is a header's value as it can be sent on.
func headerText(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxContentType || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return s
}

// blob is bytes as one value: gorm takes a slice behind a parenthesis for a list.
type blob []byte

// Value returns the bytes; NULL when there are none.
func (b blob) Value() (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	return []byte(b), nil
}
