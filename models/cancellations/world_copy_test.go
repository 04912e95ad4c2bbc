package cancellations_test

import (
	"container/heap"
	"slices"
	"time"

	"veinte/models"
)

// backup is a copy of the reference, and of each cancellation in it the original.
type backup struct {
	ref       *reference
	originals map[*refCancellation]*refCancellation
}

// mayBeCopied has some days lose their database: a backup is made about when somebody
// presses, the servers go on, and then all of them end and others serve the backup. What
// left for terminals is there.
func (w *world) mayBeCopied(press time.Duration) {
	if !w.chance(30) {
		return
	}
	made := press + w.within(2*time.Second)
	w.after(made, "a backup", func() {
		ref, originals := w.ref.copy()
		w.backup = &backup{ref, originals}
	})
	ends := made + w.within(time.Minute)
	if w.chance(50) {
		ends += w.within(20 * time.Minute)
	}
	w.after(ends, "the backup is served", w.restore)
}

func (w *world) restore() {
	w.copies++
	w.events = slices.DeleteFunc(w.events, func(e *event) bool { return servers[e.what] })
	heap.Init(&w.events)
	w.ref = w.backup.ref
	w.ref.goOn(w.now)
	for same, c := range w.backup.originals { // that bytes had left late was known there, and is lost
		w.unspoken[c] = w.unspoken[c] || c.late > same.late
	}
	for _, s := range w.ref.sales { // people press again what they miss
		w.after(w.within(2*time.Minute), "a press", func() { w.press(s, again) })
	}
	for _, c := range w.ref.cancellations {
		if w.mistake == "copy" {
			c.elsewhere = false
		}
		if c.state == models.Requested {
			w.elsewhere++
			w.after(w.within(5*time.Second), "a job", func() { w.dispatch(c) })
		}
	}
	w.after(w.within(10*time.Second), "a sweep", w.sweep)
}

// again is the number of a press after the restore.
const again = 100

// origin is the cancellation of which this is a copy, or itself.
func (w *world) origin(c *refCancellation) *refCancellation {
	if w.backup != nil && w.ref == w.backup.ref && w.backup.originals[c] != nil {
		return w.backup.originals[c]
	}
	return c
}

// quiet is the quiet time by which a copy asks first.
func (w *world) quiet() time.Duration {
	if w.mistake == "at once" {
		return 0
	}
	return waits.Quiet
}

// note counts what becomes a doubt without having been sent from here.
func (w *world) note(c *refCancellation, before models.State) {
	if before == models.Requested && c.state == models.Unknown && !c.elsewhere {
		w.silent++
	}
}

// mayHurt judges bytes that leave: the sale may have been canceled by others before, or
// be about to.
func (w *world) mayHurt(s *refSale) {
	if w.truth[s].by != nil || w.mayAct(s) {
		w.falsely("at %s the cancellation of %s is sent, and another one has canceled it, or may", w.now.Format(time.TimeOnly), s.row.OrderID)
	}
}

// mayAct reports whether a terminal may still act on a push about the sale.
func (w *world) mayAct(s *refSale) bool {
	for _, p := range w.pushes {
		if p.live && p.c.sale == s {
			return true
		}
	}
	return false
}
