package cancellations_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// holding locks the office's terminal until the test releases it.
func holding(tb testing.TB, o *modelstest.Office, strength string) (letGo func()) {
	tb.Helper()
	tx, err := o.Owner.BeginTx(context.WithoutCancel(tb.Context()), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.Exec(`SELECT FROM terminals WHERE id = $1 FOR `+strength, o.Terminal.ID); err != nil {
		tb.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

// TestADryRunWaitsForNoTerminal: it writes nothing, so it neither waits for locks
// nor takes any.
func TestADryRunWaitsForNoTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	letGo := holding(t, o, "UPDATE")
	if got := modelstest.Said(modelstest.Record(t, o, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI, DryRun: true},
		modelstest.GivenSale(o, "ORDER-1"))[0]); got != "created" {
		t.Errorf("RecordSales(dry) beside a lock = %q, want created", got)
	}
	file := "serialNumber,orderId,amount,soldAt\n" + string(o.Terminal.SerialNumber) + ",ORDER-1,1250.00,2026-11-20T11:59:30-06:00\n"
	f := imports.FileImport{Kind: imports.OfSales, Name: "ventas.csv", DryRun: true}
	imp, err := o.Imports.ImportFile(t.Context(), models.System("command line", "ana"), f, strings.NewReader(file), int64(len(file)))
	if err != nil || imp.NewCount != 1 {
		t.Errorf("ImportFile(dry) beside a lock = %+v, %v, want one new sale", imp, err)
	}
	letGo()
}

// TestAMoveGivesUpSoonBesideSales: the terminal's posts queue behind a waiting move,
// so the move does not wait long.
func TestAMoveGivesUpSoonBesideSales(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	letGo := holding(t, o, "KEY SHARE")
	busy := &models.Error{Kind: models.KindConflict, Code: "terminal.busy"}
	begun := time.Now()
	if err := modelstest.MoveTo(t, o, 1, there, ""); !modelstest.IsError(err, busy) {
		t.Errorf("MoveTerminal() beside sales = %v, want %v", err, busy)
	}
	outcomes, err := o.Terminals.MoveTerminals(t.Context(), o.Admin, terminals.MovesInput{
		StoreID: there.ID, Terminals: []terminals.ChosenTerminal{{ID: o.Terminal.ID, Version: 1}, {ID: o.NewTerminal(o.Store).ID, Version: 1}},
	})
	if !modelstest.IsError(err, busy) || outcomes != nil {
		t.Errorf("MoveTerminals() beside sales = %+v, %v, want %v", outcomes, err, busy)
	}
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("two moves waited %s, want half a second each", took)
	}
	letGo()
	if err := modelstest.MoveTo(t, o, 1, there, ""); err != nil {
		t.Errorf("MoveTerminal() afterwards = %v", err)
	}
}

// TestATerminalMovesWhileAFileIsRead: the move waits for no row, and the sales are
// in the store where it put the terminal.
func TestATerminalMovesWhileAFileIsRead(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	o.Clock.Advance(time.Minute)
	file := "serialNumber,orderId,amount,soldAt\n" + string(o.Terminal.SerialNumber) + ",ORDER-1,1250.00,2026-11-20T11:59:30-06:00\n"
	passes := 0
	f := imports.FileImport{Kind: imports.OfSales, Name: "ventas.csv", Progress: func(int) {
		if passes++; passes > 1 {
			return
		}
		if err := modelstest.MoveTo(t, o, 1, there, "2026-11-20T11:59:00"); err != nil {
			t.Errorf("MoveTerminal() while a file is read = %v", err)
		}
	}}
	imp, err := o.Imports.ImportFile(t.Context(), models.System("command line", "ana"), f, strings.NewReader(file), int64(len(file)))
	if err != nil || imp.NewCount != 1 || passes != 2 {
		t.Fatalf("ImportFile() = %+v, %v after %d passes, want one new sale after two", imp, err, passes)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE order_id = 'ORDER-1' AND store_id = $1`, there.ID); n != 1 {
		t.Errorf("%d sales stand where the terminal was moved to, want 1", n)
	}
}
