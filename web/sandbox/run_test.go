package sandbox

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// running is a sandbox that listens by itself.
func running(t *testing.T) (*Sandbox, func() error) {
	t.Helper()
	s, err := New(Config{Addr: "127.0.0.1:0", AccessToken: static})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	stop := func() error { cancel(); return <-done }
	t.Cleanup(cancel)
	eventually(t, "Run listens", func() bool { return s.Addr() != "" })
	return s, stop
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, stop := running(t)
	if err := s.registry.putTerminal(terminal{SerialNumber: serial, MerchantID: store}); err != nil {
		t.Fatal(err)
	}
	b := &bundle{tb: t, sandbox: s, url: "http://" + s.Addr()}
	b.control("PUT", "/control/config", `{"resultDelay":"1h"}`, 200)
	b.control("POST", "/control/live", `{"every":"1h"}`, 200)
	b.push(cancelPath, "o-1")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if response, err := b.send("POST", cancelPath, body("o-1-FAULT-hang"), orderHeaders); err == nil {
			response.Body.Close()
		}
	}()
	eventually(t, "a request hangs", func() bool { return len(b.lines(kindAnswer)) == 2 })
	began := time.Now()
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Run took %v to end under a hanging request", took)
	}
	<-ended
	if err := s.Close(); err != nil {
		t.Errorf("Close after Run = %v", err)
	}
}

func TestCloseWaitsForItsTasks(t *testing.T) {
	t.Parallel()
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	s.start(func() {
		<-s.ctx.Done()
		<-time.After(20 * time.Millisecond)
		ended.Store(true)
	})
	if err := s.Close(); err != nil || !ended.Load() {
		t.Errorf("Close = %v before its task ended", err)
	}
	s.start(func() { t.Error("a task started after Close") })
}

func TestRunReportsATakenAddress(t *testing.T) {
	t.Parallel()
	taken, stop := running(t)
	s, err := New(Config{Addr: taken.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("Run on a taken address = %v, want address in use", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
