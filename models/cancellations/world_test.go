package cancellations_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// world is a day of the reference, with what is so besides: what terminals did, and which
// processes stand still. It moves from one event to the next.
type world struct {
	now      time.Time // the true one; the reference has that of the server that acts
	ref      *reference
	clocks   serverClocks
	backup   *backup // nil: none was made
	rand     *rand.Rand
	mistake  string // made on purpose; "" is none
	events   events
	seq      int
	truth    map[*refSale]*truth
	pushes   map[*refCancellation]*onScreen
	sent     map[*refCancellation]int
	word     map[*refCancellation]bool // a person said it, having looked
	unspoken map[*refCancellation]bool // bytes left late, and its process is still frozen, or died
	wrong    []string
	figure
}

// figure are the figures of days.
type figure struct {
	requests, frozen, past, kept, lateBytes, raised, died, charged, byHand, confirmed int
	copies, elsewhere, silent, apart                                                  int
}

func (f *figure) figures() string { return fmt.Sprintf("%+v", *f) }

func (f *figure) add(w *world) {
	f.requests += len(w.ref.cancellations)
	f.frozen, f.past, f.kept, f.lateBytes = f.frozen+w.frozen, f.past+w.past, f.kept+w.kept, f.lateBytes+w.lateBytes
	f.died, f.charged, f.byHand = f.died+w.died, f.charged+w.charged, f.byHand+w.byHand
	f.copies, f.elsewhere, f.silent, f.apart = f.copies+w.copies, f.elsewhere+w.elsewhere, f.silent+w.silent, f.apart+w.apart
	for _, c := range w.ref.cancellations {
		f.raised += c.late
		if c.state == models.Confirmed {
			f.confirmed++
		}
	}
}

// truth is what the terminal did with a sale.
type truth struct {
	canceled int              // how often
	by       *refCancellation // whose push did it; nil: somebody by hand
}

// onScreen is the push of a cancellation. It is live while its terminal may act on it.
type onScreen struct {
	c    *refCancellation
	key  string
	live bool
}

// event is something that happens at an instant.
type event struct {
	at     time.Time
	seq    int
	what   string
	server int // on which it happens; anyServer: whichever
	do     func()
}

// What servers do. The rest is done by people and terminals.
var servers = map[string]bool{
	"a job": true, "connecting": true, "the gate": true, "the bytes": true, "the answer": true, "a sweep": true,
}

type events []*event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(*event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// A day's hours: it begins an hour before the cut-off and goes on for two.
const dayLasts = 3 * time.Hour

var waits = modelstest.Waits

func newWorld(seed uint64, mistake string) *world {
	begins := time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC)
	w := &world{
		now: begins, ref: &reference{now: begins, closes: begins.Add(time.Hour - 5*time.Second), keys: map[string]refKey{}},
		rand: rand.New(rand.NewPCG(seed, 16)), mistake: mistake, truth: map[*refSale]*truth{}, pushes: map[*refCancellation]*onScreen{},
		sent: map[*refCancellation]int{}, word: map[*refCancellation]bool{}, unspoken: map[*refCancellation]bool{},
	}
	var presses []time.Duration
	for i := range 4 {
		row := &models.Sale{
			ID: int64(i + 1), OrderID: fmt.Sprintf("V-%d", i+1), Amount: models.Money(1000 * (i + 1)),
			SerialNumber: models.SerialNumber(fmt.Sprintf("229000000%d", i/2)),
		}
		s := &refSale{row: row, terminal: i / 2}
		w.ref.sales = append(w.ref.sales, s)
		w.truth[s] = &truth{}
		for n := range 1 + w.rand.IntN(3) {
			at := w.within(70 * time.Minute)
			presses = append(presses, at)
			w.after(at, "a press", func() { w.press(s, n) })
		}
		if w.rand.IntN(12) == 0 {
			w.after(w.within(2*time.Hour), "a cancellation by hand", func() { w.cancelByHand(s) })
		}
	}
	w.after(10*time.Second, "a sweep", w.sweep)
	w.mayBeCopied(presses[w.rand.IntN(len(presses))])
	w.setClocks()
	return w
}

// within draws a duration below another.
func (w *world) within(most time.Duration) time.Duration {
	return time.Duration(w.rand.Int64N(int64(most)))
}

// chance is so in n of 100 times.
func (w *world) chance(n int) bool { return w.rand.IntN(100) < n }

func (w *world) after(d time.Duration, what string, do func()) {
	w.on(anyServer, d, what, do)
}

// on has something happen on one server.
func (w *world) on(server int, d time.Duration, what string, do func()) {
	w.seq++
	heap.Push(&w.events, &event{w.now.Add(d), w.seq, what, server, do})
}

// live goes through the day's events and judges after each.
func (w *world) live() {
	ends := w.now.Add(dayLasts)
	for len(w.events) > 0 && w.events[0].at.Before(ends) && len(w.wrong) == 0 {
		e := heap.Pop(&w.events).(*event)
		w.now = e.at
		w.readClock(e.server)
		e.do()
		w.judge(e.what)
	}
}

