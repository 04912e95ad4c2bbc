package models_test

import (
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// TestNobodyLooksAtTheirOwn: an act is reviewed by another person, and until then it
// counts as not reviewed.
func TestNobodyLooksAtTheirOwn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount = "1" })
	if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, o.CancelRequest(o.Sale(1000))); err != nil {
		t.Fatal(err)
	}
	modelstest.Watch(t, o, a)
	id := modelstest.Raised(t, o, a, alerts.KindAmount)[0].ID
	err := a.Attend(t.Context(), o.Supervisor, id, "yo")
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "alert.own"}) {
		t.Errorf("Attend() to one's own = %v", err)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewAlert); len(seen) != 1 {
		t.Errorf("the inbox holds %v, want the alert", seen)
	}
	if err := a.Attend(t.Context(), modelstest.Person(models.Supervisor, o.Store), id, "otra"); err != nil {
		t.Errorf("Attend() by another = %v", err)
	}

	f := modelstest.Quickly(t, o, o.Supervisor, 3)
	shown, v := modelstest.FindFindings(t, o, o.Supervisor, f), o.Oversight
	err = v.Mark(t.Context(), o.Supervisor, modelstest.AsShown(f, shown, "yo"))
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "oversight.own"}) {
		t.Errorf("Mark() of one's own = %v", err)
	}
	if again := modelstest.FindFindings(t, o, o.Supervisor, f); again.New != shown.New || len(again.Marks) != 0 {
		t.Errorf("after the refusal: %d new, %d marks", again.New, len(again.Marks))
	}

	contradicted, err := o.Cancellations.Request(t.Context(), o.Supervisor, o.CancelRequest(o.Sale(2000)))
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE cancellations SET conflict = 'reportCharged', conflict_at = changed_at WHERE id = $1`,
		contradicted.ID)
	review := func(who models.Actor) error {
		return o.Review.MarkReviewed(t.Context(), who, review.ReviewConflict, contradicted.ID, string(models.ConflictReportCharged), "visto")
	}
	if err := review(o.Supervisor); !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "review.own"}) {
		t.Errorf("MarkReviewed() of the contradiction of one's own = %v", err)
	}
	if err := review(modelstest.Person(models.Supervisor, o.Store)); err != nil {
		t.Errorf("MarkReviewed() by another = %v", err)
	}
}

// TestNobodyClearsTheirOwnDecision: who resolved a doubt marks neither what contradicts that
// nor a difference about the sale; another person does, and says what they found.
func TestNobodyClearsTheirOwnDecision(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Confirmed) // the manager asked, the supervisor resolved
	modelstest.Exec(t, o.Owner, `UPDATE cancellations SET conflict = 'reportCharged', conflict_at = changed_at WHERE id = $1`, c.ID)
	mark := func(who models.Actor, note string) error {
		return o.Review.MarkReviewed(t.Context(), who, review.ReviewConflict, c.ID, string(models.ConflictReportCharged), note)
	}
	if err := mark(o.Supervisor, "comparado con el banco"); !modelstest.IsError(err, models.ErrOwn) {
		t.Errorf("MarkReviewed() of what contradicts one's own decision = %v, want %v", err, models.ErrOwn)
	}
	other := modelstest.Person(models.Supervisor, o.Store)
	if want := models.Invalid("note", "review.needsNote"); !modelstest.IsError(mark(other, " "), want) {
		t.Errorf("MarkReviewed() without a note = %v, want %v", mark(other, " "), want)
	}
	if seen, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewConflict); len(seen) != 1 {
		t.Errorf("the inbox holds %v, want the contradiction", seen)
	}
	if err := mark(other, "comparado con el banco"); err != nil {
		t.Errorf("MarkReviewed() by another = %v", err)
	}
}

// TestResolvingAnothersDoubtIsNotOnesOwn: a store's rate is raised by the move that crossed
// the limit. Who resolved a doubt handles it; whoever requested that cancellation does not,
// and the inbox says so beforehand, with who can.
func TestResolvingAnothersDoubtIsNotOnesOwn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindRate, func(in *alerts.RuleInput) { in.Count, in.Factor = "1", "200" })
	modelstest.Exec(t, o.Owner, `INSERT INTO day_totals (store_id, business_day, terminal_id, sales, amount,
			canceled, canceled_amount, open_cases, revision, last_received)
		VALUES ($1, '2026-11-10', $2, 100, 100, 0, 0, 0, 1, now()), ($1, '2026-11-11', $2, 100, 100, 0, 0, 0, 1, now())`,
		o.Store.ID, o.Terminal.ID)
	_, doubt := o.StateOf(models.Unknown)
	resolution := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "654321"}
	if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, doubt.ID, resolution); err != nil {
		t.Fatal(err)
	}
	modelstest.Watch(t, o, a)
	raised := modelstest.Raised(t, o, a, alerts.KindRate)
	if len(raised) != 1 || raised[0].Read().Known != 2 {
		t.Fatalf("raised %+v, want one that knows two days", raised)
	}
	item := func(who models.Actor) review.Item {
		t.Helper()
		page, err := o.Review.Review(t.Context(), who, review.Filter{Kind: review.ReviewAlert})
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("Review() = %+v, %v", page, err)
		}
		return page.Items[0]
	}
	if got := item(o.Supervisor); got.Own {
		t.Errorf("who resolved the doubt cannot handle it, but %q", got.Others)
	}
	requester := modelstest.Person(models.Supervisor, o.Store)
	requester.UserID = *doubt.RequestedBy
	other := modelstest.User(t, o.DB, o.Clock.Now(), "zulema@tiendas.example", models.Supervisor)
	if got := item(requester); !got.Own || !slices.Contains(got.Others, other.Name) {
		t.Errorf("to who requested it the item is %t of %q, want their own, for %q", got.Own, got.Others, other.Name)
	}
	own := &models.Error{Kind: models.KindConflict, Code: "alert.own"}
	if err := a.Attend(t.Context(), requester, raised[0].ID, ""); !modelstest.IsError(err, own) {
		t.Errorf("Attend() by who requested it = %v", err)
	}
	if err := a.Attend(t.Context(), o.Supervisor, raised[0].ID, ""); err != nil {
		t.Errorf("Attend() by who resolved the doubt = %v", err)
	}
}

// TestOwnEntriesAreOfOnesKind: a program with the id of a person, which the schema
// does not allow, still does not count that person's entries as its own, nor the
// person the program's.
func TestOwnEntriesAreOfOnesKind(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, modelstest.Trusting)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	reads := []models.Permission{models.CancelSales, models.ViewSales, models.ReadAudit}
	program := models.Actor{UserID: 5, Name: "ERP", Role: models.Integration, AllStores: true, Grants: append(reads, models.FollowAudit)}
	if _, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(o.Sale(777700))); err != nil {
		t.Fatal(err)
	}
	human := models.Actor{UserID: 5, Name: "Zoe", Role: models.Supervisor, StoreIDs: []int64{other.ID}}
	for range 2 { // the second time one of their entries exists
		page, err := o.Audit.Audit(t.Context(), human, audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			if e.ActorRole == models.Integration {
				t.Errorf("the person sees %s of %s", e.Action, e.ActorName)
			}
			if _, err := o.Verify.EntryDetail(t.Context(), human, e.ID); err != nil {
				t.Errorf("AuditStory() of one's own = %v", err)
			}
		}
	}
	of := modelstest.Scan[int64](t, o.Owner, `SELECT id FROM audit_entries WHERE action = 'cancellation.requested' AND actor_id = 5`)
	if _, hidden, err := o.Verify.ProofFor(t.Context(), human, of); err != models.ErrNotFound || !hidden {
		t.Errorf("ProofFor() of the program's = %t, %v, want it hidden", hidden, err)
	}
	program.AllStores, program.StoreIDs = false, []int64{other.ID}
	var stream *audit.Stream
	modelstest.WaitFor(t, "the program to see its own request", func() (seen bool) { // other tests' transactions delay it
		var err error
		if stream, err = o.Audit.FollowAudit(t.Context(), program, "", 100); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(stream.Entries, func(e models.AuditEntry) bool { return e.Action == models.ActionCancellationRequested })
	})
	for _, e := range stream.Entries {
		if e.ActorRole != models.Integration && (e.StoreID == nil || *e.StoreID != other.ID) {
			t.Errorf("the program sees %s of %s", e.Action, e.ActorName)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_constraint WHERE conname = 'users_below_keys'`); n != 1 {
		t.Error("people's numbers and programs' may be alike")
	}
}
