package cancellations_test

import (
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// sender is a process while it sends an attempt. Between any two of its steps it may be
// frozen, or die.
type sender struct {
	w        *world
	c        *refCancellation
	server   int
	number   int
	key      string
	deadline time.Time
}

// then has the process do something after a while.
func (a *sender) then(d time.Duration, what string, do func()) { a.w.on(a.server, d, what, do) }

// dies reports whether the process dies here.
func (a *sender) dies() bool {
	if !a.w.chance(2) {
		return false
	}
	a.w.died++
	return true
}

// connect dials; the last look at the clock follows at once, or when a frozen process
// wakes up.
func (a *sender) connect() {
	w := a.w
	switch {
	case a.dies():
	case w.chance(5):
		w.ref.answer(a.c, a.number, modelstest.NotDialed)
		w.again(a.c)
	default:
		a.then(w.freeze(&w.frozen, 6), "the gate", a.gate)
	}
}

// again has the job of a cancellation run that was sent back.
func (w *world) again(c *refCancellation) {
	if c.state == models.Requested {
		w.after(2*time.Second, "a job", func() { w.dispatch(c) })
	}
}

// gate is the last look at the clock.
func (a *sender) gate() {
	w := a.w
	switch {
	case !w.ref.open():
		w.ref.answer(a.c, a.number, modelstest.Late)
		return
	case !w.ref.now.Before(a.deadline) && w.mistake != "gate":
		w.kept++
		w.ref.answer(a.c, a.number, modelstest.Overdue)
		w.again(a.c)
		return
	}
	inside := w.freeze(&w.past, 2)
	a.then(inside, "the bytes", a.write)
}

// write has the bytes leave. The service hands them on, refuses them, or they are lost.
func (a *sender) write() {
	w := a.w
	late := !w.ref.now.Before(a.deadline)
	w.sent[w.origin(a.c)]++
	w.mayHurt(a.c.sale)
	refused, lost := w.chance(4), w.chance(4)
	if !refused && !lost {
		a.push()
	}
	if late && w.mistake != "gate" {
		w.lateBytes++
		w.unspoken[w.origin(a.c)] = w.mistake != "unsaid"
	}
	if a.dies() {
		return
	}
	reply, after := modelstest.Acknowledged, 50*time.Millisecond+w.within(40*time.Second)
	switch {
	case refused:
		reply = modelstest.NoTerminal
	case lost || w.chance(10):
		reply, after = modelstest.TimedOut, time.Hour
	}
	if left := max(a.deadline.Sub(w.ref.now), 20*time.Millisecond); after > left {
		after = left
		if !late || w.chance(50) { // what is there already may still be read
			reply = modelstest.TimedOut
		}
	}
	reply.Late = late && w.mistake != "gate" && w.mistake != "unsaid"
	a.then(after+w.freeze(&w.frozen, 4), "the answer", func() { a.conclude(reply) })
}

// push shows it on the terminal, which acts on it within the quiet time, or never.
func (a *sender) push() {
	w := a.w
	p := &onScreen{c: a.c, key: a.key, live: true}
	w.pushes[w.origin(a.c)] = p
	acts := w.within(waits.Quiet - 2*tolerance)
	if w.chance(70) {
		acts = w.within(20 * time.Second)
	}
	w.after(acts, "the terminal", func() {
		p.live = false
		sale := w.truth[a.c.sale]
		answer := modelstest.CancelPost(a.c.sale.row, a.key)
		switch {
		case w.chance(15):
			return // nobody touched it
		case sale.canceled == 0 && w.chance(80):
			sale.canceled, sale.by = 1, w.origin(a.c)
		default:
			answer.ResponseCode = "51"
		}
		w.post(answer, 10)
	})
}

// conclude writes what came of the attempt.
func (a *sender) conclude(reply models.Reply) {
	w := a.w
	if a.dies() {
		return
	}
	pushed := a.c.pushed
	w.ref.answer(a.c, a.number, reply)
	if reply.Late {
		w.unspoken[w.origin(a.c)] = false
		if w.mistake == "quiet" {
			a.c.pushed = pushed
		}
	}
	w.again(a.c)
}
