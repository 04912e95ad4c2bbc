package database

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
)

// Column is a column of a row and the destination of its value. A list of them gives
// both the columns of a statement and the destinations of its rows, by name, so that
// nobody has to count columns.
type Column[T any] struct {
	Name string
	SQL  string       // its value in a statement; "" for the name
	At   func(*T) any // a pointer, to be scanned into
}

type Columns[T any] []Column[T]

// SumColumns are those of models.SumColumns.
var SumColumns = func() Columns[models.Sums] {
	all := make(Columns[models.Sums], len(models.SumColumns))
	for i, c := range models.SumColumns {
		all[i] = Column[models.Sums](c)
	}
	return all
}()

// Within are the columns of a part of a row.
func Within[T, P any](part func(*T) *P, columns Columns[P]) Columns[T] {
	all := make(Columns[T], len(columns))
	for i, c := range columns {
		all[i] = Column[T]{c.Name, c.SQL, func(row *T) any { return c.At(part(row)) }}
	}
	return all
}

// Names lists the columns for a statement, each behind the prefix: "s." or "".
func (c Columns[T]) Names(prefix string) string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = prefix + c[i].Name
	}
	return strings.Join(names, ", ")
}

// Values lists the columns' values for a statement, each under its name.
func (c Columns[T]) Values() string {
	values := make([]string, len(c))
	for i := range c {
		values[i] = c[i].Name
		if c[i].SQL != "" {
			values[i] = c[i].SQL + " AS " + c[i].Name
		}
	}
	return strings.Join(values, ", ")
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

// Collect reads the rows of a statement by the names of its columns, which are any of
// these in any order.
func (c Columns[T]) Collect(rows pgx.Rows, all []T) ([]T, error) {
	defer rows.Close()
	var named Columns[T]
	var into []any
	for rows.Next() {
		if named == nil {
			var err error
			if named, err = c.named(rows.FieldDescriptions()); err != nil {
				return nil, err
			}
		}
		var row T
		all = append(all, row)
		into = named.Into(&all[len(all)-1], into[:0])
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}

// Each reads the rows of a statement one after the other into one row, by the names of
// its columns, and calls f with it. For millions of rows. The error of the query is
// that of its rows.
func (c Columns[T]) Each(rows pgx.Rows, f func(row *T) error) error {
	if err := rows.Err(); err != nil { // there are no fields either
		rows.Close()
		return err
	}
	named, err := c.named(rows.FieldDescriptions())
	if err != nil {
		rows.Close()
		return err
	}
	var row T
	_, err = pgx.ForEachRow(rows, named.Into(&row, nil), func() error { return f(&row) })
	return err
}

// To is Collect for a statement of a batch.
func (c Columns[T]) To(all *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*all, err = c.Collect(rows, *all)
		return err
	}
}

// named are the columns of a statement's rows, in their order.
func (c Columns[T]) named(fields []pgconn.FieldDescription) (Columns[T], error) {
	named := make(Columns[T], len(fields))
	for i, field := range fields {
		at := slices.IndexFunc(c, func(c Column[T]) bool { return c.Name == field.Name })
		if at < 0 {
			return nil, fmt.Errorf("nothing reads column %q", field.Name)
		}
		named[i] = c[at]
	}
	return named, nil
}
