package web

import (
	"veinte/models"
)

// happened counts what a transaction has stored, and has one line in the log for each move
// of a cancellation.
func (s *server) happened(event any) {
	s.watch.Event(event)
	if m, ok := event.(models.Moved); ok {
		c := &m.Cancellation
		s.log.Info("cancellation moved", "cancellation", c.ID, "sale", c.SaleID, "from", m.From, "to", c.State, "detail", c.Detail,
			"attempts", c.Attempts, "by", m.By.Role, "request", m.By.RequestID, "sinceClick", c.ChangedAt.Sub(c.RequestedAt))
	}
}
