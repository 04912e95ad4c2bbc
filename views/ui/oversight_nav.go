package ui

import (
	"veinte/models"
)

// OversightPage is a page of oversight: what somebody looks at who wants to know
// whether all is well, in the order in which they are offered.
type OversightPage struct {
	Path, Title string            // Title is a catalogue key
	May         models.Permission // the one on the page's line in the route table
}

// OversightPages are the sub-navigation of oversight.
var OversightPages = []OversightPage{
	{"/oversight", "oversight.report", models.Oversee},
	{"/oversight/patterns", "oversight.patterns", models.Oversee},
	{"/oversight/days", "chart.days", models.Oversee},
	{"/closings", "closing.title", models.Oversee},
	{"/alerts", "alert.title", models.Oversee},
}

// Waits is how much of a page waits for somebody to look at it: what the item of
// the navigation adds up.
func (at OversightPage) Waits(p Page) int {
	switch at.Path {
	case "/oversight/patterns":
		return p.Unlooked
	case "/alerts":
		return p.Alerts
	}
	return 0
}

// OversightHere is the page of oversight that holds a path: of those that do, the
// one that says most.
func OversightHere(path string) string {
	here := ""
	if within(path, "/oversight/finding") {
		return "/oversight/patterns" // which leads there
	}
	for _, p := range OversightPages {
		if within(path, p.Path) && len(p.Path) > len(here) {
			here = p.Path
		}
	}
	return here
}
