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

	"veinte/models/goroutine"
)

// openFile opens a file and says what it is.
func openFile(name string) (*os.File, os.FileInfo, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	return file, info, err
}

// openInput opens a file to be read anywhere in it, and returns how long it is. - is
// standard input, which is first copied to a temporary file without a name.
func openInput(ctx context.Context, name string) (*os.File, int64, error) {
	if name != "-" {
		file, info, err := openFile(name)
		if err != nil {
			return nil, 0, err
		}
		return file, info.Size(), nil
	}
	file, err := os.CreateTemp("", "veinte-*")
	if err != nil {
		return nil, 0, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	var size int64
	copied := goroutine.Result(nil, "reading standard input", func() (err error) {
		size, err = io.Copy(file, os.Stdin)
		return err
	})
	select { // a read that waits for somebody to type does not end with ctx
	case err = <-copied:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("standard input: %w", err), file.Close())
	}
	return file, size, nil
}

// wholeFile writes a file that only its owner may read. The file gets its name once
// it is complete, judged and on the disk; otherwise it is not created.
func wholeFile(name string, write func(io.Writer) error, judge func(part string) error) error {
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an interrupted run
		return err
	}
	err := WriteSynced(part, os.O_EXCL, write)
	if err == nil {
		err = judge(part)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	return SyncDir(name)
}

// WriteSynced writes a file that only its owner may read, and syncs it to the disk.
func WriteSynced(path string, flag int, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Content writes a text.
func Content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// SyncDir syncs the directory of a file, so that its name survives a loss of power.
func SyncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// readSmall reads a file, and refuses one that is larger than expected.
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

// SHA256Of is the SHA-256 of a file, in hex.
func SHA256Of(name string) (string, error) {
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
