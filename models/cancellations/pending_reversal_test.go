package cancellations_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// The queue stores one task of a kind, so a reading that holds a task and waits for
// a sale could deadlock with one that holds the sale and waits for the task.
func TestAReadingHoldsItsSaleBeforeItsTask(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, _ := o.StateOf(models.Unknown)
	o.Post(modelstest.InquiryPost(sale, models.StandingReversalPending))
	o.Queue.Take(t)
	held, err := o.Owner.Begin()
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := held.Exec(`SELECT FROM sales WHERE id = $1 FOR UPDATE`, sale.ID); err != nil {
		t.Fatalf("lock sale: %v", err)
	}
	// The same sale, with another amount: a conflict that is recorded in the trail.
	post := modelstest.CancelPost(sale, "")
	post.Kind = models.ResultSale
	*post.Amount++
	read := make(chan error)
	go func() { read <- o.Results.Receive(t.Context(), post) }()
	const mine = `database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	modelstest.WaitFor(t, "the reading to wait for the sale", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock'`) > 0
	})
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_locks WHERE relation = 'test_tasks'::regclass AND mode = 'RowExclusiveLock'
		AND `+mine); n != 0 {
		t.Error("the reading holds a task while it waits for its sale")
	}
	if err := held.Rollback(); err != nil {
		t.Fatalf("let go: %v", err)
	}
	if err := <-read; err != nil {
		t.Errorf("Receive() = %v", err)
	}
	asked := 0
	for _, task := range o.Queue.Take(t) {
		if task.Kind == models.TaskInquire {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the terminal is asked %d times, want once", asked)
	}
	o.CheckInvariants(t)
}
