package database

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Querier is the pool, or a transaction of pgx.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Row reads the first row of a query into a struct, by the names of its columns. Its
// error is pgx.ErrNoRows when there is none.
func Row[T any](ctx context.Context, q Querier, sql string, args ...any) (T, error) {
	rows, _ := q.Query(ctx, sql, args...) // the rows have its error
	return pgx.CollectOneRow(rows, pgx.RowToStructByName[T])
}

// Rows reads the rows of a query into structs, by the names of its columns.
func Rows[T any](ctx context.Context, q Querier, sql string, args ...any) ([]T, error) {
	rows, _ := q.Query(ctx, sql, args...) // the rows have its error
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}
