package results

import (
	"veinte/models"
)

// Filter filters what terminals posted. Zero values do not filter.
type Filter struct {
	Status       models.ResultStatus
	SerialNumber string // exact, as posted: it may be no serial number at all
	Cursor       string
}

// Page is a page of posted results, newest first.
type Page struct {
	Results []models.Result
	Next    string
}
