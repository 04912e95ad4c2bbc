package audit

import (
	"strings"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// A cursor of the trail names an entry: the page is of those before it in time,
// or behind it where the cursor begins with "-", which no other one does.

func (k key) cursor(newer bool) string {
	c := database.CursorOf(k.at, k.id)
	if newer {
		return "-" + c
	}
	return c
}

// within is the next key in the direction of reading. Reading on from it in the
// other direction finds the entry at k itself.
func (k key) within(newer bool) key {
	if newer {
		return key{at: k.at, id: k.id + 1}
	}
	return key{at: k.at, id: max(k.id-1, 0)}
}

func parseAuditCursor(cursor string) (k key, newer bool, err error) {
	if len(cursor) > 100 {
		return k, false, models.Invalid("cursor", "cursor.invalid")
	}
	rest, newer := strings.CutPrefix(cursor, "-")
	k.at, k.id, err = database.ParseCursor(rest)
	return k, newer, err
}

// ReadingLog remembers which lists people are paging through. A page is not recorded
// as an entry of its own: ten equal entries would hide what matters in the trail,
// and would shift the list while it is read. A new reading begins after a minute, or
// with another filter. The log is in memory: a second process writes one entry more.
type ReadingLog struct {
	mu   sync.Mutex
	last map[trailReading]time.Time
}

type trailReading struct {
	actor int64
	what  string // the filter of a list, or an entry
}

const (
	oneReading    = time.Minute
	maxRemembered = 10_000 // in memory
)

// Begins reports whether the reading of a page is to be recorded, and remembers it.
func (r *ReadingLog) Begins(actor models.Actor, what string, now time.Time) bool {
	key := trailReading{actor.UserID, what}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, known := r.last[key]; known && now.Sub(at) < oneReading && !now.Before(at) {
		return false
	}
	if r.last == nil || len(r.last) >= maxRemembered {
		r.last = map[trailReading]time.Time{}
	}
	r.last[key] = now
	return true
}
