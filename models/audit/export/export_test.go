package export_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestExportsAreHistory: the application records an export's progress and its end,
// and nothing else of it ever changes.
func TestExportsAreHistory(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	x, err := o.Export.StartExport(t.Context(), o.Supervisor, export.Request{Format: export.CSV, Query: strings.Repeat("a=\x00&", 5000)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ statement, code string }{
		{`UPDATE audit_exports SET actor_name = 'nobody'`, "42501"},
		{`UPDATE audit_exports SET query = ''`, "42501"},
		{`DELETE FROM audit_exports`, "42501"},
		{`TRUNCATE audit_exports`, "42501"},
		{`UPDATE audit_exports SET state = 'done'`, "23514"}, // an end has its time
		{`UPDATE audit_exports SET entries = -1`, "23514"},
		{`UPDATE audit_exports SET entries = 5`, ""},
		{`UPDATE audit_exports SET state = 'done', ended_at = now()`, ""},
		{`UPDATE audit_exports SET entries = 6`, "23514"}, // it has ended
	} {
		_, err := o.DB.Pool().Exec(t.Context(), tt.statement)
		switch {
		case tt.code == "" && err != nil, tt.code != "" && (err == nil || !strings.Contains(err.Error(), tt.code)):
			t.Errorf("%s: %v, want %q", tt.statement, err, tt.code)
		}
	}
	if err := o.Export.StopExport(t.Context(), o.Supervisor, x.ID); err == nil || !strings.Contains(err.Error(), "error.exportEnded") {
		t.Errorf("StopExport of what has ended = %v", err)
	}
}

// TestSweepEndsLostExports: an export whose process stopped reporting is recorded
// once, by the sweep, and never by two.
func TestSweepEndsLostExports(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	if _, err := o.Export.StartExport(t.Context(), o.Supervisor, export.Request{Format: export.XLSX}); err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		t.Helper()
		for _, s := range []*wiring.Services{o.Services, o.SecondServer()} {
			if err := s.Operations.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	sweep()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_exports WHERE state = 'running'`); n != 1 {
		t.Errorf("%d exports run, want the one that has just begun", n)
	}
	o.Clock.Advance(time.Minute)
	sweep()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'audit.exported' AND outcome = 'unknown' AND after->>'exportState' = 'abandoned'`); n != 1 {
		t.Errorf("one that was lost left %d entries, want 1", n)
	}
}

// TestPagesForPaperAreCounted among the exports: each reads on a connection that
// others then lack.
func TestPagesForPaperAreCounted(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	read := func() error {
		_, err := o.Export.PrintAudit(t.Context(), o.Supervisor, audit.Filter{}, "")
		return err
	}
	o.Export.Exporting(6)
	for range 2 { // a refusal frees nothing and takes nothing
		if err := read(); !errors.Is(err, export.ErrTooManyExports) {
			t.Errorf("PrintAudit() beside as many exports as may be = %v", err)
		}
	}
	o.Export.Exporting(-1)
	for range 2 {
		if err := read(); err != nil {
			t.Errorf("PrintAudit() = %v", err)
		}
	}
	if err := o.Audit.FlushRefusals(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "refusals recorded", modelstest.Count(t, o.Owner, `SELECT sum(coalesce((after->>'more')::int, 1)) FROM audit_entries
		WHERE action = 'audit.exported' AND outcome = 'failure' AND reason = 'error.tooManyExports'`), 2)
}
