package jobs

import (
	"context"
	"log/slog"
)

// queueLog is River's log. What it calls an error because its context was canceled is
// none: the server is being stopped, and what was begun is done by another one or later.
type queueLog struct{ slog.Handler }

func newQueueLog(log *slog.Logger) *slog.Logger { return slog.New(queueLog{log.Handler()}) }

// Handle lowers what a stop has caused.
func (l queueLog) Handle(ctx context.Context, r slog.Record) error {
	if ctx.Err() == context.Canceled && r.Level > slog.LevelInfo {
		r.Level = slog.LevelInfo
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs keeps it a queueLog.
func (l queueLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return queueLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup keeps it a queueLog.
func (l queueLog) WithGroup(name string) slog.Handler { return queueLog{l.Handler.WithGroup(name)} }
