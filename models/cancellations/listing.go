package cancellations

import (
	"time"

	"veinte/models"
)

// SaleDetail is everything known about one sale.
type SaleDetail struct {
	Sale          models.Sale
	Store         models.Store
	Terminal      models.Terminal
	Cancellations []CancellationDetail // oldest first
	Results       []models.Result      // what terminals posted about it, oldest first
	Entries       []models.AuditEntry  // the sale's audit entries, oldest first
}

// Latest returns the sale's latest cancellation; nil when there is none.
func (s *SaleDetail) Latest() *CancellationDetail {
	if len(s.Cancellations) == 0 {
		return nil
	}
	return &s.Cancellations[len(s.Cancellations)-1]
}

// CancellationDetail is a cancellation with its attempts, oldest first.
type CancellationDetail struct {
	models.Cancellation
	AttemptList []models.Attempt
	// NextInquiry is when the next automatic inquiry about a doubt is due, Tries how
	// many were sent; zero when there is none.
	NextInquiry time.Time
	Tries       int
	Place       int // how many pushes are before it in its terminal's queue; 0 when it is next or not waiting
}
