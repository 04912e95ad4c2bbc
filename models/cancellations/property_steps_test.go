package cancellations_test

import (
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/modelstest"
)

// killed ends a dispatch as a killed process would.
type killed struct{}

// dispatch runs the dispatch of a cancellation. During the call to the service time
// may pass, a sweep may run, a result may arrive, and the process may be killed, or
// frozen: others go on meanwhile, and bytes leave when it wakes up.
func (d *driver) dispatch(rt *rapid.T) {
	c := d.likelyIn(rt, models.Requested)
	replies := []models.Reply{modelstest.Acknowledged, modelstest.NoTerminal, modelstest.TimedOut, modelstest.NotDialed, modelstest.Late}
	reply := rapid.SampledFrom(replies).Draw(rt, "reply")
	meanwhile := rapid.SampledFrom([]string{"", "", "time", "sweep", "result", "killed", "frozen"}).Draw(rt, "meanwhile")
	took := time.Duration(rapid.IntRange(1, 60).Draw(rt, "seconds")) * time.Second
	approved := rapid.Bool().Draw(rt, "approved")
	waits := d.o.Config.Waits

	sends := d.ref.begin(c, waits.Quiet)
	number, arrived := c.attempts, false
	d.o.API.Arrived = func(order models.Order) {
		arrived = true
		d.ref.keys[order.Key.Hash()] = refKey{of: c, number: number, at: d.ref.now}
		if !d.ref.open() || order.OrderID != c.sale.row.OrderID {
			d.fatalf(rt, "order %s left at %s for case %d of sale %s", order.OrderID, d.ref.now, c.id, c.sale.row.OrderID)
		}
		switch meanwhile {
		case "time":
			d.advance(took)
		case "sweep":
			d.advance(took)
			d.sweep(rt)
		case "result":
			p := modelstest.CancelPost(c.sale.row, order.Key.Hash())
			if !approved {
				p.ResponseCode = "51"
			}
			d.receive(rt, p)
		case "killed":
			panic(killed{})
		case "frozen":
			d.whileFrozen(rt)
			if reply.Meaning != models.MeaningNotSent {
				reply = modelstest.LeftLate(reply)
				d.o.API.Forget()
				d.o.API.Then(reply)
			}
		}
	}
	d.o.API.Then(reply)
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(killed{}) {
				panic(r)
			}
		}()
		if _, err := d.o.Cancellations.Dispatch(d.t.Context(), c.id); err != nil {
			d.fatalf(rt, "Dispatch() = %v", err)
		}
	}()
	d.o.API.Arrived = nil
	d.o.API.Forget()
	if arrived != sends {
		d.fatalf(rt, "an order left: %t, want %t", arrived, sends)
	}
	if arrived && meanwhile != "killed" {
		d.ref.answer(c, number, reply)
	}
}

// whileFrozen is what others do until a frozen process wakes up.
func (d *driver) whileFrozen(rt *rapid.T) {
	steps := []func(*rapid.T){d.timePasses, d.timePasses, d.sweep, d.sweep, d.post, d.inquire, d.inquire, d.resolve, d.withdraw, d.request}
	for range rapid.IntRange(0, 8).Draw(rt, "steps while frozen") {
		steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step while frozen")](rt)
	}
}

func (d *driver) advance(by time.Duration) {
	d.o.Clock.Advance(by)
	d.ref.now = d.ref.now.Add(by)
}

func (d *driver) timePasses(rt *rapid.T) {
	by := rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second, 10 * time.Second, 40 * time.Second, 180 * time.Second, 10 * time.Minute, time.Hour,
	}).Draw(rt, "by")
	if left := d.ref.closes.Sub(d.ref.now); left > 0 && rapid.IntRange(0, 14).Draw(rt, "to the cut-off") == 7 {
		by = left - time.Duration(rapid.IntRange(0, 1).Draw(rt, "just before"))*time.Millisecond
	}
	d.advance(by)
}

