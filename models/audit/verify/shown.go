package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// Standing is how an entry compares with what was sealed of it: its columns with its
// bytes, and its bytes with the seal. That the seal itself was not altered is what a
// verification is for.
type Standing struct {
	Sealed  bool
	Leaf    tlog.Hash // as it was sealed; of its bytes while it is not
	Bytes   bool      // its bytes are not those that were sealed
	Columns string    // those that differ from its bytes; "" when none do
}

// Altered reports whether the entry is not as it was written, or not as it was sealed.
func (s *Standing) Altered() bool { return s.Bytes || s.Columns != "" }

// EntryColumns are those of an entry that a Comparer reads, before the hash that was sealed.
var EntryColumns = `id, era, txid, canonical, ` + strings.Join(canonicalColumnNames(), ", ")

// StandingColumns are those of entries e that a Comparer reads, all that a file for people
// shows among them; the hash that was sealed is null while there is none.
var StandingColumns = EntryColumns + `, (SELECT hash FROM sealed_entries s WHERE s.entry_id = e.id) AS sealed`

// Comparer compares rows with what was sealed of them. What it needs for one it uses for
// the next.
type Comparer struct {
	row    entryRow
	fields fieldCheck
	leaf   []byte
}

// Of compares a row of StandingColumns, in PostgreSQL's binary form.
func (c *Comparer) Of(raw [][]byte) (at Standing, err error) {
	sealed := raw[len(raw)-1]
	if err := c.row.scan(raw[:len(raw)-1]); err != nil {
		return at, fmt.Errorf("compare entries: %w", err)
	}
	c.leaf = c.Leaf().AppendTo(append(c.leaf[:0], 0))
	at.Leaf = sha256.Sum256(c.leaf)
	if at.Sealed = sealed != nil; at.Sealed {
		at.Bytes = at.Leaf != tlog.Hash(sealed)
		at.Leaf = tlog.Hash(sealed)
	}
	at.Columns = c.fields.differ(&c.row)
	return at, nil
}

// Leaf is the entry that was compared last. Its bytes are the connection's.
func (c *Comparer) Leaf() trailfile.Leaf {
	return trailfile.Leaf{ID: c.row.id, Era: int(c.row.era), TxID: c.row.txid, Canonical: c.row.canonical}
}

// Amount is what its bytes say of an amount, as a file of the trail sums it.
func (c *Comparer) Amount() int64 {
	if c.fields.malformed {
		return 0
	}
	return trailfile.AmountOf(c.fields.fields)
}

// Differs are the columns of the entry that was compared last that do not say what its
// bytes say; none where the bytes say nothing.
func (c *Comparer) Differs(at *Standing) []string {
	if at.Columns == "" || c.fields.malformed {
		return nil
	}
	return strings.Split(at.Columns, ", ")
}

// Standings compares the entries of a page. One that is not found is not in it.
func (s *Service) Standings(ctx context.Context, entries []models.AuditEntry) (map[int64]Standing, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(entries))
	from, to := entries[0].At, entries[0].At
	for i := range entries {
		ids[i] = entries[i].ID
		if at := entries[i].At; at.Before(from) {
			from = at
		} else if at.After(to) {
			to = at
		}
	}
	rows, err := s.db.Pool().Query(ctx, `SELECT `+StandingColumns+` FROM audit_entries e WHERE id = ANY($1) AND at >= $2 AND at <= $3`,
		pgx.QueryResultFormats{pgx.BinaryFormatCode}, ids, from, to)
	if err != nil {
		return nil, fmt.Errorf("compare entries: %w", err)
	}
	defer rows.Close()
	all := make(map[int64]Standing, len(ids))
	var c Comparer
	for rows.Next() {
		at, err := c.Of(rows.RawValues())
		if err != nil {
			return nil, err
		}
		all[c.row.id] = at
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("compare entries: %w", err)
	}
	return all, nil
}

// LastVerdict returns the last verification that came to a verdict; nil when none did.
// One that was interrupted says nothing of the trail.
func (s *Service) LastVerdict(ctx context.Context) (*Verification, error) {
	var v Verification
	err := database.TakeRow(s.db.Gorm().WithContext(ctx).
		Where("state IN ?", []RunState{RunIntact, RunAltered}).Order("started_at DESC, id DESC"), &v)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read last verdict: %w", err)
	}
	return &v, nil
}
