package reconciliation_test

import (
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/review"
)

// Many differences of one report are one item, which says how many there are; few are items
// of their own.
func TestManyDifferencesAreOneItem(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var lines strings.Builder
	var sales []*models.Sale
	for range 6 {
		sale := d.Sale(1000)
		wrong := *sale
		wrong.Amount++
		sales = append(sales, sale)
		lines.WriteString(reportLine(&wrong, "Venta"))
	}
	doubt, _ := d.in(models.Unknown)
	reported := *doubt
	reported.Amount++
	d.closeDay()
	rec := d.reconcile(lines.String() + reportLine(&reported, "Venta")) // the doubt has its own item
	items := func(who models.Actor) []string {
		t.Helper()
		seen, page := modelstest.Inbox(t, d.Office, who, "")
		counts, err := d.Review.Counts(t.Context(), who)
		if err != nil || counts.All() != page.Count() || page.Count() != len(seen) {
			t.Errorf("Counts() = %v, %v of %d items", counts, err, len(seen))
		}
		return slices.DeleteFunc(seen, func(s string) bool { return strings.HasPrefix(s, "doubt:") })
	}
	if got := items(d.Supervisor); len(got) != 1 || got[0] != "report:6" {
		t.Errorf("the inbox holds %v, want one item of 6 differences", got)
	}
	found, err := d.Review.Review(t.Context(), d.Supervisor, review.Filter{Query: sales[3].OrderID})
	if err != nil || len(found.Items) != 1 || found.Items[0].Kind != review.ReviewDifference {
		t.Errorf("a search for one of the sales = %+v, %v; want its difference", found, err)
	}
	elsewhere := modelstest.Person(models.Supervisor, modelstest.Store(t, d.DB, d.Clock.Now(), "OTRA"))
	if got := items(elsewhere); len(got) != 0 {
		t.Errorf("the inbox of another store holds %v", got)
	}
	item := modelstest.Scan[int64](t, d.Owner, `SELECT id FROM report_items WHERE reconciliation_id = $1 AND sale_id = $2`,
		rec.ID, sales[0].ID)
	if _, err := d.Reconciliation.ReviewDifference(t.Context(), d.Supervisor, item, "visto"); err != nil {
		t.Fatal(err)
	}
	if got := items(d.Supervisor); len(got) != 5 || got[0] != "difference:amountDiffers" {
		t.Errorf("the inbox holds %v, want 5 differences", got)
	}
}

// TestAnOwnDifferenceNamesWhoCan: the inbox and the report offer no mark to who ended the
// doubt, and name only those who can.
func TestAnOwnDifferenceNamesWhoCan(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	person := func(address string) models.Actor {
		u := modelstest.User(t, d.DB, d.Clock.Now(), address, models.Supervisor)
		modelstest.Exec(t, d.Owner, `UPDATE users SET all_stores = true WHERE id = $1`, u.ID)
		return models.Actor{UserID: u.ID, Name: u.Name, Role: models.Supervisor, AllStores: true, Address: "192.0.2.1"}
	}
	first, second, third := person("uno@tiendas.example"), person("dos@tiendas.example"), person("tres@tiendas.example")
	sale, c := d.in(models.Unknown)
	charged := cancellations.Resolution{Outcome: models.NotCanceled, Note: "no salió comprobante"}
	if err := d.Cancellations.Resolve(t.Context(), first, c.ID, charged); err != nil {
		t.Fatal(err)
	}
	canceled := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "654321"}
	if err := d.Cancellations.Resolve(t.Context(), second, c.ID, canceled); err != nil {
		t.Fatal(err)
	}
	d.closeDay()
	wrong := *sale
	wrong.Amount++
	rec := d.reconcile(reportLine(&wrong, "Venta"))
	for who, own := range map[*models.Actor]bool{&first: true, &second: true, &third: false} {
		page, err := d.Review.Review(t.Context(), *who, review.Filter{Kind: review.ReviewDifference})
		if err != nil || len(page.Items) != 1 || page.Items[0].Own != own {
			t.Fatalf("Review() of %s = %+v, %v; want one item, own %t", who.Name, page, err, own)
		}
		others := page.Items[0].Others
		if own && (!slices.Contains(others, third.Name) || slices.Contains(others, first.Name) || slices.Contains(others, second.Name)) {
			t.Errorf("%s is told that %v can handle it, want %s and none who decided", who.Name, others, third.Name)
		}
		list, err := d.Reconciliation.ReportItems(t.Context(), *who, rec.ID, reconciliation.ItemFilter{})
		if err != nil || len(list.Items) != 1 || list.Items[0].Own != own {
			t.Errorf("ReportItems() of %s = %+v, %v; want own %t", who.Name, list, err, own)
		}
	}
}
