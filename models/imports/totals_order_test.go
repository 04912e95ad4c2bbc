package imports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestAnUndoLocksTheSumsInOrder: while it waits for the first one it has locked none
// of the others, whatever their order in the table and the query plan.
func TestAnUndoLocksTheSumsInOrder(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	terminals := []*models.Terminal{o.Terminal}
	for range 5 {
		terminals = append(terminals, o.NewTerminal(o.Store))
	}
	file := modelstest.CSVHeader
	for i, terminal := range slices.Backward(terminals) {
		line := modelstest.CSVSale(o, fmt.Sprintf("ORDER-%d", i))
		file += strings.Replace(line, string(o.Terminal.SerialNumber), string(terminal.SerialNumber), 1)
	}
	s := modelstest.Confirm(t, o, modelstest.Give(t, o, file), false)
	want(t, s, "imported rows 6 new 6 known 0 conflict 0 refused 0 warned 0")
	for _, terminal := range slices.Backward(terminals) {
		o.SaleAt(terminal, 700) // the newest versions of the sums lie the other way round
	}
	lock, err := o.Owner.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	if _, err := lock.Exec(`SELECT FROM day_totals WHERE terminal_id = $1 FOR UPDATE`, o.Terminal.ID); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		undo, err := o.Owner.BeginTx(t.Context(), nil)
		if err == nil {
			_, err = undo.Exec(`SET LOCAL enable_sort = off; SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off`)
		}
		if err == nil {
			_, err = undo.Exec(`SELECT undo_sales($1, now())`, s.ID)
		}
		if err == nil {
			_, err = undo.Exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical, after)
				VALUES (now(), 'x', 'system', 'import.undone', 'success', '', jsonb_build_object('importId', $1::bigint, 'removed', 6))`, s.ID)
		}
		if err == nil {
			err = undo.Commit()
		}
		done <- err
	}()
	modelstest.WaitFor(t, "the undo to wait for the first sum", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
			WHERE a.datname = current_database() AND NOT l.granted`) > 0
	})
	rows, err := lock.Query(`SELECT terminal_id FROM day_totals FOR UPDATE SKIP LOCKED`)
	if err != nil {
		t.Fatal(err)
	}
	free := 0
	for rows.Next() {
		free++
	}
	if err := rows.Err(); err != nil || free != len(terminals) {
		t.Errorf("%d of %d sums are free while an undo waits for the first of them, %v", free, len(terminals), err)
	}
	_ = lock.Rollback()
	if err := <-done; err != nil {
		t.Errorf("undo_sales() = %v", err)
	}
	o.CheckInvariants(t)
}
