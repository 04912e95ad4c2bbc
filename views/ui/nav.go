package ui

import (
	"strings"

	"veinte/models"
	"veinte/models/review"
)

// navItem is a place of the product, shown to those who may enter it.
type navItem struct {
	Path, key string
	may       models.Permission
}

var Navigation = []navItem{
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

// reachedFrom names the places that have no item of their own: the item that
// leads there.
var reachedFrom = map[string]string{
	"/endpoints": "/settings", "/deliveries": "/settings", "/imports": "/settings",
	"/closings": "/oversight", "/alerts": "/oversight",
}

// holds reports whether a path lies within the item's place.
func (n navItem) holds(path string) bool {
	for place, item := range reachedFrom {
		if item == n.Path && within(path, place) {
			return true
		}
	}
	return within(path, n.Path)
}

func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
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
