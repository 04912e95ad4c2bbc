package attest

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Silent is the trouble with an attester that nobody has asked for long: the process that
// seals does not run.
const Silent = "attest.silent"

// silentAfter is how long after its time nobody may have asked.
const silentAfter = 10 * time.Minute

// Attester is somebody who signs checkpoints, as people see it.
type Attester struct {
	Kind         Kind
	Name         string
	Address      string
	Key          string // of a witness
	Since        time.Time
	Size         int64      // entries that its last signature is over
	SignedAt     *time.Time // the time in that; nil when it never signed
	ReceivedAt   *time.Time // when it came, by our clock
	Trouble      string     // "" when there is none
	Detail       string
	TroubleSince *time.Time
	NextAt       time.Time // asked again, in trouble
}

// Status lists who is asked to sign, and how that goes, whichever process asks.
func (s *Service) Status(ctx context.Context) ([]Attester, error) {
	rows, err := database.Rows[row](ctx, s.db, rowsSQL)
	if err != nil {
		return nil, fmt.Errorf("read who signs checkpoints: %w", err)
	}
	now := s.clock.Now()
	all := make([]Attester, len(rows))
	for i, r := range rows {
		all[i] = Attester{
			r.Kind, r.Name, r.Address, r.Key, r.Since, r.SignedSize, r.SignedAt, r.ReceivedAt, r.Trouble, r.Detail, r.TroubleSince, r.NextAt,
		}
		if late := r.late(now); r.Trouble == "" && late != nil {
			all[i].Trouble, all[i].TroubleSince = Silent, late
		}
	}
	return all, nil
}

// late is since when it should have been asked, nil when it was.
func (r *row) late(now time.Time) *time.Time {
	at := r.NextAt
	switch {
	case r.ReceivedAt == nil || r.Tries > 0:
	case r.WantedAt != nil && r.WantedAt.After(*r.ReceivedAt):
		at = *r.WantedAt
	case r.Kind == Cosignature:
		at = r.ReceivedAt.Add(cosignEvery)
	default:
		return nil // whether a day was closed since is not asked here
	}
	if now.Sub(at) < silentAfter {
		return nil
	}
	return &at
}

// Notice is what people should know: that a witness refuses, or who has been in trouble for
// longer than patience; nil when there is nothing.
func (s *Service) Notice(ctx context.Context) (*sealing.Trouble, error) {
	if len(s.asked) == 0 && (s.seals == nil || !s.seals.Elsewhere()) {
		return nil, nil // nobody is asked, here or by another process
	}
	all, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	var first *sealing.Trouble
	for i := range all {
		a := &all[i]
		if a.Trouble == "" || a.Trouble != Refused && (first != nil || s.clock.Now().Sub(*a.TroubleSince) < patience) {
			continue
		}
		first = &sealing.Trouble{Code: a.Trouble, Detail: a.Name, Since: *a.TroubleSince, Sealed: a.Size}
		if a.Trouble == Refused {
			break
		}
	}
	return first, nil
}

// patience is how long somebody may be away before people are told: a night's maintenance of
// an authority is nobody's work here.
const patience = 24 * time.Hour

// Want has the newest checkpoint signed now by everybody who is asked. What becomes of it is
// seen later; nobody waits for it.
//
// Errors: ErrForbidden, ErrNobodyAsked.
func (s *Service) Want(ctx context.Context, actor models.Actor) error {
	if !actor.May(models.ReadAudit) {
		return models.ErrForbidden
	}
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		wanted := t.Exec(`UPDATE attesters SET wanted_at = ?, next_at = least(next_at, ?)`, now, now)
		switch {
		case wanted.Error != nil:
			return fmt.Errorf("ask for signatures: %w", wanted.Error)
		case wanted.RowsAffected == 0:
			return ErrNobodyAsked
		}
		return audit.Record(t, actor, now, models.ActionAttestationAsked, models.OutcomeSuccess,
			audit.About{After: map[string]any{"attesters": wanted.RowsAffected}})
	})
}

// ErrNobodyAsked refuses to have a checkpoint signed where nobody is named who would.
var ErrNobodyAsked = &models.Error{Kind: models.KindConflict, Code: "attest.nobody"}

// WantAtCutoff has the witnesses sign as the day's cancellations end: what was decided until
// then stands. The cut-off is the one that has passed last.
func (s *Service) WantAtCutoff(ctx context.Context, cutoff time.Time) error {
	now := s.clock.Now()
	if now.Before(cutoff) || now.Sub(cutoff) >= cosignEvery {
		return nil
	}
	_, err := s.db.Exec(ctx, `UPDATE attesters SET wanted_at = $1, next_at = least(next_at, $2)
		WHERE kind = $3 AND (wanted_at IS NULL OR wanted_at < $1) AND (received_at IS NULL OR received_at < $1)`, cutoff, now, Cosignature)
	if err != nil {
		return fmt.Errorf("have the cut-off signed: %w", err)
	}
	return nil
}
