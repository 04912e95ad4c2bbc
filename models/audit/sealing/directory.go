package sealing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"veinte/models/audit/trailfile"
)

// checkpointDir is the directory of checkpoints outside the database: whoever cuts
// the end of the trail and its checkpoints off in the database has not cut them
// here. It has a text file for each month, to which signed notes are appended, each
// followed by an empty line; nothing is ever deleted.
type checkpointDir struct{ path string }

// unusable wraps why the directory cannot be read or written.
func unusable(err error) error {
	return fmt.Errorf("the directory of checkpoints cannot be used: %w", err)
}

// create makes the directory, unless it is there, and tries whether it can be
// written to.
func (d checkpointDir) create() error {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return unusable(err)
	}
	return d.locked(func() error { return nil })
}

// locked runs f while no other process adds to the directory.
func (d checkpointDir) locked(f func() error) error {
	lock, err := os.OpenFile(filepath.Join(d.path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return unusable(err)
	}
	defer lock.Close() // which unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return unusable(fmt.Errorf("lock: %w", err))
	}
	return f()
}

// months passes on the largest checkpoint of each month, as it is and as it was
// signed, the latest month first, until more returns false.
func (d checkpointDir) months(more func(c *trailfile.Checkpoint, note string) bool) error {
	files, err := filepath.Glob(filepath.Join(d.path, "checkpoints-*.txt"))
	if err != nil {
		return unusable(err)
	}
	slices.Sort(files)
	for _, name := range slices.Backward(files) {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // moved away just now
		}
		if err != nil {
			return unusable(err)
		}
		end, err := tail(file, tailLength)
		_ = file.Close()
		if err != nil {
			return unusable(err)
		}
		if c, note := largest(end); c != nil && !more(c, note) {
			break
		}
	}
	return nil
}

// last returns the largest checkpoint at the end of the directory; nil when there is
// none, or no directory.
func (d checkpointDir) last() (last *trailfile.Checkpoint, err error) {
	err = d.months(func(c *trailfile.Checkpoint, _ string) bool {
		last = c
		return false
	})
	return last, err
}

// notes returns the largest checkpoint of each month, as signed.
func (d checkpointDir) notes() (notes []string, err error) {
	err = d.months(func(_ *trailfile.Checkpoint, note string) bool {
		notes = append(notes, note)
		return true
	})
	slices.Reverse(notes)
	return notes, err
}

// tailLength is how much of a file is read to find its last checkpoint. A checkpoint
// is about 300 bytes long, and trailfile.MaxNote at most.
const tailLength = 3 * trailfile.MaxNote

func tail(file *os.File, length int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end := make([]byte, min(info.Size(), length))
	_, err = file.ReadAt(end, info.Size()-int64(len(end)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return end, nil
}

// largest finds the largest checkpoint in the tail of a file, with the note as it was
// signed. A note that a dying process left half written is skipped: no empty line
// follows it.
func largest(tail []byte) (most *trailfile.Checkpoint, note string) {
	whole := tail[:max(bytes.LastIndex(tail, []byte("\n\n")), 0)]
	for _, text := range trailfile.Notes(string(whole)) {
		c, err := trailfile.Unverified(text)
		if err == nil && (most == nil || c.Size > most.Size) {
			most, note = &c, text
		}
	}
	return most, note
}

// add writes notes behind what is there and returns once they are on the disk.
// The directory must be locked.
func (d checkpointDir) add(notes []string, month time.Time) error {
	path := filepath.Join(d.path, month.UTC().Format("checkpoints-2006-01.txt"))
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return unusable(err)
	}
	defer file.Close()
	end, err := tail(file, 2)
	if err != nil {
		return unusable(err)
	}
	text := strings.Join(notes, "\n") + "\n"
	if len(end) > 0 && string(end) != "\n\n" {
		text = "\n\n" + text // it ends within a note
	}
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	if err == nil && fresh {
		err = syncDir(d.path)
	}
	if err != nil {
		return unusable(err)
	}
	return nil
}

// syncDir makes a new file's name survive a loss of power.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
