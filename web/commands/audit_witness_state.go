package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"veinte/models/audit/trailfile"
)

// witnessState is the file in which a witness keeps the last checkpoint it saw.
// It is replaced whole, and only by a checkpoint that continues it.
type witnessState struct{ path string }

// keptState is what the file holds.
type keptState struct {
	Format string    `json:"format"`
	SeenAt time.Time `json:"seenAt"`
	Note   string    `json:"note"` // as it was signed
}

const witnessFormat = "veinte-witness/1"

// lock keeps other witnesses with the same file waiting.
func (s witnessState) lock() (release func(), err error) {
	file, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { file.Close() }, nil // which unlocks
}

// errState says that the file is there and is not what a witness writes.
var errState = errors.New("it is damaged, or no file of a witness")

// read returns the kept note; "" when nothing was seen yet.
func (s witnessState) read() (note string, err error) {
	text, err := readSmall(s.path, 2*trailfile.MostNote)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var kept keptState
	if json.Unmarshal(text, &kept) != nil || kept.Format != witnessFormat || kept.Note == "" {
		return "", errState
	}
	return kept.Note, nil
}

// write puts a note in the place of the one before.
func (s witnessState) write(note string, now time.Time) error {
	text, err := json.MarshalIndent(keptState{witnessFormat, now.UTC().Truncate(time.Second), note}, "", "  ")
	if err != nil {
		return err
	}
	temporary := s.path + ".new"
	if err := writeSynced(temporary, os.O_TRUNC, append(text, '\n')); err != nil {
		return err
	}
	if err := os.Rename(temporary, s.path); err != nil {
		return err
	}
	return syncedDir(s.path)
}

// evidence writes two notes that contradict each other beside the state, and
// returns where.
func (s witnessState) evidence(why, before, now string, at time.Time) (path string, err error) {
	text := fmt.Sprintf("%s\n%s\n\n--- seen before\n%s\n--- seen now\n%s", at.UTC().Format(time.RFC3339), why, before, now)
	path = fmt.Sprintf("%s.evidence-%s.txt", s.path, at.UTC().Format("20060102T150405.000000"))
	if err := writeSynced(path, os.O_EXCL, []byte(text)); err != nil {
		return "", err
	}
	return path, syncedDir(path)
}

// writeSynced writes a file that only its owner reads, and returns once it is on
// the disk.
func writeSynced(path string, flag int, text []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncedDir keeps the name of a new file over a loss of power.
func syncedDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// readSmall reads a file that has no reason to be large.
func readSmall(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", path, most)
	}
	return text, err
}
