package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"veinte/models/audit/trailfile/notes"
)

// witnessState is the file in which a witness stores the last checkpoint it saw. It
// is replaced as a whole, and only by a checkpoint that continues it.
type witnessState struct{ path string }

// storedState is the file's content.
type storedState struct {
	Format string    `json:"format"`
	SeenAt time.Time `json:"seenAt"`
	Note   string    `json:"note"` // as it was signed
}

const witnessFormat = "veinte-witness/1"

// lock takes the lock of the file. Other witnesses with the same file wait.
func (s witnessState) lock() (release func(), err error) {
	file, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { file.Close() }, nil // closing unlocks
}

// errState is the error for a file that no witness wrote.
var errState = errors.New("it is damaged, or no file of a witness")

// read returns the stored note; "" when nothing was seen yet.
func (s witnessState) read() (note string, err error) {
	text, err := readSmall(s.path, 2*notes.Max)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var stored storedState
	if json.Unmarshal(text, &stored) != nil || stored.Format != witnessFormat || stored.Note == "" {
		return "", errState
	}
	return stored.Note, nil
}

// write replaces the stored note.
func (s witnessState) write(note string, now time.Time) error {
	text, err := json.MarshalIndent(storedState{witnessFormat, now.UTC().Truncate(time.Second), note}, "", "  ")
	if err != nil {
		return err
	}
	temporary := s.path + ".new"
	if err := WriteSynced(temporary, os.O_TRUNC, Content(string(text)+"\n")); err != nil {
		return err
	}
	if err := os.Rename(temporary, s.path); err != nil {
		return err
	}
	return SyncDir(s.path)
}

// evidence writes two contradicting notes beside the state, and returns the file's
// path.
func (s witnessState) evidence(why, before, now string, at time.Time) (path string, err error) {
	text := fmt.Sprintf("%s\n%s\n\n--- seen before\n%s\n--- seen now\n%s", at.UTC().Format(time.RFC3339), why, before, now)
	path = fmt.Sprintf("%s.evidence-%s.txt", s.path, at.UTC().Format("20060102T150405.000000"))
	if err := WriteSynced(path, os.O_EXCL, Content(text)); err != nil {
		return "", err
	}
	return path, SyncDir(path)
}
