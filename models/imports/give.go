package imports

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/table"
)

// MaxBytes is the maximum size of a file.
var MaxBytes = table.DefaultLimits.Bytes

// ErrTooLarge refuses a larger file, perhaps before it has arrived completely.
var ErrTooLarge = table.TooLarge(table.DefaultLimits)

// ErrNoFile means that a form was sent without its file.
var ErrNoFile = &FileError{Code: "import.noFile"}

// chunkRows is how many rows are stored, judged and counted together.
const chunkRows = 1000

// Upload receives a file: it is read once, row by row, and the parsed rows wait for
// a job to check them. The file itself is not stored.
//
// Errors: *FileError when it is no table or incomplete; ErrForbidden; ErrUnderway.
func (s *Service) Upload(ctx context.Context, actor models.Actor, kind Kind, name string, r io.ReaderAt, size int64) (*Import, error) {
	k, err := kindFor(kind, actor)
	if err != nil {
		return nil, err
	}
	if err := s.requireFew(ctx, actor); err != nil {
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
	err = s.db.InTx(ctx, func(t database.Tx) error {
		imp.RowCount = 1 // until they are counted
		if err := t.Create(imp).Error; err != nil {
			return fmt.Errorf("create import: %w", err)
		}
		read := newReading(k, file)
		seq := 0
		err := read.each(ctx, t, func(rows []*Row) error {
			seq++
			return storeChunk(ctx, t, insertChunk, imp.ID, seq, rows)
		})
		if err != nil {
			return err
		}
		if err := read.store(t, imp, nil); err != nil {
			return err
		}
		if err := database.Enqueue(ctx, s.queue, t, models.Task{Kind: models.TaskImport, SubjectID: imp.ID}); err != nil {
			return err
		}
		about := audit.About{After: imp.attributesUploaded()}
		return audit.Record(t, actor, imp.CreatedAt, models.ActionImportUploaded, models.OutcomeSuccess, about)
	})
	return imp, err
}

// maxUnderway is how many files of one person may be checked or imported at a time: one
// job works on them, and those of others wait behind it.
const maxUnderway = 2

func (s *Service) requireFew(ctx context.Context, actor models.Actor) error {
	if actor.Role == models.SystemRole {
		return nil
	}
	underway, err := database.Row[struct{ Count int }](ctx, s.db.Pool(), `SELECT count(*) AS count FROM imports
		WHERE state IN ($1, $2) AND actor->>'UserID' = $3`, Checking, Importing, models.JsonNumber(actor.UserID))
	if err != nil {
		return fmt.Errorf("count imports under way: %w", err)
	}
	if underway.Count >= maxUnderway {
		return ErrUnderway
	}
	return nil
}

// newImport describes the file.
func (s *Service) newImport(actor models.Actor, kind Kind, name string, r io.ReaderAt, size int64) (*Import, error) {
	if size == 0 {
		return nil, table.ErrEmpty
	}
	if size > MaxBytes {
		return nil, ErrTooLarge
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(r, 0, size)); err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	by, err := models.EncodeActor(actor)
	if err != nil {
		return nil, err
	}
	now := s.now()
	return &Import{
		Kind: kind, State: Checking, Version: 1, FileName: fileName(name), FileSize: size, FileHash: hash.Sum(nil),
		Notes: []byte("[]"), Statuses: []byte("[]"), // until the file is read
		Actor: by, UploadedBy: actor.Name, CreatedAt: now, ChangedAt: now, BeatAt: now,
	}, nil
}

// fileName makes the name of a file safe to store and show.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.ToValidUTF8(s, "?"), `\`, "/"))
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if models.Invisible(r) {
			return -1
		}
		return r
	}, cards.Mask(s)))
	if s == "" || s == "." || s == "/" {
		return "?"
	}
	return models.Truncate(s, 200)
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

// The statements that store rows: all of them, and those with remarks.
const (
	insertChunk   = `INSERT INTO import_chunks (import_id, seq, body, row_count) VALUES ($1, $2, $3, $4)`
	insertRemarks = `INSERT INTO import_remarks (import_id, seq, body) SELECT $1::bigint, $2::int, $3::bytea WHERE $4::int > 0`
)

func storeChunk(ctx context.Context, t database.Tx, statement string, id int64, seq int, rows []*Row) error {
	body, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode rows: %w", err)
	}
	if _, err := t.SQL.ExecContext(ctx, statement, id, seq, body, len(rows)); err != nil {
		return fmt.Errorf("keep rows of import %d: %w", id, err)
	}
	return nil
}
