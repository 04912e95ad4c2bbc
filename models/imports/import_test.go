package imports_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/imports"
	"veinte/models/modelstest"
)

// is writes an import's state and counts.
func is(i *imports.Detail) string {
	return fmt.Sprintf("%s rows %d new %d known %d conflict %d refused %d warned %d",
		i.State, i.RowCount, i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount, i.WarnedCount)
}

func want(t *testing.T, i *imports.Detail, what string) {
	t.Helper()
	if got := is(i); got != what {
		t.Errorf("import is %s, want %s", got, what)
	}
}

func TestAFileIsLookedAtThenImported(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, func() models.SaleInput {
		s := modelstest.GivenSale(o, "K")
		s.SoldAt, s.CardBrand, s.AuthCode, s.Folio, s.Reference = "2026-11-20T11:59:00-06:00", "", "", "", "ticket"
		return s
	}())
	content := modelstest.CSVHeader + modelstest.CSVSale(o, "A") + modelstest.CSVSale(o, "B") + modelstest.CSVSale(o, "K")
	s := modelstest.Give(t, o, content)
	want(t, s, "checked rows 3 new 2 known 1 conflict 0 refused 0 warned 0")
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 1 {
		t.Errorf("sales after a dry run = %d, want the one before", n)
	}
	if len(s.First) != 3 || s.First[0].Values[5] != "2026-11-20T11:59:00-06:00" {
		t.Errorf("first rows = %+v", s.First)
	}
	s = modelstest.Confirm(t, o, s, false)
	want(t, s, "imported rows 3 new 2 known 1 conflict 0 refused 0 warned 0")
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales
		WHERE source = 'import' AND batch_id = $1 AND recorded_by = $2`, s.ID, o.Admin.Name); n != 2 {
		t.Errorf("imported sales = %d, want 2", n)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM import_chunks"); n != 0 {
		t.Errorf("rows kept after the import = %d, want none", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sales.imported' AND actor_name = $1
		AND after->>'fileName' = 'ventas.csv' AND after->>'created' = '2' AND length(after->>'sha256') = 64`, o.Admin.Name); n != 1 {
		t.Errorf("entries = %d, want one with name, hash and counts", n)
	}
	// The job may run again, and the same file may be uploaded again.
	modelstest.RunImport(t, o, s.ID)
	again := modelstest.Give(t, o, content)
	want(t, again, "checked rows 3 new 0 known 3 conflict 0 refused 0 warned 0")
	if again.Same == nil || again.Same.ID != s.ID {
		t.Errorf("an equal file is not noticed: %+v", again.Same)
	}
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, again.ID, again.Version, false); !errors.Is(err, imports.ErrNothing) {
		t.Errorf("confirming nothing new = %v, want %v", err, imports.ErrNothing)
	}
	o.CheckInvariants(t)
}

