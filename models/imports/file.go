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
	file, err := table.Open(r, imp.FileSize, table.Options{Columns: k.columns})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	imp.Notes = []byte("[]") // until the file is read
	return s.db.InTx(ctx, func(t database.Tx) error {
		imp.RowCount, imp.State, imp.Partial, imp.ConfirmedBy = 1, Importing, f.Partial, actor.Name
		if err := t.Create(imp).Error; err != nil {
			return fmt.Errorf("create import: %w", err)
		}
		p := &pass{Tx: t, imp: imp, actor: actor, now: imp.CreatedAt}
		run, err := s.judgeFile(ctx, p, k, f, file)
		if err != nil {
			return err
		}
		if err := updateRead(p.Tx, imp, file); err != nil {
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

// judgeFile judges the rows as they are read.
func (s *Service) judgeFile(ctx context.Context, p *pass, k *importer, f FileImport, file *table.Table) (run, error) {
	if _, err := p.SQL.ExecContext(ctx, LongStatement); err != nil {
		return nil, fmt.Errorf("begin import: %w", err)
	}
	run, err := k.begin(ctx, s, p)
	if err != nil {
		return nil, err
	}
	p.imp.RowCount = 0
	err = eachChunk(file, k, s.window().Calendar.Zone(), func(rows []*Row) error {
		if err := p.judge(ctx, run, rows); err != nil {
			return err
		}
		p.imp.RowCount += len(rows)
		if f.Remark != nil {
			for _, r := range remarkable(rows) {
				f.Remark(r)
			}
		}
		if f.Progress != nil {
			f.Progress(p.imp.RowCount)
		}
		return nil
	})
	return run, err
}
