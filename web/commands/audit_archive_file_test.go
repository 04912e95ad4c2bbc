package commands

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAFileIsThereWholeOrNotAtAll: when the disk is full or the content is wrong, no
// file is left.
func TestAFileIsThereWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	fine := func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }
	for _, tt := range []struct {
		write func(io.Writer) error
		judge error
		want  error
	}{
		{func(io.Writer) error { return &os.PathError{Op: "write", Path: "f.part", Err: syscall.ENOSPC} }, nil, syscall.ENOSPC},
		{fine, bad, bad},
		{fine, nil, nil},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name+".part", []byte("of a run before"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := wholeFile(name, tt.write, func(part string) error {
			if text, err := os.ReadFile(part); err != nil || string(text) != "x" {
				t.Errorf("%s holds %q, %v", part, text, err)
			}
			return tt.judge
		})
		if !errors.Is(err, tt.want) {
			t.Errorf("wholeFile = %v, want %v", err, tt.want)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if want := tt.want == nil; want != (len(left) == 1 && left[0] == name) || !want && len(left) > 0 {
			t.Errorf("after %v there is %v", tt.want, left)
		}
	}
}