func TestOneWrongRowHoldsAllBack(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A")+
		strings.Replace(modelstest.CSVSale(o, "B"), "1250.00", `"1,250"`, 1)+
		strings.Replace(modelstest.CSVSale(o, "C"), "4242", "42", 1)+
		strings.Replace(modelstest.CSVSale(o, "D"), "ticket", "4111 1111 1111 1111", 1)+
		strings.Replace(modelstest.CSVSale(o, "A"), "1250", "1251", 1)+modelstest.CSVSale(o, "261120110000-"+string(o.Terminal.SerialNumber)))
	want(t, s, "checked rows 6 new 4 known 0 conflict 1 refused 1 warned 3")
	var got []string
	for _, r := range s.Remarks {
		for _, p := range r.Problems {
			got = append(got, fmt.Sprintf("%d %s %s %s", r.Line, p.Column, p.Code, p.Detail))
		}
		for _, w := range r.Warnings {
			got = append(got, fmt.Sprintf("%d %s", r.Line, w))
		}
	}
	if diff := cmp.Diff([]string{
		"3 amount table.twoAmounts 1,250", "4 last4 last4.invalid 42", "4 sale.leftOut",
		"5 reference table.cardNumber ****1111", "5 sale.leftOut", "6 amount sale.differs 1251.00", "7 sale.orderTimeDiffers",
	}, got); diff != "" {
		t.Error(diff)
	}
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version, false); !errors.Is(err, imports.ErrInvalid) {
		t.Errorf("confirming with wrong rows = %v, want %v", err, imports.ErrInvalid)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM import_chunks
		WHERE position('4111'::bytea IN body) > 0 OR position('1111 1111'::bytea IN body) > 0`); n != 0 {
		t.Error("a card number is kept")
	}
	s = modelstest.Confirm(t, o, s, true)
	want(t, s, "imported rows 6 new 4 known 0 conflict 1 refused 1 warned 3")
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales WHERE batch_id = $1", s.ID); n != 4 {
		t.Errorf("sales = %d, want the 2 right ones, and the 2 without an optional fact", n)
	}
	if len(s.Remarks) != 5 {
		t.Errorf("remarks after the import = %d, want 5 to mend", len(s.Remarks))
	}
	o.CheckInvariants(t)
}

// TestRepeatsFarApart has equal and contradicting rows thousands of lines apart.
func TestRepeatsFarApart(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var b strings.Builder
	b.WriteString(modelstest.CSVHeader)
	for i := range 2500 {
		b.WriteString(modelstest.CSVSale(o, fmt.Sprint("O-", i)))
	}
	b.WriteString(modelstest.CSVSale(o, "O-7") + strings.Replace(modelstest.CSVSale(o, "O-8"), "1250", "9", 1))
	s := modelstest.Give(t, o, b.String())
	want(t, s, "checked rows 2502 new 2500 known 1 conflict 1 refused 0 warned 0")
	s = modelstest.Confirm(t, o, s, true)
	want(t, s, "imported rows 2502 new 2500 known 1 conflict 1 refused 0 warned 0")
	o.CheckInvariants(t)
}

// TestChangedMeanwhile: a row that was correct when checked is wrong at the import:
// nothing is imported, and the person sees why.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A")+modelstest.CSVSale(o, "B"))
	other := modelstest.GivenSale(o, "B")
	other.Amount = "9.00"
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, other)
	s = modelstest.Confirm(t, o, s, false)
	want(t, s, "checked rows 2 new 1 known 0 conflict 1 refused 0 warned 0")
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales WHERE source = 'import'"); n != 0 || !s.HeldBack {
		t.Errorf("sales = %d, held back = %t, want none and that it is said", n, s.HeldBack)
	}
	want(t, modelstest.Confirm(t, o, s, true), "imported rows 2 new 1 known 0 conflict 1 refused 0 warned 0")
	modelstest.Equal(t, "trail", importTrail(t, o, s.ID), []string{
		"import.confirmed success 0 false ", "import.heldBack failure 1 false import.wrongRows",
		"import.confirmed success 1 true ", "sales.imported success 1 true ",
	})
}

func TestTwoTabsOneImport(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A"))
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version-1, false); !errors.Is(err, imports.ErrState) {
		t.Errorf("confirming a stale version = %v, want %v", err, imports.ErrState)
	}
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version, false); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"confirming again":   o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version, false),
		"discarding then":    o.Imports.DiscardImport(t.Context(), o.Admin, s.ID, s.Version),
		"confirming nothing": o.Imports.ConfirmImport(t.Context(), o.Admin, 987654, 1, false),
	} {
		if !errors.Is(err, imports.ErrState) && !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s = %v, want a refusal", what, err)
		}
	}
	if err := o.Imports.ConfirmImport(t.Context(), o.Manager, s.ID, s.Version, false); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("a manager confirms = %v, want %v", err, models.ErrForbidden)
	}
	done := make(chan error, 4)
	for range 4 { // jobs of several processes
		twin := o.SecondServer()
		go func() { done <- twin.Imports.RunImport(t.Context(), s.ID) }()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	want(t, modelstest.RunImport(t, o, s.ID), "imported rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
	written := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales") +
		modelstest.Count(t, o.Owner, "SELECT count(*) FROM audit_entries WHERE action = 'sales.imported'")
	if written != 2 {
		t.Errorf("sales and entries = %d, want one of each", written)
	}
}

// TestOneJobAtATime: a job that finds another one working on the import does
// nothing.
func TestOneJobAtATime(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A"))
	if err := o.Imports.ConfirmImport(t.Context(), o.Admin, s.ID, s.Version, false); err != nil {
		t.Fatal(err)
	}
	other, err := o.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(`SELECT pg_advisory_xact_lock(2000, $1)`, s.ID); err != nil {
		t.Fatal(err)
	}
	want(t, modelstest.RunImport(t, o, s.ID), "importing rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
	if err := other.Rollback(); err != nil { // its process died
		t.Fatal(err)
	}
	want(t, modelstest.RunImport(t, o, s.ID), "imported rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
}

func TestUndo(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "A")+modelstest.CSVSale(o, "B")), false)
	sale := o.FindSale("A")
	request := cancellations.CancelRequest{SaleID: sale.ID, Reason: models.ReasonOther, Note: "x", Click: "c"}
	c, err := o.Cancellations.Request(t.Context(), o.Manager, request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); !errors.Is(err, imports.ErrInUse) {
		t.Errorf("undoing an import with an open case = %v, want %v", err, imports.ErrInUse)
	}
	if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID); err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Minute) // refusals of one minute are counted together
	if _, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); !errors.Is(err, imports.ErrInUse) {
		t.Errorf("undoing an import with a case that was taken back = %v, want %v", err, imports.ErrInUse)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales WHERE batch_id = $1", s.ID); n != 2 {
		t.Errorf("sales after a refused undo = %d, want both", n)
	}
	s = modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "C")+modelstest.CSVSale(o, "D")), false)
	if n, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); n != 2 || err != nil {
		t.Errorf("UndoImport() = %d, %v, want 2", n, err)
	}
	if _, err := o.Imports.UndoImport(t.Context(), o.Admin, s.ID, s.Version); !errors.Is(err, imports.ErrState) {
		t.Errorf("undoing twice = %v, want %v", err, imports.ErrState)
	}
	for query, n := range map[string]int{
		"SELECT count(*) FROM sales": 2, "SELECT count(*) FROM undone_sales": 2,
		"SELECT count(*) FROM audit_entries WHERE action = 'import.undone' AND outcome = 'success' AND after->>'removed' = '2'": 1,
		"SELECT count(*) FROM audit_entries WHERE action = 'import.undone' AND outcome = 'failure'":                             2,
	} {
		if got := modelstest.Count(t, o.Owner, query); got != n {
			t.Errorf("%s = %d, want %d", query, got, n)
		}
	}
	// What was undone may be imported again.
	again := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "C"))
	want(t, modelstest.Confirm(t, o, again, false), "imported rows 1 new 1 known 0 conflict 0 refused 0 warned 0")
	o.CheckInvariants(t)
}
