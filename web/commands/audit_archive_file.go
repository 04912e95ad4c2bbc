package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
		month, err := f.compare(f.name)
		if err != nil {
			return nil, fmt.Errorf("%s exists: %w", f.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s is there already, and holds %s\n", f.name, f.month.Month)
		return month, syncDir(f.name)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	bar := newBar("bytes, about so far")
	var month *verify.ArchivedMonth
	err = wholeFile(f.name, func(part io.Writer) error {
		out := &counted{out: part, bar: bar, expected: f.month.Entries * bytesOfEntry}
		return f.month.Write(ctx, f.now, f.public, out)
	}, func(part string) (err error) {
		bar.end()
		month, err = f.compare(part)
		return err
	})
	return month, err
}

// compare reads a file from the disk and compares it with the month.
func (f *archiveFile) compare(name string) (*verify.ArchivedMonth, error) {
	file, info, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	bar := newBar("bytes verified")
	defer bar.end()
	return f.month.Compare(file, trailfile.Check{Keys: f.keys, Progress: func(n int64) { bar.draw(n, info.Size()) }})
}
