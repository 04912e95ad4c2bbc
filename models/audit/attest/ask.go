package attest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// The troubles with an attester. Of the first two it is asked again, and nothing is lost: a
// later signature covers what is waiting for one.
const (
	Away    = "attest.away"    // it cannot be reached, or gives an error that may pass
	Wrong   = "attest.wrong"   // it answers what is no signature of it over this checkpoint
	Refused = "attest.refused" // a witness says that this is not the trail that it saw before, or not its key
)

// trouble is why there is no signature.
type trouble struct {
	code   string
	detail string // for whoever operates the server
}

func (t *trouble) Error() string { return t.code + ": " + t.detail }

func away(format string, args ...any) error  { return &trouble{Away, fmt.Sprintf(format, args...)} }
func wrong(format string, args ...any) error { return &trouble{Wrong, fmt.Sprintf(format, args...)} }

// signature is what somebody gave.
type signature struct {
	line string
	at   time.Time // in it
}

// clockTolerance is how far the time in a signature may be from the checkpoint's to the past,
// and from now to the future: what differs by more would have a verifier say that one of the
// two was dated falsely.
const clockTolerance = 10 * time.Minute

// judgeTime refuses a signature that says another time than ours.
func (s *Service) judgeTime(at time.Time, latest *sealing.Checkpoint) error {
	switch now := s.clock.Now(); {
	case at.Before(latest.SealedAt.Add(-clockTolerance)):
		return wrong("it says %s, which is before the checkpoint, of %s; one of the two clocks is wrong",
			at.UTC().Format(time.RFC3339), latest.SealedAt.UTC().Format(time.RFC3339))
	case at.After(now.Add(clockTolerance)):
		return wrong("it says %s, and here it is %s; one of the two clocks is wrong",
			at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// askOne asks one and stores what came of it.
func (s *Service) askOne(ctx context.Context, d dueOne, latest *sealing.Checkpoint) error {
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var got signature
	var err error
	if d.Kind == Stamps {
		got, err = s.stamp(asking, d.asked, latest)
	} else {
		got, err = s.cosignature(asking, &d, latest)
	}
	if ctx.Err() != nil {
		return nil // the lease ends by itself
	}
	if err == nil {
		err = s.judgeTime(got.at, latest)
	}
	if err == nil {
		err = s.signed(ctx, &d, latest, got)
		return err
	}
	var why *trouble
	if !errors.As(err, &why) {
		why = &trouble{Away, err.Error()}
	}
	return s.failed(ctx, &d, why)
}

// signed stores a signature.
func (s *Service) signed(ctx context.Context, d *dueOne, latest *sealing.Checkpoint, got signature) error {
	claim, err := trailfile.Unverified(latest.Note)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		_, err := t.SQL.ExecContext(ctx, `INSERT INTO checkpoint_signatures (size, sealed_at, kind, name, line, at, received_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`, latest.Size, latest.SealedAt, d.Kind, d.Name, got.line, got.at, now)
		if err != nil {
			return err
		}
		_, err = t.SQL.ExecContext(ctx, `UPDATE attesters SET tries = 0, trouble = '', detail = '', trouble_since = NULL, next_at = $3,
				received_at = $3, signed_at = $4, signed_origin = $5, signed_size = $6::bigint,
				seen_size = CASE kind WHEN 'cosignature' THEN $6::bigint ELSE 0 END
			WHERE kind = $1 AND name = $2`, d.Kind, d.Name, now, got.at, claim.Origin, latest.Size)
		return err
	})
	if err != nil {
		return fmt.Errorf("store a signature: %w", err)
	}
	if err := s.seals.KeepOutside(with(latest.Note, []string{got.line}), latest.SealedAt); err != nil {
		s.log.Warn("what others signed is kept in the database alone", "by", d.Name, "error", err) // the sealing says it, too
	}
	if d.Trouble != "" {
		s.log.Info("a checkpoint is signed again", "by", d.Name, "kind", d.Kind, "entries", latest.Size)
	}
	return nil
}

// maxDetail is how long the detail of a trouble may be, in characters.
const maxDetail = 300

// failed stores that there is no signature, and says so once. That a witness refuses is in
// the trail: it says that it saw another past.
func (s *Service) failed(ctx context.Context, d *dueOne, why *trouble) error {
	now, detail := s.clock.Now(), models.Legible(why.detail, maxDetail)
	if d.Trouble != why.code {
		s.log.Error("a checkpoint is not signed", "by", d.Name, "kind", d.Kind, "trouble", why.code, "detail", detail)
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		_, err := t.SQL.ExecContext(ctx, `UPDATE attesters SET tries = tries + 1, trouble = $3, detail = $4, next_at = $5,
				trouble_since = coalesce(trouble_since, $6), seen_size = $7
			WHERE kind = $1 AND name = $2`, d.Kind, d.Name, why.code, detail, now.Add(pause(d.Tries+1)), now, d.SeenSize)
		if err != nil {
			return fmt.Errorf("store why there is no signature: %w", err)
		}
		if why.code != Refused || d.Trouble == Refused {
			return nil
		}
		return audit.Record(t, actor(), now, models.ActionAttestationRefused, models.OutcomeFailure,
			audit.About{Reason: detail, After: map[string]any{"attester": d.Name, "kind": d.Kind, "seenSize": d.SeenSize}})
	})
}

// bare is a checkpoint's note with our own signatures alone, as we sign it.
func bare(latest *sealing.Checkpoint) (text, note string, err error) {
	text, _, err = notes.Cut(latest.Note)
	return text, latest.Note, err
}
