package views

import (
	"strings"

	"veinte/models"
)

// navItem is a place of the product, shown to those who may enter it.
type navItem struct {
	path, key string
	may       models.Permission
}

var navigation = []navItem{
	{"/sales", "nav.sales", models.ViewSales},
	{"/review", "nav.review", models.ReviewCases},
	{"/audit", "nav.audit", models.ReadAudit},
	{"/results", "nav.results", models.ViewResults},
	{"/reconciliations", "nav.reconciliations", models.ReconcileSales},
	{"/terminals", "nav.terminals", models.ManageTerminals},
	{"/stores", "nav.stores", models.ManageStores},
	{"/users", "nav.users", models.ManageUsers},
	{"/settings", "nav.settings", models.ManageSettings},
}

// holds reports whether a path lies within the item's place.
func (n navItem) holds(path string) bool {
	rest, ok := strings.CutPrefix(path, n.path)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
}

func (f *Flash) icon() string {
	switch f.Kind {
	case FlashDone:
		return "check"
	case FlashProblem:
		return "triangle-alert"
	}
	return "info"
}
