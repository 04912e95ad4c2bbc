// Package goroutine starts goroutines whose panic is logged instead of ending the
// program, which would stop all other work too.
package goroutine

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Go runs f in its own goroutine. A panic ends f only, after its deferred functions,
// and is logged; what describes what f was doing. A nil logger means the program's
// default logger.
func Go(log *slog.Logger, what string, f func()) {
	go func() {
		defer Recover(log, what)
		f()
	}()
}

// Result runs f like Go, and returns the channel that receives its error, or an
// error for its panic.
func Result(log *slog.Logger, what string, f func() error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer Recover(log, what, func(err error) { ended <- err })
		ended <- f()
	}()
	return ended
}

// Recover catches a panic and logs it. It is deferred as the first statement of a
// goroutine, and then calls the functions that wait for the error.
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
