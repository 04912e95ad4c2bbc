package cancellations_test

import (
	"maps"
	"slices"
	"time"

	"veinte/models"
)

// copy returns the reference as a backup has it, and of each cancellation in it the
// original.
func (r *reference) copy() (*reference, map[*refCancellation]*refCancellation) {
	b := &reference{closes: r.closes, since: r.since, sales: r.sales, keys: maps.Clone(r.keys)}
	copies, originals := map[*refCancellation]*refCancellation{}, map[*refCancellation]*refCancellation{}
	for _, c := range r.cancellations {
		same := *c
		b.cancellations = append(b.cancellations, &same)
		copies[c], originals[&same] = &same, c
	}
	for hash, key := range b.keys {
		key.of = copies[key.of]
		b.keys[hash] = key
	}
	for _, a := range r.asks {
		same := *a
		same.of = copies[a.of]
		b.asks = append(b.asks, &same)
	}
	for _, c := range r.claims {
		same := *c
		b.claims = append(b.claims, &same)
	}
	return b, originals
}

// goOn serves the copy from now on: what it calls requested may have left from the other
// one.
func (r *reference) goOn(now time.Time) {
	r.now, r.since = now, now
	for _, c := range r.cancellations {
		c.elsewhere = true
	}
}

// mustAsk returns from when on the terminal must have been asked before the cancellation
// is sent, and whether it must: the other one may have canceled its sale since the copy
// was made.
func (r *reference) mustAsk(c *refCancellation, quiet time.Duration) (from time.Time, must bool) {
	from = r.since.Add(quiet)
	if r.since.IsZero() || c.state != models.Requested {
		return from, false
	}
	known := slices.ContainsFunc(r.asks, func(a *refAsk) bool {
		return a.of == nil && a.sale == c.sale && a.answered && !a.at.Before(from)
	}) || slices.ContainsFunc(r.cancellations, func(o *refCancellation) bool {
		return o.sale == c.sale && o.state == models.NotCanceled && !o.changed.Before(from)
	})
	return from, !known
}

// askedSince returns when the terminal was asked last about the sale, from an instant on.
func (r *reference) askedSince(s *refSale, from time.Time) (last time.Time) {
	if _, at := r.askedOf(s); !at.Before(from) {
		return at
	}
	return last
}

// asksFirst reports whether the cancellation is not sent because its terminal must answer
// first; when it stays silent, that is a doubt.
func (r *reference) asksFirst(c *refCancellation, quiet time.Duration) bool {
	from, must := r.mustAsk(c, quiet)
	if asked := r.askedSince(c.sale, from); must && !asked.IsZero() && !r.now.Before(asked.Add(30*time.Second)) {
		r.move(c, models.Unknown)
	}
	return must
}

// askFirst reports whether the terminal must be asked about the sale now.
func (r *reference) askFirst(s *refSale, quiet time.Duration) bool {
	c := r.latest(s)
	if c == nil {
		return false
	}
	from, must := r.mustAsk(c, quiet)
	return must && !r.now.Before(from) && r.askedSince(s, from).IsZero()
}

// expire ends a cancellation whose window has closed.
func (r *reference) expire(c *refCancellation, quiet time.Duration) {
	if _, must := r.mustAsk(c, quiet); must {
		r.move(c, models.Unknown)
		return
	}
	r.move(c, models.Expired)
}
