package views

import (
	"net/url"

	"veinte/models"
)

// StoresView is the list of stores.
type StoresView struct {
	Page
	Filter models.StoreFilter
	List   models.StorePage
}

// url is the address of the list with another cursor.
func (v *StoresView) url(cursor string) string {
	q := url.Values{}
	set(q, "q", v.Filter.Query)
	set(q, "cursor", cursor)
	return address("/stores", q)
}

// StoreFormView is the form of a store: a new one at GET /stores/new, a known
// one at GET /stores/:id.
type StoreFormView struct {
	Page
	ID   int64 // 0 for a new store
	Form StoreForm
}

// StoreForm is what was entered of a store.
type StoreForm struct {
	Code     string
	Name     string
	TimeZone string
	Version  int
	Errors   Errors
}

// action is where the form goes.
func (v *StoreFormView) action() string {
	if v.ID == 0 {
		return "/stores"
	}
	return "/stores/" + itoa(v.ID)
}

// zones are offered for a store: those of Mexico, most people first.
var zones = []string{
	"America/Mexico_City", "America/Cancun", "America/Merida", "America/Monterrey",
	"America/Chihuahua", "America/Mazatlan", "America/Hermosillo", "America/Bahia_Banderas",
	"America/Tijuana", "America/Ciudad_Juarez", "America/Ojinaga", "America/Matamoros",
}
