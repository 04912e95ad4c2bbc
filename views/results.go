package views

import (
	"net/url"

	"veinte/models"
)

// ResultsView is a page of what terminals posted, newest first.
type ResultsView struct {
	Page
	Filter models.ResultFilter
	List   models.ResultPage
}

func resultsURL(f models.ResultFilter) string {
	q := url.Values{}
	set(q, "status", string(f.Status))
	set(q, "serial", f.SerialNumber)
	set(q, "cursor", f.Cursor)
	return address("/results", q)
}

// with returns the address of the same list with another status, or of its next page.
func (v *ResultsView) with(status models.ResultStatus, cursor string) string {
	return resultsURL(models.ResultFilter{Status: status, SerialNumber: v.Filter.SerialNumber, Cursor: cursor})
}

// ResultStatuses are the statuses in the order the filter shows them: first
// those that want somebody to look.
var ResultStatuses = []models.ResultStatus{
	models.ResultUnmatched, models.ResultConflict, models.ResultPending,
	models.ResultApplied, models.ResultDuplicate, models.ResultIgnored,
}
