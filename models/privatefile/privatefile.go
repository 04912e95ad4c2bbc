// Package privatefile judges whether a file with a secret is closed to others. It knows
// nothing of what is in it.
package privatefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Check reports who else can read or change a file. A group may read it where root or
// this process owns it: so the secrets of containers and of systemd lie there (mode
// 0440), and a group belongs to whom its owner gave it.
func Check(info fs.FileInfo) error {
	owner := -1
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(stat.Uid)
	}
	return judge(info.Mode().Perm(), owner, os.Geteuid())
}

func judge(mode fs.FileMode, owner, own int) error {
	switch {
	case mode&0o007 != 0:
		return fmt.Errorf("others may read or write it (mode %04o): chmod 600 it", mode)
	case mode&0o030 != 0:
		return fmt.Errorf("its group may write it (mode %04o): chmod 600 it", mode)
	case mode&0o040 != 0 && owner != 0 && owner != own:
		return fmt.Errorf("its group may read it (mode %04o), and it belongs to user %d, who is neither root nor this process: chmod 600 it",
			mode, owner)
	}
	return nil
}

// Read reads a file that is closed to others, of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, errors.Unwrap(err) // the caller names the path
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("not a file")
	case info.Size() > most:
		return nil, errors.New("too large for what it should hold")
	}
	if err := Check(info); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return text, nil
}
