package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Answer is what was answered to a request that may be repeated.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// answersKeptFor is how long a repeat gets the answer of the first.
const answersKeptFor = 24 * time.Hour

// answerLease is how long an act may take before it is taken for one whose
// process died: longer than any statement may.
const answerLease = time.Minute

// The refusals around a repeated request.
var (
	ErrAnswerPending = &Error{Kind: KindConflict, Code: "idempotency.pending"}
	ErrAnswerOther   = &Error{Kind: KindInvalid, Code: "idempotency.other", Field: "Idempotency-Key"}
)

// BeginAnswer takes an Idempotency-Key, as its hash, for a request. It returns
// the answer that the same request already had, or nil: then the act is the
// caller's to do, who ends with KeepAnswer or ForgetAnswer.
//
// Errors: ErrAnswerPending while the first is still being done, ErrAnswerOther
// when the key stands for another request.
func (db *DB) BeginAnswer(ctx context.Context, actor Actor, now time.Time, token, request [32]byte) (*Answer, error) {
	var mine bool
	err := db.pool.QueryRow(ctx, `INSERT INTO api_answers AS a (key_id, token, request, begun_at, leased_until) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (key_id, token) DO UPDATE
		SET request = excluded.request, begun_at = excluded.begun_at, leased_until = excluded.leased_until, status = NULL, content_type = '', body = NULL
		WHERE a.begun_at < $6 OR a.status IS NULL AND a.leased_until < $4 AND a.request = excluded.request
		RETURNING true`, actor.UserID, token[:], request[:], now, now.Add(answerLease), now.Add(-answersKeptFor)).Scan(&mine)
	if err == nil {
		return nil, nil
	}
	if err != pgx.ErrNoRows {
		return nil, fmt.Errorf("take idempotency key: %w", err)
	}
	var known []byte
	var a Answer
	var status *int
	err = db.pool.QueryRow(ctx, `SELECT request, status, content_type, body FROM api_answers WHERE key_id = $1 AND token = $2`, actor.UserID, token[:]).
		Scan(&known, &status, &a.ContentType, &a.Body)
	switch {
	case err == pgx.ErrNoRows:
		return nil, ErrAnswerPending // it was just given up: the next repeat may have it
	case err != nil:
		return nil, fmt.Errorf("read kept answer: %w", err)
	case [32]byte(known) != request:
		return nil, ErrAnswerOther
	case status == nil:
		return nil, ErrAnswerPending
	}
	a.Status = *status
	return &a, nil
}

// KeepAnswer keeps what was answered, for repeats of the request.
func (db *DB) KeepAnswer(ctx context.Context, actor Actor, token [32]byte, a Answer) error {
	_, err := db.pool.Exec(ctx, `UPDATE api_answers SET status = $3, content_type = $4, body = $5 WHERE key_id = $1 AND token = $2`,
		actor.UserID, token[:], a.Status, a.ContentType, a.Body)
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	return nil
}

// ForgetAnswer gives an Idempotency-Key back: nothing was done, so a repeat is
// judged anew.
func (db *DB) ForgetAnswer(ctx context.Context, actor Actor, token [32]byte) error {
	if _, err := db.pool.Exec(ctx, `DELETE FROM api_answers WHERE key_id = $1 AND token = $2 AND status IS NULL`, actor.UserID, token[:]); err != nil {
		return fmt.Errorf("give idempotency key back: %w", err)
	}
	return nil
}
