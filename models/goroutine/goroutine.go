// Package goroutine starts goroutines whose panic does not end the program: nobody
// stands above them who would catch it, and everybody else's work goes on. It says
// so in the log. It knows nothing of what they do.
package goroutine

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Go runs f in a goroutine of its own. A panic ends f alone, after its deferred
// functions, and is logged; what says what f was doing. A nil logger is the
// program's own.
func Go(log *slog.Logger, what string, f func()) {
	go func() {
		defer Recover(log, what)
		f()
	}()
}

// Result runs f as Go does, and returns the channel on which its error arrives, or
// that of its panic.
func Result(log *slog.Logger, what string, f func() error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer Recover(log, what, func(err error) { ended <- err })
		ended <- f()
	}()
	return ended
}

// Recover catches a panic and logs it. It is deferred, as the first statement of a
// goroutine, and then tells whoever waits for it.
func Recover(log *slog.Logger, what string, then ...func(error)) {
	p := recover()
	if p == nil {
		return
	}
	if log == nil {
		log = slog.Default()
	}
	log.Error("panic in a goroutine", "doing", what, "value", p, "stack", string(debug.Stack()))
	for _, tell := range then {
		tell(fmt.Errorf("panic in %s: %v", what, p))
	}
}
