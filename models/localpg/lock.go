package localpg

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrInUse is wrapped by the error of a second program that starts a server in the
// same directory. The error's text contains the first program's process id.
var ErrInUse = errors.New("directory is in use by another program")

// lock is held by the one program that may use a directory. It is a flock, so it
// ends with the program, however that ends. The process id in the file is only for
// the error of a second program.
type lock struct{ file *os.File }

// takeLock takes the lock at path without waiting.
func takeLock(path string) (*lock, error) {
	// O_NOFOLLOW: root also sweeps directories below the world-writable /tmp.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		return nil, fmt.Errorf("%w: %s is held by %s", ErrInUse, path, holder(f))
	}
	if err == nil {
		err = note(f, strconv.Itoa(os.Getpid())+"\n")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &lock{f}, nil
}

// release releases the lock. The file stays: removing it would let two programs lock
// two files of the same name.
func (l *lock) release() error {
	return errors.Join(note(l.file, ""), l.file.Close())
}

func note(f *os.File, text string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// holder returns the id of the process that holds the lock. Just after the lock was
// taken the file is empty or contains the id of a killed program, so holder retries
// for a moment.
func holder(f *os.File) string {
	for range 20 {
		text := make([]byte, 32)
		n, _ := f.ReadAt(text, 0)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
		if err == nil && alive(pid) {
			return fmt.Sprintf("process %d", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "a process that did not leave its number"
}

// alive reports whether a process with that id exists, whoever owns it.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
