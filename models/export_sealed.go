package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/trail"
)

// sealPatience is how long an export waits for the sealer. What is not sealed by
// then is told as such.
const sealPatience = 3 * time.Second

// sealFirst has what was committed sealed, so that what leaves stands under a
// checkpoint as far as it can.
func (s *Cancellations) sealFirst(ctx context.Context) {
	if s.seals == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sealPatience)
	defer cancel()
	if _, err := s.seals.Seal(ctx); err != nil {
		s.log.WarnContext(ctx, "an export leaves before the last entries are sealed", "error", err)
	}
}

// sealedUnder reads the checkpoint that a snapshot knows, and counts the entries
// of a filter that came after it.
func sealedUnder(ctx context.Context, tx pgx.Tx, where string, args []any) (*Checkpoint, int64, error) {
	c, last, err := checkpointIn(ctx, tx)
	if c == nil || err != nil {
		return nil, 0, err
	}
	var n int64
	p := len(args)
	err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM audit_entries WHERE (era, txid, id) > ($%d, $%d::text::xid8, $%d) AND %s`, p+1, p+2, p+3, where),
		append(args[:p:p], last.era, strconv.FormatUint(last.txid, 10), last.id)...).Scan(&n)
	if err != nil {
		return nil, 0, fmt.Errorf("count what is not sealed: %w", err)
	}
	return c, n, nil
}

// checkpointIn reads the last checkpoint that a snapshot knows, and its place in
// the trail; nil when nothing was ever sealed.
func checkpointIn(ctx context.Context, tx pgx.Tx) (*Checkpoint, sealedUpTo, error) {
	var c Checkpoint
	var last sealedUpTo
	var root []byte
	err := tx.QueryRow(ctx, `SELECT size, root, sealed_at, note, era, txid, entry_id FROM checkpoints ORDER BY size DESC LIMIT 1`).
		Scan(&c.Size, &root, &c.SealedAt, &c.Note, &last.era, &last.txid, &last.id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, last, nil
	}
	if err != nil {
		return nil, last, fmt.Errorf("find last checkpoint: %w", err)
	}
	c.Root = tlog.Hash(root)
	last.size, last.root = c.Size, c.Root
	return &c, last, nil
}

// ErrNothingSealed refuses a file that could be verified where there is nothing
// to verify it by.
var ErrNothingSealed = &Error{Kind: KindConflict, Code: "error.nothingSealed"}

// mustBeSealed seals what was committed, and refuses when there is no checkpoint.
func (s *Cancellations) mustBeSealed(ctx context.Context) error {
	s.sealFirst(ctx)
	c, err := s.db.LatestCheckpoint(ctx)
	if err == nil && c == nil {
		err = ErrNothingSealed
	}
	return err
}

// RunSealedExport is RunExport for the format that can be verified offline: the
// sealed entries that the filter matches, and the hashes of all others, so that
// even a part of the trail proves that it is one. What is not sealed yet is not in
// it; the trail tells how many those are.
func (s *Cancellations) RunSealedExport(ctx context.Context, actor Actor, x *Export, f AuditFilter, out io.Writer) error {
	file := trail.NewWriter(out)
	return s.export(ctx, actor, x, sealedBreak{file}, func(ctx context.Context, tx pgx.Tx, run *running) error {
		where, args, err := auditWhere(actor, f, s.Window().Calendar.Zone())
		if err != nil {
			return err
		}
		c, unsealed, err := sealedUnder(ctx, tx, where, args)
		if err != nil {
			return err
		}
		if c == nil {
			return ErrNothingSealed
		}
		x.Unsealed = unsealed
		claim, err := trail.Unverified(c.Note)
		if err != nil {
			return fmt.Errorf("read last checkpoint: %w", err)
		}
		complete, err := s.complete(ctx, tx, actor, f)
		if err != nil {
			return err
		}
		filters := f.told()
		if !complete && len(filters) == 0 {
			// Somebody who sees some stores only, or months in files of their own.
			filters = map[string]any{"scope": "what the reader sees and is not archived"}
		}
		err = file.Begin(trail.Header{
			Origin: claim.Origin, PublicKeys: s.seals.PublicKeys(), ExportedAt: x.StartedAt.UTC().Format(time.RFC3339Nano),
			Filters: filters, Complete: complete, Checkpoint: c.Note,
		})
		if err != nil {
			return err
		}
		amount, err := s.db.writeLeaves(ctx, tx, where, args, leafRange{to: c.Size, size: c.Size}, &run.entries, file)
		if err != nil {
			return err
		}
		return file.Close(int64(amount))
	})
}

// complete reports whether an export leaves nothing out: it has no filter, and no
// month was put away.
func (s *Cancellations) complete(ctx context.Context, tx pgx.Tx, actor Actor, f AuditFilter) (bool, error) {
	if !actor.AllStores || len(f.Values()) > 0 {
		return false, nil
	}
	var archived bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_entries WHERE action = 'audit.archived')`).Scan(&archived); err != nil {
		return false, fmt.Errorf("ask for months that were put away: %w", err)
	}
	return !archived, nil
}

// sealedBreak ends a file early by not ending it: without its footer every
// verifier knows that it is truncated.
type sealedBreak struct{ *trail.Writer }

// Break writes nothing.
func (sealedBreak) Break(ExportState) {}
