package models_test

import (
	"errors"
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestNoCardNumberReachesTheTrail: whatever a person may write freely is refused,
// by its field, or told without the number.
func TestNoCardNumberReachesTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, doubtful := o.In(models.Unknown)
	a := alerts(t, o)
	setRule(t, o, a, models.AlertAmount, func(in *models.AlertRuleInput) { in.Amount = "1" })
	requests(1)(t, o)
	watch(t, o, a)
	alert := raised(t, o, a, models.AlertAmount)[0].ID
	finding := quickly(t, o, person(o, "Ana"), 3)
	shown := find(t, o, o.Supervisor, finding)
	ctx, db := t.Context(), o.DB
	for _, number := range []string{"4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005"} {
		words := "la tarjeta " + number + " es"
		query := models.AuditFilter{Query: words}
		for what, refused := range map[string]func() (field string, err error){
			"the note of an alert": func() (string, error) { return "note", a.Attend(ctx, o.Supervisor, alert, words) },
			"the note of a finding": func() (string, error) {
				return "note", models.NewOversight(o.Cases).Mark(ctx, o.Supervisor, asShown(finding, shown, words))
			},
			"the note of a review": func() (string, error) {
				return "note", o.Cases.MarkReviewed(ctx, o.Supervisor, models.ReviewDoubt, doubtful.ID, "", words)
			},
			"the note of a request": func() (string, error) {
				r := o.CancelRequest(o.Sale(1000))
				r.Note = words
				_, err := o.Cases.Request(ctx, o.Manager, r)
				return "note", err
			},
			"the evidence of a case": func() (string, error) {
				return "note", o.Cases.Settle(ctx, o.Supervisor, doubtful.ID, models.Settlement{Outcome: models.NotCanceled, Note: words})
			},
			"a query": func() (string, error) {
				_, err := o.Cases.Audit(ctx, o.Supervisor, query)
				return "q", err
			},
			"a reason that is looked for": func() (string, error) {
				_, err := o.Cases.Audit(ctx, o.Supervisor, models.AuditFilter{Reason: words})
				return "reason", err
			},
			"the filter of an export": func() (string, error) {
				_, err := o.Cases.StartExport(ctx, o.Supervisor, models.ExportRequest{Format: models.ExportCSV, Filter: query, Query: query.Encode()})
				return "q", err
			},
			"the filter of a print": func() (string, error) {
				_, err := o.Cases.PrintAudit(ctx, o.Supervisor, query, "")
				return "q", err
			},
			"the name of a view": func() (string, error) {
				_, err := db.SaveView(ctx, o.Supervisor, o.Clock.Now(), models.SavedViewInput{Name: words}, &models.AuditFilter{Attempt: 1})
				return "name", err
			},
			"the filter of a view": func() (string, error) {
				_, err := db.SaveView(ctx, o.Supervisor, o.Clock.Now(), models.SavedViewInput{Name: "Mía"}, &query)
				return "", err
			},
			"the address of a page": func() (string, error) {
				f, wrong := models.ParseAuditFilter(func(name string) string {
					return map[string]string{"q": words}[name]
				})
				if f.Query != "" || len(wrong) != 1 {
					return "", fmt.Errorf("filters by %q, wrong %v", f.Query, wrong)
				}
				return "q", wrong[0]
			},
		} {
			if field, err := refused(); !isError(err, models.Invalid(field, "field.cardNumber")) {
				t.Errorf("%s with %s = %v", what, number, err)
			}
		}
		// What strangers send is told, without the number.
		if _, _, err := db.Login(ctx, o.Clock.Now(), models.Actor{Address: "192.0.2.1"}, words, "x"); err == nil {
			t.Error("somebody signed in")
		}
		if err := errors.Join(db.Refused(ctx, o.Manager, o.Clock.Now(), "GET /sales/"+number), db.ActRefused(ctx, o.Manager, o.Clock.Now(), "POST /x/"+number, "y")); err != nil {
			t.Fatal(err)
		}
	}
	if found := scan[string](t, o.Owner, `SELECT coalesce(string_agg(convert_from(canonical, 'UTF8'), E'\n'), '') FROM audit_entries
		WHERE convert_from(canonical, 'UTF8') ~ '4111.?1111.?1111.?1111|5555.?5555.?5555.?4444|378282246310005'`); found != "" {
		t.Errorf("entries hold a card number:\n%s", found)
	}
	if n := count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE convert_from(canonical, 'UTF8') ~ '•(1111|4444|0005)'`); n == 0 {
		t.Error("nothing tells the last four digits of what was sent")
	}
}
