package models

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"veinte/models/cards"
	"veinte/models/table"
)

// MostImportBytes is how large a file may be.
var MostImportBytes = table.DefaultLimits.Bytes

// ErrImportTooLarge refuses a larger one, perhaps before it is all there.
var ErrImportTooLarge = table.TooLarge(table.DefaultLimits)

// ErrNoFile says that a form came without its file.
var ErrNoFile = &FileError{Code: "import.noFile"}

// chunkRows is how many rows are kept, judged and counted together.
const chunkRows = 1000

// GiveImport takes in a file: it is read once, row by row, and what was
// understood waits to be looked at by a job. The file itself is not kept.
//
// Errors: *FileError when it is no table, or not a whole one; ErrForbidden.
func (s *Cancellations) GiveImport(ctx context.Context, actor Actor, kind ImportKind, name string, r io.ReaderAt, size int64) (*Import, error) {
	k, err := kindFor(kind, actor)
	if err != nil {
		return nil, err
	}
	imp, err := s.newImport(actor, kind, name, r, size)
	if err != nil {
		return nil, err
	}
	file, err := table.Open(r, size, table.Options{Columns: k.columns})
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if imp.Notes, err = encodeNotes(file.Notes()); err != nil {
		return nil, err
	}
	err = s.db.transaction(ctx, func(t tx) error {
		imp.RowCount = 1 // until they are counted
		if err := t.Create(imp).Error; err != nil {
			return fmt.Errorf("create import: %w", err)
		}
		if err := t.keepRows(ctx, imp, k, file, s.Window().Calendar.Zone()); err != nil {
			return err
		}
		if err := t.Model(imp).Update("row_count", imp.RowCount).Error; err != nil {
			return fmt.Errorf("count rows: %w", err)
		}
		if err := s.enqueue(ctx, t, Task{Kind: TaskImport, CaseID: imp.ID}); err != nil {
			return err
		}
		return t.record(actor, imp.CreatedAt, ActionImportGiven, OutcomeSuccess, about{after: imp.told()})
	})
	return imp, err
}

// newImport describes the file.
func (s *Cancellations) newImport(actor Actor, kind ImportKind, name string, r io.ReaderAt, size int64) (*Import, error) {
	if size == 0 {
		return nil, table.ErrEmpty
	}
	if size > MostImportBytes {
		return nil, ErrImportTooLarge
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(r, 0, size)); err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	by, err := encodeActor(actor)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	return &Import{
		Kind: kind, State: ImportChecking, Version: 1, FileName: fileName(name), FileSize: size, FileHash: hash.Sum(nil),
		Actor: by, GivenBy: actor.Name, CreatedAt: now, ChangedAt: now, BeatAt: now,
	}, nil
}

// fileName is a name of a stranger's file as it can be kept and shown.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.ToValidUTF8(s, "?"), `\`, "/"))
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || invisible(r) {
			return -1
		}
		return r
	}, cards.Mask(s)))
	if s == "" || s == "." || s == "/" {
		return "?"
	}
	return clip(s, 200)
}

func encodeNotes(notes []table.Note) ([]byte, error) {
	if notes == nil {
		notes = []table.Note{}
	}
	b, err := json.Marshal(notes)
	if err != nil {
		return nil, fmt.Errorf("encode notes: %w", err)
	}
	return b, nil
}

// keepRows reads the file to its end and keeps what was understood.
func (t tx) keepRows(ctx context.Context, imp *Import, k *importKind, file *table.Table, zone *time.Location) error {
	imp.RowCount = 0
	seq := 0
	return eachChunk(file, k, zone, func(rows []*ImportRow) error {
		imp.RowCount += len(rows)
		seq++
		return t.keep(ctx, keepChunk, imp.ID, seq, rows)
	})
}

// eachChunk reads the file's rows and gives them on, some hundreds at a time.
func eachChunk(file *table.Table, k *importKind, zone *time.Location, f func([]*ImportRow) error) error {
	rows := make([]*ImportRow, 0, chunkRows)
	for file.Next() {
		row := k.read(file.Row(), zone)
		if rows = append(rows, &row); len(rows) == chunkRows {
			if err := f(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	if err := file.Err(); err != nil || len(rows) == 0 {
		return err
	}
	return f(rows)
}

// The statements that keep rows: all of them, and those with remarks.
const (
	keepChunk   = `INSERT INTO import_chunks (import_id, seq, body, row_count) VALUES ($1, $2, $3, $4)`
	keepRemarks = `INSERT INTO import_remarks (import_id, seq, body) SELECT $1::bigint, $2::int, $3::bytea WHERE $4::int > 0`
)

func (t tx) keep(ctx context.Context, statement string, id int64, seq int, rows []*ImportRow) error {
	body, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode rows: %w", err)
	}
	if _, err := t.sql.ExecContext(ctx, statement, id, seq, body, len(rows)); err != nil {
		return fmt.Errorf("keep rows of import %d: %w", id, err)
	}
	return nil
}
