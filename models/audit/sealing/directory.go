package sealing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models/audit/trailfile"
)

// checkpointDir is the directory of checkpoints outside the database: whoever cuts
// the end of the trail and its checkpoints off in the database has not cut them
// here. It has a text file for each month, to which signed notes are appended, each
// followed by an empty line; nothing is ever deleted.
//
// Only what a key of this installation has signed counts. Anything else in it proves
// nothing about the trail: it is trouble with the directory.
type checkpointDir struct {
	path string
	keys note.Verifiers

	mu     sync.Mutex
	months map[string]*monthFile // as they were last read
	former map[string]bool       // keys that sealed this trail before, as the trail has them
}

// unusable wraps why the directory cannot be read or written.
func unusable(err error) error {
	return fmt.Errorf("the directory of checkpoints cannot be used: %w", err)
}

// create makes the directory, unless it is there, and tries whether it can be
// written to.
func (d *checkpointDir) create() error {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return unusable(err)
	}
	return d.locked(func() error { return nil })
}

// locked runs f while no other process adds to the directory.
func (d *checkpointDir) locked(f func() error) error {
	lock, err := os.OpenFile(filepath.Join(d.path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return unusable(err)
	}
	defer lock.Close() // which unlocks
	d.give(lock)
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return unusable(fmt.Errorf("lock: %w", err))
	}
	return f()
}

const lockName = "lock"

// give gives a file to whom the directory belongs, where a command runs as another user
// who may: the server has to write to it.
func (d *checkpointDir) give(file *os.File) {
	info, err := os.Stat(d.path)
	if err != nil || os.Geteuid() != 0 {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(owner.Uid), int(owner.Gid))
	}
}

// forget has everything read anew, knowing keys that sealed before.
func (d *checkpointDir) forget(former map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.former, d.months = former, nil
}

// outside is a checkpoint outside the database, with its note as it was signed.
type outside struct {
	trailfile.Checkpoint
	note string
}

// contents is what the directory says.
type contents struct {
	last    *outside // the largest of the latest month that has one; nil when there is none
	notes   []string // the largest of each month, as signed, the oldest first
	foreign string   // the first thing that this installation did not sign; "" when there is none
}

// look reads what came to the directory since it was last read. A directory that is
// not there is empty.
func (d *checkpointDir) look() (contents, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var c contents
	all, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return c, unusable(err)
	}
	there := map[string]bool{}
	for _, entry := range all { // by name, so by month
		name := entry.Name()
		if name == lockName || strings.HasPrefix(name, ".") || name == "lost+found" {
			continue
		}
		month, err := d.month(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // moved away just now
		}
		if err != nil {
			return c, unusable(err)
		}
		if foreign := month.foreign(); foreign != "" && c.foreign == "" {
			c.foreign = strings.TrimSuffix(name+": "+foreign, ": "+notOurs)
		}
		if there[name] = true; month.last != nil {
			c.last, c.notes = month.last, append(c.notes, month.last.note)
		}
	}
	for name := range d.months {
		if !there[name] {
			delete(d.months, name)
		}
	}
	return c, nil
}

// notOurs is what is wrong with a file that is none of the directory's.
const notOurs = "no file of checkpoints"

// month reads what came to a file since it was last read. One that was replaced or
// changed in place is read anew.
func (d *checkpointDir) month(name string) (*monthFile, error) {
	path := filepath.Join(d.path, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if _, err := time.Parse(monthName, name); err != nil || !info.Mode().IsRegular() {
		return &monthFile{odd: notOurs}, nil // a pipe would never be read to its end
	}
	m := d.months[name]
	if m != nil && m.size == info.Size() && m.changed.Equal(info.ModTime()) {
		return m, nil
	}
	if m == nil || info.Size() <= m.size {
		m = &monthFile{}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := m.read(file, info.Size(), d); err != nil {
		return nil, err
	}
	m.changed = info.ModTime()
	if d.months == nil {
		d.months = map[string]*monthFile{}
	}
	d.months[name] = m
	return m, nil
}

// monthName is the name of a month's file.
const monthName = "checkpoints-2006-01.txt"

// add writes notes behind what is there and returns once they are on the disk.
// The directory must be locked.
func (d *checkpointDir) add(notes []string, month time.Time) error {
	path := filepath.Join(d.path, month.UTC().Format(monthName))
	info, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err == nil && !info.Mode().IsRegular() {
		return unusable(fmt.Errorf("%s is no file", path))
	}
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
		d.give(file)
		err = syncDir(d.path)
	}
	if err != nil {
		return unusable(err)
	}
	return nil
}

// tail reads the end of a file.
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

// syncDir makes a new file's name survive a loss of power.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
