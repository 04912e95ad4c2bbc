package database

import (
	"context"
	"fmt"

	"veinte/models"
)

// Enqueue puts a task into the queue, in the transaction that it belongs to.
func Enqueue(ctx context.Context, queue models.Queue, t Tx, task models.Task) error {
	if err := queue.Enqueue(ctx, t.SQL, task); err != nil {
		return fmt.Errorf("enqueue %s of case %d: %w", task.Kind, task.CaseID, err)
	}
	return nil
}
