package handlers_test

import (
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	settingsview "veinte/views/settings"
)

// TestSettingsLeadWhereOneMayEnter holds the index against the route table: a
// line that leads nowhere, or to where its reader may not enter, is a mistake.
func TestSettingsLeadWhereOneMayEnter(t *testing.T) {
	t.Parallel()
	index := newHouse(t).administrator().get("/settings").want(200)
	for _, p := range settingsview.SettingsPages {
		i := slices.IndexFunc(handlers.Lines(), func(l handlers.Line) bool { return l.Method == "GET" && l.Path == p.Path })
		if i < 0 {
			t.Errorf("/settings leads to %s, which is no route", p.Path)
			continue
		}
		if got := handlers.Lines()[i].Can; got != p.May {
			t.Errorf("/settings shows %s to those who may %s, the route asks for %s", p.Path, p.May, got)
		}
		if !strings.Contains(index.body, `href="`+p.Path+`"`) {
			t.Errorf("an administrator's /settings lacks %s", p.Path)
		}
	}
}
