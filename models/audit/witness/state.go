package witness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"veinte/models/audit/trailfile/notes"
)

// store is the directory in which a witness keeps the last checkpoint that it cosigned of
// each trail, one file a trail. Its lock keeps a second process out, for two that cosign
// with one key could contradict each other.
type store struct {
	dir  string
	lock *os.File
	// fault is a test hook: it breaks off before a step of writing.
	fault func(step string) error
}

// kept is a file's content.
type kept struct {
	Format string    `json:"format"`
	SeenAt time.Time `json:"seenAt"`
	// Note is the checkpoint as it was signed, with this witness' cosignature.
	Note string `json:"note"`
}

const keptFormat = "veinte-cosigned/1"

// ErrLocked is returned when another process uses the directory.
var ErrLocked = errors.New("another witness uses this directory")

// openStore opens the directory, which it creates, and locks it until close.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s", ErrLocked, dir)
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &store{dir: dir, lock: lock}, nil
}

func (s *store) close() error { return s.lock.Close() } // closing unlocks

// origins returns the trails of which something is kept.
func (s *store) origins() (list []string, err error) {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		k, err := s.read(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		origin, _, _ := strings.Cut(k.Note, "\n")
		list = append(list, origin)
	}
	return list, nil
}

// read returns what is kept under a name; nil when nothing is. A file that is damaged is an
// error: a witness that forgot what it cosigned would cosign a fork. What is returned
// survives a loss of power, even when the process that wrote it died before its last step.
func (s *store) read(name string) (*kept, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if len(text) > 2*notes.Max+1024 || json.Unmarshal(text, &k) != nil || k.Format != keptFormat || k.Note == "" {
		return nil, fmt.Errorf("%s is damaged, or no file of a witness", filepath.Join(s.dir, name))
	}
	return &k, syncDir(s.dir)
}

// write replaces what is kept under a name. When it returns without an error, the new text
// survives a loss of power; after an error either text may be there.
func (s *store) write(name string, k kept) error {
	k.Format = keptFormat
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, name)
	return s.steps(
		func() error { return writeSynced(path+".new", append(text, '\n')) },
		func() error { return os.Rename(path+".new", path) },
		func() error { return syncDir(s.dir) },
	)
}

// steps runs what writes, and stops at the first error.
func (s *store) steps(steps ...func() error) error {
	for i, step := range steps {
		if s.fault != nil {
			if err := s.fault([]string{"write", "rename", "sync"}[i]); err != nil {
				return err
			}
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func writeSynced(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// maxForks is how many contradicting checkpoints of a trail are kept: whoever has the
// trail's key can make as many as he likes, and one is proof enough.
const maxForks = 20

// evidence keeps a checkpoint that contradicts the one that was cosigned, once.
func (s *store) evidence(name, cosigned, refused string, root [32]byte) error {
	n, err := s.forks(name)
	if err != nil || n >= maxForks {
		return err
	}
	path := filepath.Join(s.dir, fmt.Sprintf("%s.fork-%x.txt", name, root[:8]))
	text := "--- cosigned before\n" + cosigned + "\n--- refused\n" + refused
	return errors.Join(writeSynced(path, []byte(text)), syncDir(s.dir))
}

// forks is how many contradicting checkpoints of a trail are kept.
func (s *store) forks(name string) (int, error) {
	list, err := filepath.Glob(filepath.Join(s.dir, name+".fork-*.txt"))
	return len(list), err
}
