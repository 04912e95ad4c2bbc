package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	manager, v := h.manager(), h.supervisor()
	sale := h.Sale(hereAmount)
	manager.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"c"}}).want(303)
	manager.get("/audit").want(403)
	h.Clock.Set(modelstest.At(t, "2026-11-21T00:00:00-06:00"))
	manager.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"d"}}).want(409)
	id := func(n int64) string { return fmt.Sprint(n) }
	const requested, refused, denied = "cancellation.requested", "cancellation.refused", "access.denied"
	for _, tt := range []struct {
		fact, query string
		has, lacks  []string
	}{
		{"everything", "", []string{requested, refused, denied, "store.created", "terminal.created"}, nil},
		{"a store", "store=" + id(h.Store.ID), []string{requested, refused}, []string{denied}},
		{"the other store", "store=" + id(h.there.ID), []string{requested}, []string{refused, denied}},
		{"a person", "person=" + id(manager.id), []string{requested, refused, denied}, []string{"store.created"}},
		{"a person of nowhere", "person=999999", nil, []string{requested, refused, denied, "store.created"}},
		{"an action", "action=" + denied, []string{denied}, []string{requested, refused}},
		{"an outcome", "outcome=denied", []string{denied}, []string{requested, refused}},
		{"another", "outcome=failure", []string{refused}, []string{requested, denied}},
		{"the first day", "from=2026-11-20&to=2026-11-20", []string{requested, denied}, []string{refused}},
		{"from the second day on", "from=2026-11-21", []string{refused}, []string{requested, denied}},
		{"up to the first", "to=2026-11-20", []string{requested}, []string{refused}},
		{"a sale", "sale=" + id(sale.ID), []string{requested, refused}, []string{denied}},
		{"an order number", "q=" + sale.OrderID, []string{requested, refused}, []string{denied}},
		{"a serial number", "q=" + string(h.terminal.SerialNumber), []string{requested, "terminal.created"}, []string{refused, denied}},
		{
			"all of it", "store=" + id(h.Store.ID) + "&person=" + id(manager.id) + "&action=" + refused + "&outcome=failure" +
				"&from=2026-11-21&to=2026-11-21",
			[]string{refused},
			[]string{requested, denied},
		},
	} {
		p := v.get("/audit?" + tt.query).want(200)
		actions := p.attrs("audit-entry", "data-action")
		for _, want := range tt.has {
			if !slices.Contains(actions, want) {
				t.Errorf("%s (%s) shows %v, want %s among them", tt.fact, tt.query, actions, want)
			}
		}
		for _, not := range tt.lacks {
			if slices.Contains(actions, not) {
				t.Errorf("%s (%s) shows %v, want no %s", tt.fact, tt.query, actions, not)
			}
		}
		if len(p.attrs("audit-entry", "data-outcome")) != len(actions) {
			t.Errorf("%s: not every entry has an outcome", tt.fact)
		}
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.read' AND actor_id = $1`, v.id); n != 15 {
		t.Errorf("reading 15 times left %d entries, want 15", n)
	}
}

// TestAuditPages turns the pages while the trail grows by being read.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 60 {
		h.Request(h.Sale(100))
	}
	v := h.supervisor()
	count, path := 0, "/audit?action=cancellation.requested"
	for path != "" && count < 500 {
		p := v.get(path).want(200)
		count += len(p.byTestID("audit-entry"))
		path = p.next()
	}
	if count != 60 {
		t.Errorf("the pages show %d entries, want 60", count)
	}
}

// TestAuditOfOwnStores: a user sees only the entries of their own stores.
func TestAuditOfOwnStores(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Request(h.Sale(hereAmount))
	p := h.as(h.user("Saul", models.Supervisor, h.there)).get("/audit").want(200)
	p.hides(h.Store.Name, "$4,312.98", h.Terminal.Label, string(h.Terminal.SerialNumber))
	p.says(theirName)
}

// TestResultsPage lists what terminals posted.
func TestResultsPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	h.Post(models.Post{
		Kind: models.ResultSale, SerialNumber: "0000000000", OrderID: "<i>nobody's</i>", ResponseCode: "00", Body: `{"a":"<script>"}`,
	})
	for _, tt := range []struct {
		who   *visitor
		query string
		want  string
	}{
		{h.supervisor(), "", "[unmatched applied applied]"},
		{h.supervisor2("B"), "status=unmatched", "[unmatched]"},
		{h.supervisor2("C"), "status=nonsense", "[unmatched applied applied]"},
		{h.as(h.user("Saul", models.Supervisor, h.there)), "", "[applied]"},
	} {
		p := tt.who.get("/results?" + tt.query).want(200)
		if got := fmt.Sprint(p.attrs("result", "data-status")); got != tt.want {
			t.Errorf("/results?%s shows %s, want %s", tt.query, got, tt.want)
		}
		p.hides("<i>nobody", "<script>\"")
	}
	if p := h.supervisor2("D").get("/results?cursor=nonsense").want(422); !strings.Contains(p.words(), "ya no existe") {
		t.Errorf("a cursor that is none: %s", p.words())
	}
}

// A filter that does not exist is named: shown as if there were none, it would
// pass for an answer.
func TestAuditFiltersThatThereAreNot(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor2("F")
	for _, query := range []string{"action=nonsense", "outcome=nonsense"} {
		if p := v.get("/audit?" + query).want(422); !strings.Contains(p.words(), "Elige un valor de la lista") {
			t.Errorf("/audit?%s does not say what is wrong: %s", query, p.words())
		}
	}
}

func (h *house) supervisor2(name string) *visitor { return h.as(h.user("S "+name, models.Supervisor)) }
