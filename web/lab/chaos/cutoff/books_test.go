package cutoff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Counts counts the requested cancellations and their outcomes.
type Counts struct {
	Clicks         int
	Opened         int // cancellations
	RefusedLate    int // by the click, as too late
	RefusedElse    int // by the click, as already requested or done
	Delivered      int // cancellations of which a byte arrived
	Doubles        int // cancellations of which two attempts arrived
	ExpiredAtTake  int // when a job was about to send them
	ExpiredByTimer int // while they waited for a job or their terminal
	ExpiredUnsent  int // after the attempt was committed: waiting for a token, connecting, or at the last check
	Withdrawn      int // three times proven unsent
	GivenUp        int // written within the last instants, nothing arrived: unknown
	SaidLate       int // the clock leapt while their bytes left, and their process says so
	Unrecorded     int // not sent, and the trail lacks an entry with the reason (0)
}

// book is a cancellation as the database has it at the end.
type book struct {
	id           int64
	order        string
	state        string
	detail       string
	cutoffAt     time.Time
	startedAt    *time.Time // its last attempt
	firstByteAt  *time.Time
	saidLate     bool // bytes of an attempt may have left after its deadline: its time is the latest at which they did
	attempts     int
	lastAttempt  string   // its detail
	expiredBy    string   // the actor in the trail of the entry: expired, tooLate
	opened       int      // attempts of which bytes may have left, as we believe
	keys         []string // hashes of its attempts' ids
	arrived      int      // attempts of which bytes arrived, as the judge saw
	arrivedFirst time.Time
	arrivedLast  time.Time
}

const readBooks = `SELECT c.id, s.order_id, c.state, c.detail, c.cutoff_at, c.attempts,
	(SELECT max(a.started_at) FROM attempts a WHERE a.cancellation_id = c.id),
	(SELECT max(a.first_byte_at) FROM attempts a WHERE a.cancellation_id = c.id),
	(SELECT coalesce(bool_or(a.first_byte_at >= a.deadline_at), false) FROM attempts a WHERE a.cancellation_id = c.id),
	coalesce((SELECT a.detail FROM attempts a WHERE a.cancellation_id = c.id AND a.number = c.attempts), ''),
	coalesce((SELECT string_agg(e.actor_name, ',') FROM audit_entries e WHERE e.sale_id = s.id AND e.cancellation_id = c.id
		AND e.action = 'cancellation.moved' AND e.outcome = 'failure'
		AND e.after->>'state' = 'expired' AND e.after->>'detail' = 'tooLate'), ''),
	(SELECT count(*) FROM attempts a WHERE a.cancellation_id = c.id AND a.meaning <> 'notSent'),
	ARRAY(SELECT a.key_hash FROM attempts a WHERE a.cancellation_id = c.id)
	FROM cancellations c JOIN sales s ON s.id = c.sale_id WHERE c.id = ANY($1) ORDER BY c.id`

