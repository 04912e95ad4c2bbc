package apikeys

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// IdempotencyRecord is the stored response to a request that may be repeated.
type IdempotencyRecord struct {
	Status      int
	ContentType string
	Headers     map[string]string // what the operation set besides
	Body        []byte
}

// recordLease is how long a claim holds that its process no longer renews: it has
// died, or reaches the database no longer. A repeat then performs the request again,
// which is harmless: recording and requesting are idempotent by themselves.
const recordLease = 5 * time.Second

// How often a claim is renewed while its request is performed, and its release tried
// again while the database fails.
const (
	renewEvery   = recordLease / 3
	releaseEvery = 200 * time.Millisecond
)

// The errors of a repeated request.
var (
	ErrRecordPending  = &models.Error{Kind: models.KindConflict, Code: "idempotency.pending"}
	ErrRecordMismatch = &models.Error{Kind: models.KindInvalid, Code: "idempotency.other", Field: "Idempotency-Key"}
)

// Claim is an Idempotency-Key whose request this process performs. It ends with
// Store or Release.
type Claim struct {
	s       *Service
	keyID   int64
	token   [32]byte
	begunAt time.Time
	ended   atomic.Bool // it is renewed no more
}

// BeginIdempotent claims an Idempotency-Key, given as its hash, for a request, or
// returns the response that the same request already had.
//
// Errors: ErrRecordPending while another process performs the first request,
// ErrRecordMismatch when the key belongs to another request.
func (s *Service) BeginIdempotent(
	ctx context.Context, actor models.Actor, token, request [32]byte,
) (*Claim, *IdempotencyRecord, error) {
	now := s.clock.Now().Truncate(time.Microsecond) // the precision in which it is compared
	c := &Claim{s: s, keyID: actor.UserID, token: token, begunAt: now}
	var mine bool
	err := s.db.Pool().QueryRow(ctx, `INSERT INTO api_answers AS a (key_id, token, request, begun_at, leased_until)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key_id, token) DO UPDATE
		SET request = excluded.request, begun_at = excluded.begun_at, leased_until = excluded.leased_until,
			status = NULL, content_type = '', headers = '{}', body = NULL
		WHERE a.begun_at < $6 OR a.status IS NULL AND a.leased_until < $4 AND a.request = excluded.request
		RETURNING true`, actor.UserID, token[:], request[:], now, now.Add(recordLease), now.Add(-audit.RecordRetention)).Scan(&mine)
	switch {
	case err == nil:
		time.AfterFunc(renewEvery, c.renew)
		return c, nil, nil
	case !errors.Is(err, pgx.ErrNoRows):
		c.Release(ctx) // it may have been claimed all the same
		return nil, nil, fmt.Errorf("take idempotency key: %w", err)
	}
	known, err := s.storedResponse(ctx, actor, token, request)
	return nil, known, err
}

// storedResponse reads the response that a request already had.
func (s *Service) storedResponse(ctx context.Context, actor models.Actor, token, request [32]byte) (*IdempotencyRecord, error) {
	type storedRecord struct {
		IdempotencyRecord
		Request []byte
	}
	known, err := database.Row[storedRecord](ctx, s.db.Pool(), `SELECT request, coalesce(status, 0) AS status, content_type, headers, body
		FROM api_answers WHERE key_id = $1 AND token = $2`, actor.UserID, token[:])
	switch {
	case errors.Is(err, models.ErrNotFound):
		return nil, ErrRecordPending // it was just released: the next repeat may claim it
	case err != nil:
		return nil, fmt.Errorf("read kept answer: %w", err)
	case [32]byte(known.Request) != request:
		return nil, ErrRecordMismatch
	case known.Status == 0:
		return nil, ErrRecordPending
	}
	return &known.IdempotencyRecord, nil
}

// renew prolongs the lease of a request that takes long.
func (c *Claim) renew() {
	defer goroutine.Recover(nil, "renewing an Idempotency-Key")
	if c.ended.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), renewEvery)
	defer cancel()
	// What cannot be renewed now is renewed at the next turn, or runs out.
	_, _ = c.s.db.Pool().Exec(ctx, `UPDATE api_answers SET leased_until = $4
		WHERE key_id = $1 AND token = $2 AND begun_at = $3 AND status IS NULL`,
		c.keyID, c.token[:], c.begunAt, c.s.clock.Now().Add(recordLease))
	time.AfterFunc(renewEvery, c.renew)
}

// Store stores the response, for repeats of the request.
func (c *Claim) Store(ctx context.Context, a IdempotencyRecord) error {
	c.ended.Store(true)
	_, err := c.s.db.Pool().Exec(ctx, `UPDATE api_answers
		SET status = $4, content_type = $5, headers = coalesce($6::jsonb, '{}'), body = $7
		WHERE key_id = $1 AND token = $2 AND begun_at = $3`,
		c.keyID, c.token[:], c.begunAt, a.Status, a.ContentType, a.Headers, a.Body)
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// Release gives the Idempotency-Key back: nothing was done, so a repeat is processed
// as a new request. While the database fails it is tried again, until the lease runs
// out: after an outage a program repeats at once, and may have no minute left.
func (c *Claim) Release(ctx context.Context) {
	c.ended.Store(true)
	if c.release(context.WithoutCancel(ctx)) == nil {
		return
	}
	goroutine.Go(nil, "releasing an Idempotency-Key", func() {
		until, cancel := context.WithTimeout(context.Background(), recordLease)
		defer cancel()
		again := time.NewTicker(releaseEvery)
		defer again.Stop()
		for c.release(until) != nil {
			select {
			case <-again.C:
			case <-until.Done():
				return
			}
		}
	})
}

// release tries it once, and leaves alone what another process has claimed since.
func (c *Claim) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := c.s.db.Pool().Exec(ctx, `DELETE FROM api_answers
		WHERE key_id = $1 AND token = $2 AND begun_at = $3 AND status IS NULL`, c.keyID, c.token[:], c.begunAt)
	return err
}
