package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
)

// openOutside opens the checkpoints that were stored outside the database.
func (r *treeRun) openOutside() {
	for i, text := range r.check.Checkpoints {
		c, err := openNote(text, r.check.Keys)
		f := Finding{Code: FindNotCheckpoint, N: -1, Detail: fmt.Sprintf("the %s one of those that were given", ordinal(i+1))}
		switch {
		case errors.Is(err, trailfile.ErrUnknownKey):
			f.Code = FindUnknownKey
		case err == nil && r.origin != "" && c.Origin != r.origin:
			err = fmt.Errorf("it is of another trail, %s", c.Origin)
		case err == nil:
			r.outside = append(r.outside, c)
			continue
		}
		f.Detail += ": " + err.Error()
		r.found(r.leaves+1, f)
	}
	slices.SortStableFunc(r.outside, func(a, b trailfile.Checkpoint) int { return compareInts(a.Size, b.Size) })
	r.compareOutside()
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "1st"
	case 2:
		return "2nd"
	case 3:
		return "3rd"
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
			if c.Size > 0 && c.Size != r.times.before.size {
				r.found(c.Size-1, Finding{Code: FindCheckpoint, N: c.Size - 1, At: c.Time, Detail: fmt.Sprintf("checkpoint of %d entries: it is not there any more", c.Size)})
			}
			continue
		}
		r.found(c.Size-1, Finding{Code: FindSplit, N: r.sound, At: c.Time, Detail: fmt.Sprintf("leaves %d to %d; checkpoint of %d entries, %s",
			r.sound, c.Size-1, c.Size, c.Time.Format(time.RFC3339))})
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
		r.found(r.leaves, Finding{Code: FindTruncated, N: r.leaves, At: c.Time, Detail: fmt.Sprintf("%d entries after leaf %d; checkpoint of %d entries, %s",
			c.Size-r.leaves, r.leaves-1, c.Size, c.Time.Format(time.RFC3339))})
	}
}

// signedRow is a stored checkpoint with the entry that it ends with.
type signedRow struct {
	size, entry int64
	root        []byte
	at          time.Time
	era         int
	txid        uint64
	note        string
	lastEra     *int // nil when that entry is not there
	lastTxID    *uint64
}

// signed verifies the notes of the stored checkpoints, and that their columns agree
// with them.
func (t *trailRun) signed(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT c.size, c.root, c.sealed_at, c.era, c.txid, c.entry_id, c.note, e.era, e.txid
		FROM checkpoints c LEFT JOIN LATERAL (SELECT era, txid FROM audit_entries WHERE id = c.entry_id LIMIT 1) e ON true ORDER BY c.size`)
	if err != nil {
		return err
	}
	var c signedRow
	var n int64
	trusted := false
	_, err = pgx.ForEachRow(rows, []any{&c.size, &c.root, &c.at, &c.era, &c.txid, &c.entry, &c.note, &c.lastEra, &c.lastTxID}, func() error {
		n++
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
			t.found(c.size-1, Finding{Code: code, EntryID: c.entry, N: c.size - 1, At: c.at, Detail: fmt.Sprintf("checkpoint of %d entries: %v", c.size, err)})
		}
		return ctx.Err()
	})
	if err == nil && n > 0 && !trusted && t.check.Keys != nil {
		t.found(c.size-1, Finding{Code: FindOtherKey, EntryID: c.entry, N: c.size - 1, At: c.at, Detail: "no checkpoint is signed by a key that was given"})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.v.Checkpoints = n
	return err
}

// judge compares a stored checkpoint with its note.
func (c *signedRow) judge(keys note.Verifiers) error {
	said, err := openNote(c.note, keys)
	switch {
	case err != nil:
		return err
	case said.Size != c.size:
		return fmt.Errorf("its note is of %d", said.Size)
	case len(c.root) != tlog.HashSize || said.Root != tlog.Hash(c.root):
		return errors.New("its note has another root")
	case !said.Time.Equal(c.at):
		return fmt.Errorf("its note is of %s", said.Time.Format(time.RFC3339Nano))
	case c.lastEra != nil && (*c.lastEra != c.era || *c.lastTxID != c.txid):
		return fmt.Errorf("it places its last entry in era %d, transaction %d, which is in era %d, transaction %d", c.era, c.txid, *c.lastEra, *c.lastTxID)
	}
	return nil
}
