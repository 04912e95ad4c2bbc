package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFreshStartAnswers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	before := time.Now()
	s := startWith(t, Options{Dir: dir, NoSync: true})
	t.Logf("fresh start: %s", time.Since(before).Round(time.Millisecond))

	for sql, want := range map[string]string{
		"SELECT 1::text":          "1",
		"SELECT current_user":     "postgres",
		"SHOW server_encoding":    "UTF8",
		"SHOW listen_addresses":   "",
		"SHOW fsync":              "off",
		"SHOW full_page_writes":   "off",
		"SHOW synchronous_commit": "off",
	} {
		if got := query(t, s, sql); got != want {
			t.Errorf("%s = %q, want %q", sql, got, want)
		}
	}
	for _, private := range []string{dir, s.socketDir, s.home.dataDir()} {
		info, err := os.Stat(private)
		must(t, err)
		if got, want := info.Mode().Perm(), os.FileMode(0o700); got != want {
			t.Errorf("mode of %s = %o, want %o", private, got, want)
		}
	}
}

func TestRestartKeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startIn(t, dir)
	remember(t, s)
	first := s.PID()
	stop(t, s)
	stop(t, s) // stopping twice does no harm
	if !gone(first) {
		t.Errorf("process %d runs after Stop, want it gone", first)
	}

	before := time.Now()
	s = startIn(t, dir)
	t.Logf("warm start: %s", time.Since(before).Round(time.Millisecond))
	remembered(t, s)
}

func TestSettingsReachTheServerButNotItsPrivacy(t *testing.T) {
	t.Parallel()
	s := startWith(t, Options{Dir: newDir(t), Settings: map[string]string{
		"work_mem":         "7MB",
		"listen_addresses": "*",
	}})
	for sql, want := range map[string]string{"SHOW work_mem": "7MB", "SHOW listen_addresses": "", "SHOW fsync": "on"} {
		if got := query(t, s, sql); got != want {
			t.Errorf("%s = %q, want %q", sql, got, want)
		}
	}
}

func TestErrorQuotesTheLog(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	_, err := Start(t.Context(), Options{Dir: dir, NoSync: true, Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "no_such_setting"`) {
		t.Errorf("Start with an unknown setting = %v, want an error with the server's reason", err)
	}
	startIn(t, dir) // the failed start has released the lock
}

func TestSecondProgramLearnsWhoIsFirst(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first := startHelper(t, "start", account{}, dir)
	first.server(t)

	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrInUse) {
		t.Fatalf("second Start = %v, want ErrInUse", err)
	}
	if want := fmt.Sprintf("process %d", first.pid()); !strings.Contains(err.Error(), want) {
		t.Errorf("second Start = %q, want it to name %s", err, want)
	}
}

func TestOtherVersionsAreLeftUntouched(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	old := filepath.Join(dir, "pg9", "data")
	must(t, os.MkdirAll(old, 0o755))
	must(t, os.WriteFile(filepath.Join(old, "PG_VERSION"), []byte("9\n"), 0o600))
	s := startIn(t, dir)
	stop(t, s)
	if _, err := os.Stat(filepath.Join(old, "PG_VERSION")); err != nil {
		t.Errorf("data directory of version 9: %v, want it untouched", err)
	}

	// Someone moved an old data directory to the new one's place.
	must(t, os.WriteFile(filepath.Join(s.home.dataDir(), "PG_VERSION"), []byte("9\n"), 0o600))
	_, err := Start(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "left untouched") {
		t.Errorf("Start on data of version 9 = %v, want a refusal", err)
	}
}

func TestLongPathGetsAShortSocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), strings.Repeat("long/", 30))
	s := startIn(t, dir)
	if got := query(t, s, "SELECT 1::text"); got != "1" {
		t.Errorf("SELECT 1 = %q, want 1", got)
	}
	short := s.socketDir
	if strings.HasPrefix(short, dir) {
		t.Errorf("socket directory = %s, want one outside of the long path", short)
	}
	stop(t, s)
	if _, err := os.Lstat(short); !os.IsNotExist(err) {
		t.Errorf("socket directory after Stop: %v, want it removed", err)
	}
}

func TestPathsWithSpecialCharacters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`a "b" 'c' \d`, "comma, comma"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startIn(t, filepath.Join(openDir(t), name))
			if got := query(t, s, "SELECT 1::text"); got != "1" {
				t.Errorf("SELECT 1 = %q, want 1", got)
			}
		})
	}
}

func TestNoRoomForASocketIsSaid(t *testing.T) {
	t.Parallel()
	long := filepath.Join(openDir(t), strings.Repeat("long/", 30))
	must(t, os.MkdirAll(long, 0o755))
	h := startHelper(t, "start", account{}, filepath.Join(long, "pg"), "TMPDIR="+long)
	if got, want := h.line(t), "use a shorter directory, or set TMPDIR to one"; !strings.HasSuffix(got, want) {
		t.Errorf("Start without room for a socket says %q, want it to end in %q", got, want)
	}
}

func TestContextBoundsTheStart(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{Dir: dir, NoSync: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with an ended context = %v, want context.Canceled", err)
	}
	noData(t, dir)
	startIn(t, dir)
	noUnfinished(t, dir)
}
