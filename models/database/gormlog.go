package database

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm/logger"
)

// gormLogger prevents gorm from printing: its default writes every "record not
// found", and statements with their values, to standard output. Errors are returned
// to the caller and logged once, at the top.
type gormLogger struct{ log *slog.Logger }

func (l gormLogger) LogMode(logger.LogLevel) logger.Interface { return l }

func (gormLogger) Info(context.Context, string, ...any) {}

func (gormLogger) Warn(context.Context, string, ...any) {}

func (gormLogger) Error(context.Context, string, ...any) {}

// slowStatement is how long a statement may take before it is worth a line.
const slowStatement = time.Second

// Trace names slow statements without their values.
func (l gormLogger) Trace(ctx context.Context, begin time.Time, f func() (string, int64), _ error) {
	took := time.Since(begin)
	if l.log == nil || took < slowStatement {
		return
	}
	statement, rows := f()
	l.log.WarnContext(ctx, "slow statement", "statement", statement, "rows", rows, "took", took)
}

// ParamsFilter drops the values, which may be card data or names.
func (gormLogger) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}