func (w *world) press(s *refSale, n int) {
	if c := w.ref.request(s, fmt.Sprintf("click %d of %s", n, s.row.OrderID)); c != nil && c.state == models.Requested {
		w.after(w.within(2*time.Second), "a job", func() { w.dispatch(c) })
	}
}

// dispatch is the job that sends a cancellation: the attempt is committed here.
func (w *world) dispatch(c *refCancellation) {
	if w.leaves(c) {
		w.after(5*time.Second, "a job", func() { w.dispatch(c) })
		return
	}
	before := c.state
	if begun := w.ref.begin(c, w.quiet()); !begun {
		w.note(c, before)
		if c.state == models.Requested {
			w.after(5*time.Second, "a job", func() { w.dispatch(c) })
		}
		return
	}
	a := &sender{w: w, c: c, server: w.clocks.server, number: c.attempts, deadline: w.ref.now.Add(waits.Answer)}
	a.key = fmt.Sprintf("%s.%d.%d", c.click, a.number, w.seq)
	w.ref.keys[a.key] = refKey{of: c, number: a.number, at: w.ref.now}
	a.then(w.freeze(&w.frozen, 6)+w.within(2*time.Second), "connecting", a.connect)
}

// freeze returns how long the process stands still now: mostly not at all.
func (w *world) freeze(count *int, n int) time.Duration {
	if !w.chance(n) {
		return 0
	}
	*count++
	return []time.Duration{w.within(time.Second), w.within(time.Minute), w.within(10 * time.Minute), w.within(time.Hour)}[w.rand.IntN(4)]
}

// sweep is what runs every ten seconds: timers, inquiries, and people who look at doubts.
func (w *world) sweep() {
	w.after(10*time.Second, "a sweep", w.sweep)
	for _, c := range w.ref.cancellations {
		if w.leaves(c) {
			continue
		}
		before := c.state
		w.ref.silence(c, waits)
		w.note(c, before)
		if w.mistake == "resend" && before == models.Sending && c.state == models.Unknown {
			w.ref.move(c, models.Requested)
			w.after(0, "a job", func() { w.dispatch(c) })
		}
		if c.state == models.Unknown && w.chance(10) && w.ref.inquire(c) {
			w.ask(&refAsk{of: c, sale: c.sale})
		}
		if c.state == models.Unknown && w.chance(1) {
			w.look(c)
		}
	}
	for _, s := range w.ref.sales {
		if w.chance(20) && w.ref.inquireSale(s, w.quiet()) {
			w.ask(&refAsk{sale: s})
		}
	}
}

// look has a supervisor look at the terminal and say what is so.
func (w *world) look(c *refCancellation) {
	to := models.NotCanceled
	if w.truth[c.sale].canceled > 0 {
		to = models.Confirmed
	}
	w.word[w.origin(c)] = w.ref.resolve(c, to) && to == models.NotCanceled
}

// ask sends an inquiry. The terminal answers what is so at that moment; the answer comes
// later, or not at all.
func (w *world) ask(a *refAsk) {
	a.key, a.at = fmt.Sprintf("ask %d", w.seq), w.ref.now
	a.answered = w.mistake == "silence"
	w.ref.asks = append(w.ref.asks, a)
	if w.chance(20) {
		return
	}
	w.after(w.within(8*time.Second), "the terminal's look", func() {
		p := modelstest.InquiryPost(a.sale.row, models.StandingCharged)
		if w.truth[a.sale].canceled > 0 {
			p.Standing = models.StandingCanceled
		}
		p.AttemptKey = a.key
		w.post(p, 5)
	})
}

// post has a terminal's post arrive: at once, later, or once more.
func (w *world) post(p models.Post, lost int) {
	for again := true; again; again = w.chance(10) {
		if w.chance(lost) {
			continue
		}
		delay := w.within(time.Second)
		if w.chance(15) {
			delay = w.within(30 * time.Minute)
		}
		w.after(delay, "a post", func() { w.read(p) })
	}
}

func (w *world) read(p models.Post) {
	before := map[*refCancellation]models.State{}
	for _, c := range w.ref.cancellations {
		before[c] = c.state
	}
	quiet := waits.Quiet
	if w.mistake == "early" {
		quiet = 0
	}
	w.ref.post(p, quiet)
	for _, c := range w.ref.cancellations {
		if before[c] == models.Unknown && c.state == models.NotCanceled {
			w.charged++
		}
	}
}

// cancelByHand has somebody cancel the sale on the device. Its post has no id.
func (w *world) cancelByHand(s *refSale) {
	if w.truth[s].canceled > 0 {
		return
	}
	w.byHand++
	w.truth[s].canceled++
	w.post(modelstest.CancelPost(s.row, ""), 10)
}
