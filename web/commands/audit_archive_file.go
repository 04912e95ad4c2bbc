package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models/audit/archive"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
)

// archiveFile is the file of an archived month. Until it is complete, verified and
// synced to the disk, it has the suffix .part.
type archiveFile struct {
	name   string
	month  *archive.Month
	keys   note.Verifiers
	public []string
	now    time.Time
}

// ready writes the file, or accepts an existing one that holds this month.
func (f *archiveFile) ready(ctx context.Context) (*verify.ArchivedMonth, error) {
	info, err := os.Lstat(f.name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s exists, and is not a file", f.name)
	case err == nil:
		told, err := f.compare(f.name)
		if err != nil {
			return nil, fmt.Errorf("%s exists: %w", f.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s is there already, and holds %s\n", f.name, f.month.Month)
		return told, syncDir(f.name)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	bar := newBar("bytes, about so far")
	var told *verify.ArchivedMonth
	err = wholeFile(f.name, func(part io.Writer) error {
		out := &counted{out: part, bar: bar, expected: f.month.Entries * bytesOfEntry}
		return f.month.Write(ctx, f.now, f.public, out)
	}, func(part string) (err error) {
		bar.end()
		told, err = f.compare(part)
		return err
	})
	return told, err
}

// compare reads a file from the disk and compares it with the month.
func (f *archiveFile) compare(name string) (*verify.ArchivedMonth, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	bar := newBar("bytes verified")
	defer bar.end()
	return f.month.Compare(file, trailfile.Check{Keys: f.keys, Progress: func(n int64) { bar.draw(n, info.Size()) }})
}

// wholeFile writes a file that only its owner may read. The file gets its name once
// it is complete, judged and on the disk; otherwise it is not created.
func wholeFile(name string, write func(io.Writer) error, judge func(part string) error) error {
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an interrupted run
		return err
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = judge(part)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	return syncDir(name)
}

// syncDir syncs a directory, so that a new file's name is on the disk.
func syncDir(name string) error {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func sha256Of(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
