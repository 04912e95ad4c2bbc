package sealing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// compare checks whether the sealed trail begins with the largest checkpoint outside
// the database. A tail that was cut, an old backup, another past: each contradicts
// it, and then nothing is sealed over it. Seen is that checkpoint, nil when there is
// none; it must be read before last is.
//
// Errors: *Trouble.
func (s *Service) compare(ctx context.Context, tx pgx.Tx, last SealedEnd, seen *outside) (err error) {
	if seen == nil {
		return nil
	}
	trouble := &Trouble{Sealed: last.Size, Seen: seen.Size, SeenAt: seen.Time, Note: seen.note}
	if last.Size < seen.Size {
		trouble.Code = Shorter
		return trouble
	}
	root := last.root
	if seen.Size < last.Size && seen.Size > 0 {
		if root, err = tlog.TreeHash(seen.Size, SealedTree{ctx, tx}); err != nil {
			return s.incomplete(err, last)
		}
	}
	// What was signed before the trail began anew is its past too, as long as it fits.
	if seen.Size > 0 && root != seen.Root || !notes.SameTrail(seen.Origin, s.origin()) {
		trouble.Code = Different
		return trouble
	}
	return nil
}

// outside returns the largest checkpoint outside the database, of the directory or
// as this process remembers it. A directory that is empty after it contradicted the
// trail, which stop records, was moved away by an operator; otherwise it was lost.
//
// Errors: *Trouble.
func (s *Service) outside(stop *stop) (*outside, error) {
	if s.Dir == nil {
		return s.seen, nil
	}
	if s.looking != nil {
		s.looking()
	}
	dir, err := s.Dir.look()
	if err != nil {
		return nil, &Trouble{Code: Directory, err: err}
	}
	there := dir.last
	if there == nil && stop != nil {
		s.seen = nil
	}
	s.filled = there != nil
	if there != nil && (s.seen == nil || there.Size >= s.seen.Size) {
		return there, nil
	}
	return s.seen, nil
}

// incomplete distinguishes a tree that lacks hashes from a database that cannot be
// read.
func (s *Service) incomplete(err error, last SealedEnd) error {
	if errors.Is(err, ErrTreeIncomplete) {
		return &Trouble{Code: Different, Sealed: last.Size, Seen: last.Size, err: err}
	}
	return err
}

// maxPublished is how many checkpoints are written out at once.
const maxPublished = 1000

// publish writes the checkpoints that the directory lacks to it. An empty one
// begins with the last: it vouches for all before.
func (s *Service) publish(ctx context.Context) error {
	if s.Dir == nil {
		return s.remember(ctx)
	}
	if err := s.Dir.create(); err != nil {
		return &Trouble{Code: Directory, err: err}
	}
	return s.Dir.locked(func() error {
		for n := maxPublished; n == maxPublished; {
			there, err := s.Dir.look()
			if err != nil {
				return &Trouble{Code: Directory, err: err}
			}
			notes, last, err := s.unpublished(ctx, there.last)
			if err != nil || len(notes) == 0 {
				s.odd = there.foreign
				return err
			}
			s.emptied = s.emptied || there.last == nil && s.seen != nil
			if err := s.Dir.add(notes, last.Time); err != nil {
				return &Trouble{Code: Directory, err: err}
			}
			s.seen, n = last, len(notes)
		}
		there, err := s.Dir.look() // what was left half written is whole now
		if err != nil {
			return &Trouble{Code: Directory, err: err}
		}
		s.odd = there.foreign
		return nil
	})
}

// KeepOutside adds a checkpoint with what others signed over it to the directory outside the
// database, once more: whoever rewrites the database can leave their signatures out of it.
func (s *Service) KeepOutside(note string, sealed time.Time) error {
	if s.Dir == nil {
		return nil
	}
	if err := s.Dir.create(); err != nil {
		return err
	}
	return s.Dir.locked(func() error { return s.Dir.add([]string{note}, sealed) })
}

// foreign is the trouble with what the directory holds beside its checkpoints; nil when
// that is nothing. It accuses nobody and prevents nothing.
func (s *Service) foreign() error {
	if s.odd == "" {
		return nil
	}
	return &Trouble{Code: Foreign, Detail: s.odd}
}

// remember stores the last checkpoint in memory where there is no directory.
func (s *Service) remember(ctx context.Context) error {
	last, err := s.LatestCheckpoint(ctx)
	if err != nil || last == nil {
		return err
	}
	c, err := trailfile.Unverified(last.Note)
	if err != nil {
		return fmt.Errorf("read checkpoint %d: %w", last.Size, err)
	}
	s.seen = &outside{c, last.Note}
	return nil
}

// signedSQL reads the checkpoints after one of a size and a time, and after each those of
// hours in which nothing was added.
const signedSQL = `SELECT * FROM (SELECT size, root, sealed_at, note FROM checkpoints WHERE size > $1
		UNION ALL SELECT b.size, c.root, b.sealed_at, b.note FROM checkpoint_beats b JOIN checkpoints c USING (size)
			WHERE b.size > $1 OR b.size = $1 AND b.sealed_at > $2) signed ORDER BY `

// unpublished reads the checkpoints after one, in their order.
func (s *Service) unpublished(ctx context.Context, after *outside) (notes []string, last *outside, err error) {
	order, most, from, since := "size, sealed_at", maxPublished, int64(0), time.Time{}
	if after == nil {
		order, most = "size DESC, sealed_at DESC", 1
	} else {
		from, since = after.Size, after.Time
	}
	rows, err := database.Rows[struct {
		Size     int64
		Root     []byte
		SealedAt time.Time
		Note     string
	}](ctx, s.db.Pool(), signedSQL+order+` LIMIT $3`, from, since, most)
	if err != nil {
		return nil, nil, fmt.Errorf("read checkpoints: %w", err)
	}
	for _, row := range rows {
		c, err := trailfile.Unverified(row.Note)
		if err == nil && (c.Size != row.Size || c.Root != tlog.Hash(row.Root)) {
			err = errors.New("its note says something else")
		}
		if err != nil {
			err = fmt.Errorf("read checkpoints: checkpoint %d: %w", row.Size, err)
			return nil, nil, &Trouble{Code: Different, Sealed: row.Size, Seen: row.Size, err: err}
		}
		notes, last = append(notes, row.Note), &outside{c, row.Note}
	}
	return notes, last, nil
}
