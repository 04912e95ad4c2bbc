package imports

import (
	"context"
	"errors"
	"fmt"
	"io"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/table"
)

// FileImport describes how a complete file is imported, as at the command line: in
// one step, without a confirmation.
type FileImport struct {
	Kind    Kind
	Name    string // of the file, as the trail records it
	DryRun  bool   // judge everything, write nothing
	Partial bool   // leave out the wrong rows
	// Meanings are what values of a status column mean that are not known; see
	// ParseMeanings.
	Meanings map[string]Meaning
	// Remark is called for every row with problems or warnings; it may be nil. When
	// the pass is repeated, it is called again.
	Remark func(*Row)
	// Progress is called with the number of rows done so far; it may be nil.
	Progress func(rows int)
}

// errDry ends the transaction of a dry run.
var errDry = errors.New("dry run")

// ImportFile imports a file. Nothing is written when a row is wrong, unless Partial
// is set; the import has the counts of the rows in both cases.
//
// Errors: *FileError; ErrInvalid with the counts; ErrForbidden.
func (s *Service) ImportFile(ctx context.Context, actor models.Actor, f FileImport, r io.ReaderAt, size int64) (*Import, error) {
	k, err := kindFor(f.Kind, actor)
	if err != nil {
		return nil, err
	}
	imp, err := s.newImport(actor, f.Kind, f.Name, r, size)
	if err != nil {
		return nil, err
	}
	for range 5 {
		fresh := *imp
		err = s.importFile(ctx, actor, &fresh, k, f, r)
		if !errors.Is(err, errImportRaced) {
			imp = &fresh
			break
		}
	}
	if errors.Is(err, errDry) {
		imp.ID, err = 0, nil
	}
	return imp, err
}

func (s *Service) importFile(ctx context.Context, actor models.Actor, imp *Import, k *importer, f FileImport, r io.ReaderAt) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		imp.RowCount, imp.State, imp.Partial, imp.ConfirmedBy = 1, Importing, f.Partial, actor.Name
		if err := t.Create(imp).Error; err != nil {
			return fmt.Errorf("create import: %w", err)
		}
		p := &pass{Tx: t, imp: imp, actor: actor, now: imp.CreatedAt}
		if err := p.readStatus(ctx, k, f, r); err != nil {
			return err
		}
		run, err := s.judgeFile(ctx, p, k, f, r)
		if err != nil {
			return err
		}
		switch {
		case f.DryRun:
			return errDry
		case imp.Wrong() > 0 && !f.Partial:
			return ErrInvalid
		case imp.Nothing():
			return errDry // there is nothing to write and nothing to undo
		}
		return p.end(ctx, k, run)
	})
}

// eachRow reads the file once.
func (t *pass) eachRow(ctx context.Context, k *importer, r io.ReaderAt, f func([]*Row) error) (*reading, error) {
	file, err := table.Open(r, t.imp.FileSize, table.Options{Columns: k.columns})
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	read := newReading(k, file)
	return read, read.each(ctx, t.Tx, f)
}

// readStatus reads the file for its status columns, before the first row is judged,
// and once more if a row can say that the sale of another one was canceled.
func (t *pass) readStatus(ctx context.Context, k *importer, f FileImport, r io.ReaderAt) error {
	read, err := t.eachRow(ctx, k, r, func([]*Row) error { return nil })
	if err != nil {
		return err
	}
	if err := read.store(t.Tx, t.imp, f.Meanings); err != nil {
		return err
	}
	if t.status = newStatusRule(t.imp.StatusWords()); t.status == nil || !t.status.cancels() {
		return nil
	}
	_, err = t.eachRow(ctx, k, r, func(rows []*Row) error {
		for _, row := range rows {
			t.status.note(row)
		}
		return nil
	})
	return err
}

// judgeFile judges the rows as they are read.
func (s *Service) judgeFile(ctx context.Context, p *pass, k *importer, f FileImport, r io.ReaderAt) (run, error) {
	if _, err := p.SQL.ExecContext(ctx, LongStatement); err != nil {
		return nil, fmt.Errorf("begin import: %w", err)
	}
	run, err := k.begin(ctx, s, p)
	if err != nil {
		return nil, err
	}
	done := 0
	_, err = p.eachRow(ctx, k, r, func(rows []*Row) error {
		if err := p.judge(ctx, run, rows); err != nil {
			return err
		}
		done += len(rows)
		if f.Remark != nil {
			for _, r := range remarkable(rows) {
				f.Remark(r)
			}
		}
		if f.Progress != nil {
			f.Progress(done)
		}
		return nil
	})
	return run, err
}
