package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestStrangersDoNotFillTheTrail: whoever is not known can be refused as often as
// they like, and the trail has two entries by minute: the first, and how many
// more there were.
func TestStrangersDoNotFillTheTrail(t *testing.T) {
	t.Parallel()
	for fact, tt := range map[string]struct {
		reason, request string
		status          int
		do              func(*visitor, int) *answer
	}{
		"forged forms": {"error.csrf", "POST /login", http.StatusForbidden, func(v *visitor, _ int) *answer {
			return v.post("/login", url.Values{"csrf": {"forged"}})
		}},
		"links to set a password that nobody made": {"link.unknown", "GET /password/***", 404, func(v *visitor, n int) *answer {
			return v.get(fmt.Sprintf("/password/QJ3W6T5R4E3W2Q1AZSXDCFVG%d", n))
		}},
		"wrong secrets of the results endpoint": {"results.wrongSecret", "POST /results/***", 404, func(v *visitor, n int) *answer {
			return v.send("POST", fmt.Sprintf("/results/%s%d", secret, n), `{"orderId":"x"}`, "Content-Type", "application/json")
		}},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			v := h.visitor()
			entries := func() string {
				return h.text(`SELECT coalesce(string_agg(concat_ws(' ', actor_role, action, outcome, reason, host(nullif(address,
					'')::inet), after->>'request', after->>'more'), '; ' ORDER BY id), '')
					FROM audit_entries WHERE actor_role = 'anonymous'`)
			}
			for n := range 40 {
				tt.do(v, n).want(tt.status)
			}
			first := fmt.Sprintf("anonymous access.denied denied %s 0.0.0.0 %s", tt.reason, tt.request)
			if got := entries(); got != first {
				t.Errorf("forty refusals left %q, want %q", got, first)
			}
			h.Clock.Advance(2 * time.Minute)
			h.must(h.Operations.Sweep(t.Context()))
			h.must(h.Operations.Sweep(t.Context()))
			want := first + fmt.Sprintf("; anonymous access.denied denied %s 0.0.0.0 39", tt.reason)
			if got := entries(); got != want {
				t.Errorf("after their minute the trail says %q, want %q", got, want)
			}
			if n := h.count(
				`SELECT count(*) FROM audit_entries e WHERE e::text || convert_from(canonical, 'UTF8') LIKE '%' || $1 || '%'`, secret,
			); n != 0 {
				t.Errorf("%d entries hold what was tried for a secret", n)
			}
		})
	}
}

// TestResultsAreInTheTrail: what a terminal's post does is recorded, with the
// terminal.
func TestResultsAreInTheTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, c := h.StateOf(models.Accepted)
	h.Post(modelstest.CancelPost(sale, h.LastOrder().Key.Hash()))
	h.strayResult(h.Terminal.SerialNumber)
	for what, n := range map[string]int{
		"a result that confirms": h.count(
			`SELECT count(*) FROM audit_entries WHERE cancellation_id = $1 AND action = 'cancellation.moved' AND actor_role = 'terminal'`,
			c.ID,
		),
		"a result of a sale of nobody": h.count(
			`SELECT count(*) FROM audit_entries WHERE action = 'result.unmatched' AND actor_role = 'terminal'`,
		),
	} {
		if n != 1 {
			t.Errorf("%s left %d entries, want 1; the trail says %q", what, n, h.recordedSince(0))
		}
	}
}
