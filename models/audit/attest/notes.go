package attest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// linesSQL reads the lines over one checkpoint, the first that came first.
const linesSQL = `SELECT line FROM checkpoint_signatures WHERE size = $1 AND sealed_at = $2 ORDER BY kind, received_at, name`

// Noted is the note of a checkpoint with all that others signed over it.
func Noted(ctx context.Context, q database.Querier, c *sealing.Checkpoint) (string, error) {
	rows, err := database.Rows[struct{ Line string }](ctx, q, linesSQL, c.Size, c.SealedAt)
	if err != nil {
		return "", fmt.Errorf("read who signed %d entries: %w", c.Size, err)
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = row.Line
	}
	return with(c.Note, lines), nil
}

// LatestCheckpoint returns the last checkpoint with all that others signed over it, to be
// handed out; nil when nothing was ever sealed.
func (s *Service) LatestCheckpoint(ctx context.Context) (*sealing.Checkpoint, error) {
	c, err := s.seals.LatestCheckpoint(ctx)
	if c == nil || err != nil {
		return nil, err
	}
	c.Note, err = Noted(ctx, s.db, c)
	return c, err
}

// ProveConsistency proves that the tree of the first from entries is the beginning of that
// of the first to.
func (s *Service) ProveConsistency(ctx context.Context, from, to int64) (tlog.TreeProof, error) {
	return s.seals.ProveConsistency(ctx, from, to)
}

// with appends lines to a note as they fit: a note that is full stays as it is.
func with(note string, lines []string) string {
	for _, line := range lines {
		if longer, err := notes.AddLines(note, line); err == nil {
			note = longer
		}
	}
	return note
}

// Note is a checkpoint that others signed, with their lines.
type Note struct {
	Size     int64
	SealedAt time.Time
	Text     string
}

// attestedSQL reads checkpoints that others signed, each with its lines, up to a size.
const attestedSQL = `SELECT s.size, s.sealed_at, coalesce(c.note, b.note) AS note, s.lines FROM (
		SELECT size, sealed_at, array_agg(line ORDER BY kind, received_at, name) AS lines FROM checkpoint_signatures
		WHERE size <= $1 GROUP BY size, sealed_at) s
	LEFT JOIN checkpoints c ON c.size = s.size AND c.sealed_at = s.sealed_at
	LEFT JOIN checkpoint_beats b ON b.size = s.size AND b.sealed_at = s.sealed_at
	WHERE coalesce(c.note, b.note) IS NOT NULL `

type attestedRow struct {
	Size     int64
	SealedAt time.Time
	Note     string
	Lines    []string
}

func (r attestedRow) noted() Note { return Note{r.Size, r.SealedAt, with(r.Note, r.Lines)} }

// Each calls f with every checkpoint that others signed, the oldest first.
func Each(ctx context.Context, q database.Querier, f func(Note) error) error {
	rows, _ := q.Query(ctx, attestedSQL+`ORDER BY s.size, s.sealed_at`, maxSize) // the rows have its error
	return database.Each(rows, func(r *attestedRow) error { return f(r.noted()) })
}

const maxSize = int64(1) << 48

// What an export carries: of each day the last checkpoint that others signed, and of days
// that are longer ago the last of each month, as far as they have room in its header.
const (
	dailyFor   = 60 * 24 * time.Hour
	maxCarried = 700_000
)

// carriedSQL chooses among the checkpoints that others signed: first by the days, then by the
// months, of UTC. An authority's stamp counts before a witness' cosignature of the same day.
const carriedSQL = `AND (s.size, s.sealed_at) IN (
		SELECT DISTINCT ON (CASE WHEN sealed_at >= $2 THEN date_trunc('day', sealed_at AT TIME ZONE 'UTC')
				ELSE date_trunc('month', sealed_at AT TIME ZONE 'UTC') END, kind) size, sealed_at
		FROM checkpoint_signatures WHERE size <= $1
		ORDER BY CASE WHEN sealed_at >= $2 THEN date_trunc('day', sealed_at AT TIME ZONE 'UTC')
				ELSE date_trunc('month', sealed_at AT TIME ZONE 'UTC') END, kind, size DESC, sealed_at DESC)
	ORDER BY s.size DESC, s.sealed_at DESC`

// Carried are the notes that an export under a checkpoint of size entries carries, the oldest
// first.
func Carried(ctx context.Context, q database.Querier, size int64, now time.Time) ([]string, error) {
	rows, err := database.Rows[attestedRow](ctx, q, attestedSQL+carriedSQL, size, now.Add(-dailyFor))
	if err != nil {
		return nil, fmt.Errorf("read checkpoints that others signed: %w", err)
	}
	var carried []string
	room := maxCarried
	for _, r := range rows {
		text := r.noted().Text
		if room -= len(text) + 200; room < 0 { // and what JSON adds to it
			break
		}
		carried = append(carried, text)
	}
	slices.Reverse(carried)
	return carried, nil
}

// coveringSQL chooses, of each kind, the first checkpoint that covers a leaf, and the newest.
const coveringSQL = `AND (s.size, s.sealed_at) IN (
		(SELECT DISTINCT ON (kind) size, sealed_at FROM checkpoint_signatures WHERE size > $2 AND size <= $1 ORDER BY kind, size, sealed_at)
		UNION
		(SELECT DISTINCT ON (kind) size, sealed_at FROM checkpoint_signatures WHERE size > $2 AND size <= $1
			ORDER BY kind, size DESC, sealed_at DESC))
	ORDER BY s.size, s.sealed_at`

// Complete puts the checkpoint c into a proof against it, with what others signed: over c, and
// over others that cover the entry, with the proofs of consistency that those need.
func Complete(ctx context.Context, q database.Querier, seals *sealing.Service, p *trailfile.Proof, c *sealing.Checkpoint) (err error) {
	if p.Checkpoint, err = Noted(ctx, q, c); err != nil {
		return err
	}
	rows, err := database.Rows[attestedRow](ctx, q, attestedSQL+coveringSQL, c.Size, p.N)
	if err != nil {
		return fmt.Errorf("read checkpoints that others signed: %w", err)
	}
	for _, r := range rows {
		note := r.noted()
		if note.Text == p.Checkpoint {
			continue
		}
		p.Attested = append(p.Attested, note.Text)
		if r.Size == c.Size || slices.ContainsFunc(p.Consistency, func(k trailfile.Consistency) bool { return k.From == r.Size }) {
			continue
		}
		k := trailfile.Consistency{From: r.Size, To: c.Size}
		if k.Proof, err = seals.ProveConsistency(ctx, r.Size, c.Size); err != nil {
			return err
		}
		p.Consistency = append(p.Consistency, k)
	}
	return nil
}
