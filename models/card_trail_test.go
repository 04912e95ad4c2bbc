package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/review"
	"veinte/models/savedviews"
	"veinte/models/wiring"
)

// TestNoCardNumberReachesTheTrail: free text with a card number is refused, by its
// field, or recorded with the number masked.
func TestNoCardNumberReachesTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, doubtful := o.StateOf(models.Unknown)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount = "1" })
	modelstest.Requests(1)(t, o)
	modelstest.Watch(t, o, a)
	alert := modelstest.Raised(t, o, a, alerts.KindAmount)[0].ID
	finding := modelstest.Quickly(t, o, modelstest.FindingOfPerson(o, "Ana"), 3)
	shown := modelstest.FindFindings(t, o, o.Supervisor, finding)
	ctx, db := t.Context(), o.DB
	for _, number := range []string{"4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005"} {
		words := "la tarjeta " + number + " es"
		query := audit.Filter{Query: words}
		for what, refused := range map[string]func() (field string, err error){
			"the note of an alert": func() (string, error) { return "note", a.Attend(ctx, o.Supervisor, alert, words) },
			"the note of a finding": func() (string, error) {
				return "note", o.Oversight.Mark(ctx, o.Supervisor, modelstest.AsShown(finding, shown, words))
			},
			"the note of a review": func() (string, error) {
				return "note", o.Review.MarkReviewed(ctx, o.Supervisor, review.ReviewDoubt, doubtful.ID, "", words)
			},
			"the note of a request": func() (string, error) {
				r := o.CancelRequest(o.Sale(1000))
				r.Note = words
				_, err := o.Cancellations.Request(ctx, o.Manager, r)
				return "note", err
			},
			"the evidence of a case": func() (string, error) {
				resolution := cancellations.Resolution{Outcome: models.NotCanceled, Note: words}
				return "note", o.Cancellations.Resolve(ctx, o.Supervisor, doubtful.ID, resolution)
			},
			"a query": func() (string, error) {
				_, err := o.Audit.Audit(ctx, o.Supervisor, query)
				return "q", err
			},
			"a reason that is looked for": func() (string, error) {
				_, err := o.Audit.Audit(ctx, o.Supervisor, audit.Filter{Reason: words})
				return "reason", err
			},
			"the filter of an export": func() (string, error) {
				_, err := o.Export.StartExport(ctx, o.Supervisor, export.Request{Format: export.CSV, Filter: query, Query: query.Encode()})
				return "q", err
			},
			"the filter of a print": func() (string, error) {
				_, err := o.Export.PrintAudit(ctx, o.Supervisor, query, "")
				return "q", err
			},
			"the name of a view": func() (string, error) {
				_, err := wiring.Over(db).SavedViews.SaveView(ctx, o.Supervisor, savedviews.Input{Name: words}, &audit.Filter{Attempt: 1})
				return "name", err
			},
			"the filter of a view": func() (string, error) {
				_, err := wiring.Over(db).SavedViews.SaveView(ctx, o.Supervisor, savedviews.Input{Name: "Mía"}, &query)
				return "", err
			},
			"the address of a page": func() (string, error) {
				f, wrong := audit.ParseFilter(func(name string) string {
					return map[string]string{"q": words}[name]
				}, o.Clock.Now())
				if f.Query != "" || len(wrong) != 1 {
					return "", fmt.Errorf("filters by %q, wrong %v", f.Query, wrong)
				}
				return "q", wrong[0]
			},
		} {
			if field, err := refused(); !modelstest.IsError(err, models.Invalid(field, "field.cardNumber")) {
				t.Errorf("%s with %s = %v", what, number, err)
			}
		}
		// Text from outside is recorded with the number masked.
		for _, typed := range []string{words, strings.ReplaceAll(number, " ", "-") + "@tienda.mx"} {
			if _, _, err := wiring.Over(db).Entrance.Login(ctx, models.Actor{Address: "192.0.2.1"}, typed, "x"); err == nil {
				t.Error("somebody signed in")
			}
		}
		trail := wiring.Over(db).Audit
		read, acted := trail.Refused(ctx, o.Manager, "GET /sales/"+number), trail.ActRefused(ctx, o.Manager, "POST /x/"+number, "y")
		if err := errors.Join(read, acted); err != nil {
			t.Fatal(err)
		}
	}
	if found := modelstest.Scan[string](t, o.Owner, `SELECT coalesce(string_agg(convert_from(canonical, 'UTF8'), E'\n'), '')
		FROM audit_entries
		WHERE convert_from(canonical, 'UTF8') ~ '4111.?1111.?1111.?1111|5555.?5555.?5555.?4444|378282246310005'`); found != "" {
		t.Errorf("entries hold a card number:\n%s", found)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE convert_from(canonical, 'UTF8') ~ '•(1111|4444|0005)'`); n == 0 {
		t.Error("nothing tells the last four digits of what was sent")
	}
}
