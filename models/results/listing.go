package results

import (
	"veinte/models"
)

// Filter narrows what terminals posted. Zero values do not filter.
type Filter struct {
	Status       models.ResultStatus
	SerialNumber string // exact, as posted: it need not be one
	Cursor       string
}

// Page is a page of posted results, newest first.
type Page struct {
	Results []models.Result
	Next    string
}
