package cancellations_test

import (
	"time"

	"veinte/models"
)

// refAsk is an inquiry: a push like any other, until it is answered. It is about a
// cancellation in doubt, or about a sale of which it was claimed that it is canceled.
type refAsk struct {
	of       *refCancellation // nil: about the sale
	sale     *refSale
	key      string
	at       time.Time
	answered bool
}

// refClaim is a positive post that does not say who speaks.
type refClaim struct {
	sale     *refSale
	at       time.Time
	open     bool // neither decided nor raised
	answered bool // what the terminal was asked, about the sale or its cancellation, decided it
}

// claim stores a positive without identification: it moves nothing, and is raised at
// once where no byte left or nobody may be asked any more.
func (r *reference) claim(s *refSale, c *refCancellation) {
	n, _ := r.askedOf(s)
	if c != nil && c.state == models.Confirmed {
		return
	}
	raised := n >= 3 || c != nil && noByteLeft[c.state]
	r.claims = append(r.claims, &refClaim{sale: s, at: r.now, open: !raised})
}

// close closes the open claims of a sale that were posted until an instant.
func (r *reference) close(s *refSale, until time.Time) {
	for _, c := range r.claims {
		if c.sale == s && c.open && !c.at.After(until) {
			c.open, c.answered = false, true
		}
	}
}

// askedOf returns how many inquiries were sent because of claims, and the last one.
func (r *reference) askedOf(s *refSale) (n int, last time.Time) {
	for _, a := range r.asks {
		if a.of == nil && a.sale == s {
			n, last = n+1, a.at
		}
	}
	return n, last
}

// unasked returns the last claim that no answer decided and after which nothing was
// asked; nil: there is none.
func (r *reference) unasked(s *refSale) *refClaim {
	_, last := r.askedOf(s)
	var latest *refClaim
	for _, c := range r.claims {
		if c.sale == s && !c.answered && last.Before(c.at) {
			latest = c
		}
	}
	return latest
}

// looking reports whether a cancellation of the sale waits because the terminal is
// about to be asked whether it is canceled already.
func (r *reference) looking(s *refSale) bool {
	n, _ := r.askedOf(s)
	c := r.unasked(s)
	return c != nil && n < 3 && r.now.Before(c.at.Add(30*time.Second))
}

// inquireSale reports whether an inquiry must leave now because of a claim, or before a
// cancellation in a copy.
func (r *reference) inquireSale(s *refSale, quiet time.Duration) bool {
	first := r.askFirst(s, quiet)
	open := first || r.unasked(s) != nil
	for _, c := range r.claims {
		open = open || c.sale == s && c.open
	}
	n, last := r.askedOf(s)
	latest := r.latest(s)
	switch {
	case !open:
		return false
	case r.confirmed(s) || n >= 3 && !first && !r.now.Before(last.Add(time.Minute)):
		r.close(s, r.now)
		return false
	case n >= 3 && !first:
		return false
	}
	return (latest == nil || latest.state != models.Sending) && r.free(s.terminal, latest)
}

// only returns the one attempt that was ever sent for the sale, before now.
func (r *reference) only(s *refSale) *refKey {
	var one *refKey
	for _, key := range r.keys {
		if key.of.sale != s || key.notSent {
			continue
		}
		if one != nil {
			return nil
		}
		one = &key
	}
	if one == nil || !r.now.After(one.at) {
		return nil
	}
	return one
}

// asking reports whether an inquiry occupies the terminal.
func (r *reference) asking(terminal int) bool {
	for _, a := range r.asks {
		if a.sale.terminal == terminal && !a.answered && r.now.Before(a.at.Add(30*time.Second)) {
			return true
		}
	}
	return false
}

// free reports whether no other push occupies the terminal.
func (r *reference) free(terminal int, but *refCancellation) bool {
	for _, other := range r.cancellations {
		if other != but && other.sale.terminal == terminal && (other.state == models.Sending || other.state == models.Accepted) {
			return false
		}
	}
	return !r.asking(terminal)
}

// inquire reports whether an inquiry about a doubt must leave now.
func (r *reference) inquire(c *refCancellation) bool {
	return c.state == models.Unknown && r.free(c.sale.terminal, c)
}

// askedAt returns when the inquiry of the sale was sent that a post answers: the one
// whose id it carries, or at the terminal's own address what was not answered yet.
func (r *reference) askedAt(s *refSale, p models.Post) (at time.Time) {
	for _, a := range r.asks {
		if a.sale != s || p.AttemptKey != a.key && (p.AttemptKey != "" || !p.OwnAddress || a.answered) {
			continue
		}
		a.answered = true
		if at.Before(a.at) {
			at = a.at
		}
	}
	return at
}

// answered applies a post with the state of the sale.
func (r *reference) answered(s *refSale, c *refCancellation, p models.Post, quiet time.Duration) {
	at := r.askedAt(s, p)
	switch {
	case at.IsZero() && p.Standing == models.StandingCanceled:
		r.claim(s, c)
		return
	case at.IsZero():
		return
	case p.Standing == models.StandingCanceled:
		r.close(s, r.now)
		r.positive(s, c)
	case p.Standing == models.StandingCharged && c != nil && c.state == models.Unknown && !at.Before(c.pushed.Add(quiet)):
		r.move(c, models.NotCanceled)
	}
	if p.Standing == models.StandingCharged || p.Standing == models.StandingReversed || p.Standing == models.StandingDeclined {
		r.close(s, at)
	}
}
