package ui

import (
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/review"
)

// Place is a page that a navigation leads to. Its title is a catalogue key.
type Place struct {
	Path, Title string
	May         models.Permission // the one on the page's line in the route table
}

// Navigation leads to the parts of the product.
var Navigation = []Place{
	{"/sales", "nav.sales", models.ViewSales},
	{"/review", "nav.review", models.ReviewCancellations},
	{"/oversight", "nav.oversight", models.Oversee},
	{"/audit", "nav.audit", models.ReadAudit},
	{"/results", "nav.results", models.ViewResults},
	{"/reconciliations", "nav.reconciliations", models.ReconcileSales},
	{"/terminals", "nav.terminals", models.ManageTerminals},
	{"/stores", "nav.stores", models.ManageStores},
	{"/users", "nav.users", models.ManageUsers},
	{"/settings", "nav.settings", models.ManageSettings},
}

// AuditPages are the sub-navigation of the trail.
var AuditPages = []Place{
	{"/audit", "auditNav.trail", models.ReadAudit},
	{"/audit/views", "auditNav.views", models.ReadAudit},
	{"/audit/exports", "auditNav.exports", models.ReadAudit},
	{"/audit/verification", "auditNav.verification", models.ReadAudit},
}

// OversightPages are the sub-navigation of oversight.
var OversightPages = []Place{
	{"/oversight", "oversight.report", models.Oversee},
	{"/oversight/patterns", "oversight.patterns", models.Oversee},
	{"/oversight/days", "chart.days", models.Oversee},
	{"/closings", "closing.title", models.Oversee},
	{"/alerts", "alert.title", models.Oversee},
}

// PlacesFor are those of the places that somebody may enter.
func PlacesFor(actor models.Actor, places []Place) []Place {
	return slices.DeleteFunc(slices.Clone(places), func(at Place) bool { return !actor.May(at.May) })
}

// reachedFrom names the places that have no item of their own: the item that
// leads there.
var reachedFrom = map[string]string{
	"/endpoints": "/settings", "/deliveries": "/settings", "/imports": "/settings",
	"/closings": "/oversight", "/alerts": "/oversight",
}

// holds reports whether a path lies within the place.
func (at Place) holds(path string) bool {
	for place, item := range reachedFrom {
		if item == at.Path && within(path, place) {
			return true
		}
	}
	return within(path, at.Path)
}

func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// listOf is the page of oversight with the list on which a path would be: closings
// are not on its first page.
func listOf(path string) *Place {
	if within(path, "/oversight/finding") {
		path = "/oversight/patterns"
	}
	var nearest *Place
	for i := range OversightPages {
		if at := &OversightPages[i]; within(path, at.Path) && (nearest == nil || len(at.Path) > len(nearest.Path)) {
			nearest = at
		}
	}
	return nearest
}

// Waits is how much of a page of oversight waits for somebody to look at it: what
// the item of the navigation adds up.
func (at Place) Waits(p Page) int {
	switch at.Path {
	case "/oversight/patterns":
		return p.Unreviewed
	case "/alerts":
		return p.Alerts
	}
	return 0
}

func (k FlashKind) icon() string {
	switch k {
	case FlashDone:
		return "check"
	case FlashProblem:
		return "triangle-alert"
	}
	return "info"
}

// Waiting writes how many things wait; they are not counted to the end.
func Waiting(n int) string {
	if n >= review.MaxReviewed {
		return "99+"
	}
	return Number(int64(n))
}
