package rules

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
)

// Pause is an administrator's order to send no cancellation for now. Requests that
// wait stay in the queue; running attempts are finished.
type Pause struct {
	ID       int64
	Reason   string // in the administrator's words, shown to everyone
	PausedAt time.Time
	PausedBy string
	EndedAt  *time.Time // nil while it lasts
	EndedBy  string
}

// OpenPause returns the current pause, or nil when there is none.
func OpenPause(g *gorm.DB) (*Pause, error) {
	var p Pause
	err := database.TakeRow(g.Where("ended_at IS NULL"), &p)
	switch {
	case err == models.ErrNotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for a pause: %w", err)
	}
	return &p, nil
}
