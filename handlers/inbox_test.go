package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
)

// furnishInbox makes a hundred each of doubts, contradictions, results and alerts, with
// names as long as shops have them.
func furnishInbox(h *house) (doubted *models.Sale) {
	h.tb.Helper()
	h.exec(`UPDATE stores SET name = 'Plaza Universidad Coyoacán, planta alta, local 114' WHERE id = $1`, h.Store.ID)
	h.exec(`UPDATE terminals SET label = 'Caja rápida junto a la entrada' WHERE id = $1`, h.Terminal.ID)
	doubted, doubt := h.StateOf(models.Unknown)
	byHand := h.SaleAt(h.NewTerminal(h.Store), 7000)
	h.CancelByHand(byHand)
	stray := h.strayResult(h.Terminal.SerialNumber)
	h.exec(`INSERT INTO sales OVERRIDING SYSTEM VALUE
		SELECT (jsonb_populate_record(s, jsonb_build_object('id', 1000 * s.id + i, 'order_id', '261120' || s.id || to_char(i, 'FM000')
			|| '00-' || s.serial_number, 'folio', 'F' || s.id || '-' || i, 'amount', 1000000 + i, 'last4', to_char(5000 + i, 'FM0000')))).*
		FROM sales s, generate_series(2, 100) i WHERE s.id IN ($1, $2)`, doubted.ID, byHand.ID)
	h.exec(`INSERT INTO cancellations OVERRIDING SYSTEM VALUE
		SELECT (jsonb_populate_record(c, jsonb_build_object('id', 1000 * c.sale_id + i, 'sale_id', 1000 * c.sale_id + i,
			'click', 'P' || c.sale_id || i, 'changed_at', c.changed_at + i * interval '1 second'))).*
		FROM cancellations c, generate_series(2, 100) i WHERE c.id = $1 OR c.conflict <> ''`, doubt.ID)
	h.exec(`INSERT INTO results OVERRIDING SYSTEM VALUE
		SELECT (jsonb_populate_record(r, jsonb_build_object('id', 9000 + i, 'order_id', '26112018' || to_char(i, 'FM0000') || '-0'))).*
		FROM results r, generate_series(2, 100) i WHERE r.id = $1`, stray)
	h.exec(`INSERT INTO alerts (kind, cause, subject, raised_at, quiet_until, last_at, store_id, store_name, facts)
		SELECT 'rate', 'rate' || i, 'store ' || i, $1, $1, $1, $2, 'x', '{}' FROM generate_series(1, 100) i`, h.Clock.Now(), h.Store.ID)
	h.Clock.Advance(20 * time.Minute)
	return doubted
}

// TestTheInboxIsSmall: four hundred items are pages of at most 30 kB, which hold each of
// them once.
func TestTheInboxIsSmall(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	furnishInbox(h)
	v, seen := h.supervisor(), map[string]bool{}
	longest, pages, nodes := 0, 0, 0
	for path := "/review"; path != ""; {
		p := v.get(path).want(200)
		if len(p.body) > 30_000 {
			t.Errorf("%s is %d bytes, want at most 30,000", path, len(p.body))
		}
		longest, pages, path = max(longest, len(p.body)), pages+1, ""
		nodes = max(nodes, len(p.all(func(n *html.Node) bool { return n.Type == html.ElementNode })))
		for _, id := range p.attrs("review-item", "id") {
			if seen[id] {
				t.Errorf("%s stands on two pages", id)
			}
			seen[id] = !strings.HasPrefix(id, "finding-") // findings come when they are found
		}
		for _, a := range p.all(func(n *html.Node) bool { return attr(n, "rel") == "next" }) {
			path = attr(a, "href")
		}
	}
	t.Logf("%d items on %d pages, at most %d bytes and %d elements", len(seen), pages, longest, nodes)
	for id, counts := range seen {
		if !counts {
			delete(seen, id)
		}
	}
	if len(seen) != 400 {
		t.Errorf("%d pages hold %d items, want 400", pages, len(seen))
	}
	if handled := v.get("/review?show=handled").want(200); len(handled.body) > 30_000 {
		t.Errorf("what was handled is %d bytes", len(handled.body))
	}
}

