package verify_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// TestAMonthPutAwayIsDecidedByItsFile: without it the content of the entries is
// unknown, with it they are verified as if they were in the database.
func TestAMonthPutAwayIsDecidedByItsFile(t *testing.T) {
	t.Parallel()
	a := modelstest.NewArchiving(t)
	a.Say(a.Claim)
	a.Drop()
	v := a.With()
	if v.State != verify.Undecided || v.Archived != 300 || v.First.Code != verify.FindArchived || v.First.Count != 300 ||
		v.First.Month != a.Claim.Month {
		t.Errorf("without the file: %+v\n%s", v, modelstest.FindingsOf(v))
	}
	if v := a.With(string(a.File)); v.State != verify.Intact || v.Archived != 300 || v.Checked != 100 {
		t.Errorf("with the file: %+v\n%s", v, modelstest.FindingsOf(v))
	}
	for fact, file := range map[string]string{
		"changed": strings.Replace(string(a.File), "cliente", "clienta", 1), "cut": string(a.File[:len(a.File)-9]), "empty": "",
		"of another trail": string(modelstest.NewArchiving(t).File),
	} {
		if v := a.With(file); v.State != verify.Undecided {
			t.Errorf("with a file that is %s: %s\n%s", fact, v.State, modelstest.FindingsOf(v))
		}
	}
	modelstest.Exec(t, a.Owner, `DELETE FROM audit_entries WHERE id = (SELECT entry_id FROM sealed_entries WHERE n = 310)`)
	if v := a.With(string(a.File)); v.State != verify.Altered || v.First.Code != verify.FindMissing || v.First.N != 310 {
		t.Errorf("with an entry of after it gone: %s\n%s", v.State, modelstest.FindingsOf(v))
	}
}

// TestAnArchivedMonthMayHoldAJump: the entry that says that the clock was put right is in the
// file. What was written after it is no older than it should be.
func TestAnArchivedMonthMayHoldAJump(t *testing.T) {
	t.Parallel()
	at := func(entry, days string) func(string) string {
		return func(month string) string {
			return strings.Replace(entry, "now() AS at", fmt.Sprintf("'%s'::timestamptz + interval '%s days' AS at", month, days), 1)
		}
	}
	jumps := func(month string) string {
		began, _ := time.Parse(time.RFC3339, month)
		return at(jumpEntry(began.AddDate(0, 0, 20)), "4")(month)
	}
	a := modelstest.NewArchiving(t, at(modelstest.WholeEntries, "20"), jumps, at(modelstest.WholeEntries, "4.01"))
	a.Say(a.Claim)
	if v := a.With(); len(v.Findings) > 1 { // but that the claim is not true yet
		t.Errorf("before: %s", modelstest.FindingsOf(v))
	}
	a.Drop()
	if v := a.With(string(a.File)); v.State != verify.Intact || v.Archived != 303 {
		t.Errorf("with the file: %s, %d archived\n%s", v.State, v.Archived, modelstest.FindingsOf(v))
	}
}

// TestAClaimExcusesNoDeletion: an entry that states that entries are archived
// excuses only a whole month that is deleted.
func TestAClaimExcusesNoDeletion(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*verify.ArchivedMonth){
		"of the whole month":  func(*verify.ArchivedMonth) {},
		"of one entry":        func(c *verify.ArchivedMonth) { c.From, c.To, c.Entries = 41, 42, 1 },
		"that binds no entry": func(c *verify.ArchivedMonth) { c.Leaves = "" },
		"of more":             func(c *verify.ArchivedMonth) { c.To = 310 },
		"of no month":         func(c *verify.ArchivedMonth) { c.Month = "x" },
	}
	for fact, change := range tests {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			a := modelstest.NewArchiving(t)
			change(&a.Claim)
			a.Say(a.Claim)
			modelstest.Exec(t, a.Owner, `DELETE FROM audit_entries WHERE id = (SELECT entry_id FROM sealed_entries WHERE n = 41)`)
			if v := a.With(); v.State != verify.Altered || v.First.Code != verify.FindMissing || v.First.N != 41 {
				t.Errorf("with an entry gone: %s\n%s", v.State, modelstest.FindingsOf(v))
			}
			if fact != "of the whole month" {
				a.Drop()
				if v := a.With(); v.State != verify.Altered {
					t.Errorf("with the month gone: %s\n%s", v.State, modelstest.FindingsOf(v))
				}
			}
		})
	}
}

// TestALateEntryTakesNoMonthBack: whoever may write could give an entry a time of an
// archived month; that is reported, and the month counts as archived.
func TestALateEntryTakesNoMonthBack(t *testing.T) {
	t.Parallel()
	a := modelstest.NewArchiving(t)
	a.Say(a.Claim)
	a.Drop()
	late := strings.Replace(modelstest.WholeEntries, "now() AS at", fmt.Sprintf("'%s'::timestamptz AS at", a.Month.Format(time.RFC3339)), 1)
	modelstest.Exec(t, a.Owner, late, 401, 401)
	if v := a.With(string(a.File)); v.State != verify.Intact || v.Archived != 300 {
		t.Errorf("before it is sealed: %s, %d entries archived\n%s", v.State, v.Archived, modelstest.FindingsOf(v))
	}
	a.Whole(402, 410)
	if v := a.With(string(a.File)); v.State != verify.Altered || len(v.Findings) != 1 || v.First.Code != verify.FindBackDated ||
		v.Archived != 300 {
		t.Errorf("once it is sealed: %s, %d entries archived\n%s", v.State, v.Archived, modelstest.FindingsOf(v))
	}
	modelstest.Exec(t, a.Owner, `DELETE FROM audit_entries WHERE sale_id = 401`)
	if v := a.With(string(a.File)); v.State != verify.Altered || modelstest.FindingsOf(v) == "" || v.Archived != 300 ||
		!strings.Contains(modelstest.FindingsOf(v), verify.FindMissing) {
		t.Errorf("once it is gone: %s, %d entries archived\n%s", v.State, v.Archived, modelstest.FindingsOf(v))
	}
}

// TestTheApplicationPutsNoMonthAway: it adds entries, and not that one.
func TestTheApplicationPutsNoMonthAway(t *testing.T) {
	t.Parallel()
	app, _ := modelstest.URLs(t)
	db, err := sql.Open("pgx", app)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const insert = `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		VALUES (now(), 'x', 'system', $1, 'success', '{}')`
	if _, err := db.ExecContext(t.Context(), insert, "audit.read"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), insert, "audit.archived"); err == nil || !strings.Contains(err.Error(), "only the owner") {
		t.Errorf("audit.archived by the application: %v, want it refused", err)
	}
}
