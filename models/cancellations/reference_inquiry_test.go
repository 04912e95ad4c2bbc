package cancellations_test

import (
	"time"

	"veinte/models"
)

// refAsk is an inquiry: a push like any other, until it is answered.
type refAsk struct {
	of       *refCancellation
	key      string
	at       time.Time
	answered bool
}

// refSeen is what was posted and when.
type refSeen struct {
	serial, order, body string
	at                  time.Time
}

// asking reports whether an inquiry occupies the terminal.
func (r *reference) asking(terminal int) bool {
	for _, a := range r.asks {
		if a.of.sale.terminal == terminal && !a.answered && r.now.Before(a.at.Add(30*time.Second)) {
			return true
		}
	}
	return false
}

// inquire reports whether an inquiry must leave now.
func (r *reference) inquire(c *refCancellation) bool {
	if c.state != models.Unknown || r.asking(c.sale.terminal) {
		return false
	}
	for _, other := range r.cancellations {
		if other != c && other.sale.terminal == c.sale.terminal && (other.state == models.Sending || other.state == models.Accepted) {
			return false
		}
	}
	return true
}

// asked reports whether a post answers an inquiry that was sent when the terminal
// could no longer act on the push.
func (r *reference) asked(c *refCancellation, p models.Post, since time.Time) bool {
	for _, a := range r.asks {
		if a.of != c || a.at.Before(since) {
			continue
		}
		if p.AttemptKey == a.key || p.AttemptKey == "" && !r.saidBefore(p, a.at) {
			return true
		}
	}
	return false
}

func (r *reference) saidBefore(p models.Post, at time.Time) bool {
	for _, s := range r.seen {
		if s.serial == p.SerialNumber && s.order == p.OrderID && s.body == p.Body && s.at.Before(at) {
			return true
		}
	}
	return false
}

// answered applies the answer to an inquiry.
func (r *reference) answered(s *refSale, c *refCancellation, p models.Post, quiet time.Duration) {
	for _, a := range r.asks {
		if a.of == c {
			a.answered = true
		}
	}
	switch {
	case p.Standing == models.StandingCanceled:
		r.positive(s, c)
	case p.Standing == models.StandingCharged && c != nil && c.state == models.Unknown && !r.now.Before(c.pushed.Add(quiet)):
		if r.asked(c, p, c.pushed.Add(quiet)) {
			r.move(c, models.NotCanceled)
		}
	}
}
