package audit_test

import (
	"errors"
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
)

// TestOneRuleForRefusals: what the trail is owed by an error, of a person's page
// and of a program.
func TestOneRuleForRefusals(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	program := models.Actor{UserID: 7, Name: "Caja", Role: models.Integration, StoreIDs: []int64{o.Store.ID}, Address: "192.0.2.7"}
	stale, tooMany := error(models.ErrStale), error(models.ErrTooManyLogins)
	wrong, forged := error(models.Invalid("note", "field.tooLong")), &models.Error{Kind: models.KindForbidden, Code: "error.csrf"}
	named := &models.Refusal{Err: models.ErrNotFound, Line: "7 and 8"}
	const (
		nowhere = "act.refused failure error.notFound"
		old     = "act.refused failure error.csrf"
		foreign = "access.denied denied error.csrf"
		hidden  = "api.refused denied error.notFound"
	)
	for i, tt := range []struct {
		fact string
		who  models.Actor
		err  error
		// the outcome recorded in the trail: of a request that changes something,
		// and of one that only reads; "" for no entry
		act, read string
	}{
		{"no error", o.Manager, nil, "", ""},
		{"no refusal", o.Manager, errors.New("the disk is full"), "", ""},
		{"a denial", o.Manager, models.ErrForbidden, "access.denied denied POST /x", "access.denied denied GET /x"},
		{"out of reach", o.Manager, models.ErrNotFound, "access.denied denied POST /x", "access.denied denied GET /x"},
		{"nowhere", o.Supervisor, models.ErrNotFound, nowhere, nowhere},
		{"a mistyped address", o.Manager, &models.Refusal{Err: models.ErrNotFound, Mistake: true}, nowhere, nowhere},
		{"a rule", o.Manager, fmt.Errorf("do it: %w", stale), "act.refused failure error.stale", ""},
		{"too many", o.Manager, tooMany, "act.refused failure error.tooManyLogins", ""},
		{"a mistake in a form", o.Manager, wrong, "", ""},
		{"another site's form", o.Manager, forged, foreign, foreign},
		{"an old form", o.Manager, &models.Refusal{Err: forged, Mistake: true}, old, old},
		{"a stranger's form", models.Actor{Address: "192.0.2.8"}, &models.Refusal{Err: forged, Mistake: true}, foreign, ""}, // counted
		{"by another name", o.Manager, named, "access.denied denied 7 and 8", "access.denied denied 7 and 8"},
		{"recorded already", o.Manager, fmt.Errorf("do it: %w", models.Recorded(models.ErrForbidden)), "", ""},
		{"a program's denial", program, models.ErrForbidden, "api.refused denied error.forbidden", "api.refused denied error.forbidden"},
		{"nothing for a program", program, models.ErrNotFound, hidden, ""},
		{"another store's", program, &models.Refusal{Err: models.ErrNotFound, Hidden: true}, hidden, hidden},
		{"a rule for a program", program, stale, "api.refused denied error.stale", ""},
		{"a program's mistake", program, wrong, "api.refused failure api.invalid", ""},
		{"a program's haste", program, tooMany, "api.refused denied error.tooManyLogins", "api.refused denied error.tooManyLogins"},
	} {
		for method, want := range map[string]string{"POST": tt.act, "GET": tt.read} {
			if method == "GET" && tt.who.Role == "" {
				continue // a form is sent
			}
			who := tt.who
			who.RequestID = fmt.Sprintf("%s%d", method, i)
			who.Address = fmt.Sprintf("192.0.%d.%d", 3+len(method), i) // what is counted is counted by address
			r := audit.RefusedRequest{Line: method + " /x", Changes: method == "POST", Program: who.Role == models.Integration}
			if err := o.Audit.RecordRefusal(t.Context(), who, r, tt.err); err != nil {
				t.Fatalf("%s: RecordRefusal() = %v", tt.fact, err)
			}
			if err := o.Audit.FlushRefusals(t.Context(), true); err != nil { // the next one is the first again
				t.Fatal(err)
			}
			got := modelstest.Scan[string](t, o.Owner, `SELECT coalesce(string_agg(concat_ws(' ', action, outcome, reason), '; '), '')
				FROM audit_entries WHERE request_id = '`+who.RequestID+`'`)
			if got != want {
				t.Errorf("%s, %s: the trail says %q, want %q", tt.fact, method, got, want)
			}
		}
	}
}
