package handlers_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

// TestForeignIsMissing asks every route of a store's things for one of another
// store and for one that does not exist: nobody can tell the answers apart.
func TestForeignIsMissing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`SELECT setval(pg_get_serial_sequence('sales', 'id'), 100), setval(pg_get_serial_sequence('cancellations', 'id'), 100)`)
	h.withNeighbours()
	on := h.targets()
	missing := *on
	nothing := models.Cancellation{ID: 900} // of as many digits as the others
	missing.sale, missing.toCancel = &models.Sale{ID: nothing.ID}, &models.Sale{ID: nothing.ID}
	missing.together1, missing.together2 = &models.Sale{ID: nothing.ID}, &models.Sale{ID: nothing.ID + 1}
	missing.requested, missing.doubted, missing.unresolved = &nothing, &nothing, &nothing
	v := h.as(h.user("Saul", models.Supervisor, h.there))
	for _, line := range handlers.Lines() {
		e := expectations[line.Method+" "+line.Path]
		if !e.scoped {
			continue
		}
		for _, headers := range [][]string{nil, {"HX-Request", "true"}, {"Accept-Language", "en"}} {
			foreign, none := v.again(line.Method, e, on, headers), v.again(line.Method, e, &missing, headers)
			if foreign != none {
				// A number in the navigation may have arrived between the two.
				foreign, none = v.again(line.Method, e, on, headers), v.again(line.Method, e, &missing, headers)
			}
			if foreign != none {
				t.Errorf("%s %v tells a foreign thing from a missing one: %s", line.Path, headers, difference(foreign, none))
			}
			if !strings.HasPrefix(foreign, "404") {
				t.Errorf("%s %v of another store = %s, want 404", line.Path, headers, foreign[:3])
			}
		}
	}
}

// difference shows where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(i-40, 0)
	return fmt.Sprintf("…%s\nand\n…%s", a[from:min(i+80, len(a))], b[from:min(i+80, len(b))])
}

// navigationCount is the number of findings, which is counted in the background:
// the refusals of this very test become one, between any two answers.
var navigationCount = regexp.MustCompile(
	`<span class="badge" data-testid="oversight-count">\d+\+?\s*<span class="unseen">[^<]*</span></span>`,
)

// formTokenField is the token of a form, which is masked anew in each answer.
var formTokenField = regexp.MustCompile(`name="csrf" value="[^"]*"`)

// again asks, and writes the whole answer down with the path taken out: the page
// before its headers, so that a difference shows what it is made of.
func (v *visitor) again(method string, e expectation, on *targets, headers []string) string {
	v.h.tb.Helper()
	path := e.path(on)
	var a *answer
	if method == "GET" {
		a = v.get(path, headers...)
	} else {
		chosen := fmt.Sprintf("%d:%d", on.together1.ID, hereAmount)
		a = v.post(
			path,
			url.Values{
				"sale": {chosen}, "reason": {"chargedTwice"}, "click": {"c"}, "outcome": {"canceled"}, "note": {"lo vi en el ticket"},
			},
			headers...,
		)
	}
	a.header.Del("Date")
	a.header.Del("X-Request-Id")
	a.header.Del("Content-Length") // of the body, which is compared
	body := formTokenField.ReplaceAllString(navigationCount.ReplaceAllString(a.body, ""), "")
	return strings.NewReplacer(path, "PATH", html.EscapeString(path), "PATH").Replace(fmt.Sprintln(a.status, body, a.header))
}

// TestListsOfForeignStores narrows lists to what is not one's own.
func TestListsOfForeignStores(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	manager, supervisor := h.as(h.user("Mario", models.Manager, h.there)), h.as(h.user("Saul", models.Supervisor, h.there))
	for _, tt := range []struct {
		who    *visitor
		path   string
		status int
	}{
		{manager, fmt.Sprintf("/sales?store=%d", h.Store.ID), 404},
		{manager, fmt.Sprintf("/sales?fragment=list&store=%d", h.Store.ID), 404},
		{manager, fmt.Sprintf("/sales?terminal=%d", h.Terminal.ID), 200},
		{manager, fmt.Sprintf("/sales?terminal=%d&fragment=list", h.Terminal.ID), 200},
		{manager, "/sales?q=V-", 200},
		{manager, "/sales?q=4312.98", 200},
		{supervisor, fmt.Sprintf("/audit?store=%d", h.Store.ID), 404},
		{supervisor, "/audit?sale=2", 200},
		{supervisor, "/results?status=applied", 200},
	} {
		a := tt.who.get(tt.path).want(tt.status)
		if found := a.words(); strings.Contains(found, "$4,312.98") {
			t.Errorf("%s shows a sale of another store: %s", tt.path, found)
		}
		a.hides(string(h.Terminal.SerialNumber), h.Terminal.Label, h.Store.Name)
	}
}

// TestScopeFollowsTheTerminal moves a terminal away: what it sold stays with the
// store where it was sold.
func TestScopeFollowsTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	sale := h.Sale(hereAmount)
	before, after := h.manager(), h.as(h.user("Mario", models.Manager, h.there))
	h.administrator().post(fmt.Sprintf("/terminals/%d/moves", h.Terminal.ID), url.Values{
		"version": {"1"}, "store": {fmt.Sprint(h.there.ID)}, "merchantId": {"M9"},
	}).want(http.StatusSeeOther)
	path := fmt.Sprintf("/sales/%d", sale.ID)
	before.get(path).want(200).says(sale.OrderID)
	after.get(path).want(404)
	if got := after.get("/sales").attrs("sale", "data-order-id"); len(got) != 1 {
		t.Errorf("the new store lists %v, want only its own sale", got)
	}
}

// TestScopeCountsAtOnce changes what a person may see while they are signed in.
func TestScopeCountsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	sale := h.Sale(hereAmount)
	v := h.manager()
	path := fmt.Sprintf("/sales/%d", sale.ID)
	v.get(path).want(200)
	h.exec(`UPDATE user_stores SET store_id = $1 WHERE user_id = $2`, h.there.ID, v.id)
	v.get(path).want(404)
	h.exec(`UPDATE users SET role = 'administrator', all_stores = true WHERE id = $1`, v.id)
	v.get(path).want(200)
	v.get(path + "/cancellation/new").want(403)
	h.exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, v.id)
	v.get(path).want(http.StatusSeeOther)
}
