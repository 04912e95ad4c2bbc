package sales_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// waitOf is what the list and the page of a sale say that its cancellation waits for.
func waitOf(t *testing.T, o *modelstest.Office, actor models.Actor, sale *models.Sale) (sales.Wait, bool) {
	t.Helper()
	waits, err := o.Sales.Waits(t.Context(), actor, []int64{sale.ID})
	if err != nil {
		t.Fatalf("Waits(%d) = %v", sale.ID, err)
	}
	page, err := o.Sales.DaySales(t.Context(), actor, sales.Filter{Day: modelstest.SalesToday, StoreID: sale.StoreID})
	if err != nil {
		t.Fatalf("DaySales() = %v", err)
	}
	w, waiting := waits[sale.ID]
	if listed, is := page.Waits[sale.ID]; listed != w || is != waiting {
		t.Errorf("the list says that it waits for %+v, %t; its page %+v, %t", listed, is, w, waiting)
	}
	return w, waiting
}

// What a request waits for is what Dispatch decides by, and at the time that is named it
// is sent.
func TestWhatARequestWaitsFor(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, first := range modelstest.EveryState {
		t.Run(string(first), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			occupying, c := o.StateOf(first)
			second := o.Sale(700)
			request := o.Request(second)
			busy := o.Dispatch(request.ID) > 0
			w, waiting := waitOf(t, o, o.Manager, second)
			if waiting != busy {
				t.Fatalf("behind a %s case it waits for %+v, %t; Dispatch() waits: %t", first, w, waiting, busy)
			}
			if !busy {
				return
			}
			if first == models.Requested {
				// What is before it may take all the time that a terminal has.
				end := o.Clock.Now().Add(30*time.Second + 10*time.Second + 180*time.Second + 35*time.Second)
				if w.Ahead != 1 || !w.Until.Equal(end) {
					t.Errorf("behind a request it waits for %+v, want its turn until %s", w, end)
				}
				return
			}
			if w.State != first || w.For.ID != occupying.ID || w.For.Amount != occupying.Amount || w.Inquiry {
				t.Errorf("it waits for %+v, want sale %d, which is %s", w, occupying.ID, first)
			}
			letPass(t, o, c)
			if o.Clock.Now().After(w.Until) {
				t.Errorf("the terminal was free at %s, later than %s", o.Clock.Now(), w.Until)
			}
			if got := o.Dispatch(request.ID); got != 0 {
				t.Errorf("Dispatch() at %s waits %s, want 0", o.Clock.Now(), got)
			}
			if w, waiting := waitOf(t, o, o.Manager, second); waiting {
				t.Errorf("what was sent waits for %+v", w)
			}
		})
	}
}

// letPass lets the time pass in which the terminal may act on a push, of which nothing
// is heard, as the jobs of its cancellation see it.
func letPass(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
	t.Helper()
	for range 100 {
		wait, err := o.Cancellations.Recover(t.Context(), c.ID, 1)
		if err == nil && wait == 0 {
			wait, err = o.Cancellations.EndResultWait(t.Context(), c.ID, 1)
		}
		if err != nil {
			t.Fatalf("let case %d pass: %v", c.ID, err)
		}
		now := o.Cancellation(c.ID).Cancellation
		if wait == 0 {
			wait = now.QuietEnd(modelstest.Waits.Quiet).Sub(o.Clock.Now())
		}
		if wait <= 0 {
			return
		}
		o.Clock.Advance(wait)
	}
	t.Fatalf("case %d never ends", c.ID)
}

// The terminal is asked about a doubt whose quiet time is over: the inquiry is on its
// screen.
func TestARequestWaitsForAnInquiry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	doubt, c := o.StateOf(models.Unknown)
	o.Clock.Advance(4 * time.Minute)
	if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, 1); wait != 0 || err != nil {
		t.Fatalf("Inquire() = %s, %v", wait, err)
	}
	second := o.Sale(700)
	request := o.Request(second)
	if got := o.Dispatch(request.ID); got == 0 {
		t.Fatal("the request was sent while an inquiry was on the screen")
	}
	w, _ := waitOf(t, o, o.Manager, second)
	want := sales.Wait{
		For: models.Sale{ID: doubt.ID, StoreID: doubt.StoreID, Amount: doubt.Amount}, State: models.Unknown, Inquiry: true,
		Until: o.Clock.Now().Add(35 * time.Second),
	}
	if !w.Until.Equal(want.Until) {
		t.Errorf("until %s, want %s", w.Until, want.Until)
	}
	if w.Until = want.Until; w != want {
		t.Errorf("it waits for %+v, want %+v", w, want)
	}
	o.Clock.Set(want.Until)
	if got := o.Dispatch(request.ID); got != 0 {
		t.Errorf("Dispatch() at the time that was named waits %s, want 0", got)
	}
}

// A terminal was moved: what occupies it is a sale of a store that the reader does not see.
func TestARequestWaitsForAnotherStoresSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	doubt, _ := o.StateOf(models.Unknown)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTHER")
	move := terminals.MoveInput{StoreID: other.ID, MerchantID: "M" + string(o.Terminal.SerialNumber)}
	if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, o.Terminal.Version, move); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	o.Clock.Advance(time.Second)
	o.Manager = modelstest.Person(models.Manager, other)
	second := o.Sale(700)
	if second.StoreID != other.ID {
		t.Fatalf("the sale is one of store %d, want %d", second.StoreID, other.ID)
	}
	o.Request(second)
	if w, _ := waitOf(t, o, o.Manager, second); w.State != models.Unknown || w.For.ID != 0 || w.For.Amount != 0 || w.Until.IsZero() {
		t.Errorf("a manager's request waits for %+v, want a doubt without its sale", w)
	}
	if w, _ := waitOf(t, o, o.Supervisor, second); w.For.ID != doubt.ID {
		t.Errorf("a supervisor is told %+v, want sale %d", w, doubt.ID)
	}
}
