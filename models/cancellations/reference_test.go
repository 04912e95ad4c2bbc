package cancellations_test

import (
	"time"

	"veinte/models"
)

// reference is the states of cancellations as STATES.md specifies them, in memory
// and sequential. The service is driven beside it and must agree.
type reference struct {
	now           time.Time
	closes        time.Time // 20:00 less the margin
	since         time.Time // of when this is a copy, or was set back; zero: it is neither
	sales         []*refSale
	cancellations []*refCancellation
	keys          map[string]refKey // attempt ids, by hash
	asks          []*refAsk
	claims        []*refClaim
}

type refSale struct {
	row      *models.Sale
	terminal int
}

type refCancellation struct {
	id       int64 // 0 until the database has assigned it
	sale     *refSale
	state    models.State
	attempts int
	changed  time.Time
	pushed   time.Time // when bytes may last have been sent
	click    string
	resolved models.State // as a person resolved it; "" when nobody had to
	late     int          // how often it was raised that a request left late
	// elsewhere: it was requested in another database, from which it may have been sent.
	elsewhere bool
}

type refKey struct {
	of      *refCancellation
	number  int
	at      time.Time // when the attempt began
	notSent bool      // by proof
}

func (r *reference) open() bool { return r.now.Before(r.closes) }

func (r *reference) move(c *refCancellation, to models.State) { c.state, c.changed = to, r.now }

// doubtElsewhere reports whether the cancellation waits and was requested in another
// database: whoever wants to move it makes it a doubt.
func (r *reference) doubtElsewhere(c *refCancellation) bool {
	if c.state != models.Requested || !c.elsewhere {
		return false
	}
	r.move(c, models.Unknown)
	c.pushed = r.now
	return true
}

func (r *reference) latest(s *refSale) *refCancellation {
	var latest *refCancellation
	for _, c := range r.cancellations {
		if c.sale == s {
			latest = c
		}
	}
	return latest
}

func (r *reference) confirmed(s *refSale) bool {
	for _, c := range r.cancellations {
		if c.sale == s && c.state == models.Confirmed {
			return true
		}
	}
	return false
}

// saleState is the sale's state in the list: that of the latest cancellation that
// was not withdrawn, unless any is confirmed.
func (r *reference) saleState(s *refSale) models.SaleState {
	if r.confirmed(s) {
		return models.SaleConfirmed
	}
	state := models.SaleCancelable
	for _, c := range r.cancellations {
		if c.sale == s && c.state != models.Withdrawn {
			state = models.SaleState(c.state)
		}
	}
	return state
}

// request opens a cancellation: same day, window open, no open cancellation, not
// canceled. It returns nil when it must be refused.
func (r *reference) request(s *refSale, click string) *refCancellation {
	for _, c := range r.cancellations {
		if c.click == click {
			if c.sale == s {
				return c
			}
			return nil
		}
	}
	switch r.saleState(s) {
	case models.SaleCancelable, models.SaleRejected:
	default:
		return nil // notCanceled needs a supervisor
	}
	if !r.open() {
		return nil
	}
	c := &refCancellation{sale: s, click: click}
	r.move(c, models.Requested)
	r.cancellations = append(r.cancellations, c)
	return c
}

func (r *reference) withdraw(c *refCancellation) {
	if !r.doubtElsewhere(c) && c.state == models.Requested {
		r.move(c, models.Withdrawn)
	}
}

// begin reports whether an order must be sent now.
func (r *reference) begin(c *refCancellation, quiet time.Duration) bool {
	switch {
	case r.doubtElsewhere(c), c.state != models.Requested:
		return false
	case !r.open():
		r.expire(c, quiet)
		return false
	case r.confirmed(c.sale):
		r.move(c, models.Withdrawn)
		return false
	}
	for _, other := range r.cancellations {
		if other == c || other.sale.terminal != c.sale.terminal {
			continue
		}
		switch other.state {
		case models.Sending, models.Accepted:
			return false
		case models.Unknown, models.NotCanceled:
			if r.now.Before(other.pushed.Add(quiet)) {
				return false
			}
		case models.Requested:
			if other.attempts == 0 && r.before(other, c) {
				return false
			}
		}
	}
	if r.asking(c.sale.terminal) || r.looking(c.sale) || r.asksFirst(c, quiet) {
		return false
	}
	r.move(c, models.Sending)
	c.attempts++
	c.pushed = r.now
	return true
}

func (r *reference) before(a, b *refCancellation) bool {
	for _, c := range r.cancellations {
		if c == a || c == b {
			return c == a
		}
	}
	return false
}

