package exchange

import (
	"net/url"

	"veinte/models"
	"veinte/models/results"
	"veinte/views/ui"
)

// ResultsView is a page of what terminals posted, newest first.
type ResultsView struct {
	ui.Page
	Filter results.Filter
	List   results.Page
}

func ResultsURL(f results.Filter) string {
	q := url.Values{}
	if f.ID != 0 {
		q.Set("id", ui.Itoa(f.ID))
	}
	ui.Set(q, "status", string(f.Status))
	ui.Set(q, "serial", f.SerialNumber)
	ui.Set(q, "cursor", f.Cursor)
	return ui.Address("/results", q)
}

// with returns the address of the same list with another status, or of its next page.
func (v *ResultsView) with(status models.ResultStatus, cursor string) string {
	return ResultsURL(results.Filter{Status: status, SerialNumber: v.Filter.SerialNumber, Cursor: cursor})
}

// ResultStatuses are the statuses in the order the filter shows them: first
// those that want somebody to look.
var ResultStatuses = []models.ResultStatus{
	models.ResultUnmatched, models.ResultConflict, models.ResultPending,
	models.ResultApplied, models.ResultDuplicate, models.ResultIgnored,
}
