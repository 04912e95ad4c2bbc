package compare

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// fetched is how many rows a cursor reads at once: what it holds in memory.
const fetched = 4000

// cursor reads the rows of a query in its order, some at a time. Several cursors of one
// transaction are merged by the number that they are ordered by, so nothing is collected.
type cursor[T any] struct {
	ctx   context.Context
	tx    pgx.Tx
	fetch string
	into  func(*T) []any
	rows  []T
	i     int
	over  bool
	err   error
}

// open declares a cursor. sql is of the program's own words: a declaration takes no
// arguments.
func open[T any](ctx context.Context, tx pgx.Tx, name, sql string, into func(*T) []any) (*cursor[T], error) {
	if _, err := tx.Exec(ctx, "DECLARE "+name+" NO SCROLL CURSOR FOR "+sql); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &cursor[T]{ctx: ctx, tx: tx, fetch: fmt.Sprintf("FETCH %d FROM %s", fetched, name), into: into}, nil
}

// peek returns the next row without taking it; nil at the end or after an error.
func (c *cursor[T]) peek() *T {
	if c.i == len(c.rows) && !c.over {
		c.more()
	}
	if c.i == len(c.rows) {
		return nil
	}
	return &c.rows[c.i]
}

// take goes on to the row behind.
func (c *cursor[T]) take() { c.i++ }

func (c *cursor[T]) more() {
	c.rows, c.i = c.rows[:0], 0
	rows, err := c.tx.Query(c.ctx, c.fetch)
	if err != nil {
		c.err, c.over = err, true
		return
	}
	defer rows.Close()
	for rows.Next() {
		c.rows = append(c.rows, *new(T))
		if err := rows.Scan(c.into(&c.rows[len(c.rows)-1])...); err != nil {
			c.err, c.over = err, true
			return
		}
	}
	if err := rows.Err(); err != nil {
		c.err = err
	}
	c.over = len(c.rows) < fetched
}
