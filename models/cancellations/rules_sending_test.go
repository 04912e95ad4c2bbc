package cancellations_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/rules"
	"veinte/models/wiring"
)

// evening is a day on which administrators change the rules while managers cancel:
// one process changes them, and another, which still has the old ones cached, sends.
type evening struct {
	t     *testing.T
	o     *modelstest.Office
	other *wiring.Services
	seen  *struct{ left, stopped, changed, inFlight int }
	sales []*models.Sale
}

// TestNoFirstByteAfterEitherCutoff: the rules may change while a cancellation is
// requested, waits and is sent. Its first byte is sent before the stored cut-off of
// the sale and before the cut-off of its day by the rules in force then.
func TestNoFirstByteAfterEitherCutoff(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	var seen struct{ left, stopped, changed, inFlight int }
	end, failed := time.Now().Add(*lifeFor), false
	rapid.Check(t, func(rt *rapid.T) {
		if !failed && time.Now().After(end) {
			return
		}
		failed = true // reset when the run passes; rapid repeats a failed one to shorten it
		if _, err := office.Owner.Exec(`DELETE FROM rules WHERE id > 1`); err != nil {
			rt.Fatal(err)
		}
		o := office.Branch(t)
		e := &evening{t: t, o: o, other: wiring.New(o.Config), seen: &seen}
		o.Clock.Set(modelstest.At(t, "2026-11-20T18:00:00-06:00"))
		e.sell(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"sell": e.sell, "change": e.change, "plan": e.plan, "take back": e.takeBack, "cancel": e.cancel, "cancel again": e.cancel,
			"wait": e.wait,
		})
		failed = false
	})
	t.Logf("%+v", seen)
	if seen.left == 0 || seen.stopped == 0 || seen.changed == 0 || seen.inFlight == 0 {
		t.Errorf("%+v: something was never tried", seen)
	}
}

func (e *evening) sell(*rapid.T) {
	e.sales = append(e.sales, e.o.SaleAt(e.o.NewTerminal(e.o.Store), 5000))
}

func (e *evening) wait(rt *rapid.T) {
	e.o.Clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Second, 40 * time.Second, 4 * time.Minute, 30 * time.Minute,
		5 * time.Hour,
	}).Draw(rt, "wait"))
}

// change makes a change that takes effect at once: most often a cut-off that is
// minutes away, else a margin or a wait.
func (e *evening) change(rt *rapid.T) {
	now := e.o.Clock.Now().In(e.o.Config.Window.Calendar.Zone())
	e.write(rt, func(in *rules.Input) {
		switch rapid.IntRange(0, 3).Draw(rt, "what") {
		case 0:
			in.Margin = fmt.Sprint(rapid.IntRange(1, 600).Draw(rt, "margin"))
		case 1:
			in.Answer = fmt.Sprint(rapid.IntRange(5, 60).Draw(rt, "answer"))
		default:
			in.Cutoff = now.Add(time.Duration(rapid.IntRange(0, 12).Draw(rt, "minutes")) * time.Minute).Format("15:04")
		}
	})
}

// plan plans a cut-off that takes effect tomorrow.
func (e *evening) plan(rt *rapid.T) {
	e.write(rt, func(in *rules.Input) {
		in.Cutoff, in.LaterCutoff = rapid.SampledFrom([]string{"00:30", "18:00", "21:30"}).Draw(rt, "cutoff"), true
		in.From = string(e.o.Config.Window.Calendar.Day(e.o.Clock.Now().Add(24 * time.Hour)))
	})
}

func (e *evening) write(rt *rapid.T, typed func(*rules.Input)) {
	var refused *models.Error
	err := e.o.Rules.Change(e.t.Context(), e.o.Admin, e.o.RulesInput(typed))
	if err != nil && !errors.As(err, &refused) {
		rt.Fatalf("ChangeRules() = %v", err)
	}
	if err == nil {
		e.seen.changed++
	}
}

func (e *evening) takeBack(rt *rapid.T) {
	planned := e.o.Rules.Schedule().Planned(e.o.Clock.Now())
	if len(planned) == 0 {
		rt.Skip("nothing planned")
	}
	if err := e.o.Rules.WithdrawChange(e.t.Context(), e.o.Admin, planned[0].ID); err != nil {
		rt.Fatalf("TakeBackRules() = %v", err)
	}
}

// cancel makes the other process take a request and send it. Connecting takes a
// while, in which the rules may change.
func (e *evening) cancel(rt *rapid.T) {
	sale := e.sales[rapid.IntRange(0, len(e.sales)-1).Draw(rt, "sale")]
	if now, closes := e.o.Clock.Now(), e.o.Rules.Window().Closes(sale); now.Before(closes) && rapid.Bool().Draw(rt, "at the last moment") {
		e.o.Clock.Set(closes.Add(-time.Duration(rapid.IntRange(1, 20).Draw(rt, "before")) * time.Second / 2))
	}
	c, err := e.other.Cancellations.Request(e.t.Context(), e.o.Manager, cancellations.CancelRequest{
		SaleID: sale.ID, Reason: "wrongAmount",
		Click: modelstest.NextSerial(),
	})
	if err != nil {
		return // too late, or requested before
	}
	if rapid.IntRange(0, 2).Draw(rt, "between") == 0 {
		e.change(rt)
	}
	e.o.API.Arrived = func(order models.Order) { e.send(rt, sale, order) }
	defer func() { e.o.API.Arrived = nil }()
	if _, err := e.other.Cancellations.Dispatch(e.t.Context(), c.ID); err != nil {
		rt.Fatalf("Dispatch() = %v", err)
	}
}

// send does what the client does: it connects, and writes the first byte unless it
// is too late by the order or by the attempt's deadline.
func (e *evening) send(rt *rapid.T, sale *models.Sale, order models.Order) {
	var deadline time.Time
	if err := e.o.Owner.QueryRow(`SELECT deadline_at FROM attempts WHERE key_hash = $1`, order.Key.Hash()).Scan(&deadline); err != nil {
		rt.Fatal(err)
	}
	changes := e.seen.changed
	if rapid.Bool().Draw(rt, "changed while it connects") {
		e.change(rt)
	}
	e.seen.inFlight += e.seen.changed - changes
	e.o.Clock.Advance(time.Duration(rapid.IntRange(0, 60_000).Draw(rt, "connecting")) * time.Millisecond)
	now := e.o.Clock.Now()
	if !now.Before(order.NotAfter) || !now.Before(deadline) {
		e.seen.stopped++
		return
	}
	e.seen.left++
	ruled := wiring.New(e.o.Config).Rules.Window().Calendar.Cutoff(sale.SoldAt)
	if !now.Before(sale.CutoffAt) || !now.Before(ruled) {
		rt.Errorf("the first byte left at %s; the sale's cut-off was %s, the rules say %s", now, sale.CutoffAt, ruled)
	}
}
