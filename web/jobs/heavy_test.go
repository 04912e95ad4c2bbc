package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestImportsTakeConnectionsOfTheirOwn: an import and a verification wait for the
// connections of what takes long, and leave those of all other jobs alone.
func TestImportsTakeConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.DBConfig{
		URL: modelstest.URL(t), Application: "veinte test", Shares: database.Shares{Acts: 1, Pages: 1, Heavy: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	held, err := db.Pool().BeginTx(database.ForHeavy(t.Context()), pgx.TxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(context.Background()) }()
	ask := func(ctx context.Context, _ int64) error {
		ctx, end := context.WithTimeout(ctx, 100*time.Millisecond)
		defer end()
		_, err := db.Exec(ctx, "SELECT 1")
		return err
	}
	w := &taskWorker{work: Work{RunImport: ask, Verify: ask}}
	for _, task := range []models.TaskKind{models.TaskImport, models.TaskVerify} {
		if err := w.Work(t.Context(), &river.Job[taskArgs]{Args: taskArgs{Task: task}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("task %s beside the connection that is held: %v, want a wait for it", task, err)
		}
	}
}
