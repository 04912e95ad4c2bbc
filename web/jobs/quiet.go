package jobs

import (
	"context"
	"log/slog"
	"strings"
)

// Quiet is what River logs to: it logs every poll at info, and we its warnings only.
func Quiet(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

// warnings is a log handler that passes on warnings and errors only.
type warnings struct{ slog.Handler }

// Enabled reports whether records of the level are passed on.
func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// Handle drops what a library logs because it was stopped: that is expected.
func (h warnings) Handle(ctx context.Context, r slog.Record) error {
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

// WithAttrs keeps the filter.
func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the filter.
func (h warnings) WithGroup(name string) slog.Handler { return warnings{h.Handler.WithGroup(name)} }
