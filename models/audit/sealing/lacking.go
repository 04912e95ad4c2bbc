package sealing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// lookEvery is how often a directory is looked through, and lookBack how far when a
// process begins; then only what came since.
const (
	lookEvery = time.Hour
	lookBack  = 62 * 24 * time.Hour
)

// begun is from where on a directory should have every checkpoint that the database has.
type begun struct {
	Place string `json:"place"`   // host and directory
	Size  int64  `json:"entries"` // of the last checkpoint by then
}

// lacking is what was found to be missing.
type lacking struct {
	begun
	In    string `json:"missingIn"` // directory or database
	Count int64  `json:"checkpoints"`
	First string `json:"signedCheckpoint"` // the first of them, as it was signed
}

// lookThrough compares the directory with the checkpoints of the database, one by one, and
// has in the trail what either lacks: a directory that was emptied, alone or with a
// database that was put back, has nothing left that contradicts. Each is told once.
// Before a process seals for the first time it only looks whether the directory is
// empty: it begins to fill it then.
func (s *Service) lookThrough(ctx context.Context, begins bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	there, err := s.Dir.look()
	if err != nil || begins && there.last != nil {
		return err
	}
	if stop, _, err := stops(ctx, s.db); stop != nil || err != nil {
		return err // what was told then; a directory may have been moved away
	}
	since, err := s.begun(ctx)
	if err != nil {
		return err
	}
	last, err := s.LatestCheckpoint(ctx)
	if err != nil {
		return err
	}
	now := begun{Place: s.host()}
	if last != nil {
		now.Size = last.Size
	}
	switch {
	case since == nil && begins:
		return nil // which is said once there is one
	case since == nil:
		return s.record(ctx, models.ActionCheckpointsBegun, models.OutcomeSuccess, now)
	}
	found, err := s.compareEach(ctx, *since, there.last)
	if len(found) == 0 && err == nil && last != nil && (there.last == nil || s.emptied) {
		found = []lacking{{In: "directory", Count: 1, First: last.Note}}
	}
	s.emptied = false
	for _, f := range found {
		if f.begun = now; err == nil {
			err = s.record(ctx, models.ActionCheckpointsMissing, models.OutcomeFailure, f)
		}
	}
	if err == nil && there.last != nil {
		s.through = min(there.last.Size, now.Size)
	}
	return err
}

// lookAgain looks the directory through, and logs what it could not.
func (s *Service) lookAgain(ctx context.Context, begins bool) {
	if s.Dir == nil {
		return
	}
	if err := s.lookThrough(ctx, begins); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "the directory of checkpoints was not looked through", "error", err)
	}
}

// lost reports whether the directory was found to be empty while this process ran.
func (s *Service) lost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emptied
}

func (s *Service) record(ctx context.Context, action models.Action, outcome models.Outcome, after any) error {
	return audit.RecordAlone(ctx, s.db, actor(), s.clock.Now(), action, outcome, audit.About{After: after})
}

// begun reads since when this directory is known to the trail; nil when it is not.
func (s *Service) begun(ctx context.Context) (*begun, error) {
	// After a stop a directory was moved away, or somebody said that sealing goes on: it
	// has what came since.
	row, err := database.Row[struct {
		After   []byte
		Resumed int64
	}](ctx, s.db, `SELECT after, coalesce((SELECT (after->>'sealed')::bigint FROM audit_entries WHERE action = $4
			ORDER BY at DESC, id DESC LIMIT 1), 0) AS resumed FROM audit_entries
		WHERE action IN ($1, $2) AND after->>'place' = $3 ORDER BY at DESC, id DESC LIMIT 1`,
		models.ActionCheckpointsBegun, models.ActionCheckpointsMissing, s.host(), models.ActionSealingResumed)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	var b begun
	if err == nil {
		err = json.Unmarshal(row.After, &b)
	}
	if err != nil {
		return nil, fmt.Errorf("ask since when there are checkpoints in the directory: %w", err)
	}
	if s.through == 0 {
		err = s.db.QueryRow(ctx, `SELECT coalesce(max(size), 0) FROM checkpoints WHERE sealed_at < $1`,
			s.clock.Now().Add(-lookBack)).Scan(&s.through)
		if err != nil {
			return nil, fmt.Errorf("ask for older checkpoints: %w", err)
		}
	}
	b.Size = max(b.Size, s.through, row.Resumed)
	return &b, nil
}

// compareEach compares the checkpoints behind a size. What the database has sealed since
// the directory was last written to is published in a moment, and not missing; in a
// directory without any all are.
func (s *Service) compareEach(ctx context.Context, since begun, last *outside) (found []lacking, err error) {
	seed := maphash.MakeSeed()
	inDir := map[uint64]string{}
	err = s.Dir.each(func(note string) { inDir[maphash.String(seed, note)] = note })
	if err != nil {
		return nil, err
	}
	dir, db := lacking{In: "directory"}, lacking{In: "database"}
	newest := int64(0)
	rows, _ := s.db.Query(ctx, signedSQL+`size, sealed_at`, since.Size, s.clock.Now().AddDate(100, 0, 0)) // the rows have its error
	err = database.Each(rows, func(c *struct {
		Size     int64
		Root     []byte
		SealedAt time.Time
		Note     string
	},
	) error {
		newest = c.Size
		key := maphash.String(seed, c.Note)
		_, there := inDir[key]
		delete(inDir, key)
		if !there && (last == nil || c.Size < last.Size || c.Size == last.Size && !c.SealedAt.After(last.Time)) {
			dir.add(c.Note)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare checkpoints with the directory: %w", err)
	}
	for _, note := range inDir {
		c, err := trailfile.Open(note, s.Dir.keys)
		if err == nil && c.Size > since.Size && c.Size <= newest {
			db.add(note)
		}
	}
	for _, l := range []lacking{dir, db} {
		if l.Count > 0 {
			found = append(found, l)
		}
	}
	return found, nil
}

func (l *lacking) add(note string) {
	if l.Count++; l.First == "" {
		l.First = note
	}
}

// each passes on the notes of the directory, of the last months.
func (d *checkpointDir) each(f func(note string)) error {
	if err := d.create(); err != nil {
		return err
	}
	return d.locked(func() error {
		files, err := filepath.Glob(filepath.Join(d.path, "checkpoints-*.txt"))
		if err != nil {
			return unusable(err)
		}
		for _, name := range files[max(0, len(files)-4):] {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				continue
			}
			text, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return unusable(err)
			}
			for _, note := range trailfile.Notes(string(text)) {
				f(note)
			}
		}
		return nil
	})
}
