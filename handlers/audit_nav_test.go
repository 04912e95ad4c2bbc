package handlers_test

import (
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/views/ui"
)

// TestTheTrailLeadsWhereOneMayEnter holds its sub-navigation against the route
// table.
func TestTheTrailLeadsWhereOneMayEnter(t *testing.T) {
	t.Parallel()
	trail := newHouse(t).administrator().get("/audit").want(200)
	for _, p := range ui.AuditPages {
		i := slices.IndexFunc(handlers.Lines(), func(l handlers.Line) bool { return l.Method == "GET" && l.Path == p.Path })
		if i < 0 {
			t.Errorf("the trail leads to %s, which is no route", p.Path)
			continue
		}
		if got := handlers.Lines()[i].Can; got != p.May {
			t.Errorf("the trail shows %s to those who may %s, the route asks for %s", p.Path, p.May, got)
		}
		if !strings.Contains(trail.body, `href="`+p.Path+`"`) {
			t.Errorf("an administrator's trail lacks %s", p.Path)
		}
	}
}
