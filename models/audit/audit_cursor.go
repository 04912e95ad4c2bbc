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

// within is the key next to it in the direction of reading, so that who reads on
// from there the other way finds the entry at k itself.
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

// ReadingLog remembers which lists people turn the pages of. Each page read is
// not an entry of its own: ten entries that say the same would hide what the
// trail is read for, and push the list on under the reader's hand. A reader who
// comes back after a minute, or with another filter, has begun again. It is kept
// in memory: a second process writes one entry more.
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
	maxRemembered = 10_000 // kept in memory
)

// Begins reports whether the reading of a page is to be told, and remembers it.
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
