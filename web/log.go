package web

import (
	"context"
	"log/slog"
	"strings"
)

// atLeast is a log handler that passes on records at or above a level.
type atLeast struct {
	slog.Handler
	level slog.Level
}

// Enabled reports whether records of the level are passed on.
func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level && h.Handler.Enabled(ctx, l)
}

// Handle drops what a library logs because it was stopped: that is expected.
func (h atLeast) Handle(ctx context.Context, r slog.Record) error {
	stopped := false
	r.Attrs(func(a slog.Attr) bool {
		stopped = stopped || strings.Contains(a.Value.String(), context.Canceled.Error())
		return !stopped
	})
	if stopped {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with the same level.
func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(attrs), h.level}
}

// WithGroup returns a handler with the same level.
func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}
