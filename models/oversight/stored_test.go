package oversight_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestWhatOversightKeepsStays(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	f := modelstest.Quickly(t, o, modelstest.FindingOfPerson(o, "Ana"), 3)
	seen := modelstest.AsShown(f, modelstest.FindFindings(t, o, o.Supervisor, f), "visto")
	if err := o.Oversight.Mark(t.Context(), o.Supervisor, seen); err != nil {
		t.Fatal(err)
	}
	o.StateOf(models.Confirmed) // with an approval
	app := modelstest.Open(t, o.URL)
	for _, statement := range []string{
		`UPDATE oversight_marks SET note = 'x'`, `DELETE FROM oversight_marks`, `TRUNCATE oversight_marks`,
		`UPDATE approvals SET approver = 'u1'`, `DELETE FROM approvals`,
		`INSERT INTO case_facts SELECT * FROM case_facts`,
		`UPDATE case_facts SET state = 'rejected'`, `DELETE FROM case_facts`, `TRUNCATE case_facts`,
	} {
		if got := modelstest.InVain(t, app.SQL(), statement); got != modelstest.NoPrivilege {
			t.Errorf("the application: %s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
	for _, statement := range []string{
		`UPDATE oversight_marks SET note = 'x'`, `DELETE FROM oversight_marks WHERE false`, `TRUNCATE approvals`,
	} {
		if got := modelstest.InVain(t, o.Owner, statement); got != modelstest.NoPrivilege {
			t.Errorf("the owner: %s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// The facts match the cancellations in every state.
func TestTheFactsAreThoseOfTheCases(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, s := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Accepted,
		models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		o.StateOf(s)
	}
	const differ = `SELECT count(*) FROM cancellations c JOIN sales s ON s.id = c.sale_id FULL JOIN case_facts f ON f.case_id = c.id
		WHERE (c.state, c.store_id, c.terminal_id, c.reason, c.requester, c.requested_at, s.business_day, s.amount, s.last4, s.sold_at)
			IS DISTINCT FROM (f.state, f.store_id, f.terminal_id, f.reason, f.requester_name, f.requested_at, f.day, f.amount, f.last4, f.sold_at)
		OR f.requester <> coalesce('u' || c.requested_by, '')`
	if n := modelstest.Count(t, o.Owner, differ); n != 0 {
		t.Errorf("%d facts differ from their cases", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM case_facts`); n != 9 {
		t.Errorf("%d facts of 9 cases", n)
	}
}

// TestNoPageWaitsForTheNumber: during the count the last known number is shown.
func TestNoPageWaitsForTheNumber(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
	modelstest.Quickly(t, o, modelstest.FindingOfPerson(o, "Ana"), 3)
	lock, err := o.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	if _, err := lock.Exec(`LOCK TABLE case_facts IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	if n, err := v.Unreviewed(t.Context(), o.Supervisor); len(n) != 0 || err != nil { // it would wait here
		t.Errorf("Unlooked() while nothing can be counted = %v, %v", n, err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	modelstest.WaitFor(t, "the number to be counted", func() bool {
		n, err := v.Unreviewed(t.Context(), o.Supervisor)
		return len(n) == 1 && err == nil
	})
}
