package cancellations_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

var lifeFor = flag.Duration("life.for", 12*time.Second, "how long TestLifeAgreesWithTheDomain begins new lives")

// TestLifeAgreesWithTheDomain drives the service with clicks, replies, results
// (late, twice, swapped, forged), clock jumps and sweeps, and compares it after each
// step with the reference. A failure prints the seed: -rapid.seed=N.
func TestLifeAgreesWithTheDomain(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	end, failed := time.Now().Add(*lifeFor), false
	lives := 0
	rapid.Check(t, func(rt *rapid.T) {
		if !failed && time.Now().After(end) {
			return
		}
		lives++
		d := newDriver(t, office.Branch(t), &failed)
		rt.Repeat(map[string]func(*rapid.T){
			"":            d.check,
			"request 1":   d.request,
			"request 2":   d.request,
			"dispatch 1":  d.dispatch,
			"dispatch 2":  d.dispatch,
			"dispatch 3":  d.dispatch,
			"post":        d.post,
			"post again":  d.postAgain,
			"time passes": d.timePasses,
			"sweep":       d.sweep,
			"withdraw":    d.withdraw,
			"resolve":     d.resolve,
			"inquire":     d.inquire,
			"inquire on":  d.inquireSale,
			"copied":      d.copied,
		})
	})
	t.Logf("lives lived: %d", lives)
	office.CheckInvariants(t)
}

// driver does everything twice: with the service and with the reference.
type driver struct {
	t      *testing.T
	o      *modelstest.Office
	ref    *reference
	posted []models.Post
	clicks []string
	failed *bool
}

func newDriver(t *testing.T, o *modelstest.Office, failed *bool) *driver {
	d := &driver{t: t, o: o, failed: failed, ref: &reference{now: o.Clock.Now(), keys: map[string]refKey{}}}
	if err := o.Lineage.Recognize(t.Context()); err != nil { // as a server does before it works
		t.Fatal(err)
	}
	terminals := []*models.Terminal{o.Terminal, o.NewTerminal(o.Store)}
	for i := range 6 {
		s := &refSale{row: o.SaleAt(terminals[i/4], models.Money(1000*(i+1))), terminal: i / 4}
		d.ref.sales = append(d.ref.sales, s)
	}
	d.ref.closes = d.ref.sales[0].row.CutoffAt.Add(-5 * time.Second)
	return d
}

func (d *driver) fatalf(rt *rapid.T, format string, args ...any) {
	*d.failed = true
	rt.Fatalf(format, args...)
}

// check compares both, and counts that every move has its entry in the trail.
func (d *driver) check(rt *rapid.T) {
	rows, err := d.o.Owner.Query(`SELECT c.id, c.sale_id, c.state, c.attempts, c.version, s.state,
			(SELECT count(*) FROM audit_entries e WHERE e.sale_id = c.sale_id AND e.cancellation_id = c.id
				AND e.action IN ('cancellation.requested', 'cancellation.moved')),
			(SELECT count(*) FROM audit_entries e WHERE e.sale_id = c.sale_id AND e.cancellation_id = c.id
				AND e.action = 'cancellation.conflict' AND e.after->>'conflict' = 'sentLate')
		FROM cancellations c JOIN sales s ON s.id = c.sale_id WHERE c.store_id = $1 ORDER BY c.id`, d.o.Store.ID)
	if err != nil {
		d.fatalf(rt, "read cases: %v", err)
	}
	defer rows.Close()
	type line struct {
		Sale     int64
		State    models.State
		Attempts int
		Shown    models.SaleState
		Entries  bool
		Late     int
	}
	var got, want []line
	for rows.Next() {
		var l line
		var id int64
		var version, entries int
		if err := rows.Scan(&id, &l.Sale, &l.State, &l.Attempts, &version, &l.Shown, &entries, &l.Late); err != nil {
			d.fatalf(rt, "read cases: %v", err)
		}
		if len(got) < len(d.ref.cancellations) {
			d.ref.cancellations[len(got)].id = id
		}
		l.Entries = version == entries
		got = append(got, l)
	}
	for _, c := range d.ref.cancellations {
		want = append(want, line{c.sale.row.ID, c.state, c.attempts, d.ref.saleState(c.sale), true, c.late})
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		d.fatalf(rt, "cases (sale, state, attempts, sale's state, entries agree, sent late) are\n%v, want\n%v", got, want)
	}
	if got, want := len(d.o.API.Orders()), d.delivered(); got != want {
		d.fatalf(rt, "orders delivered = %d, want %d", got, want)
	}
}

// delivered counts the attempts: each was delivered exactly once.
func (d *driver) delivered() int {
	n := 0
	for _, c := range d.ref.cancellations {
		n += c.attempts
	}
	return n
}

