package database

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Column is a column of a row and the destination of its value. A list of them gives
// both the names for a statement and the destinations to scan its rows into, so that
// nobody has to count columns.
type Column[T any] struct {
	Name string
	At   func(*T) any // a pointer, to be scanned into
}

type Columns[T any] []Column[T]

// Names lists the columns for a statement, each behind the prefix: "s." or "".
func (c Columns[T]) Names(prefix string) string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = prefix + c[i].Name
	}
	return strings.Join(names, ", ")
}

// Into adds where the row's columns go.
func (c Columns[T]) Into(row *T, more []any) []any {
	for i := range c {
		more = append(more, c[i].At(row))
	}
	return more
}

// Without leaves columns out.
func (c Columns[T]) Without(names ...string) Columns[T] {
	return slices.DeleteFunc(slices.Clone(c), func(c Column[T]) bool { return slices.Contains(names, c.Name) })
}

// Collect reads the rows of a statement that names these columns.
func (c Columns[T]) Collect(rows pgx.Rows, all []T) ([]T, error) {
	defer rows.Close()
	into := make([]any, 0, len(c))
	for rows.Next() {
		var row T
		all = append(all, row)
		if err := rows.Scan(c.Into(&all[len(all)-1], into)...); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}
