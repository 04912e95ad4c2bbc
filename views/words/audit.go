package words

import (
	"veinte/models"
)

// Person is somebody to choose in a filter.
type Person struct {
	ID   int64
	Name string
}

// SharedState returns the state of a sale whose colour and icon the cancellation's
// state shares.
func SharedState(s models.State) string {
	if s == models.Withdrawn {
		return string(models.SaleExpired)
	}
	return string(s)
}
