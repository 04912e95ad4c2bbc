package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/intake"
)

// RunImport carries an import on: it looks at every row, and writes what they
// say when somebody has confirmed it. It is called by a job, perhaps again for
// the same import, perhaps by two processes at once: one of them does it.
//
// Everything is one transaction, that of the entry in the trail. A process that
// dies on the way leaves the import as it was, and nothing in other tables.
func (s *Service) RunImport(ctx context.Context, id int64) error {
	for range 5 {
		err := s.passOver(ctx, id)
		if !errors.Is(err, errImportRaced) {
			return err
		}
	}
	return fmt.Errorf("import %d: %w", id, errImportRaced)
}

func (s *Service) passOver(ctx context.Context, id int64) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		if mine, err := claimImport(ctx, t, id); err != nil || !mine {
			return err
		}
		var imp Import
		if err := database.TakeRow(t.Where("id = ?", id), &imp); err != nil {
			return err
		}
		if !imp.State.Working() {
			return nil
		}
		actor, err := imp.carriedOutFor()
		if err != nil {
			return err
		}
		k, err := kindFor(imp.Kind, actor)
		if err != nil {
			return err
		}
		p := &pass{Tx: t, imp: &imp, actor: actor, now: s.clock.Now().UTC().Truncate(time.Microsecond)}
		run, err := k.begin(ctx, s, p)
		if err != nil {
			return err
		}
		if err := s.judgeStored(ctx, p, run); err != nil {
			return err
		}
		return p.end(ctx, k, run)
	})
}

// LongStatement is how long one statement of an import may take. The connection's
// own limit is that of a person's patience.
const LongStatement = `SET LOCAL statement_timeout = '5min'`

// claimImport lets one transaction at a time work on an import. The claim goes
// with the connection of a process that dies.
func claimImport(ctx context.Context, t database.Tx, id int64) (mine bool, err error) {
	if _, err := t.SQL.ExecContext(ctx, LongStatement); err != nil {
		return false, fmt.Errorf("begin import: %w", err)
	}
	if mine, err = t.TryLock(ctx, database.ImportLock(id)); err != nil {
		return false, fmt.Errorf("claim import %d: %w", id, err)
	}
	return mine, nil
}

// judgeStored judges the rows that were kept when the file came.
func (s *Service) judgeStored(ctx context.Context, p *pass, run run) error {
	p.imp.resetCounts()
	if _, err := p.SQL.ExecContext(ctx, `DELETE FROM import_remarks WHERE import_id = $1`, p.imp.ID); err != nil {
		return fmt.Errorf("forget earlier remarks: %w", err)
	}
	beat := s.beats(ctx, p.imp.ID)
	for seq := 1; p.imp.DoneCount < p.imp.RowCount; seq++ {
		rows, err := p.chunk(ctx, seq)
		if err != nil {
			return err
		}
		if err := p.judge(ctx, run, rows); err != nil {
			return err
		}
		if err := storeChunk(ctx, p.Tx, insertRemarks, p.imp.ID, seq, remarkable(rows)); err != nil {
			return err
		}
		beat(p.imp.DoneCount)
	}
	return nil
}

// chunk reads kept rows. ErrNotFound: they were taken away.
func (t *pass) chunk(ctx context.Context, seq int) ([]*Row, error) {
	var body []byte
	err := t.SQL.QueryRowContext(ctx, `SELECT body FROM import_chunks WHERE import_id = $1 AND seq = $2`, t.imp.ID, seq).Scan(&body)
	if err != nil {
		return nil, fmt.Errorf("read rows %d of import %d: %w", seq, t.imp.ID, err)
	}
	var rows []*Row
	if err := json.Unmarshal(body, &rows); err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("decode rows %d of import %d: %d rows: %w", seq, t.imp.ID, len(rows), err)
	}
	return rows, nil
}

// judge judges what could be read, and counts all.
func (t *pass) judge(ctx context.Context, run run, rows []*Row) error {
	readable := make([]*Row, 0, len(rows))
	for _, r := range rows {
		if r.Status != intake.Refused {
			readable = append(readable, r)
		}
	}
	if len(readable) > 0 {
		if err := run.judge(ctx, readable); err != nil {
			return err
		}
	}
	t.imp.count(rows)
	return nil
}

// remarkable are the rows with something to say of them.
func remarkable(rows []*Row) []*Row {
	var some []*Row
	for _, r := range rows {
		if r.wrong() || len(r.Warnings) > 0 {
			some = append(some, r)
		}
	}
	return some
}

// beatEvery is how often the progress of a pass is told.
const beatEvery = 500 * time.Millisecond

// beats tells how far the pass is, on a connection of its own: what is in the
// transaction nobody sees. It tells of nothing that matters, so its failures
// do not.
func (s *Service) beats(ctx context.Context, id int64) func(done int) {
	var last time.Time
	return func(done int) {
		now := s.clock.Now()
		if now.Sub(last) < beatEvery {
			return
		}
		last = now
		_, err := s.db.Pool().Exec(ctx, `UPDATE imports SET done_count = $2, beat_at = $3 WHERE id = $1`, id, done, now)
		if err != nil {
			s.log.WarnContext(ctx, "the progress of an import could not be told", "import", id, "error", err)
		}
	}
}

// end writes what the pass found: a dry run its counts, an import its rows.
func (t *pass) end(ctx context.Context, k *importer, run run) error {
	imp := t.imp
	if imp.State == Checking {
		return t.move(Checked)
	}
	if imp.Wrong() > 0 && !imp.Partial {
		imp.HeldBack = true
		if err := t.move(Checked); err != nil {
			return err
		}
		return audit.Record(t.Tx, t.actor, t.now, models.ActionImportHeldBack, models.OutcomeFailure, audit.About{Before: stateAttributes(Importing), After: imp.attributesWithCounts(), Reason: ErrInvalid.Code})
	}
	if err := run.write(ctx); err != nil {
		return err
	}
	if err := t.forgetRows(ctx); err != nil {
		return err
	}
	if err := t.move(Imported); err != nil {
		return err
	}
	return audit.Record(t.Tx, t.actor, t.now, k.done, models.OutcomeSuccess, audit.About{Before: stateAttributes(Importing), After: imp.attributesWithCounts()})
}

func (t *pass) forgetRows(ctx context.Context) error {
	if _, err := t.SQL.ExecContext(ctx, `DELETE FROM import_chunks WHERE import_id = $1`, t.imp.ID); err != nil {
		return fmt.Errorf("forget rows of import %d: %w", t.imp.ID, err)
	}
	return nil
}

// move writes the import's new state and counts.
func (t *pass) move(to State) error {
	i := t.imp
	i.State, i.ChangedAt, i.BeatAt = to, t.now, t.now
	i.Version++
	err := t.Model(i).Select("state", "version", "done_count", "new_count", "known_count", "conflict_count", "refused_count",
		"warned_count", "held_back", "partial", "actor", "confirmed_by", "changed_at", "beat_at").Updates(i).Error
	if err != nil {
		return fmt.Errorf("move import %d to %s: %w", i.ID, to, err)
	}
	return nil
}