func (d *driver) sale(rt *rapid.T) *refSale { return rapid.SampledFrom(d.ref.sales).Draw(rt, "sale") }

// likelyIn picks a cancellation: most often one in the states, if there are any.
func (d *driver) likelyIn(rt *rapid.T, states ...models.State) *refCancellation {
	if len(d.ref.cancellations) == 0 {
		rt.Skip("no case yet")
	}
	var likely []*refCancellation
	for _, c := range d.ref.cancellations {
		if slices.Contains(states, c.state) {
			likely = append(likely, c)
		}
	}
	if len(likely) == 0 || rapid.IntRange(0, 7).Draw(rt, "any case") == 0 {
		likely = d.ref.cancellations
	}
	return likely[rapid.IntRange(0, len(likely)-1).Draw(rt, "case")]
}

func (d *driver) request(rt *rapid.T) {
	s := d.sale(rt)
	click := fmt.Sprintf("click %d of %d", len(d.clicks), d.o.Store.ID)
	if len(d.clicks) > 0 && rapid.IntRange(0, 4).Draw(rt, "old click") == 0 {
		click = rapid.SampledFrom(d.clicks).Draw(rt, "click")
	}
	d.clicks = append(d.clicks, click)
	want := d.ref.request(s, click)
	got, err := d.o.Cancellations.Request(d.t.Context(), d.o.Manager, cancellations.CancelRequest{
		SaleID: s.row.ID, Reason: "wrongAmount",
		Click: click,
	})
	var refused *models.Error
	if err != nil && !errors.As(err, &refused) || (err == nil) != (want != nil) || err == nil && want.id != 0 && want.id != got.ID {
		d.fatalf(rt, "Request(sale %d, %s) = %+v, %v, want case %+v", s.row.ID, click, got, err, want)
	}
	if err == nil {
		want.id = got.ID // the next step may be about it before check reads it, while a process is frozen
	}
}

func (d *driver) withdraw(rt *rapid.T) {
	c := d.likelyIn(rt)
	d.ref.withdraw(c)
	_, err := d.o.Cancellations.Withdraw(d.t.Context(), d.o.Manager, c.id)
	if (err == nil) != (c.state == models.Withdrawn) {
		d.fatalf(rt, "Withdraw() = %v, case then %s", err, c.state)
	}
}

func (d *driver) inquire(rt *rapid.T) {
	c := d.likelyIn(rt, models.Unknown)
	asks := d.ref.inquire(c)
	before := len(d.o.Inquiries.Orders())
	if _, err := d.o.Cancellations.Inquire(d.t.Context(), c.id, 0); err != nil {
		d.fatalf(rt, "Inquire() = %v", err)
	}
	sent := d.o.Inquiries.Orders()[before:]
	if (len(sent) == 1) != asks {
		d.fatalf(rt, "%d inquiries left about a %s case, want one: %t", len(sent), c.state, asks)
	}
	if asks {
		d.ref.asks = append(d.ref.asks, &refAsk{of: c, sale: c.sale, key: sent[0].Key.Hash(), at: d.ref.now})
	}
}

// inquireSale runs the task of an inquiry about a sale of which somebody claimed that
// it is canceled, or that of any sale.
func (d *driver) inquireSale(rt *rapid.T) {
	s := d.sale(rt)
	if n := len(d.ref.claims); n > 0 && rapid.IntRange(0, 4).Draw(rt, "any sale") > 0 {
		s = d.ref.claims[rapid.IntRange(0, n-1).Draw(rt, "claim")].sale
	}
	asks := d.ref.inquireSale(s, d.o.Config.Waits.Quiet)
	before := len(d.o.Inquiries.Orders())
	if _, err := d.o.Cancellations.InquireSale(d.t.Context(), s.row.ID, 0); err != nil {
		d.fatalf(rt, "InquireSale() = %v", err)
	}
	sent := d.o.Inquiries.Orders()[before:]
	if (len(sent) == 1) != asks {
		d.fatalf(rt, "%d inquiries left about sale %d, want one: %t", len(sent), s.row.ID, asks)
	}
	if asks {
		d.ref.asks = append(d.ref.asks, &refAsk{sale: s, key: sent[0].Key.Hash(), at: d.ref.now})
	}
}

func (d *driver) resolve(rt *rapid.T) {
	c := d.likelyIn(rt, models.Unknown)
	to := rapid.SampledFrom([]models.State{models.Confirmed, models.NotCanceled}).Draw(rt, "to")
	accepted := d.ref.resolve(c, to)
	err := d.o.Cancellations.Resolve(d.t.Context(), d.o.Supervisor, c.id, cancellations.Resolution{Outcome: to, Folio: "F-1"})
	if (err == nil) != accepted {
		d.fatalf(rt, "Settle(%s) = %v, case then %s", to, err, c.state)
	}
}
