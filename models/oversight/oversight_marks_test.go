package oversight_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/oversight"
)

func TestAMarkCoversWhatWasSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
	ana := modelstest.FindingOfPerson(o, "Ana")
	f := modelstest.Quickly(t, o, ana, 3)
	unlooked := func(want int) {
		t.Helper()
		if n := findings(t, o, o.Supervisor, oversight.Filter{}).Unreviewed(); n != want {
			t.Errorf("nobody has looked at %d, want %d", n, want)
		}
		modelstest.WaitFor(t, fmt.Sprintf("the navigation to say %d", want), func() bool {
			n, err := v.Unreviewed(t.Context(), o.Supervisor)
			if err != nil {
				t.Fatalf("Unlooked() = %v", err)
			}
			return len(n) == want
		})
	}
	unlooked(1)
	shown := modelstest.FindFindings(t, o, o.Supervisor, f)
	if shown.New != 3 || shown.Last() != 0 {
		t.Errorf("before the mark: %d new, last mark %d; want 3, 0", shown.New, shown.Last())
	}
	if err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, "  hablé con Ana: práctica de la caja nueva ")); err != nil {
		t.Fatal(err)
	}
	unlooked(0)
	looked := modelstest.FindFindings(t, o, o.Supervisor, f)
	if looked.New != 0 || len(looked.Marks) != 1 || looked.Marks[0].Note != "hablé con Ana: práctica de la caja nueva" ||
		looked.Marks[0].Marker != o.Supervisor.Name || !looked.Marks[0].MarkedAt.Equal(o.Clock.Now()) || looked.Marks[0].Cancellations != 3 {
		t.Errorf("after the mark: %+v", looked.Marks)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'oversight.reviewed' AND actor_id = $1 AND reason LIKE 'hablé%' AND store_id = $2
		AND after ->> 'finding' = 'quick' AND after ->> 'cases' = '3' AND after ->> 'subject' = 'Ana'`,
		o.Supervisor.UserID, o.Store.ID); n != 1 {
		t.Errorf("the trail has %d entries of the mark, want 1", n)
	}

	// Nobody has reviewed the cancellation that joins.
	modelstest.Quickly(t, o, ana, 1)
	unlookedNow := findings(t, o, o.Supervisor, oversight.Filter{}).Unreviewed()
	joined := modelstest.FindFindings(t, o, o.Supervisor, f)
	if unlookedNow != 1 || joined.New != 1 || len(joined.Cancellations) != 4 || len(joined.Marks) != 1 {
		t.Errorf("after one joined: %d to look at, %d of %d new", unlookedNow, joined.New, len(joined.Cancellations))
	}
	// A later note is added, and removes nothing.
	if err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, joined, "otra vez la práctica")); err != nil {
		t.Fatal(err)
	}
	unlooked(0)
	if got := modelstest.FindFindings(t, o, o.Supervisor, f); len(got.Marks) != 2 || got.Marks[0].Note[:5] != "habl\xc3" {
		t.Errorf("marks = %+v, want both, the oldest first", got.Marks)
	}
}

func TestAStalePageMarksNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
	ana := modelstest.FindingOfPerson(o, "Ana")
	f := modelstest.Quickly(t, o, ana, 3)
	shown := modelstest.FindFindings(t, o, o.Supervisor, f)
	modelstest.Quickly(t, o, ana, 1)
	if err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, "todo en orden")); !modelstest.IsError(err, models.ErrStale) {
		t.Errorf("Mark() after a case joined = %v, want %v", err, models.ErrStale)
	}
	shown = modelstest.FindFindings(t, o, o.Supervisor, f)
	meanwhile := &models.Error{Kind: models.KindConflict, Code: "error.markedMeanwhile"}
	other := modelstest.Person(models.Supervisor)
	if err := v.Mark(t.Context(), other, modelstest.AsShown(f, shown, "ya lo vi")); err != nil {
		t.Fatal(err)
	}
	if err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, "todo en orden")); !modelstest.IsError(err, meanwhile) {
		t.Errorf("Mark() after a colleague = %v, want %v", err, meanwhile)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM oversight_marks`); n != 1 {
		t.Errorf("%d marks, want 1", n)
	}
}

