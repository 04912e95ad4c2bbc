package failover

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"veinte/web/lab"
)

// told is what a click was answered.
type told string

// What is said of a click.
const (
	done       told = "done"
	already    told = "already" // it was requested before, as a page says
	failed     told = "failed"  // in words: nothing was stored
	unknown    told = "unknown" // in words: nobody knows whether it was stored
	unanswered told = "unanswered"
	wordless   told = "wordless" // a mistake
)

// words are those of the pages, in Spanish.
var words = []struct {
	says string
	told told
}{
	{"No hay conexión con la base de datos", failed},
	{"Hay más trabajo del que se alcanza a atender", failed},
	{"La base de datos no guardó lo que hiciste", failed},
	{"La base de datos no termina de guardar", failed},
	{"No sabemos si quedó guardado", unknown},
}

// answered reads what an answer says.
func answered(a lab.Answer) told {
	switch {
	case a.Err != nil:
		return unanswered
	case a.OK():
		return done
	case a.Status == http.StatusConflict:
		return already
	case a.Status != http.StatusServiceUnavailable:
		return wordless
	}
	for _, w := range words {
		if strings.Contains(a.Text, w.says) {
			return w.told
		}
	}
	return wordless
}

// press is a click with its answer.
type press struct {
	sale       *lab.Sale
	begun, end time.Time
	told       told
	problem    error // what a wordless one was answered
}

// load is people who press, each on their share of the sales. Whoever is told that nothing
// was stored, or that nobody knows, presses again.
type load struct {
	*lab.Lab
	servers []*lab.Server
	next    chan *lab.Sale
	stop    context.CancelFunc
	group   sync.WaitGroup

	mu      sync.Mutex
	presses []press
	pages   []press // that were opened meanwhile
}

// pace is how long somebody waits between two presses.
const pace = 400 * time.Millisecond

func begin(ctx context.Context, l *lab.Lab, sales []*lab.Sale) *load {
	ctx, stop := context.WithCancel(ctx)
	d := &load{Lab: l, servers: l.Servers[:2:2], next: make(chan *lab.Sale, len(sales)), stop: stop}
	for _, s := range sales {
		d.next <- s
	}
	close(d.next)
	for i := range l.Managers {
		d.group.Go(func() { d.work(ctx, i) })
	}
	d.group.Go(func() { d.look(ctx) })
	return d
}

// work is one person's.
func (d *load) work(ctx context.Context, i int) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	n := i
	for sale := range d.next {
		for ctx.Err() == nil {
			n++
			p := press{sale: sale, begun: time.Now()}
			// What was begun is ended: the answer counts.
			a := d.Managers[i].Click(context.WithoutCancel(ctx), d.servers[n%2], sale.ID, fmt.Sprintf("%s-%d", sale.OrderID, n), false)
			p.end, p.told = time.Now(), answered(a)
			if p.told == wordless || p.told == unanswered {
				p.problem = a.Problem()
			}
			d.mu.Lock()
			d.presses = append(d.presses, p)
			d.mu.Unlock()
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
			if p.told == done || p.told == already || p.told == wordless {
				break
			}
		}
	}
}

// look opens the list of sales again and again.
func (d *load) look(ctx context.Context) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		p := press{begun: time.Now()}
		a := d.Supervisor.Get(context.WithoutCancel(ctx), d.servers[n%2], "/sales")
		p.end, p.told = time.Now(), answered(a)
		if p.told == wordless || p.told == unanswered {
			p.problem = a.Problem()
		}
		d.mu.Lock()
		d.pages = append(d.pages, p)
		d.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// end has everybody go home when their last answer has come.
func (d *load) end() {
	d.stop()
	d.group.Wait()
}

// count counts presses with an answer, begun after an instant.
func (d *load) count(what told, since time.Time) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.presses {
		if p.told == what && p.begun.After(since) {
			n++
		}
	}
	return n
}

// until waits until so many presses were acknowledged that were begun since an instant.
func (d *load) until(ctx context.Context, n int, since time.Time) error {
	return lab.Eventually(ctx, 4*time.Minute, fmt.Sprintf("%d presses were acknowledged", n), func(context.Context) (bool, error) {
		got := d.count(done, since)
		return got >= n, fmt.Errorf("%d were", got)
	})
}

// longest is the longest time without an acknowledgement since an instant.
func (d *load) longest(since time.Time) (most time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := since
	for _, p := range d.presses { // in the order of their answers
		if p.told == done && p.end.After(since) {
			most = max(most, p.end.Sub(last))
			last = p.end
		}
	}
	return most
}

// slowest is the longest that somebody waited for an answer.
func (d *load) slowest() (most time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range append(append([]press(nil), d.presses...), d.pages...) {
		most = max(most, p.end.Sub(p.begun))
	}
	return most
}
