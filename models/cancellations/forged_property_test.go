package cancellations_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestNoPostWithoutAKnownIDMovesACancellation posts sequences of anything that can be
// posted without an id of ours, at the address that all terminals share, to sales in
// each open state and to one that nobody asked to cancel. Between them time passes,
// inquiries leave and the sweep runs. No post may move a cancellation, open one or
// change a sale.
func TestNoPostWithoutAKnownIDMovesACancellation(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	end, failed, posts := time.Now().Add(*lifeFor/2), false, 0
	rapid.Check(t, func(rt *rapid.T) {
		if !failed && time.Now().After(end) {
			return
		}
		f := newForger(office.Branch(t), rt)
		steps := map[string]func(*rapid.T){
			"time passes": f.timePasses,
			"sweep":       f.sweep,
			"inquire":     f.inquire,
		}
		for i := range 5 {
			steps[fmt.Sprint("post ", i)] = func(rt *rapid.T) {
				before := f.books()
				p := f.forged(rt)
				f.o.Post(p)
				posts++
				if after := f.books(); after != before {
					failed = true
					rt.Fatalf("%+v changed\n%s to\n%s", p, before, after)
				}
			}
		}
		rt.Repeat(steps)
	})
	t.Logf("posts: %d", posts)
	office.CheckInvariants(t)
}

// forger knows everything of the sales that is on a receipt, and no id.
type forger struct {
	o     *modelstest.Office
	sales []*models.Sale
	cases []int64
}

func newForger(o *modelstest.Office, rt *rapid.T) *forger {
	f := &forger{o: o, sales: []*models.Sale{o.Sale(700)}}
	for range 2 {
		o.Terminal = o.NewTerminal(o.Store)
		states := []models.State{models.Requested, models.Sending, models.Accepted, models.Unknown}
		sale, c := o.StateOf(rapid.SampledFrom(states).Draw(rt, "state"))
		f.sales, f.cases = append(f.sales, sale), append(f.cases, c.ID)
	}
	return f
}

// books is what no post of a forger may change.
func (f *forger) books() string {
	var text string
	err := f.o.Owner.QueryRow(`SELECT concat(
		(SELECT string_agg(concat_ws(' ', id, state, amount), ', ' ORDER BY id) FROM sales WHERE store_id = $1), '; ',
		(SELECT string_agg(concat_ws(' ', id, state, detail, version), ', ' ORDER BY id) FROM cancellations WHERE store_id = $1))`,
		f.o.Store.ID).Scan(&text)
	if err != nil {
		panic(err)
	}
	return text
}

// forged is a post about a sale. A post of kind sale is always of one that is known,
// so that none is new.
func (f *forger) forged(rt *rapid.T) models.Post {
	sale := rapid.SampledFrom(f.sales).Draw(rt, "sale")
	kinds := []models.ResultKind{
		models.ResultCancellation, models.ResultCancellation, models.ResultInquiry, models.ResultInquiry, models.ResultSale,
		models.ResultAbandoned, models.ResultOther, models.ResultUnreadable,
	}
	p := modelstest.CancelPost(sale, "")
	p.Kind = rapid.SampledFrom(kinds).Draw(rt, "kind")
	p.ResponseCode = rapid.SampledFrom([]string{"00", "00", "00", "51", "02", "", "0"}).Draw(rt, "code")
	if p.Kind == models.ResultInquiry {
		p.Standing = rapid.SampledFrom([]models.SaleStanding{"V", "V", "C", "C", "RV", "PRV", "D", "", "X"}).Draw(rt, "standing")
	}
	switch rapid.IntRange(0, 5).Draw(rt, "amount") {
	case 0:
		p.Amount = nil
	case 1:
		*p.Amount = 0
	case 2:
		*p.Amount = 100
	}
	if rapid.IntRange(0, 5).Draw(rt, "id") == 0 {
		p.AttemptKey = models.NewAttemptKey().Hash()
	}
	if p.Kind == models.ResultSale {
		return p
	}
	other := rapid.SampledFrom(f.sales).Draw(rt, "another sale")
	switch rapid.IntRange(0, 9).Draw(rt, "names") {
	case 0:
		p.OrderID = ""
	case 1:
		p.SerialNumber = ""
	case 2:
		p.OrderID = other.OrderID
	case 3:
		p.SerialNumber = string(other.SerialNumber)
	case 4:
		p.MerchantID, p.Folio = "another", "another"
	}
	return p
}

func (f *forger) timePasses(rt *rapid.T) {
	f.o.Clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Second, 31 * time.Second, time.Minute, 181 * time.Second, 10 * time.Minute, time.Hour,
	}).Draw(rt, "by"))
}

func (f *forger) sweep(rt *rapid.T) {
	if err := f.o.Operations.Sweep(rt.Context()); err != nil {
		rt.Fatalf("Sweep() = %v", err)
	}
}

// inquire sends what is to be asked. No terminal answers.
func (f *forger) inquire(rt *rapid.T) {
	for _, s := range f.sales {
		if _, err := f.o.Cancellations.InquireSale(rt.Context(), s.ID, 0); err != nil {
			rt.Fatalf("InquireSale() = %v", err)
		}
	}
	for _, id := range f.cases {
		if _, err := f.o.Cancellations.Inquire(rt.Context(), id, 0); err != nil {
			rt.Fatalf("Inquire() = %v", err)
		}
	}
}