// A double click makes one mark; of two supervisors at once, one makes a mark and
// the other gets an error.
func TestMarksAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
	f := modelstest.Quickly(t, o, modelstest.FindingOfPerson(o, "Ana"), 3)
	shown := modelstest.FindFindings(t, o, o.Supervisor, f)
	var group sync.WaitGroup
	var mu sync.Mutex
	results := map[string]int{}
	for n := range 6 {
		who := o.Supervisor
		if n%2 == 1 {
			who = modelstest.Person(models.Supervisor)
		}
		group.Go(func() {
			err := v.Mark(t.Context(), who, modelstest.AsShown(f, shown, "visto"))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && who.UserID == o.Supervisor.UserID:
				results["mine"]++
			case err == nil:
				results["theirs"]++
			case modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "error.markedMeanwhile"}):
				results["told"]++
			default:
				t.Errorf("Mark() = %v", err)
			}
		})
	}
	group.Wait()
	marks := modelstest.Count(t, o.Owner, `SELECT count(*) FROM oversight_marks`)
	all := results["mine"] + results["theirs"] + results["told"]
	if marks != 1 || results["told"] == 0 || all != 6 || results["mine"] > 0 && results["mine"] != 3 {
		t.Errorf("%d marks, %v; want one mark, all three of one person's presses or one of another's", marks, results)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'oversight.reviewed'`); n != 1 {
		t.Errorf("the trail has %d entries, want 1", n)
	}
}

func TestANoteIsJudged(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
	f := modelstest.Quickly(t, o, modelstest.FindingOfPerson(o, "Ana"), 3)
	shown := modelstest.FindFindings(t, o, o.Supervisor, f)
	for note, code := range map[string]string{
		"": "field.required", "   ": "field.required", strings.Repeat("x", 501): "field.tooLong", "a\x00b": "field.invalidText",
		"a\u200bb": "field.invalidText", "\xff": "field.invalidText", "tarjeta 4111 1111 1111 1111": "field.cardNumber",
	} {
		err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, note))
		if got, ok := err.(*models.Error); !ok || *got != *models.Invalid("note", code) {
			t.Errorf("Mark(%q) = %v, want %s", note, err, code)
		}
	}
	if err := v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, strings.Repeat("ñ", 500))); err != nil {
		t.Errorf("Mark() of 500 characters = %v", err)
	}
	for _, who := range []models.Actor{o.Manager, o.Admin} { // an administrator reads without marking
		if err := v.Mark(t.Context(), who, modelstest.AsShown(f, shown, "visto")); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("Mark() by a %s = %v, want %v", who.Role, err, models.ErrForbidden)
		}
	}
	if n, err := v.Unreviewed(t.Context(), o.Manager); len(n) != 0 || err != nil {
		t.Errorf("a manager is told of %v, %v; want nothing", n, err)
	}
	if n, err := o.Review.ReviewCount(t.Context(), o.Admin); n != 0 || err != nil {
		t.Errorf("for an administrator %d wait, %v; want 0", n, err)
	}
	if _, err := v.Findings(t.Context(), o.Admin, oversight.Filter{}); err != nil {
		t.Errorf("Findings() by an administrator = %v", err)
	}
}

// A note about more stores than the user sees is not shown to them, only that
// somebody has reviewed the finding.
func TestANoteStaysWithinItsStores(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	v := o.Oversight
	ana := modelstest.Named(modelstest.Person(models.Manager, o.Store, there.Store), "Ana")
	f := modelstest.Quickly(t, o, ana, 3)
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 2, Asked: 2, After: 30e9, Store: there.Store, Terminal: there.Terminal}.Week(0))
	here := modelstest.Person(models.Supervisor, o.Store)
	if got := modelstest.FindFindings(t, o, here, f); len(got.Cancellations) != 3 {
		t.Errorf("in one store %d cases, want 3", len(got.Cancellations))
	}
	seen := modelstest.AsShown(f, modelstest.FindFindings(t, o, o.Supervisor, f), "en las dos sucursales")
	if err := v.Mark(t.Context(), o.Supervisor, seen); err != nil {
		t.Fatal(err)
	}
	got := modelstest.FindFindings(t, o, here, f)
	if got.New != 0 || len(got.Marks) != 1 || !got.Marks[0].Hidden() || got.Marks[0].Marker != "" || got.Marks[0].Cancellations != 0 {
		t.Errorf("what a supervisor of one store sees of it = %+v, want that there was a look", got.Marks)
	}
	// The reverse: a review of one store leaves the other's cancellations
	// unreviewed.
	modelstest.Quickly(t, o, ana, 1)
	if err := v.Mark(t.Context(), here, modelstest.AsShown(f, modelstest.FindFindings(t, o, here, f), "en la mía")); err != nil {
		t.Fatal(err)
	}
	if got := modelstest.FindFindings(t, o, o.Supervisor, f); got.New != 0 || got.Marks[1].Note != "en la mía" {
		t.Errorf("everything = %d new, %+v", got.New, got.Marks)
	}
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 1, Asked: 1, After: 30e9, Store: there.Store, Terminal: there.Terminal}.Week(0))
	if a, b := modelstest.FindFindings(t, o, o.Supervisor, f).New, modelstest.FindFindings(t, o, here, f).New; a != 1 || b != 0 {
		t.Errorf("a case there: %d new for all, %d here; want 1, 0", a, b)
	}
}

// TestTwoMarksAtOnce: a mark that another connection is writing is waited for and
// then seen; the schema itself refuses a second one that follows the same mark.
func TestTwoMarksAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.FindingOfPerson(o, "Ana")
	f := modelstest.Quickly(t, o, ana, 3)
	shown := modelstest.FindFindings(t, o, o.Supervisor, f)
	other, err := o.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback() }()
	const first = `INSERT INTO oversight_marks (kind, subject, members, stores, note, marked_at, marked_by, marker)
		SELECT 'quick', $1, array_agg(case_id), '{1}', 'otra', now(), 99, 'Otra' FROM case_facts`
	if _, err := other.Exec(first, f.Subject); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- o.SecondServer().Oversight.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, "la mía"))
	}()
	modelstest.WaitFor(t, "the mark to wait for the other", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
			AND transactionid IN (SELECT transactionid FROM pg_locks WHERE granted AND locktype = 'transactionid')
			AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`) > 0
	})
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "error.markedMeanwhile"}) {
		t.Errorf("Mark() over one that was made meanwhile = %v", err)
	}
	modelstest.Wants(t, "marks", modelstest.Count(t, o.Owner, `SELECT count(*) FROM oversight_marks`), 1)
	if _, err := o.Owner.Exec(first, f.Subject); err == nil || !strings.Contains(err.Error(), "follows") {
		t.Errorf("a second first mark = %v, want it refused", err)
	}
}
