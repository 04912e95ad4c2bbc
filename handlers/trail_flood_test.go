package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
)

// TestNobodyFillsTheTrail: whoever is refused again and again, a stranger or a person,
// costs the first entry, and a count when the minute is over.
func TestNobodyFillsTheTrail(t *testing.T) {
	t.Parallel()
	const tries = 60
	for fact, tt := range map[string]struct {
		most int // entries within the minute
		do   func(h *house) func(n int)
	}{
		"a stranger at the gallery": {1, func(h *house) func(int) {
			v := h.visitor()
			return func(int) { v.get("/gallery").want(http.StatusNotFound) }
		}},
		"a stranger at addresses of nobody": {1, func(h *house) func(int) {
			v := h.visitor()
			return func(n int) { v.get(fmt.Sprintf("/gallery?page=%d", n)).want(http.StatusNotFound) }
		}},
		"a stranger who guesses the password of one account": {1, func(h *house) func(int) {
			h.signUp("nora@veinte.test", models.Manager)
			v := h.visitor()
			return func(n int) { v.guess("nora@veinte.test", n, "", "") }
		}},
		"a person without the permission": {1, func(h *house) func(int) {
			v := h.manager()
			return func(int) { v.get("/users").want(http.StatusForbidden) }
		}},
		"a person who counts through the numbers of sales": {1, func(h *house) func(int) {
			v := h.manager()
			return func(n int) { v.get(fmt.Sprintf("/sales/%d", 100000+n)).want(http.StatusNotFound) }
		}},
		"a person at addresses of nobody": {1, func(h *house) func(int) {
			v := h.supervisor()
			return func(n int) { v.get(fmt.Sprintf("/help/x%d", n)).want(http.StatusNotFound) }
		}},
		"a person who cancels a sale that cannot be": {2, func(h *house) func(int) {
			v := h.manager()
			sale, _ := h.StateOf(models.Confirmed)
			return func(n int) {
				v.post(fmt.Sprintf("/sales/%d/cancellation", sale.ID), url.Values{"reason": {"other"}, "note": {"x"}, "click": {fmt.Sprint(n)}})
			}
		}},
		"a person who states another day than the ticket's": {1, func(h *house) func(int) {
			v, sale := h.manager(), h.Sale(125000)
			return func(n int) {
				v.post(fmt.Sprintf("/sales/%d/cancellation", sale.ID), url.Values{
					"reason": {"customerRequest"}, "seen": {"1250.00"}, "click": {fmt.Sprint(n)}, "ticketDate": {"2026-11-19"},
				}).want(http.StatusConflict)
			}
		}},
		"posts about nothing with the right secret": {1, func(h *house) func(int) {
			v := h.visitor()
			return func(n int) {
				v.send("POST", "/results/"+secret, fmt.Sprintf(`{"transType":"V","terminalId":"99%08d","orderId":"o%d"}`, n, n),
					"Content-Type", "application/json").want(http.StatusOK)
			}
		}},
		"unreadable posts with the right secret": {1, func(h *house) func(int) {
			v := h.visitor()
			return func(n int) { v.send("POST", "/results/"+secret, fmt.Sprint("nothing ", n)).want(http.StatusOK) }
		}},
		"a person who undoes an import that is in use": {1, func(h *house) func(int) {
			v := h.administrator()
			imp := h.checkedImport("D")
			h.must(h.Imports.ConfirmImport(context.Background(), h.Admin, imp.ID, 2, false))
			h.must(h.Imports.RunImport(context.Background(), imp.ID))
			_, err := h.Cancellations.Request(context.Background(), h.Manager, cancellations.CancelRequest{
				SaleID: h.FindSale("D").ID, Reason: models.ReasonOther, Note: "x", Click: "d",
			})
			h.must(err)
			return func(int) {
				v.post(fmt.Sprintf("/imports/%d/undoing", imp.ID), url.Values{"version": {"4"}}).want(http.StatusConflict)
			}
		}},
		"a person whose export is refused": {1, func(h *house) func(int) {
			v := h.supervisor()
			return func(int) { v.get("/audit.csv?from=2020-01-01&to=2019-01-01") }
		}},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			do := tt.do(h)
			before := int64(h.lastEntry())
			for n := range tries {
				do(n)
			}
			if n := len(h.refusalsSince(before)); n == 0 || n > tt.most {
				t.Errorf("%d tries left %d entries, want 1 to %d: %.2000q", tries, n, tt.most, h.refusalsSince(before))
			}
			h.Clock.Advance(2 * time.Minute)
			h.must(h.Operations.Sweep(t.Context()))
			h.must(h.Operations.Sweep(t.Context()))
			if n := len(h.refusalsSince(before)); n > 2*tt.most {
				t.Errorf("%d tries left %d entries when the minute was over, want %d at most", tries, n, 2*tt.most)
			}
			told := h.count(`SELECT count(*) + coalesce(sum((after->>'more')::int), 0) FROM audit_entries WHERE id > $1
				AND outcome <> 'success' `, before)
			if after := h.count(`SELECT count(*) FROM audit_entries WHERE id > $1 AND after ? 'more'`, before); told-after != tries {
				t.Errorf("the trail tells of %d tries, want all %d", told-after, tries)
			}
		})
	}
}

// endMinute writes what was counted of refusals: the next one of a kind is the first again.
func (h *house) endMinute() {
	h.tb.Helper()
	h.must(h.Audit.FlushRefusals(context.Background(), true))
}

// refusalsSince lists the entries of what was refused, or was about nothing.
func (h *house) refusalsSince(id int64) []string {
	h.tb.Helper()
	rows, err := h.Owner.Query(`SELECT concat_ws(' ', actor_name, action, outcome, reason, after) FROM audit_entries
		WHERE id > $1 AND (outcome <> 'success') ORDER BY id`, id)
	h.must(err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		h.must(rows.Scan(&s))
		all = append(all, s)
	}
	h.must(rows.Err())
	return all
}
