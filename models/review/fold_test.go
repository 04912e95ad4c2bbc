package review_test

import (
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// TestTheSameThingIsOneItem: alerts about a sale are folded into its doubt or contradiction,
// are handled with the contradiction, and come back when the doubt is resolved; what only
// repeats an item is never one.
func TestTheSameThingIsOneItem(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, doubt := o.StateOf(models.Unknown)
	other := o.SaleAt(o.NewTerminal(o.Store), 7000)
	o.CancelByHand(other)
	raise := func(kind alerts.Kind, sale int64) {
		t.Helper()
		modelstest.Exec(t, o.Owner, `INSERT INTO alerts (kind, cause, subject, raised_at, quiet_until, last_at, store_id,
				store_name, sale_id, facts)
			VALUES ($1, $1::text || $2::bigint, 'sale ' || $2::bigint, $3, $3, $3, $4, 'Sucursal', $2, '{}')`,
			string(kind), sale, o.Clock.Now(), o.Store.ID)
	}
	for _, kind := range []alerts.Kind{alerts.KindAmount, alerts.KindLate, alerts.AlertDoubt} {
		raise(kind, doubt.SaleID)
	}
	raise(alerts.KindAmount, other.ID)
	raise(alerts.KindConflict, other.ID)
	want := func(what string, items ...string) *review.Page {
		t.Helper()
		seen, page := modelstest.Inbox(t, o, o.Supervisor, "")
		if !slices.Equal(seen, items) || page.Count() != len(items) {
			t.Fatalf("%s: inbox = %v, %d counted; want %v", what, seen, page.Count(), items)
		}
		return page
	}
	page := want("at first", "doubt:timeout", "conflict:withoutCase")
	if got := page.Items[0].Also; !slices.Equal(got, []alerts.Kind{alerts.KindAmount, alerts.KindLate, alerts.AlertDoubt}) {
		t.Errorf("the doubt names %v", got)
	}
	if got := page.Items[1].Also; !slices.Equal(got, []alerts.Kind{alerts.KindAmount}) {
		t.Errorf("the contradiction names %v", got)
	}
	echo := modelstest.Raised(t, o, o.Alerts, alerts.AlertDoubt)[0].ID
	err := o.Alerts.Attend(t.Context(), o.Supervisor, echo, "")
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "alert.echo"}) {
		t.Errorf("Attend() to an echo = %v", err)
	}
	err = o.Review.MarkReviewed(t.Context(), o.Supervisor, review.ReviewConflict, page.Items[1].ID, "withoutCase", "visto")
	if err != nil {
		t.Fatal(err)
	}
	want("after the mark", "doubt:timeout")
	const noted = `SELECT count(*) FROM alerts WHERE sale_id = $1 AND note = 'visto' AND seen_at IS NOT NULL`
	if n := modelstest.Count(t, o.Owner, noted, other.ID); n != 2 {
		t.Errorf("%d alerts were handled with the contradiction, want 2", n)
	}
	modelstest.Exec(t, o.Owner, `UPDATE alerts SET seen_at = raised_at WHERE kind = 'late'`)
	sale := o.SaleDetail(doubt.SaleID).Sale
	o.Post(modelstest.CancelPost(&sale, modelstest.CurrentKey(o, doubt)))
	want("once the doubt is resolved", "alert:amount")
}
