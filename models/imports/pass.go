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

// RunImport continues an import: it checks every row, and writes the rows once
// somebody has confirmed them. A job calls it, perhaps again for the same import,
// perhaps in two processes at once: only one of them does the work.
//
// Everything happens in the transaction of the entry in the trail. When a process
// dies, the import stays as it was and nothing is written to other tables.
func (s *Service) RunImport(ctx context.Context, id int64) error {
	for range 5 {
		err := s.passOver(ctx, id)
		if errors.Is(err, errAccess) {
			return s.endWithAccess(ctx, id)
		}
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
		p := &pass{
			Tx: t, imp: &imp, actor: actor, now: s.now(), status: newStatusRule(imp.StatusWords()),
		}
		run, err := k.begin(ctx, s, p)
		if err != nil {
			return err
		}
		if err := s.judgeStored(ctx, p, run); err != nil {
			return err
		}
		if err := p.end(ctx, k, run); err != nil {
			return err
		}
		if err := run.clear(ctx); err != nil {
			return err
		}
		return s.stillMay(ctx, p)
	})
}

// LongStatement allows one statement of an import to take long. The connection's own
// limit is meant for pages.
const LongStatement = `SET LOCAL statement_timeout = '5min'`

// claimImport lets one transaction at a time work on an import. The claim ends with
// the connection of a process that dies.
func claimImport(ctx context.Context, t database.Tx, id int64) (mine bool, err error) {
	if _, err := t.SQL.ExecContext(ctx, LongStatement); err != nil {
		return false, fmt.Errorf("begin import: %w", err)
	}
	if mine, err = t.TryLock(ctx, database.ImportLock(id)); err != nil {
		return false, fmt.Errorf("claim import %d: %w", id, err)
	}
	return mine, nil
}

// judgeStored judges the rows that were stored when the file was uploaded.
func (s *Service) judgeStored(ctx context.Context, p *pass, run run) error {
	p.imp.resetCounts()
	if _, err := p.SQL.ExecContext(ctx, `DELETE FROM import_remarks WHERE import_id = $1`, p.imp.ID); err != nil {
		return fmt.Errorf("forget earlier remarks: %w", err)
	}
	if err := p.noteCanceled(ctx); err != nil {
		return err
	}
	beat := s.beats(ctx, p.imp.ID)
	for seq := 1; p.imp.DoneCount < p.imp.RowCount; seq++ {
		if err := s.stillMay(ctx, p); err != nil {
			return err
		}
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

// noteCanceled finds the sales of which a row says that they were canceled, wherever
// it stands: a provider's file has a line of its own for it.
func (t *pass) noteCanceled(ctx context.Context) error {
	if t.status == nil || !t.status.cancels() {
		return nil
	}
	for seq, n := 1, 0; n < t.imp.RowCount; seq++ {
		rows, err := t.chunk(ctx, seq)
		if err != nil {
			return err
		}
		for _, r := range rows {
			t.status.note(r)
		}
		n += len(rows)
	}
	return nil
}

// chunk reads stored rows. ErrNotFound: they were deleted.
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

// judge judges the rows that could be parsed, and counts all of them.
func (t *pass) judge(ctx context.Context, run run, rows []*Row) error {
	readable := make([]*Row, 0, len(rows))
	for _, r := range rows {
		if t.status != nil {
			t.status.apply(r)
		}
		if r.Status != intake.Refused && r.Status != LeftOut {
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

// remarkable are the rows with problems or warnings, and those that are left out.
func remarkable(rows []*Row) []*Row {
	var some []*Row
	for _, r := range rows {
		if r.wrong() || r.warned() || r.Status == LeftOut {
			some = append(some, r)
		}
	}
	return some
}

// beatEvery is how often the progress of a pass is stored.
const beatEvery = 500 * time.Millisecond

// beats stores the progress of the pass on its own connection, because nobody sees
// what is in the transaction. The progress is only for display, so its errors are
// ignored.
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

// end writes the result of the pass: the counts of a dry run, or the rows of an
// import.
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
		about := audit.About{Before: stateAttributes(Importing), After: imp.attributesWithCounts(), Reason: ErrInvalid.Code}
		return audit.Record(t.Tx, t.actor, t.now, models.ActionImportHeldBack, models.OutcomeFailure, about)
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
	about := audit.About{Before: stateAttributes(Importing), After: imp.attributesWithCounts()}
	return audit.Record(t.Tx, t.actor, t.now, k.done, models.OutcomeSuccess, about)
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
		"left_out_count", "status_words", "warned_count", "held_back", "partial", "actor", "confirmed_by", "changed_at", "beat_at",
	).Updates(i).Error
	if err != nil {
		return fmt.Errorf("move import %d to %s: %w", i.ID, to, err)
	}
	return nil
}