// TestTheInboxIsSearched: one field finds an item by what a slip, a store or a person says
// of it; kinds and marks keep the search; nothing found is said in words.
func TestTheInboxIsSearched(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doubted := furnishInbox(h)
	v, other := h.supervisor(), modelstest.Store(t, h.DB, h.Clock.Now(), "AJENA-9")
	found := func(query string) []string {
		t.Helper()
		return v.get("/review?"+query).want(200).attrs("review-item", "id")
	}
	fifth := fmt.Sprint(1000*doubted.ID + 50)
	for query, want := range map[string]string{
		"f" + fmt.Sprint(doubted.ID) + "-50":     "[doubt-" + fifth + "]", // a folio
		fmt.Sprintf("261120%d05000", doubted.ID): "[doubt-" + fifth + "]", // a part of an order number
		"26112018 0050":                          "[]",
		"261120180050":                           "[result-9050]",
		"Ninguna":                                "[]",
	} {
		if got := fmt.Sprint(found("q=" + url.QueryEscape(query))); got != want {
			t.Errorf("%q finds %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"5050", "10000.50", "$10,000.50"} { // of both sales
		if got := found("q=" + url.QueryEscape(query)); len(got) != 2 || got[0] != "doubt-"+fifth {
			t.Errorf("%q finds %v, want the doubt and the contradiction", query, got)
		}
	}
	kinds := func(query string) string {
		p := v.get("/review?" + query).want(200)
		return fmt.Sprint(slices.Compact(p.attrs("review-item", "data-kind")), len(p.byTestID("review-item")))
	}
	for query, want := range map[string]string{
		"q=coyoacan": "[doubt] 20", "q=plaza universidad coyoacán, planta alta, local 114&kind=alert": "[alert] 20",
		"q=" + h.Store.Code + "&kind=conflict": "[conflict] 20", "q=CAJA RÁPIDA junto a la entrada&kind=result": "[result] 20",
		"q=" + string(h.Terminal.SerialNumber) + "&kind=doubt": "[doubt] 20", "q=" + other.Code + "&kind=doubt": "[] 0",
	} {
		values, _ := url.ParseQuery(query)
		if got := kinds(values.Encode()); got != want {
			t.Errorf("%q finds %s, want %s", query, got, want)
		}
	}
	p := v.get("/review?q=5050&kind=conflict").want(200)
	p.holds(`value="5050"`, `href="/review?q=5050"`, `href="/review?kind=doubt&amp;q=5050"`, `name="kind" value="conflict"`)
	p.says("Datos que no coinciden (1)")
	item := p.attrs("review-item", "id")[0]
	why := p.attrs("review-item", "data-why")[0]
	p = v.get("/review?q=5050&kind=conflict&mark=" + item).want(200)
	form := p.formTo("/review/conflicts/" + item[len("conflict-"):])
	if form["q"] != "5050" || form["inbox"] != "conflict" {
		t.Errorf("the mark's form has %v, want the search and the kind", form)
	}
	v.follow(v.post("/review/conflicts/"+item[len("conflict-"):], url.Values{
		"note": {"vista"}, "inbox": {"conflict"}, "q": {"5050"}, "seen": {why},
	}).wantTo("/review?kind=conflict&q=5050")).says("Nada de lo que espera coincide con «5050»")
	v.get("/review?q=5050&kind=conflict").want(200).holds(`href="/sales?q=5050"`)
	v.get("/review?q=4111111111111111").want(422).says("número de tarjeta completo")
	v.get("/review?q=%25").want(200).says("Nada de lo que espera coincide con «%»")
}
