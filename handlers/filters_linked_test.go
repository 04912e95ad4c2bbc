package handlers_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/models"
)

// notFilters are parameters that choose a page, a step or a form, and narrow nothing that
// the page that comes would show as chosen.
var notFilters = []string{"cursor", "before", "page", "mark", "next", "at", "from_page", "inbox"}

// TestLinksOfOverseersSelectTheirFilters walks through every link with a filter on the
// pages of those who oversee a furnished shop, and through those that come with them: what
// the link says is chosen on the page that it opens.
func TestLinksOfOverseersSelectTheirFilters(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	for _, state := range []models.State{models.Confirmed, models.Rejected, models.Unknown} {
		h.StateOf(state)
	}
	h.quickly(6)
	h.comparedReport(h.Sale(7000))
	h.CancelByHand(h.SaleAt(h.NewTerminal(h.Store), 7000))
	h.strayResult(h.Terminal.SerialNumber)
	h.sealAll()
	for who, v := range map[string]*visitor{"supervisor": h.supervisor(), "administrator": h.administrator()} {
		seen := map[string]bool{}
		for _, from := range []string{
			"/today", "/oversight", "/oversight/days", "/oversight/patterns", "/audit", "/reconciliations", "/closings", "/review",
		} {
			for _, to := range filtered(v.get(from).want(200).page) {
				if seen[to] {
					continue
				}
				seen[to] = true
				u, err := url.Parse(to)
				h.must(err)
				a := v.get(u.RequestURI())
				if a.status != 200 {
					t.Errorf("%s of the %s: %s = %d", from, who, to, a.status)
					continue
				}
				for name, values := range u.Query() {
					if !slices.Contains(notFilters, name) && values[0] != "" && !chosenOn(a.page, name, values[0]) {
						t.Errorf("%s of the %s: %s comes with %s=%s not chosen", from, who, to, name, values[0])
					}
				}
			}
		}
		t.Logf("%d links of the %s", len(seen), who)
		if len(seen) < 20 {
			t.Errorf("%d links of the %s have a filter, want those of a furnished shop: %v", len(seen), who, seen)
		}
	}
}

// notLists are addresses whose query names the one thing that they are about, and files.
var notLists = []string{"/results?id=", "/oversight/finding?", "/oversight.csv?", "/oversight/patterns.csv?", "/audit/exports?"}

// filtered are the links of a page that narrow another.
func filtered(p *page) (links []string) {
	for _, a := range p.all(func(n *html.Node) bool { return n.Data == "a" }) {
		to := attr(a, "href")
		named := slices.ContainsFunc(notLists, func(path string) bool { return strings.HasPrefix(to, path) })
		if strings.HasPrefix(to, "/") && strings.Contains(to, "?") && !named {
			links = append(links, to)
		}
	}
	return links
}

// chosenOn reports whether a page says that it is narrowed: in a field, or in a link that
// is the current one.
func chosenOn(p *page, name, value string) bool {
	return len(p.all(func(n *html.Node) bool {
		_, selected := lookUp(n, "selected")
		_, checked := lookUp(n, "checked")
		switch {
		case n.Data == "option" && selected:
			return attr(n, "value") == value && attr(n.Parent, "name") == name
		case n.Data == "input" && attr(n, "name") == name:
			kind := attr(n, "type")
			return attr(n, "value") == value && (checked || kind != "radio" && kind != "checkbox")
		case n.Data == "a" && attr(n, "aria-current") != "":
			u, err := url.Parse(attr(n, "href"))
			return err == nil && u.Query().Get(name) == value
		}
		return false
	})) > 0
}