// sweep does what the periodic sweep does, and runs the timers of the cancellations.
func (d *driver) sweep(rt *rapid.T) {
	for _, c := range d.ref.cancellations {
		d.ref.silence(c, d.o.Config.Waits)
	}
	for _, c := range d.ref.cancellations {
		if c.id == 0 {
			continue
		}
		_, errExpire := d.o.Cancellations.Expire(d.t.Context(), c.id)
		_, errRecover := d.o.Cancellations.Recover(d.t.Context(), c.id, c.attempts)
		_, errWait := d.o.Cancellations.EndResultWait(d.t.Context(), c.id, c.attempts)
		if errExpire != nil || errRecover != nil || errWait != nil {
			d.fatalf(rt, "timers of case %d: %v, %v, %v", c.id, errExpire, errRecover, errWait)
		}
	}
	if err := d.o.Operations.Sweep(d.t.Context()); err != nil {
		d.fatalf(rt, "Sweep() = %v", err)
	}
}

// copied makes a cancellation one that was requested in another database.
func (d *driver) copied(rt *rapid.T) {
	c := d.likelyIn(rt, models.Requested)
	if c.id == 0 || c.state != models.Requested {
		rt.Skip("nothing waits")
	}
	modelstest.Exec(d.t, d.o.Owner, `UPDATE cancellations SET asked_in = '7/1/00000001/0' WHERE id = $1`, c.id)
	c.elsewhere = true
}

func (d *driver) receive(rt *rapid.T, p models.Post) {
	d.posted = append(d.posted, p)
	d.ref.post(p, d.o.Config.Waits.Quiet)
	if err := d.o.Results.Receive(d.t.Context(), p); err != nil {
		d.fatalf(rt, "Receive() = %v", err)
	}
}

// post makes a terminal post something about a sale, with the attempt id of any
// cancellation, of none, or a forged one.
func (d *driver) post(rt *rapid.T) {
	open := []models.State{models.Requested, models.Sending, models.Accepted, models.Unknown, models.Rejected}
	c := d.likelyIn(rt, open...)
	s, key := c.sale, ""
	switch rapid.IntRange(0, 7).Draw(rt, "key") {
	case 0:
		key = models.NewAttemptKey().Hash()
	case 1, 2:
	case 3:
		key = d.someKey(rt, d.likelyIn(rt, open...))
	case 4:
		s = d.sale(rt)
	default:
		key = d.someKey(rt, c)
	}
	p := modelstest.CancelPost(s.row, key)
	switch rapid.SampledFrom([]string{"inquiry", "declined", "inquiry", "declined", "abandoned", "approved"}).Draw(rt, "kind") {
	case "declined":
		p.ResponseCode = "51"
	case "abandoned":
		abandoned(&p)
	case "inquiry":
		p.Kind = models.ResultInquiry
		p.Standing = rapid.SampledFrom([]models.SaleStanding{"C", "C", "C", "V", "RV", "PRV", "D", ""}).Draw(rt, "standing")
		if n := len(d.ref.asks); n > 0 && rapid.Bool().Draw(rt, "echoes") {
			p.AttemptKey = d.ref.asks[rapid.IntRange(0, n-1).Draw(rt, "ask")].key
		}
	}
	if p.Amount != nil {
		switch rapid.IntRange(0, 9).Draw(rt, "amount") {
		case 0:
			*p.Amount++
		case 1:
			p.Amount = nil
		case 2:
			*p.Amount = 0
		}
	}
	p.OwnAddress = rapid.IntRange(0, 2).Draw(rt, "own address") == 0
	if p.AttemptKey != "" && rapid.IntRange(0, 9).Draw(rt, "no terminal") == 0 {
		p.SerialNumber = ""
	}
	if p.AttemptKey != "" && rapid.IntRange(0, 3).Draw(rt, "no order") == 0 {
		p.OrderID = ""
		if p.Kind == models.ResultInquiry {
			p.Folio = ""
		}
	}
	d.receive(rt, p)
}

// someKey picks one of the cancellation's attempt ids; "" when there is none.
func (d *driver) someKey(rt *rapid.T, c *refCancellation) string {
	if c.attempts == 0 {
		return ""
	}
	number := rapid.IntRange(1, c.attempts).Draw(rt, "attempt")
	for hash, key := range d.ref.keys {
		if key.of == c && key.number == number {
			return hash
		}
	}
	return ""
}

func (d *driver) postAgain(rt *rapid.T) {
	if len(d.posted) == 0 {
		rt.Skip("nothing posted yet")
	}
	d.receive(rt, d.posted[rapid.IntRange(0, len(d.posted)-1).Draw(rt, "post")])
}
