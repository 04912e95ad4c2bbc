package export

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
)

// sealedUnder reads the last checkpoint of a snapshot, and counts the entries of a
// filter after it.
func sealedUnder(ctx context.Context, tx pgx.Tx, where string, args []any) (*sealing.Checkpoint, int64, error) {
	c, last, err := sealing.CheckpointIn(ctx, tx)
	if c == nil || err != nil {
		return nil, 0, err
	}
	var n int64
	p := len(args)
	sql := fmt.Sprintf(`SELECT count(*) FROM audit_entries WHERE (era, txid, id) > ($%d, $%d::text::xid8, $%d) AND %s`, p+1, p+2, p+3, where)
	err = tx.QueryRow(ctx, sql, append(args[:p:p], last.Era, strconv.FormatUint(last.Txid, 10), last.Id)...).Scan(&n)
	if err != nil {
		return nil, 0, fmt.Errorf("count what is not sealed: %w", err)
	}
	return c, n, nil
}

// mustBeSealed seals what was committed, and fails when there is no checkpoint.
func (s *Service) mustBeSealed(ctx context.Context) error {
	s.sealing.SealFirst(ctx)
	c, err := s.sealing.LatestCheckpoint(ctx)
	if err == nil && c == nil {
		err = sealing.ErrNothingSealed
	}
	return err
}

// RunSealedExport is RunExport for the format that can be verified offline: the
// sealed entries that the filter matches, and the hashes of all others, so that even
// a part of the trail can be proved to belong to it. Entries that are not sealed yet
// are left out; the trail records how many.
func (s *Service) RunSealedExport(ctx context.Context, actor models.Actor, x *Export, f audit.Filter, out io.Writer) error {
	file := x.trailTo(out)
	return s.export(ctx, actor, x, abortedWriter{file}, func(ctx context.Context, tx pgx.Tx, run *runState) error {
		where, args, err := audit.Where(actor, f, s.window().Calendar.Zone())
		if err != nil {
			return err
		}
		if x.sealed, x.Unsealed, err = sealedUnder(ctx, tx, where, args); err != nil {
			return err
		}
		complete, err := s.complete(ctx, tx, actor, f)
		if err != nil {
			return err
		}
		filters := f.Attributes()
		if !complete && len(filters) == 0 {
			// The user sees some stores only, or months are archived.
			filters = map[string]any{"scope": "what the reader sees and is not archived"}
		}
		h := trailfile.Header{
			PublicKeys: s.sealing.PublicKeys(), ExportedAt: x.StartedAt.UTC().Format(time.RFC3339Nano),
			Filters: filters, Complete: complete,
		}
		return WriteLeaves(ctx, s.db, tx, file, h, Leaves{Where: where, Args: args, Written: &run.entries})
	})
}

// complete reports whether an export leaves nothing out: it has no filter, and no
// month is archived.
func (s *Service) complete(ctx context.Context, tx pgx.Tx, actor models.Actor, f audit.Filter) (bool, error) {
	if !actor.AllStores || len(f.Values()) > 0 {
		return false, nil
	}
	var archived bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_entries WHERE action = 'audit.archived')`).Scan(&archived); err != nil {
		return false, fmt.Errorf("ask for months that were put away: %w", err)
	}
	return !archived, nil
}

// abortedWriter ends a file early by leaving out its footer, by which every verifier
// knows that it is truncated.
type abortedWriter struct{ *trailfile.Writer }

// Break writes nothing: a missing footer marks the file as truncated.
func (abortedWriter) Break(State) {}
