package models

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm/logger"
)

// quietLogger keeps gorm from printing: its default writes every "record not
// found", and statements with their values, to standard output. Errors come
// back to the caller and are logged once, at the top.
type quietLogger struct{ log *slog.Logger }

func (l quietLogger) LogMode(logger.LogLevel) logger.Interface { return l }
func (quietLogger) Info(context.Context, string, ...any)       {}
func (quietLogger) Warn(context.Context, string, ...any)       {}
func (quietLogger) Error(context.Context, string, ...any)      {}

// slowStatement is how long a statement may take before it is worth a line.
const slowStatement = time.Second

// Trace names slow statements without their values.
func (l quietLogger) Trace(ctx context.Context, begin time.Time, f func() (string, int64), _ error) {
	took := time.Since(begin)
	if l.log == nil || took < slowStatement {
		return
	}
	statement, rows := f()
	l.log.WarnContext(ctx, "slow statement", "statement", statement, "rows", rows, "took", took)
}

// ParamsFilter drops the values, which may be card data or names.
func (quietLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
