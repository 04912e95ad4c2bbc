package goroutine_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"veinte/models/goroutine"
)

// TestAPanicIsLoggedAndEndsNothing: without the helper the panic would end the whole
// test process.
func TestAPanicIsLoggedAndEndsNothing(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	goroutine.Go(slog.New(slog.DiscardHandler), "counting", func() {
		defer close(done)
		panic("one too many")
	})
	<-done
	err := <-goroutine.Result(slog.New(slog.DiscardHandler), "counting on", func() error { panic("again") })
	if err == nil || err.Error() != "panic in counting on: again" {
		t.Errorf("the result of a panic = %v", err)
	}
	if err := <-goroutine.Result(nil, "nothing", func() error { return nil }); err != nil {
		t.Errorf("the result of what went well = %v", err)
	}
}

func TestThePanicIsInTheLog(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	told := make(chan error, 1)
	func() {
		defer goroutine.Recover(slog.New(slog.NewTextHandler(&said, nil)), "counting", func(err error) { told <- err })
		panic("one too many")
	}()
	if err := <-told; err.Error() != "panic in counting: one too many" {
		t.Errorf("whoever waits is told %q", err)
	}
	for _, want := range []string{"level=ERROR", "doing=counting", `value="one too many"`, "goroutine_test.go"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the log lacks %s: %s", want, said.String())
		}
	}
}
