package ui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/review"
)

// Place is a page that a navigation leads to, or a group of such pages. Its title is a
// catalogue key.
type Place struct {
	Path, Title string            // no path: a group, which opens its first page
	May         models.Permission // the one on the page's line in the route table; none of a group
	Icon        string            // on the bar of a phone
	Pages       []Place           // of a group
	Also        []string          // paths without a link of their own that belong to it
}

// Navigation leads to the parts of the product.
var Navigation = []Place{
	{Path: "/today", Title: "nav.today", May: models.Oversee, Icon: "layout-dashboard"},
	{Path: "/sales", Title: "nav.sales", May: models.ViewSales, Icon: "receipt-text"},
	{Path: "/review", Title: "nav.review", May: models.ReviewCancellations, Icon: "inbox", Also: []string{"/alerts"}},
	{Title: "nav.places", Icon: "store", Pages: []Place{
		{Path: "/stores", Title: "nav.stores", May: models.ManageStores},
		{Path: "/terminals", Title: "nav.terminals", May: models.ManageTerminals},
		{Path: "/users", Title: "nav.users", May: models.ManageUsers},
	}},
	{Title: "nav.control", Icon: "shield-check", Pages: []Place{
		{Path: "/oversight", Title: "nav.oversight", May: models.Oversee},
		{Path: "/oversight/patterns", Title: "nav.patterns", May: models.Oversee, Also: []string{"/oversight/finding"}},
		{Path: "/audit", Title: "nav.audit", May: models.ReadAudit, Also: []string{"/results"}},
		{Path: "/reconciliations", Title: "nav.reconciliations", May: models.ReconcileSales},
		{Path: "/closings", Title: "nav.closings", May: models.Oversee},
	}},
	{
		Path: "/settings", Title: "nav.settings", May: models.ManageSettings, Icon: "settings",
		Also: []string{"/endpoints", "/deliveries", "/imports"},
	},
}

// AuditPages are what else there is about the trail, in its page's own menu. Exports are
// reached with what is filtered.
var AuditPages = []Place{
	{Path: "/audit/views", Title: "auditNav.views", May: models.ReadAudit},
	{Path: "/audit/verification", Title: "auditNav.verification", May: models.ReadAudit},
	{Path: "/results", Title: "auditNav.results", May: models.ViewResults},
}

// PlacesFor are those of the places that somebody may enter, each group with the pages
// that they may enter.
func PlacesFor(actor models.Actor, places []Place) (open []Place) {
	for _, at := range places {
		if at.Pages != nil {
			if at.Pages = PlacesFor(actor, at.Pages); len(at.Pages) > 0 {
				at.Path = at.Pages[0].Path
				open = append(open, at)
			}
		} else if actor.May(at.May) {
			open = append(open, at)
		}
	}
	return open
}

// holds reports whether a path lies within the place.
func (at Place) holds(path string) bool {
	if at.Pages != nil {
		return slices.ContainsFunc(at.Pages, func(page Place) bool { return page.holds(path) })
	}
	return at.depth(path) > 0
}

// depth is how much of a path the place explains; 0: it lies elsewhere.
func (at Place) depth(path string) (most int) {
	for _, own := range append([]string{at.Path}, at.Also...) {
		if within(path, own) {
			most = max(most, len(own))
		}
	}
	return most
}

func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

// pageOf is the page to which a path belongs: of several the one that explains most of it.
func pageOf(places []Place, path string) (nearest *Place) {
	most := 0
	for i := range places {
		at := &places[i]
		if at.Pages != nil {
			if at = pageOf(at.Pages, path); at == nil {
				continue
			}
		}
		if depth := at.depth(path); depth > most {
			nearest, most = at, depth
		}
	}
	return nearest
}

// group are the pages beside the one that is shown; none where it stands alone.
func (p Page) group() *Place {
	for _, at := range PlacesFor(p.Actor, Navigation) {
		if len(at.Pages) > 1 && at.holds(p.Path) {
			return &at
		}
	}
	return nil
}

// current says how a place is the current one: it is the page itself, or holds it.
func current(at Place, path string) string {
	if path, _, _ = strings.Cut(path, "?"); path == at.Path && at.Pages == nil {
		return "page"
	}
	return "true"
}

// initials are what a phone shows of a name, whose menu they open.
func initials(name string) string {
	var first []rune
	for _, word := range strings.Fields(name) {
		if r := []rune(word)[0]; unicode.IsLetter(r) && len(first) < 2 {
			first = append(first, unicode.ToUpper(r))
		}
	}
	return string(first)
}

// popover makes a menu of a part of the page, on a phone.
func popover(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"popover": ""}
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
