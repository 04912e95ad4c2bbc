package models

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// column is a column of a row with where its value goes. A list of them is both
// what a statement names and what its rows are read into: nobody counts.
type column[T any] struct {
	name string
	at   func(*T) any // a pointer, to be scanned into
}

type columns[T any] []column[T]

// names lists the columns for a statement, each behind the prefix: "s." or "".
func (c columns[T]) names(prefix string) string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = prefix + c[i].name
	}
	return strings.Join(names, ", ")
}

// into adds where the row's columns go.
func (c columns[T]) into(row *T, more []any) []any {
	for i := range c {
		more = append(more, c[i].at(row))
	}
	return more
}

// without leaves columns out.
func (c columns[T]) without(names ...string) columns[T] {
	return slices.DeleteFunc(slices.Clone(c), func(c column[T]) bool { return slices.Contains(names, c.name) })
}

// collect reads the rows of a statement that names these columns.
func (c columns[T]) collect(rows pgx.Rows, all []T) ([]T, error) {
	defer rows.Close()
	into := make([]any, 0, len(c))
	for rows.Next() {
		var row T
		all = append(all, row)
		if err := rows.Scan(c.into(&all[len(all)-1], into)...); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}
