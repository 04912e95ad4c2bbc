package localpg

import (
	"os"
	"testing"
	"time"
)

func TestTemporaryLeavesNothing(t *testing.T) {
	t.Parallel()
	before := time.Now()
	s, err := StartTemporary(t.Context())
	must(t, err)
	t.Cleanup(func() { stop(t, s) })
	t.Logf("temporary start: %s", time.Since(before).Round(time.Millisecond))
	if got := query(t, s, "SELECT 1::text"); got != "1" {
		t.Errorf("SELECT 1 = %q, want 1", got)
	}
	pid, dir := s.PID(), s.home.dir
	stop(t, s)
	if !gone(pid) {
		t.Errorf("process %d runs after Stop, want it gone", pid)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("directory after Stop: %v, want it removed", err)
	}
}

func TestTemporarySweepsWhatKilledTestsLeft(t *testing.T) {
	t.Parallel()
	killed := startHelper(t, "temporary", account{})
	running := startHelper(t, "temporary", account{})
	_, left := killed.server(t)
	_, used := running.server(t)
	killed.kill()
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(left, long, long))
	must(t, os.Chtimes(used, long, long))

	s, err := StartTemporary(t.Context())
	must(t, err)
	t.Cleanup(func() { stop(t, s) })
	// Another test's start may be sweeping it right now.
	eventually(t, "the directory of the killed test is removed", func() bool {
		_, err := os.Lstat(left)
		return os.IsNotExist(err)
	})
	if _, err := os.Stat(used); err != nil {
		t.Errorf("directory of the running test: %v, want it left alone", err)
	}
}

// TestTemporaryCopyLeavesTheOriginal: a copy begins with the data of the original, which
// what is written in the copy does not reach.
func TestTemporaryCopyLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := startIn(t, dir)
	remember(t, s)
	stop(t, s)
	c, err := StartTemporaryCopy(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { stop(t, c) })
	remembered(t, c)
	if got := query(t, c, "UPDATE kept SET word = 'copied' RETURNING word"); got != "copied" {
		t.Errorf("the copy says %q", got)
	}
	stop(t, c)
	remembered(t, startIn(t, dir))
}
