package views

import (
	"net/url"

	"veinte/models"
)

// ResultsView is a page of what terminals posted, newest first.
type ResultsView struct {
	Page
	Status models.ResultStatus // "" shows all
	Cursor string
	List   models.ResultPage
}

func resultsURL(status models.ResultStatus, cursor string) string {
	q := url.Values{}
	set(q, "status", string(status))
	set(q, "cursor", cursor)
	return address("/results", q)
}

// ResultStatuses are the statuses in the order the filter shows them: first
// those that want somebody to look.
var ResultStatuses = []models.ResultStatus{
	models.ResultUnmatched, models.ResultConflict, models.ResultPending,
	models.ResultApplied, models.ResultDuplicate, models.ResultIgnored,
}
