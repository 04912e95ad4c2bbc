package sales

import (
	"sync"
	"time"

	"veinte/models"
)

// How long the figures of a whole chain's day are shown again, and how old they may get
// while somebody reads them anew.
const (
	recentFor   = time.Second
	recentUntil = 5 * time.Second
	// chainStores is from how many stores on a day's figures are kept: below, reading them
	// costs less than keeping them.
	chainStores = 50
)

// recent keeps the last read figures of a whole chain's day for a moment: in the minutes
// before the cut-off everybody who oversees looks at them, and adding up 25,000 sales for
// each would take from the clicks.
type recent struct {
	mu   sync.Mutex
	kept map[recentKey]*recentFigures
}

type recentKey struct {
	day        models.Day
	byTerminal bool
}

type recentFigures struct {
	at      time.Time
	figures *DayFigures
	reading bool
}

// take returns the kept figures, or nil if the caller is to read them and to keep them.
func (r *recent) take(key recentKey, now time.Time) *DayFigures {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.kept[key]
	if k == nil || now.Before(k.at) || now.Sub(k.at) >= recentUntil {
		return nil
	}
	if k.reading || now.Sub(k.at) < recentFor {
		return k.figures
	}
	k.reading = true
	return nil
}

// keep keeps figures that were asked for at an instant, and forgets older ones.
func (r *recent) keep(key recentKey, asked time.Time, d *DayFigures) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, k := range r.kept {
		if asked.Sub(k.at) >= recentUntil {
			delete(r.kept, other)
		}
	}
	if k := r.kept[key]; k != nil && k.at.After(asked) {
		return
	}
	if r.kept == nil {
		r.kept = map[recentKey]*recentFigures{}
	}
	r.kept[key] = &recentFigures{at: asked, figures: d}
}
