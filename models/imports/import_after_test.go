package imports_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/imports"
	"veinte/models/modelstest"
)

// TestSweepTakesUpAndTidies: a pass whose process died is enqueued again; an
// unconfirmed file is dropped after a day, and its problems are deleted.
func TestSweepTakesUpAndTidies(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	content := modelstest.CSVHeader + modelstest.CSVSale(o, "A") + "x\n"
	lost, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, `C:\ventas\4111111111111111.csv`,
		strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if lost.FileName != "****1111.csv" {
		t.Errorf("file name = %q", lost.FileName)
	}
	if got := o.Queue.Take(t); len(got) != 1 || got[0] != (models.Task{Kind: models.TaskImport, SubjectID: lost.ID}) {
		t.Errorf("tasks after a file = %+v", got)
	}
	sweep := func(wait time.Duration, tasks int) {
		t.Helper()
		o.Clock.Advance(wait)
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := o.Queue.Take(t); len(got) != tasks {
			t.Errorf("tasks after %s = %+v, want %d", wait, got, tasks)
		}
	}
	sweep(14*time.Second, 0)
	sweep(2*time.Second, 1)
	want(t, modelstest.RunImport(t, o, lost.ID), "checked rows 2 new 1 known 0 conflict 0 refused 1 warned 0")
	sweep(23*time.Hour, 0)
	want(t, modelstest.SaleDetail(t, o, lost.ID), "checked rows 2 new 1 known 0 conflict 0 refused 1 warned 0")
	sweep(time.Hour+time.Second, 0)
	s := modelstest.SaleDetail(t, o, lost.ID)
	if s.State != imports.Discarded || len(s.First) != 0 || len(s.Remarks) != 1 {
		t.Errorf("after a day it is %s with %d rows and %d remarks, want discarded with remarks only", s.State, len(s.First), len(s.Remarks))
	}
	sweep(25*time.Hour, 0)
	if s := modelstest.SaleDetail(t, o, lost.ID); len(s.Remarks) != 0 {
		t.Errorf("remarks after two days = %d, want none", len(s.Remarks))
	}
}

// TestImportFile imports as the command line does.
func TestImportFile(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	operator := models.System("command line", "ana")
	bad := modelstest.CSVHeader + modelstest.CSVSale(o, "A") + modelstest.CSVSale(o, "") + modelstest.CSVSale(o, "B")
	run := func(f imports.FileImport, content string) (*imports.Import, int, error) {
		remarks := 0
		f.Kind, f.Name, f.Remark = imports.OfSales, "v.csv", func(*imports.Row) { remarks++ }
		imp, err := o.Imports.ImportFile(t.Context(), operator, f, strings.NewReader(content), int64(len(content)))
		return imp, remarks, err
	}
	if imp, remarks, err := run(imports.FileImport{DryRun: true}, bad); err != nil ||
		imp.NewCount != 2 || imp.RefusedCount != 1 || imp.ID != 0 || remarks != 1 {
		t.Errorf("a dry run = %+v, %d remarks, %v", imp, remarks, err)
	}
	if imp, _, err := run(imports.FileImport{}, bad); !errors.Is(err, imports.ErrInvalid) || imp.RefusedCount != 1 {
		t.Errorf("with a wrong row = %+v, %v, want %v", imp, err, imports.ErrInvalid)
	}
	written := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales") + modelstest.Count(t, o.Owner, "SELECT count(*) FROM imports")
	if written != 0 {
		t.Errorf("sales and imports after what wrote nothing = %d, want none", written)
	}
	imp, _, err := run(imports.FileImport{Partial: true}, bad)
	if err != nil || imp.State != imports.Imported || imp.NewCount != 2 || imp.RowCount != 3 {
		t.Errorf("the right rows only = %+v, %v", imp, err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'sales.imported' AND actor_name = 'command line' AND on_behalf_of = 'ana'`); n != 1 {
		t.Errorf("entries of the operator = %d, want 1", n)
	}
	if _, err := o.Imports.UndoImport(t.Context(), o.Admin, imp.ID, modelstest.SaleDetail(t, o, imp.ID).Version); err != nil {
		t.Errorf("undoing what the command line imported = %v", err)
	}
	o.CheckInvariants(t)
}

// TestGivenFilesThatAreNone: nothing of them is stored.
func TestGivenFilesThatAreNone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var file *imports.FileError
	for _, content := range []string{
		"", "<html>", modelstest.CSVHeader, "a,b\n1,2\n", modelstest.CSVHeader + modelstest.CSVSale(o, "A") + "\"1",
	} {
		_, err := o.Imports.Upload(t.Context(), o.Admin, imports.OfSales, "x", strings.NewReader(content), int64(len(content)))
		if !errors.As(err, &file) {
			t.Errorf("GiveImport(%q) = %v, want a refusal of the file", content, err)
		}
	}
	good := modelstest.CSVHeader + modelstest.CSVSale(o, "A")
	_, err := o.Imports.Upload(t.Context(), o.Manager, imports.OfSales, "x", strings.NewReader(good), int64(len(good)))
	if !errors.Is(err, models.ErrForbidden) {
		t.Errorf("a manager gives a file = %v, want %v", err, models.ErrForbidden)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM imports"); n != 0 {
		t.Errorf("imports = %d, want none", n)
	}
}
