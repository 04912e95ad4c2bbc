package modelstest

import (
	"context"
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// createQueue is the table that replaces River's: a task is in it when, and only
// when, the transaction that enqueued it is committed.
const createQueue = `CREATE TABLE test_tasks (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	queue   bigint NOT NULL,
	kind    text NOT NULL,
	case_id bigint NOT NULL,
	attempt integer NOT NULL,
	by      text NOT NULL,
	after   bigint NOT NULL, -- nanoseconds
	once    boolean NOT NULL
)`

// Queue stores tasks for the test to inspect. No worker runs them.
type Queue struct {
	db *sql.DB
	id int64
}

var _ models.Queue = (*Queue)(nil)

// queues numbers queues, because several may share a database.
var queues atomic.Int64

// NewQueue returns a queue of its own in a database.
func NewQueue(db *database.DB) *Queue { return &Queue{db.SQL(), queues.Add(1)} }

// Enqueue adds the task to the transaction.
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, t models.Task) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO test_tasks (queue, kind, case_id, attempt, by, after, once)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		q.id, string(t.Kind), t.SubjectID, t.Attempt, t.By, int64(t.After), t.Once)
	return err
}

// Take returns the committed tasks, oldest first, and forgets them.
func (q *Queue) Take(tb testing.TB) []models.Task {
	tb.Helper()
	rows, err := q.db.Query(`WITH taken AS (DELETE FROM test_tasks WHERE queue = $1 RETURNING *)
		SELECT kind, case_id, attempt, by, after, once FROM taken ORDER BY id`, q.id)
	if err != nil {
		tb.Fatalf("take tasks: %v", err)
	}
	defer rows.Close()
	var tasks []models.Task
	for rows.Next() {
		var t models.Task
		var after int64
		if err := rows.Scan(&t.Kind, &t.SubjectID, &t.Attempt, &t.By, &after, &t.Once); err != nil {
			tb.Fatalf("take tasks: %v", err)
		}
		t.After = time.Duration(after)
		tasks = append(tasks, t)
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("take tasks: %v", err)
	}
	return tasks
}
