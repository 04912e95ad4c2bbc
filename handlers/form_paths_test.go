package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

var parameter = regexp.MustCompile(`:\w+`)

// TestTheAddressOfAFormLeadsToItsPage: a browser keeps the address of a form that
// was refused, and reloading it must be no alarm and no act.
func TestTheAddressOfAFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, doubted := h.StateOf(models.Unknown)
	manager, supervisor, admin := h.manager(), h.supervisor(), h.as(h.user("Ada", models.Administrator))
	entries := h.count(`SELECT count(*) FROM audit_entries`)
	for _, tt := range []struct {
		who      *visitor
		path, to string
	}{
		{manager, fmt.Sprintf("/sales/%d/cancellation", sale.ID), fmt.Sprintf("/sales/%d", sale.ID)},
		{manager, fmt.Sprintf("/sales/%d/cancellation/", sale.ID), fmt.Sprintf("/sales/%d", sale.ID)},
		{supervisor, fmt.Sprintf("/cancellations/%d/resolution", doubted.ID), fmt.Sprintf("/cancellations/%d", doubted.ID)},
		{manager, fmt.Sprintf("/cancellations/%d", doubted.ID), fmt.Sprintf("/sales/%d", sale.ID)},
		{supervisor, "/sales/cancellations", "/sales"},
		{manager, "/logout", "/"},
		{manager, "/help/first/dismissal", "/help"},
		{supervisor, "/oversight/marks", "/oversight"},
		{admin, "/settings/alerts/test", "/settings/alerts"}, // not the alert "test"
		{admin, fmt.Sprintf("/terminals/%d/plan/withdrawal", h.Terminal.ID), fmt.Sprintf("/terminals/%d", h.Terminal.ID)},
		{admin, "/users/1/link", "/users/1"},
	} {
		tt.who.get(tt.path).wantTo(tt.to)
	}
	manager.get("/sales").want(200) // the way out was not taken
	if got := h.count(`SELECT count(*) FROM audit_entries`); got != entries {
		t.Errorf("the trail has %d entries, want the %d from before", got, entries)
	}

	// Every form's address leads somewhere that is a page, and asks who it is first.
	pages := map[string]bool{}
	for _, line := range handlers.Lines() {
		pages[line.Method+" "+line.Path] = true
	}
	for _, line := range handlers.Lines() {
		if line.Method == "POST" && line.Can != "machine" && line.Can != "anyone" && !pages["GET "+line.Path] {
			path := parameter.ReplaceAllString(line.Path, "1")
			h.visitor().get(path).wantTo("/login?next=" + url.QueryEscape(path))
		}
	}
	manager.get("/users/1/link").want(403)
	manager.get("/results/4111").want(405) // where terminals post is no page
}
