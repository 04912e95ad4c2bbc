package imports_test

import (
	"errors"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// TestUndoSparesWhatOthersTold: a client that was answered that a sale is known
// relies on it.
func TestUndoSparesWhatOthersTold(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	// Each branch has an order of its own: under two terminals one order is refused.
	order := func(o *modelstest.Office) string { return "A-" + string(o.Terminal.SerialNumber) }
	row := func(o *modelstest.Office) models.SaleInput {
		return models.SaleInput{
			SerialNumber: string(o.Terminal.SerialNumber), OrderID: order(o), Amount: "1250.00", SoldAt: "2026-11-20T11:59:00-06:00",
			Last4: "4242", Reference: "ticket",
		}
	}
	for teller, tt := range map[string]struct {
		tell func(*testing.T, *modelstest.Office)
		want error
	}{
		"a program": {func(t *testing.T, o *modelstest.Office) {
			if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, row(o))[0]; got.Status != intake.Known {
				t.Errorf("told by a program = %s, want known", modelstest.Said(got))
			}
		}, imports.ErrInUse},
		"another import": {func(t *testing.T, o *modelstest.Office) {
			b := "B-" + string(o.Terminal.SerialNumber)
			modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, order(o))+modelstest.CSVSale(o, b)), false)
		}, imports.ErrInUse},
		"an import that only looks": {func(t *testing.T, o *modelstest.Office) {
			modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, order(o)))
		}, nil},
		"a dry run": {func(t *testing.T, o *modelstest.Office) {
			modelstest.Record(t, o, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI, DryRun: true}, row(o))
		}, nil},
		"a program that contradicts": {func(t *testing.T, o *modelstest.Office) {
			other := row(o)
			other.Amount = "1"
			modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, other)
		}, nil},
		"the same import's own row": {func(t *testing.T, o *modelstest.Office) {}, nil},
	} {
		t.Run(teller, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			row := modelstest.CSVSale(o, order(o))
			s := modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+row+row), false)
			tt.tell(t, o)
			if _, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); !errors.Is(err, tt.want) {
				t.Errorf("undo of what %s told too = %v, want %v", teller, err, tt.want)
			}
			kept := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE terminal_id = $1 AND order_id = $2`, o.Terminal.ID, order(o))
			if stays := tt.want != nil; stays != (kept == 1) {
				t.Errorf("sales after the undo = %d, want it kept: %t", kept, stays)
			}
		})
	}
	t.Cleanup(func() { office.CheckInvariants(t) })
}

// TestUndoKeepsWhatTheFileAdded: a sale of others keeps what the file filled in, with its
// origin, and loses nothing else. The page of the import says so.
func TestUndoKeepsWhatTheFileAdded(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	bare := models.SaleInput{
		SerialNumber: string(o.Terminal.SerialNumber), OrderID: "A", Amount: "1250.00", SoldAt: "2026-11-20T11:59:00-06:00", AuthCode: "OURS",
	}
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, bare)
	s := modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A")+modelstest.CSVSale(o, "B")), false)
	facts := func() string {
		return modelstest.Scan[string](t, o.Owner, `SELECT concat_ws(' ', s.source, s.last4, s.auth_code,
			(SELECT string_agg(f.fact || ' ' || f.source || ' ' || f.filled, ', ' ORDER BY f.fact) FROM sale_facts f WHERE f.sale_id = s.id))
			FROM sales s WHERE s.order_id = 'A'`)
	}
	before := facts()
	if removed, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); removed != 1 || err != nil {
		t.Fatalf("UndoImport() = %d, %v, want the one sale that was new", removed, err)
	}
	if after := facts(); after != before || !strings.HasPrefix(after, "api 4242 OURS") || !strings.Contains(after, "last4 import true") {
		t.Errorf("the program's sale is %q after the undo, and was %q; want it completed by the file", after, before)
	}
	modelstest.Wants(t, "sales of the file alone", modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE order_id = 'B'`), 0)
	o.CheckInvariants(t)
}
