package outage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// disk is a small file system for the laboratory's database, which can be filled
// to the last byte. Where none can be mounted it is an ordinary folder.
type disk struct {
	dir     string // "": PostgreSQL's usual place in the laboratory
	mounted bool
}

// diskSize fits the database with the log that it keeps, in bytes.
const diskSize = "1g"

func newDisk() (*disk, error) {
	dir, err := os.MkdirTemp("/var/tmp", "vd-")
	if err != nil {
		return nil, err
	}
	if err := mountSmall(dir); err != nil {
		// Not root, or not Linux: the other outages can be tried all the same.
		return &disk{}, os.Remove(dir)
	}
	return &disk{dir: dir, mounted: true}, os.Chmod(dir, 0o711)
}

func (d *disk) remove() {
	if d.mounted {
		_ = unmount(d.dir) // the laboratory, which had its files there, is closed
		_ = os.Remove(d.dir)
	}
}

func (d *disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// fill writes until there is no room for another byte.
func (d *disk) fill() error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return err
	}
	defer f.Close()
	for _, piece := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, piece))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("fill the disk: %w", err)
		}
	}
	return nil
}

func (d *disk) empty() error { return os.Remove(d.ballast()) }
