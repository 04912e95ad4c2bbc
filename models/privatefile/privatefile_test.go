package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	const own, other = 1000, 1001
	for _, tt := range []struct {
		fact  string
		mode  fs.FileMode
		owner int
		want  string // "": accepted
	}{
		{"its owner's alone", 0o600, own, ""},
		{"its owner's alone, to be read", 0o400, own, ""},
		{"its owner's alone, whoever that is", 0o600, other, ""},
		{"read by a group, as a container's secret", 0o440, 0, ""},
		{"read by a group, and ours", 0o440, own, ""},
		{"written by root, read by a group", 0o640, 0, ""},
		{"read by a group, and somebody else's", 0o440, other, "user 1001"},
		{"of an unknown owner", 0o440, -1, "neither root nor this process"},
		{"written by a group", 0o660, 0, "its group may write it (mode 0660)"},
		{"a group's to run", 0o650, 0, "its group may write it"},
		{"read by all", 0o644, 0, "others may read or write it (mode 0644): chmod 600"},
		{"read by others alone", 0o604, own, "others may read"},
		{"written by others", 0o602, own, "others may read or write"},
	} {
		err := judge(tt.mode, tt.owner, own)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: judge(%04o, %d) = %v, want %q", tt.fact, tt.mode, tt.owner, err, tt.want)
		}
	}
}

// TestRead takes mode and owner from real files.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	if _, err := Read(path, 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of no file = %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, ok := range map[fs.FileMode]bool{0o600: true, 0o440: true, 0o640: true, 0o660: false, 0o644: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if text, err := Read(path, 9); (err == nil && string(text) == "x") != ok {
			t.Errorf("Read of mode %04o = %q, %v, want it accepted: %t", mode, text, err, ok)
		}
	}
	for name, most := range map[string]int64{dir: 9, path: 0} {
		if _, err := Read(name, most); err == nil {
			t.Errorf("Read(%s, %d) is no error", name, most)
		}
	}
}
