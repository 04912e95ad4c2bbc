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
	Entries       []models.AuditEntry  // the trail of the sale, oldest first
}

// Latest returns the sale's latest case; nil when there is none.
func (s *SaleDetail) Latest() *CancellationDetail {
	if len(s.Cancellations) == 0 {
		return nil
	}
	return &s.Cancellations[len(s.Cancellations)-1]
}

// CancellationDetail is a case with its attempts, oldest first.
type CancellationDetail struct {
	models.Cancellation
	AttemptList []models.Attempt
	// NextInquiry is when a doubt is verified by itself again, Tries how often it
	// has been; zero when that is over, or there is no such thing.
	NextInquiry time.Time
	Tries       int
	Place       int // how many pushes wait before it on its terminal; 0 when it is next or not waiting
}
