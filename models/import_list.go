package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// importsPerPage is how many imports a list shows.
const importsPerPage = 50

// Imports lists imports, newest first, of the kinds that the actor may give.
// before is the id of the last one seen; 0 for the first page. more says
// whether there are others.
func (s *Cancellations) Imports(ctx context.Context, actor Actor, before int64) (list []Import, more bool, err error) {
	kinds := ImportKinds(actor)
	if len(kinds) == 0 {
		return nil, false, ErrForbidden
	}
	q := s.db.gorm.WithContext(ctx).Where("kind IN ?", kinds)
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

// ImportStory is an import with what there is to see of its rows.
type ImportStory struct {
	Import
	First   []ImportRow // as they were understood; gone once the import is done
	Remarks []ImportRow // the first of those with something to say of them
	// Same is when an equal file was imported before; nil when none was.
	Same *Import
}

// mostShownRemarks is how many of them a page shows; the file of the wrong rows
// holds all.
const mostShownRemarks = 100

// mostShownRows is how many of the file's first rows a page shows.
const mostShownRows = 5

// ImportStory reads an import and its first rows.
func (s *Cancellations) ImportStory(ctx context.Context, actor Actor, id int64) (*ImportStory, error) {
	imp, err := s.importFor(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	story := &ImportStory{Import: *imp}
	var body []byte
	err = s.db.pool.QueryRow(ctx, `SELECT body FROM import_chunks WHERE import_id = $1 AND seq = 1`, id).Scan(&body)
	if err == nil {
		err = json.Unmarshal(body, &story.First)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read first rows of import %d: %w", id, err)
	}
	story.First = story.First[:min(len(story.First), mostShownRows)]
	err = s.ImportRemarks(ctx, actor, id, func(r *ImportRow) bool {
		story.Remarks = append(story.Remarks, *r)
		return len(story.Remarks) < mostShownRemarks
	})
	if err != nil {
		return nil, err
	}
	story.judgeFirst()
	story.Same, err = s.sameFile(ctx, imp)
	return story, err
}

// judgeFirst says of the first rows what was found since they were read.
func (st *ImportStory) judgeFirst() {
	for i := range st.First {
		for j := range st.Remarks {
			if st.Remarks[j].Line == st.First[i].Line {
				st.First[i] = st.Remarks[j]
			}
		}
	}
}

func (s *Cancellations) importFor(ctx context.Context, actor Actor, id int64) (*Import, error) {
	var imp Import
	if err := take(s.db.gorm.WithContext(ctx).Where("id = ?", id), &imp); err != nil {
		return nil, err
	}
	if _, err := kindFor(imp.Kind, actor); err != nil {
		return nil, ErrNotFound
	}
	return &imp, nil
}

// sameFile finds an equal file that was imported before.
func (s *Cancellations) sameFile(ctx context.Context, imp *Import) (*Import, error) {
	var same []Import
	err := s.db.gorm.WithContext(ctx).
		Where("file_hash = ? AND kind = ? AND id <> ? AND state IN ?", imp.FileHash, imp.Kind, imp.ID, []ImportState{ImportImporting, ImportImported}).
		Order("id DESC").Limit(1).Find(&same).Error
	if err != nil {
		return nil, fmt.Errorf("look for an equal file: %w", err)
	}
	if len(same) == 0 {
		return nil, nil
	}
	return &same[0], nil
}

// ImportRemarks gives on the rows with something to say of them, in the file's
// order, until f has enough.
func (s *Cancellations) ImportRemarks(ctx context.Context, actor Actor, id int64, f func(*ImportRow) bool) error {
	if _, err := s.importFor(ctx, actor, id); err != nil {
		return err
	}
	for seq := 0; ; {
		var body []byte
		err := s.db.pool.QueryRow(ctx, `SELECT seq, body FROM import_remarks WHERE import_id = $1 AND seq > $2 ORDER BY seq LIMIT 1`, id, seq).Scan(&seq, &body)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		var rows []*ImportRow
		if err == nil {
			err = json.Unmarshal(body, &rows)
		}
		if err != nil {
			return fmt.Errorf("read remarks of import %d: %w", id, err)
		}
		for _, r := range rows {
			if !f(r) {
				return nil
			}
		}
	}
}

// Wrong reports whether the row cannot be imported.
func (r *ImportRow) Wrong() bool { return r.wrong() }

// WrongAt reports whether the value of the column is one of the row's problems.
func (r *ImportRow) WrongAt(column int, kind ImportKind) bool {
	for _, p := range r.Problems {
		if p.Column == importKinds[kind].columns[column].Name {
			return true
		}
	}
	return false
}
