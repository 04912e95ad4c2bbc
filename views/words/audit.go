package words

import (
	"veinte/models"
)

// Person is somebody to choose in a filter.
type Person struct {
	ID   int64
	Name string
}

// CaseLook is the state whose colour and picture a case's state shares.
func CaseLook(s models.State) string {
	if s == models.Withdrawn {
		return string(models.SaleExpired)
	}
	return string(s)
}
