package localpg

import (
	"runtime"
	"testing"
)

func TestServerDiesWithItsProgram(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	h := startHelper(t, "start", account{}, dir)
	postmaster, _ := h.server(t)
	h.kill()
	// Nothing that could heal is started here: the kernel alone stops it.
	eventually(t, "the server ends after its program", func() bool { return gone(postmaster) })
	startIn(t, dir)
}

func TestServerOutlivesThreads(t *testing.T) {
	t.Parallel()
	s := startIn(t, newDir(t))
	// Each of these goroutines ends its thread. If one of those threads had
	// started the server, the kernel would stop the server.
	const threads = 300
	ended := make(chan struct{})
	for range threads {
		go func() {
			runtime.LockOSThread()
			ended <- struct{}{}
		}()
	}
	for range threads {
		<-ended
	}
	for range 20 {
		if got := query(t, s, "SELECT 1::text"); got != "1" {
			t.Fatalf("SELECT 1 = %q, want 1", got)
		}
	}
	if gone(s.PID()) {
		t.Error("the server died with a thread, want it to live")
	}
}