// answer applies what the service's reply proves about an attempt of the
// cancellation.
func (r *reference) answer(c *refCancellation, number int, reply models.Reply) {
	for hash, key := range r.keys {
		if key.of == c && key.number == number {
			key.notSent = reply.Meaning == models.MeaningNotSent
			r.keys[hash] = key
		}
	}
	if c.attempts != number {
		return
	}
	switch {
	case c.state == models.Unknown && reply.Meaning == models.MeaningRefused:
		r.move(c, models.Rejected)
	case c.state != models.Sending && reply.Late && reply.Meaning != models.MeaningRefused:
		r.leftLate(c)
	case c.state != models.Sending:
	case reply.Meaning == models.MeaningNotSent:
		switch {
		case !r.open() || reply.Detail == models.DetailTooLate:
			r.move(c, models.Expired)
		case c.attempts == 3:
			r.move(c, models.Withdrawn)
		default:
			r.move(c, models.Requested)
		}
	case reply.Meaning == models.MeaningAccepted:
		r.move(c, models.Accepted)
		c.pushed = r.now
	case reply.Meaning == models.MeaningRefused:
		r.move(c, models.Rejected)
	default:
		r.move(c, models.Unknown)
		c.pushed = r.now
	}
}

// leftLate applies that bytes may have left after others concluded that none does.
func (r *reference) leftLate(c *refCancellation) {
	switch c.state {
	case models.Accepted, models.Rejected, models.Confirmed:
		return
	case models.Unknown:
	default:
		c.late++
	}
	c.pushed = r.now
}

// silence applies the passing of time to a cancellation.
func (r *reference) silence(c *refCancellation, waits models.Waits) {
	switch since := r.now.Sub(c.changed); {
	case r.doubtElsewhere(c):
	case c.state == models.Requested && !r.open():
		r.expire(c, waits.Quiet)
	case c.state == models.Sending && since >= waits.Answer+10*time.Second:
		c.pushed = c.changed.Add(waits.Answer)
		r.move(c, models.Unknown)
	case c.state == models.Accepted && since >= waits.Result:
		r.move(c, models.Unknown)
	}
}

// resolve reports whether the person's resolution is accepted: now, or because they
// sent the same one before.
func (r *reference) resolve(c *refCancellation, to models.State) bool {
	switch {
	case c.state == to:
		return c.resolved == to
	case to == models.Confirmed:
		r.positive(c.sale, c) // people with the paper ticket
	case c.state == models.Unknown:
		r.move(c, to)
	default:
		return false
	}
	c.resolved = to
	return true
}

// post applies a terminal's post.
func (r *reference) post(p models.Post, quiet time.Duration) {
	var s *refSale
	var c *refCancellation
	number := 0
	if key, ours := r.keys[p.AttemptKey]; ours && p.Kind != models.ResultInquiry {
		s, c, number = key.of.sale, key.of, key.number
	} else if p.AttemptKey != "" && p.Kind != models.ResultInquiry {
		return // an attempt id that was never issued
	} else {
		for _, known := range r.sales {
			if known.row.OrderID == p.OrderID && string(known.row.SerialNumber) == p.SerialNumber {
				s, c = known, r.latest(known)
			}
		}
	}
	switch {
	case s == nil:
		return
	case p.SerialNumber != "" && p.SerialNumber != string(s.row.SerialNumber),
		p.OrderID != "" && p.OrderID != s.row.OrderID,
		p.Amount != nil && *p.Amount != s.row.Amount && (*p.Amount != 0 || p.Kind != models.ResultCancellation || p.ResponseCode == "00"):
		return // contradicts the sale that it matches
	case p.Kind == models.ResultCancellation && p.ResponseCode == "00":
		if number == 0 && p.OwnAddress {
			if only := r.only(s); only != nil {
				c, number = only.of, only.number
			}
		}
		if number == 0 || p.SerialNumber == "" || p.OrderID == "" || p.Amount == nil {
			r.claim(s, c)
			return
		}
		r.positive(s, c)
	case p.Kind == models.ResultInquiry:
		r.answered(s, c, p, quiet)
	case number != 0 && number == c.attempts && (c.state == models.Sending || c.state == models.Accepted || c.state == models.Unknown):
		r.move(c, models.Rejected)
	}
}

// positive always confirms, also a closed cancellation and without any.
func (r *reference) positive(s *refSale, c *refCancellation) {
	if c == nil {
		c = &refCancellation{sale: s}
		r.cancellations = append(r.cancellations, c)
	}
	if c.state != models.Confirmed {
		r.move(c, models.Confirmed)
	}
	for _, other := range r.cancellations {
		if other.sale == s && !r.doubtElsewhere(other) && other.state == models.Requested {
			r.move(other, models.Withdrawn)
		}
	}
}
