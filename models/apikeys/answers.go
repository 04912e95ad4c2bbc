package apikeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// IdempotencyRecord is the stored response to a request that may be repeated.
type IdempotencyRecord struct {
	Status      int
	ContentType string
	Headers     map[string]string // what the operation set besides
	Body        []byte
}

// recordLease is how long an operation may take before its process is assumed to
// have died. It is longer than any statement may take.
const recordLease = time.Minute

// The errors of a repeated request.
var (
	ErrRecordPending  = &models.Error{Kind: models.KindConflict, Code: "idempotency.pending"}
	ErrRecordMismatch = &models.Error{Kind: models.KindInvalid, Code: "idempotency.other", Field: "Idempotency-Key"}
)

// BeginIdempotent claims an Idempotency-Key, given as its hash, for a request. It
// returns the response that the same request already had. When it returns nil the
// caller performs the operation and ends with StoreResponse or ForgetResponse.
//
// Errors: ErrRecordPending while the first request is still running,
// ErrRecordMismatch when the key belongs to another request.
func (s *Service) BeginIdempotent(ctx context.Context, actor models.Actor, token, request [32]byte) (*IdempotencyRecord, error) {
	now := s.clock.Now()
	var mine bool
	err := s.db.Pool().QueryRow(ctx, `INSERT INTO api_answers AS a (key_id, token, request, begun_at, leased_until)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key_id, token) DO UPDATE
		SET request = excluded.request, begun_at = excluded.begun_at, leased_until = excluded.leased_until,
			status = NULL, content_type = '', headers = '{}', body = NULL
		WHERE a.begun_at < $6 OR a.status IS NULL AND a.leased_until < $4 AND a.request = excluded.request
		RETURNING true`, actor.UserID, token[:], request[:], now, now.Add(recordLease), now.Add(-audit.RecordRetention)).Scan(&mine)
	if err == nil {
		return nil, nil
	}
	if err != pgx.ErrNoRows {
		return nil, fmt.Errorf("take idempotency key: %w", err)
	}
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

// StoreResponse stores the response, for repeats of the request.
func (s *Service) StoreResponse(ctx context.Context, actor models.Actor, token [32]byte, a IdempotencyRecord) error {
	_, err := s.db.Pool().Exec(ctx, `UPDATE api_answers SET status = $3, content_type = $4, headers = coalesce($5::jsonb, '{}'), body = $6
		WHERE key_id = $1 AND token = $2`, actor.UserID, token[:], a.Status, a.ContentType, a.Headers, a.Body)
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// ForgetResponse releases an Idempotency-Key: nothing was done, so a repeat is
// processed as a new request.
func (s *Service) ForgetResponse(ctx context.Context, actor models.Actor, token [32]byte) error {
	_, err := s.db.Pool().Exec(ctx, `DELETE FROM api_answers WHERE key_id = $1 AND token = $2 AND status IS NULL`,
		actor.UserID, token[:])
	if err != nil {
		return fmt.Errorf("give idempotency key back: %w", err)
	}
	return nil
}
