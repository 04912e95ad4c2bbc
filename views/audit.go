package views

import (
	"net/url"
	"strconv"

	"veinte/models"
)

// AuditView is a page of the trail, newest first.
type AuditView struct {
	Page
	Filter  models.AuditFilter
	Stores  []models.Store
	People  []Person        // for the filter
	Reasons []models.Reason // retired ones too: old entries name them
	List    models.AuditPage
	// Exports are the formats offered, each an ending of /audit: csv, jsonl, xlsx.
	Exports []string
	Errors  Errors // of the filter: from, to, cursor
}

// Person is somebody to choose in a filter.
type Person struct {
	ID   int64
	Name string
}

func (v *AuditView) url(path, cursor string) string {
	f := v.Filter
	q := url.Values{}
	setID(q, "store", f.StoreID)
	setID(q, "person", f.ActorID)
	set(q, "action", string(f.Action))
	set(q, "outcome", string(f.Outcome))
	set(q, "from", string(f.From))
	set(q, "to", string(f.To))
	set(q, "q", f.Query)
	setID(q, "sale", f.SaleID)
	set(q, "cursor", cursor)
	return address(path, q)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
