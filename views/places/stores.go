package places

import (
	"net/url"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/terminals"
	"veinte/views/ui"
)

// StoresView is the list of stores.
type StoresView struct {
	ui.Page
	Filter terminals.StoreFilter
	List   terminals.StorePage
}

// url is the address of the list with another cursor.
func (v *StoresView) url(cursor string) string {
	q := url.Values{}
	ui.Set(q, "q", v.Filter.Query)
	ui.Set(q, "cursor", cursor)
	return ui.Address("/stores", q)
}

// StoreView is a store as a place: its clock, its day, its terminals and its people.
type StoreView struct {
	ui.Page
	Store     models.Store
	Day       models.Sums
	Terminals terminals.Page
	People    accounts.PeoplePage
}

// StoreFormView is the form of a store: a new one at GET /stores/new, a known
// one at GET /stores/:id/edit.
type StoreFormView struct {
	ui.Page
	ID   int64 // 0 for a new store
	Form StoreForm
}

// StoreForm is what was entered of a store.
type StoreForm struct {
	Code     string
	Name     string
	TimeZone string
	Version  int
	// Traceability is the template of the merchant's own object; Bare sends none.
	Traceability string
	Bare         bool
	Errors       ui.Errors
}
