package database

import (
	"context"
	"errors"
)

// TxRows reads the rows of a query in a transaction into structs, by the names of its
// columns. Its arguments are $1 and so on, which may be arrays: gorm would expand those
// into lists.
func TxRows[T any](ctx context.Context, t Tx, sql string, args ...any) (all []T, err error) {
	rows, err := t.SQL.QueryContext(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if rows.Next() {
		err = t.ScanRows(rows, &all) // this one and those after it
	}
	return all, errors.Join(err, rows.Err())
}
