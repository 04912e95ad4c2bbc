package database

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Querier is the pool, or a transaction of pgx.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Row reads the first row of a query as Rows does; ErrNotFound when there is none.
func Row[T any](ctx context.Context, q Querier, sql string, args ...any) (T, error) {
	rows, _ := q.Query(ctx, sql, args...) // the rows have its error
	row, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[T])
	return row, NoRows(err)
}

// Rows reads the rows of a query into structs. Each column goes into the field of its
// name, and each field has its column, unless it is tagged `db:"-"`.
func Rows[T any](ctx context.Context, q Querier, sql string, args ...any) ([]T, error) {
	rows, _ := q.Query(ctx, sql, args...) // the rows have its error
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// TxRows reads the rows of a query in a transaction into structs, by the names of its
// columns. Its arguments are $1 and so on, which may be arrays: gorm would expand those
// into lists.
func TxRows[T any](ctx context.Context, t Tx, sql string, args ...any) (all []T, err error) {
	rows, err := t.SQL.QueryContext(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() { // ScanRows begins with the row that was reached, and reads all
		err = t.ScanRows(rows, &all)
	}
	return all, errors.Join(err, rows.Err())
}

// Each reads rows one after the other into one struct, by the names of their columns,
// and calls f with it. For millions of rows: the names are compared once. The error of
// the query is that of its rows.
func Each[T any](rows pgx.Rows, f func(row *T) error) error {
	if err := rows.Err(); err != nil { // there are no fields either
		rows.Close()
		return err
	}
	var row T
	var into []any
	for _, column := range rows.FieldDescriptions() {
		name := strings.ReplaceAll(column.Name, "_", "")
		field := reflect.ValueOf(&row).Elem().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !field.IsValid() {
			rows.Close()
			return fmt.Errorf("nothing reads column %q", column.Name)
		}
		into = append(into, field.Addr().Interface())
	}
	_, err := pgx.ForEachRow(rows, into, func() error { return f(&row) })
	return err
}

// Generic queues queries whose plan is the same whatever their arguments are, and takes
// longer to make than to run: PostgreSQL then keeps one. By itself it makes a new one each
// time, where an argument could make a part of the query superfluous.
func Generic(batch *pgx.Batch, queue func()) {
	batch.Queue(`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`)
	queue()
	batch.Queue(`SELECT set_config('plan_cache_mode', 'auto', true)`)
}
