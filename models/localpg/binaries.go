package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNotInstalled explains how to install the PostgreSQL server that this package
// needs.
var ErrNotInstalled = errors.New(`no PostgreSQL server is installed (the programs initdb and postgres were not found); install it:
  Debian, Ubuntu:  apt-get install postgresql
  Fedora, RHEL:    dnf install postgresql-server
  Alpine:          apk add postgresql
  Arch:            pacman -S postgresql
  macOS:           brew install postgresql@17
or set PG_BIN to the folder that holds them, or DATABASE_URL to a server that is already running`)

// versionedFolders are the folders outside of PATH where distributions install
// servers, one per major version.
var versionedFolders = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // RHEL and Fedora, packages of postgresql.org
	"/usr/lib/postgresql*/bin",           // SUSE
	"/usr/libexec/postgresql*",           // Alpine
	"/usr/lib64/postgresql-*/bin",        // Gentoo
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// oldestMajor is the first version whose major number is a single number.
const oldestMajor = 10

// Binaries is an installed server: the folder of initdb and postgres, and their
// major version.
type Binaries struct {
	Dir   string
	Major int
}

// FindBinaries searches PG_BIN, pg_config's folder, PATH and the distributions'
// versioned folders, newest first. The first folder that has both initdb and
// postgres is used. A PG_BIN without them is an error, because it was set on
// purpose; if nothing is found the error is ErrNotInstalled.
func FindBinaries() (Binaries, error) {
	if dir := os.Getenv("PG_BIN"); dir != "" {
		b, err := inspect(dir)
		if err != nil {
			return Binaries{}, fmt.Errorf("PG_BIN: %w", err)
		}
		return b, nil
	}
	candidates := []string{configuredFolder()}
	candidates = append(candidates, filepath.SplitList(os.Getenv("PATH"))...)
	candidates = append(candidates, newestFirst(versionedFolders)...)
	return firstUsable(candidates)
}

func firstUsable(dirs []string) (Binaries, error) {
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) { // never run a program from the working directory
			continue
		}
		if b, err := inspect(dir); err == nil {
			return b, nil
		}
	}
	return Binaries{}, ErrNotInstalled
}

// configuredFolder asks pg_config. The folder may not contain a server: pg_config is
// also part of the client's development files.
func configuredFolder() string {
	out, err := output("pg_config", "--bindir")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// newestFirst expands the patterns and sorts all matches by the last number in each
// path, highest first.
func newestFirst(patterns []string) []string {
	var dirs []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // the only error is a malformed pattern
		dirs = append(dirs, found...)
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return lastNumber(b) - lastNumber(a) })
	return dirs
}

var number = regexp.MustCompile(`(\d+)(\.\d+)?`)

func lastNumber(path string) int {
	found := number.FindAllStringSubmatch(path, -1)
	if len(found) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(found[len(found)-1][1])
	return n
}

// inspect reads the major version of the server in dir.
func inspect(dir string) (Binaries, error) {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return Binaries{}, err
		}
	}
	// For example "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
	version, err := output(filepath.Join(dir, "postgres"), "--version")
	if err != nil {
		return Binaries{}, fmt.Errorf("ask %s for its version: %w", dir, err)
	}
	major, _ := strconv.Atoi(number.FindString(strings.SplitN(version, ".", 2)[0]))
	if major < oldestMajor {
		return Binaries{}, fmt.Errorf("%s: version %q is not %d or newer", dir, strings.TrimSpace(version), oldestMajor)
	}
	return Binaries{Dir: dir, Major: major}, nil
}

// output runs a program that responds quickly, with a timeout of five seconds.
func output(program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	return string(out), err
}
