package sealing

import (
	"bytes"
	"context"
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

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
)

// CheckpointIn reads the last checkpoint of a snapshot, and its position in the
// trail; nil when nothing was ever sealed.
func CheckpointIn(ctx context.Context, tx pgx.Tx) (*Checkpoint, SealedEnd, error) {
	var c Checkpoint
	var last SealedEnd
	var root []byte
	err := tx.QueryRow(ctx, `SELECT size, root, sealed_at, note, era, txid, entry_id FROM checkpoints ORDER BY size DESC LIMIT 1`).
		Scan(&c.Size, &root, &c.SealedAt, &c.Note, &last.Era, &last.Txid, &last.Id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, last, nil
	}
	if err != nil {
		return nil, last, fmt.Errorf("find last checkpoint: %w", err)
	}
	c.Root = tlog.Hash(root)
	last.Size, last.root = c.Size, c.Root
	return &c, last, nil
}

// checkpointDir is the directory of checkpoints outside the database: whoever cuts
// the end of the trail and its checkpoints off in the database has not cut them
// here. It has a text file for each month, to which signed notes are appended, each
// followed by an empty line; nothing is ever deleted.
type checkpointDir struct{ path string }

// errDirectory is wrapped when the directory cannot be read or written.
var errDirectory = errors.New("the directory of checkpoints cannot be used")

// create makes the directory, unless it is there, and tries whether it can be
// written to.
func (d checkpointDir) create() error {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return fmt.Errorf("%w: %w", errDirectory, err)
	}
	return d.locked(func() error { return nil })
}

// locked runs f while no other process adds to the directory.
func (d checkpointDir) locked(f func() error) error {
	lock, err := os.OpenFile(filepath.Join(d.path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", errDirectory, err)
	}
	defer lock.Close() // which unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("%w: lock: %w", errDirectory, err)
	}
	return f()
}

// last returns the largest checkpoint at the end of the directory; nil when there is
// none, or no directory. A note that a dying process left half written is skipped.
func (d checkpointDir) last() (*trailfile.Checkpoint, error) {
	files, err := filepath.Glob(filepath.Join(d.path, "checkpoints-*.txt"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDirectory, err)
	}
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		tail, err := readTail(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // moved away just now
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDirectory, err)
		}
		if c := largest(tail); c != nil {
			return c, nil
		}
	}
	return nil, nil
}

// notes returns the largest checkpoint of each month, as signed.
func (d checkpointDir) notes() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(d.path, "checkpoints-*.txt"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDirectory, err)
	}
	slices.Sort(files)
	var all []string
	for _, file := range files {
		tail, err := readTail(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", errDirectory, err)
		}
		if c, note := largestNote(tail); c != nil {
			all = append(all, note)
		}
	}
	return all, nil
}

// tailLength is how much of a file is read to find its last checkpoint. A checkpoint
// is about 300 bytes long, and trailfile.MostNote at most.
const tailLength = 3 * trailfile.MostNote

func readTail(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	tail := make([]byte, min(info.Size(), tailLength))
	_, err = file.ReadAt(tail, info.Size()-int64(len(tail)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return tail, nil
}

// largest finds the largest checkpoint in the tail of a file. A note is a text, an
// empty line, its signatures, an empty line.
func largest(tail []byte) *trailfile.Checkpoint {
	most, _ := largestNote(tail)
	return most
}

// largestNote is largest with the note as it was signed.
func largestNote(tail []byte) (*trailfile.Checkpoint, string) {
	whole := tail[:max(bytes.LastIndex(tail, []byte("\n\n")), 0)]
	parts := strings.Split(string(whole), "\n\n")
	var most *trailfile.Checkpoint
	var note string
	for i := 1; i < len(parts); i++ {
		if !strings.HasPrefix(parts[i], "— ") {
			continue
		}
		text := strings.TrimLeft(parts[i-1], "\n") + "\n"
		c, err := trailfile.ParseText(text)
		if err == nil && (most == nil || c.Size > most.Size) {
			most, note = &c, text+"\n"+parts[i]+"\n"
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
		return fmt.Errorf("%w: %w", errDirectory, err)
	}
	defer file.Close()
	var text bytes.Buffer
	if half, err := halfWritten(file); err != nil {
		return fmt.Errorf("%w: %w", errDirectory, err)
	} else if half {
		text.WriteString("\n\n")
	}
	for _, note := range notes {
		text.WriteString(note)
		text.WriteByte('\n')
	}
	_, err = file.Write(text.Bytes())
	if err == nil {
		err = file.Sync()
	}
	if err == nil && fresh {
		err = syncDir(d.path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errDirectory, err)
	}
	return nil
}

// halfWritten reports whether the file ends within a note.
func halfWritten(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	end := make([]byte, min(2, info.Size()))
	if _, err := file.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return false, err
	}
	return string(end) != "\n\n", nil
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
