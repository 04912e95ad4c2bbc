package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/attest"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// openOutside opens the checkpoints that were stored outside the database.
func (r *treeRun) openOutside() {
	for i, text := range r.check.Checkpoints {
		c, err := openNote(text, r.check.Keys)
		f := Finding{Code: FindNotCheckpoint, N: -1, Detail: fmt.Sprintf("the %s one of those that were given", ordinal(i+1))}
		switch {
		case errors.Is(err, trailfile.ErrUnknownKey):
			f.Code = FindUnknownKey
		case err == nil && r.origin != "" && !notes.SameTrail(c.Origin, r.origin):
			err = fmt.Errorf("it is of another trail, %s", c.Origin)
		case err == nil:
			r.outside = append(r.outside, c)
			continue
		}
		f.Detail += ": " + err.Error()
		r.found(r.leaves+1, f)
	}
	slices.SortStableFunc(r.outside, func(a, b trailfile.Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	r.compareOutside()
}

func ordinal(n int) string {
	if n <= 3 {
		return []string{"1st", "2nd", "3rd"}[n-1]
	}
	return strconv.Itoa(n) + "th"
}

// openNote opens a checkpoint as far as keys are known.
func openNote(text string, keys note.Verifiers) (trailfile.Checkpoint, error) {
	if keys == nil {
		return trailfile.Unverified(text)
	}
	return trailfile.Open(text, keys)
}

// compareOutside compares the tree with the checkpoints outside that are as
// large as it is now.
func (r *treeRun) compareOutside() {
	for len(r.outside) > 0 && r.outside[0].Size <= r.edge.Size && !r.lost {
		c := r.outside[0]
		r.outside = r.outside[1:]
		r.v.Outside++
		if c.Root == r.edge.Root() {
			r.sound = c.Size
			r.v.Whole.agrees(&c)
			if c.Size > 0 && c.Size != r.times.before.Size {
				detail := fmt.Sprintf("checkpoint of %d entries: it is not there any more", c.Size)
				r.found(c.Size-1, Finding{Code: FindCheckpoint, N: c.Size - 1, At: c.Time, Detail: detail})
			}
			continue
		}
		detail := fmt.Sprintf("leaves %d to %d; checkpoint of %d entries, %s", r.sound, c.Size-1, c.Size, c.Time.Format(time.RFC3339))
		r.found(c.Size-1, Finding{Code: r.unless(c, FindSplit), N: r.sound, At: c.Time, Detail: detail})
	}
}

// restOutside judges those that are larger than what there is.
func (r *treeRun) restOutside() {
	if r.leaves == 0 && r.last.Size == 0 && len(r.outside) == 0 {
		r.found(0, Finding{Code: FindNothingSealed, N: -1})
	}
	for _, c := range r.outside {
		if c.Size <= r.leaves {
			continue // leaves before it are missing, which is reported already
		}
		r.v.Outside++
		detail := fmt.Sprintf("%d entries after leaf %d; checkpoint of %d entries, %s",
			c.Size-r.leaves, r.leaves-1, c.Size, c.Time.Format(time.RFC3339))
		r.found(r.leaves, Finding{Code: r.unless(c, FindTruncated), N: r.leaves, At: c.Time, Detail: detail})
	}
}

// unless is what a checkpoint comes to that does not fit: what it vouches for is known to be
// lost when the trail has begun anew since.
func (r *treeRun) unless(c trailfile.Checkpoint, code string) string {
	if r.origin != "" && c.Origin != r.origin {
		return FindLost
	}
	return code
}

// signedRow is a stored checkpoint with the entry that it ends with.
type signedRow struct {
	storedCheckpoint
	TxID     uint64
	Note     string
	LastEra  *int // nil when that entry is not there
	LastTxID *uint64
}

// signed verifies the notes of the stored checkpoints, and that their columns agree
// with them.
func (t *trailRun) signed(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT c.size, c.root, c.sealed_at, c.era, c.txid, c.entry_id, c.note, e.era AS last_era, e.txid AS last_txid,
			c.sealed_at AS until
		FROM checkpoints c LEFT JOIN LATERAL (SELECT era, txid FROM audit_entries WHERE id = c.entry_id LIMIT 1) e ON true ORDER BY c.size`)
	var last storedCheckpoint
	var n int64
	trusted := false
	err := database.Each(rows, func(c *signedRow) error {
		n++
		last = c.storedCheckpoint
		err := c.judge(t.check.Keys)
		code := FindCheckpoint
		switch {
		case err == nil:
			trusted = true
			return ctx.Err()
		case errors.Is(err, trailfile.ErrUnknownKey):
			code = FindOtherKey
		case errors.Is(err, trailfile.ErrBadSignature):
			code = FindBadSignature
		}
		// Before the first that a trusted key has signed there may be others: the
		// key is younger than the trail. Those are covered by it.
		if code != FindOtherKey || trusted {
			last.found(t, code, fmt.Sprintf("checkpoint of %d entries: %v", c.Size, err))
		}
		return ctx.Err()
	})
	if err == nil && n > 0 && !trusted && t.check.Keys != nil {
		last.found(t, FindOtherKey, "no checkpoint is signed by a key that was given")
	}
	if err == nil {
		err = t.beats(ctx, tx)
	}
	if err == nil {
		err = t.others(ctx, tx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.v.Checkpoints = n
	return err
}

// beats verifies the checkpoints that were signed again because nothing was added: each
// is of the entries of the one of its size. Which key they are signed by is judged there.
func (t *trailRun) beats(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT b.size, coalesce(c.root, '') AS root, b.sealed_at, coalesce(c.era, 0) AS era,
			coalesce(c.entry_id, 0) AS entry_id, '0'::xid8 AS txid, b.note, NULL::integer AS last_era, NULL::xid8 AS last_txid, b.sealed_at AS until
		FROM checkpoint_beats b LEFT JOIN checkpoints c USING (size) ORDER BY b.sealed_at`)
	return database.Each(rows, func(c *signedRow) error {
		err := c.judge(t.check.Keys)
		code := FindCheckpoint
		if errors.Is(err, trailfile.ErrBadSignature) {
			code = FindBadSignature
		}
		if err != nil && !errors.Is(err, trailfile.ErrUnknownKey) {
			c.found(t, code, fmt.Sprintf("checkpoint of %d entries, signed again: %v", c.Size, err))
		}
		return ctx.Err()
	})
}

// attestedRow is what somebody else signed, with the checkpoint that it is over.
type attestedRow struct {
	storedCheckpoint
	Kind, Name, Line, Note, Key string
}

// others verifies what others signed: whoever writes another past and signs its checkpoints
// anew cannot sign for them.
func (t *trailRun) others(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT s.size, coalesce(c.root, '') AS root, s.sealed_at, coalesce(c.era, 0) AS era,
			coalesce(c.entry_id, 0) AS entry_id, s.sealed_at AS until, s.kind, s.name, s.line,
			coalesce(CASE WHEN c.sealed_at = s.sealed_at THEN c.note END, b.note, '') AS note, coalesce(a.key, '') AS key
		FROM checkpoint_signatures s LEFT JOIN checkpoints c ON c.size = s.size
			LEFT JOIN checkpoint_beats b ON b.sealed_at = s.sealed_at AND b.size = s.size
			LEFT JOIN attesters a ON a.kind = s.kind AND a.name = s.name
		ORDER BY s.size, s.sealed_at, s.kind, s.name`)
	return database.Each(rows, func(r *attestedRow) error {
		s := attest.Stored{Kind: attest.Kind(r.Kind), Name: r.Name, Line: r.Line, Note: r.Note, Key: r.Key}
		if err := s.Judge(); err != nil {
			r.found(t, FindAttested, fmt.Sprintf("checkpoint of %d entries, %s: %v", r.Size, r.SealedAt.UTC().Format(time.RFC3339), err))
		}
		return ctx.Err()
	})
}

// found adds a finding about the checkpoint, where its last leaf is.
func (c *storedCheckpoint) found(t *trailRun, code, detail string) {
	t.found(c.Size-1, Finding{Code: code, EntryID: c.EntryID, N: c.Size - 1, At: c.SealedAt, Detail: detail})
}

// judge compares a stored checkpoint with its note.
func (c *signedRow) judge(keys note.Verifiers) error {
	claim, err := openNote(c.Note, keys)
	switch {
	case err != nil:
		return err
	case claim.Size != c.Size:
		return fmt.Errorf("its note is of %d", claim.Size)
	case len(c.Root) != tlog.HashSize || claim.Root != tlog.Hash(c.Root):
		return errors.New("its note has another root")
	case !claim.Time.Equal(c.SealedAt):
		return fmt.Errorf("its note is of %s", claim.Time.Format(time.RFC3339Nano))
	case c.LastEra != nil && (*c.LastEra != c.Era || *c.LastTxID != c.TxID):
		return fmt.Errorf("it places its last entry in era %d, transaction %d, which is in era %d, transaction %d",
			c.Era, c.TxID, *c.LastEra, *c.LastTxID)
	}
	return nil
}