// audit compares every cancellation in the database with what arrived.
func (w *world) audit() error {
	rows, err := w.run.office.owner.Query(w.run.ctx, readBooks, slices.Collect(maps.Keys(w.hasCancellation)))
	if err != nil {
		return fmt.Errorf("read books: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var b book
		err := rows.Scan(&b.id, &b.order, &b.state, &b.detail, &b.cutoffAt, &b.attempts, &b.startedAt, &b.firstByteAt, &b.saidLate,
			&b.lastAttempt, &b.expiredBy, &b.opened, &b.keys)
		if err != nil {
			return fmt.Errorf("read books: %w", err)
		}
		w.arrivals(&b)
		w.check(&b)
		w.classify(&b)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read books: %w", err)
	}
	arrived := map[string]bool{}
	for _, arrival := range w.judge.bytes {
		if arrival.attempt != "" { // else it was cut short
			arrived[arrival.attempt] = true
		}
	}
	if len(arrived) != w.accounted {
		w.fault("%d attempts arrived, the books know of %d", len(arrived), w.accounted)
	}
	return w.auditRefused()
}

// arrivals adds what the judge saw of a cancellation.
func (w *world) arrivals(b *book) {
	seen := map[string]bool{}
	for _, arrival := range w.judge.bytes {
		hash := sha256.Sum256([]byte(arrival.attempt))
		if !slices.Contains(b.keys, hex.EncodeToString(hash[:])) {
			continue
		}
		if len(seen) == 0 {
			b.arrivedFirst = arrival.at
		}
		b.arrivedLast = arrival.at
		seen[arrival.attempt] = true
	}
	b.arrived = len(seen)
	w.accounted += len(seen)
}

// check compares the cancellation with what arrived.
func (w *world) check(b *book) {
	if !b.cutoffAt.Equal(w.cutoff) {
		w.fault("%s: the case's cut-off is %s, want %s", b.order, b.cutoffAt, w.cutoff)
	}
	switch {
	case b.arrived > 0 && b.firstByteAt == nil:
		w.fault("%s: bytes arrived, the attempt denies it", b.order)
	case b.saidLate:
		// When the clock leaps between the gate and the look behind the write, the
		// attempt has the later time. What arrived has been judged by its own.
		if b.arrived > 0 && b.firstByteAt.Before(b.arrivedLast.Add(-time.Microsecond)) {
			w.fault("%s: its first byte arrived at %s, and at the latest at %s, its attempt says",
				b.order, stamp(b.arrivedLast), stamp(*b.firstByteAt))
		}
	case b.arrived > 0 && b.firstByteAt.Sub(b.arrivedLast).Abs() > time.Microsecond && b.state != "unknown":
		// A cancellation in doubt may have begun a second write and abandoned it.
		w.fault("%s: its first byte arrived at %s, the attempt says %s", b.order, stamp(b.arrivedLast), stamp(*b.firstByteAt))
	}
	if b.startedAt != nil && w.judge.late(*b.startedAt) {
		w.fault("%s: a job took it at %s, too late", b.order, stamp(*b.startedAt))
	}
	if b.firstByteAt != nil && !b.saidLate && w.judge.late(*b.firstByteAt) {
		w.fault("%s: its attempt began to write at %s, too late, whether or not a byte arrived", b.order, stamp(*b.firstByteAt))
	}
	switch b.state {
	case "requested", "sending":
		w.fault("%s is still %s when the day is over", b.order, b.state)
	case "expired", "withdrawn":
		if b.arrived > 0 {
			w.fault("%s is %s, but its request arrived at %s", b.order, b.state, stamp(b.arrivedFirst))
		}
	case "accepted", "confirmed", "rejected":
		if b.arrived == 0 {
			w.fault("%s is %s, but nothing of it arrived", b.order, b.state)
		}
	}
	if b.state == "expired" && (b.detail != "tooLate" || b.expiredBy == "") {
		w.run.tally(func(f *figures) { f.cases.Unrecorded++ })
		w.fault("%s expired as %q, in the trail by %q: nobody is told why", b.order, b.detail, b.expiredBy)
	}
}

// classify counts the cancellation's outcome.
func (w *world) classify(b *book) {
	if b.arrived > 1 {
		w.fault("%s arrived with %d attempts", b.order, b.arrived)
	}
	w.run.tally(func(of *figures) {
		f := &of.cases
		f.Opened++
		f.Delivered += min(b.arrived, 1)
		if b.saidLate {
			f.SaidLate++
		}
		switch {
		case b.state == "expired" && b.expiredBy == "expire":
			f.ExpiredByTimer++
		case b.state == "expired" && b.lastAttempt == "tooLate":
			f.ExpiredUnsent++
		case b.state == "expired":
			f.ExpiredAtTake++
		case b.state == "withdrawn":
			f.Withdrawn++
		case b.opened > 0 && b.arrived == 0:
			f.GivenUp++
		}
	})
}

// auditRefused checks that the trail has an entry for every click that came too
// late.
func (w *world) auditRefused() error {
	for _, s := range w.refused {
		var entries int
		err := w.run.office.owner.QueryRow(w.run.ctx, `SELECT count(*) FROM audit_entries
			WHERE sale_id = $1 AND action = 'cancellation.refused' AND outcome = 'failure'
			  AND reason IN ('error.tooLate', 'error.otherDay')`, s.id).Scan(&entries)
		if err != nil {
			return fmt.Errorf("read trail: %w", err)
		}
		if entries == 0 {
			w.run.tally(func(f *figures) { f.cases.Unrecorded++ })
			w.fault("%s was refused at the door, the trail does not say so", s.order)
		}
	}
	return nil
}
