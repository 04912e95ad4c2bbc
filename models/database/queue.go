package database

import (
	"context"
	"fmt"

	"veinte/models"
)

// Enqueue adds a task to the queue, in the given transaction.
func Enqueue(ctx context.Context, queue models.Queue, t Tx, task models.Task) error {
	if err := queue.Enqueue(ctx, t.SQL, task); err != nil {
		return fmt.Errorf("enqueue %s of case %d: %w", task.Kind, task.SubjectID, err)
	}
	return nil
}
