package localpg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestFindBinariesFindsAnInstalledServer(t *testing.T) {
	t.Parallel()
	b, err := FindBinaries()
	must(t, err)
	if b.Major < oldestMajor || !filepath.IsAbs(b.Dir) {
		t.Errorf("FindBinaries() = %+v, want a folder and a major version", b)
	}
}

func TestNewestVersionedFolderWins(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	install(t, filepath.Join(root, "9.6", "bin"), "9.6.24", "initdb", "postgres")
	install(t, filepath.Join(root, "14", "bin"), "14.9", "initdb", "postgres")
	install(t, filepath.Join(root, "16", "bin"), "16.3 (Debian 16.3-1)", "initdb", "postgres")
	install(t, filepath.Join(root, "17", "bin"), "17beta1", "postgres") // no initdb

	got, err := firstUsable(newestFirst([]string{filepath.Join(root, "*", "bin")}))
	must(t, err)
	if want := (Binaries{Dir: filepath.Join(root, "16", "bin"), Major: 16}); got != want {
		t.Errorf("firstUsable = %+v, want %+v", got, want)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{"15.18 (Debian 15.18-0+deb12u1)": 15, "17beta1": 17, "18devel": 18, "10.0": 10, "9.6.24": 0} {
		dir := t.TempDir()
		install(t, dir, version, "initdb", "postgres")
		got, err := inspect(dir)
		if got.Major != want || (err == nil) != (want > 0) {
			t.Errorf("inspect of version %s = %d, %v, want %d", version, got.Major, err, want)
		}
	}
}

func TestNothingInstalledNamesThePackages(t *testing.T) {
	t.Parallel()
	_, err := firstUsable([]string{"", ".", t.TempDir()})
	if !errors.Is(err, ErrNotInstalled) {
		t.Errorf("firstUsable of empty folders = %v, want ErrNotInstalled", err)
	}
}

// install writes programs that only print their version.
func install(t *testing.T, dir, version string, programs ...string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for _, name := range programs {
		script := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %s'\n", name, version)
		writeProgram(t, filepath.Join(dir, name), []byte(script))
	}
}
