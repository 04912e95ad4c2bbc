package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// importsPerPage is how many imports a list shows.
const importsPerPage = 50

// Imports lists imports, newest first, of the kinds that the actor may upload.
// before is the id of the last one on the previous page; 0 for the first page. more
// reports whether there are others.
func (s *Service) Imports(ctx context.Context, actor models.Actor, before int64) (list []Import, more bool, err error) {
	kinds := Kinds(actor)
	if len(kinds) == 0 {
		return nil, false, models.ErrForbidden
	}
	q := s.db.Gorm().WithContext(ctx).Where("kind IN ?", kinds)
	if before > 0 {
		q = q.Where("(created_at, id) < (SELECT created_at, id FROM imports WHERE id = ?)", before)
	}
	if err := q.Order("created_at DESC, id DESC").Limit(importsPerPage + 1).Find(&list).Error; err != nil {
		return nil, false, fmt.Errorf("list imports: %w", err)
	}
	if len(list) > importsPerPage {
		return list[:importsPerPage], true, nil
	}
	return list, false, nil
}

// Detail is an import with the rows that its page shows.
type Detail struct {
	Import
	First   []Row // as they were parsed; deleted once the import is done
	Remarks []Row // the first rows with problems or warnings
	LeftOut []Row // the first rows that are no sales by the file's own status column
	// Same is an earlier import of an equal file; nil when there is none.
	Same *Import
}

// maxShownRemarks limits the remarks on a page, and maxShownLeftOut the rows that are
// left out; the file of the wrong rows has all of those.
const (
	maxShownRemarks = 100
	maxShownLeftOut = 20
)

// maxShownRows limits the first rows on a page.
const maxShownRows = 5

// Detail reads an import and its first rows.
func (s *Service) Detail(ctx context.Context, actor models.Actor, id int64) (*Detail, error) {
	imp, err := s.importFor(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	d := &Detail{Import: *imp}
	var body []byte
	err = s.db.Pool().QueryRow(ctx, `SELECT body FROM import_chunks WHERE import_id = $1 AND seq = 1`, id).Scan(&body)
	if err == nil {
		err = json.Unmarshal(body, &d.First)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read first rows of import %d: %w", id, err)
	}
	d.First = d.First[:min(len(d.First), maxShownRows)]
	err = s.ImportRemarks(ctx, actor, id, func(r *Row) bool {
		switch {
		case r.Status != LeftOut && len(d.Remarks) < maxShownRemarks:
			d.Remarks = append(d.Remarks, *r)
		case r.Status == LeftOut && len(d.LeftOut) < maxShownLeftOut:
			d.LeftOut = append(d.LeftOut, *r)
		}
		return len(d.Remarks) < maxShownRemarks || len(d.LeftOut) < min(maxShownLeftOut, imp.LeftOutCount)
	})
	if err != nil {
		return nil, err
	}
	d.judgeFirst()
	d.Same, err = s.sameFile(ctx, imp)
	return d, err
}

// judgeFirst adds what was found about the first rows since they were read.
func (d *Detail) judgeFirst() {
	for i := range d.First {
		for _, r := range slices.Concat(d.Remarks, d.LeftOut) {
			if r.Line == d.First[i].Line {
				d.First[i] = r
			}
		}
	}
}

func (s *Service) importFor(ctx context.Context, actor models.Actor, id int64) (*Import, error) {
	var imp Import
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", id), &imp); err != nil {
		return nil, err
	}
	if _, err := kindFor(imp.Kind, actor); err != nil {
		return nil, models.ErrNotFound
	}
	return &imp, nil
}

// sameFile finds an equal file that was imported before.
func (s *Service) sameFile(ctx context.Context, imp *Import) (*Import, error) {
	var same []Import
	err := s.db.Gorm().WithContext(ctx).
		Where("file_hash = ? AND kind = ? AND id <> ? AND state IN ?", imp.FileHash, imp.Kind, imp.ID, []State{Importing, Imported}).
		Order("id DESC").Limit(1).Find(&same).Error
	if err != nil {
		return nil, fmt.Errorf("find an equal file: %w", err)
	}
	if len(same) == 0 {
		return nil, nil
	}
	return &same[0], nil
}

// ImportRemarks passes the rows with remarks to f, in the file's order, until f
// stops it.
func (s *Service) ImportRemarks(ctx context.Context, actor models.Actor, id int64, f func(*Row) bool) error {
	if _, err := s.importFor(ctx, actor, id); err != nil {
		return err
	}
	for seq := 0; ; {
		chunk, err := database.Row[struct {
			Seq  int
			Body []byte
		}](ctx, s.db.Pool(), `SELECT seq, body FROM import_remarks WHERE import_id = $1 AND seq > $2 ORDER BY seq LIMIT 1`, id, seq)
		if errors.Is(err, models.ErrNotFound) {
			return nil
		}
		var rows []*Row
		if err == nil {
			err = json.Unmarshal(chunk.Body, &rows)
		}
		if err != nil {
			return fmt.Errorf("read remarks of import %d: %w", id, err)
		}
		seq = chunk.Seq
		for _, r := range rows {
			if !f(r) {
				return nil
			}
		}
	}
}

// Wrong reports whether the row cannot be imported.
func (r *Row) Wrong() bool { return r.wrong() }

// WrongAt reports whether the value of the column is one of the row's problems.
func (r *Row) WrongAt(column int, kind Kind) bool {
	for _, p := range r.Problems {
		if p.Column == importers[kind].columns[column].Name {
			return true
		}
	}
	return false
}
