package models

import "time"

// ViewList is a list whose filters can be saved.
type ViewList string

// The lists, as the trail and the database name them.
const (
	ViewsOfAudit ViewList = "audit"
	ViewsOfSales ViewList = "sales"
)

// May is the permission to read the list, and so to save its filters.
func (l ViewList) May() Permission {
	if l == ViewsOfSales {
		return ViewSales
	}
	return ReadAudit
}

// ViewFilter is a filter that can be saved: one of the trail or of the sales.
type ViewFilter interface {
	Encode() string // the query of a URL
	Attributes() map[string]any
	List() ViewList
	HoldsCard(now time.Time) bool
}

// PageSize is how many rows a page of a list holds.
const PageSize = 50
