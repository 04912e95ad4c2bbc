package cutoff

import (
	"fmt"
	"slices"
	"time"
)

// Stampede are the figures of everybody who asks in the last minute.
type Stampede struct {
	Evenings
	Terminals   int `json:"terminals"`
	LongestIdle int `json:"longestIdleMs"` // of a terminal that was free while a case waited for it, in milliseconds
}

// The stampede's service: it is ahead, and the first cancellation of the evening
// tells by how much.
const (
	stampedeAhead  = 2300 * time.Millisecond
	stampedeMargin = 5 * time.Second
	stampedeTrip   = 3 * time.Second        // the longest answer
	stampedeToken  = time.Second            // the slowest
	stampedeJob    = 200 * time.Millisecond // the latest

	// mayIdle is how long a free terminal may stand idle while a case waits.
	mayIdle = stampedeToken + stampedeJob + 100*time.Millisecond
)

// stampede plays the last minute of one day with everybody at once: cases at one
// instant are asked for, taken and sent side by side.
func (r *run) stampede() error {
	d := newDraw(r.Seed, -1)
	w, err := r.newWorld(d, terms{
		name: fmt.Sprintf("seed %d, stampede", r.Seed), zone: zones[0], store: zones[0], secure: true,
		day: firstDay + date(d.below(int(lastDay-firstDay)+1)), margin: stampedeMargin, ahead: stampedeAhead,
		manner: func() manner {
			return manner{trip: d.tenths(200*time.Millisecond, stampedeTrip), dated: 50, answer: answerSent}
		},
		tokens: func(bool) (time.Duration, error) { return d.tenths(0, stampedeToken), nil },
	})
	if err != nil {
		return err
	}
	w.late = func() time.Duration { return d.tenths(0, stampedeJob) }
	serials, err := w.till(max(r.Stampede/10, 2))
	if err == nil {
		w.crowd(serials)
		w.play(w.cutoff.Add(3 * time.Minute))
	}
	w.service.close()
	if err == nil {
		err = w.audit()
	}
	if err != nil {
		return err
	}
	r.report.Stampede.Terminals = len(serials)
	w.idleness(&r.report.Stampede)
	r.add(w, &r.report.Stampede.Evenings)
	return nil
}

// tenths draws a duration in steps of a tenth of a second, so that much falls
// upon the same instants.
func (d *draw) tenths(from, to time.Duration) time.Duration {
	return d.span(from, to).Round(100 * time.Millisecond)
}

// till sets terminals up, the last of which never posts a result.
func (w *world) till(n int) (serials []string, err error) {
	for range n {
		serial, err := w.run.office.terminal(w.run.ctx, w.storeID)
		if err != nil {
			return nil, err
		}
		serials = append(serials, serial)
	}
	silent := serials[n-1]
	w.service.acked = func(o wanted) {
		if o.SerialNumber != silent {
			w.at(w.peek().Add(w.tenths(2*time.Second, 8*time.Second)), func() { w.result(o) })
		}
	}
	return serials, nil
}

// crowd plans an early case, which tells the difference of the clocks, and then
// everybody else within the minute.
func (w *world) crowd(serials []string) {
	for i := range w.run.Stampede + 1 {
		serial := serials[i%len(serials)]
		sale := &sale{order: orderNumber(serial, i), serial: serial, amount: 125000}
		click := w.cutoff.Add(-w.tenths(0, time.Minute))
		if i == 0 {
			click = w.cutoff.Add(-2 * time.Minute)
		}
		w.at(w.begins.Add(w.span(time.Hour, 12*time.Hour)), func() { w.sell(sale) })
		w.at(click, func() { w.click(sale) })
	}
}

// idleness looks for terminals that were free while one of their cases waited in
// vain: what could have been sent must have been.
func (w *world) idleness(f *Stampede) {
	told, _ := w.judge.toldBy(w.cutoff)
	// Date has whole seconds, and may have been written as early as the request
	// came: by so much the difference may be taken for greater than it is.
	closes := w.cutoff.Add(-stampedeMargin - told - time.Second - stampedeTrip)
	sent := map[string][]firstByte{}
	delivered := map[string]bool{}
	for _, b := range w.judge.bytes {
		serial := w.sales[b.order].serial
		sent[serial] = append(sent[serial], b)
		delivered[b.order] = true
	}
	for _, s := range w.cased {
		if delivered[s.order] {
			continue
		}
		idle := w.idleFor(s, sent[s.serial], closes)
		f.LongestIdle = max(f.LongestIdle, int(idle.Milliseconds()))
		if idle > mayIdle {
			w.fault("%s was not sent, although terminal %s stood idle for %s since it was asked for", s.order, s.serial, idle)
		}
	}
}

// idleFor is the longest time that the sale's terminal was free between the
// asking and the close.
func (w *world) idleFor(s *sale, sent []firstByte, closes time.Time) (longest time.Duration) {
	slices.SortFunc(sent, func(a, b firstByte) int { return a.at.Compare(b.at) })
	free := s.asked
	for _, b := range append(sent, firstByte{at: closes}) {
		longest = max(longest, b.at.Sub(free))
		if b.order == "" {
			break
		}
		freed := w.sales[b.order].freed
		if freed.IsZero() {
			return longest // and never free again
		}
		if freed.After(free) {
			free = freed
		}
	}
	return longest
}
