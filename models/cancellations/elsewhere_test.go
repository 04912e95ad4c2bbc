package cancellations_test

import (
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/lineage"
	"veinte/models/modelstest"
)

// wants fails unless the cancellation is a doubt because of the other database.
func wantsDoubt(t *testing.T, o *modelstest.Office, id int64) {
	t.Helper()
	if c := o.Cancellation(id); c.State != models.Unknown || c.Detail != models.DetailOtherDatabase || len(c.AttemptList) != 0 {
		t.Errorf("cancellation %d is %s (%s) with %d attempts, want a doubt and none", id, c.State, c.Detail, len(c.AttemptList))
	}
}

// TestACopySendsNothingOfTheOther: what was requested before the backup is sent from
// the original, which goes on. The copy does not send it a second time, and an inquiry
// settles each doubt.
func TestACopySendsNothingOfTheOther(t *testing.T) {
	t.Parallel()
	for name, restore := range map[string]func(*modelstest.Office, testing.TB, string) *modelstest.Office{
		"in another cluster": (*modelstest.Office).RestoredElsewhere, "in the same cluster": (*modelstest.Office).Restored,
	} {
		for _, starts := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, recognized at the start: %t", name, starts), func(t *testing.T) {
				t.Parallel()
				o := modelstest.NewOffice(t)
				begin(t, o)
				var waiting []*models.Cancellation
				for range 3 {
					waiting = append(waiting, o.Request(o.SaleAt(o.NewTerminal(o.Store), 12500)))
				}
				copied := restore(o, t, o.Backup(t))
				for _, c := range waiting {
					o.Dispatch(c.ID)
				}
				if starts {
					begin(t, copied)
				}
				for _, c := range waiting {
					copied.Dispatch(c.ID)
					wantsDoubt(t, copied, c.ID)
				}
				for order, n := range modelstest.Sent(o, copied) {
					modelstest.Wants(t, "orders "+order+" sent", n, 1)
				}
				modelstest.Wants(t, "changes in the trail", modelstest.Count(t, copied.Owner, `SELECT count(*) FROM audit_entries
					WHERE action = $1 AND after->>'cause' = 'copied' AND (after->>'doubts')::int = 3`, string(models.ActionDatabaseChanged)), 1)
				n := copied.Operations.Notices(t.Context()).Database
				if n == nil || n.Cause != lineage.Copied || n.Doubts != 3 || n.Left != 3 {
					t.Errorf("the notice is %+v, want a copy with 3 doubts", n)
				}
				modelstest.Wants(t, "inquiries that wait", len(modelstest.Tasks(copied.Queue.Take(t), models.TaskInquire, waiting[0].ID)), 1)
				settle(t, copied, waiting[0], models.StandingCanceled, models.Confirmed)
				settle(t, copied, waiting[1], models.StandingCharged, models.NotCanceled)
				sale := copied.SaleAt(copied.NewTerminal(copied.Store), 300)
				copied.Dispatch(copied.Request(sale).ID)
				modelstest.Wants(t, "orders of a sale of its own", modelstest.Sent(copied)[sale.OrderID], 1)
				copied.CheckInvariants(t)
				if n := o.Operations.Notices(t.Context()).Database; n != nil {
					t.Errorf("the notice of the original is %+v, want none", n)
				}
			})
		}
	}
}

// begin does what a server does before anything else.
func begin(t *testing.T, o *modelstest.Office) {
	t.Helper()
	if err := o.Lineage.Begin(t.Context()); err != nil {
		t.Fatalf("Begin() = %v", err)
	}
	if err := o.Cancellations.DoubtElsewhere(t.Context()); err != nil {
		t.Fatalf("DoubtElsewhere() = %v", err)
	}
}

// settle has the doubt's inquiry sent, and its terminal answer.
func settle(t *testing.T, o *modelstest.Office, c *models.Cancellation, says models.SaleStanding, want models.State) {
	t.Helper()
	o.Clock.Advance(modelstest.Waits.Quiet + time.Second)
	before := len(o.Inquiries.Orders())
	if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, 1); wait != 0 || err != nil {
		t.Fatalf("Inquire() = %s, %v", wait, err)
	}
	post := modelstest.InquiryPost(&o.SaleDetail(c.SaleID).Sale, says)
	post.AttemptKey = o.Inquiries.Orders()[before].Key.Hash()
	o.Post(post)
	modelstest.Wants(t, "state after the inquiry", o.Cancellation(c.ID).State, want)
}

// Whoever wants to move what was requested in another database finds a doubt: that it
// was not sent is not known here.
func TestWhatWasRequestedElsewhereIsADoubt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for name, door := range map[string]func(*testing.T, *modelstest.Office, *models.Cancellation) error{
		"a job sends it": func(_ *testing.T, o *modelstest.Office, c *models.Cancellation) error { o.Dispatch(c.ID); return nil },
		"the window closes": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) error {
			o.Clock.Set(c.CutoffAt)
			_, err := o.Cancellations.Expire(t.Context(), c.ID)
			return err
		},
		"a job sends it too late": func(_ *testing.T, o *modelstest.Office, c *models.Cancellation) error {
			o.Clock.Set(c.CutoffAt)
			o.Dispatch(c.ID)
			return nil
		},
		"a person withdraws it": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) error {
			_, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID)
			if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "error.alreadySent"}) {
				return fmt.Errorf("Withdraw() = %w, want that it may have left", err)
			}
			return nil
		},
		"its terminal is retired": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) error {
			modelstest.Exec(t, o.Owner, `UPDATE terminals SET retired_at = now() WHERE id = $1`, c.TerminalID)
			o.Dispatch(c.ID)
			return nil
		},
		"the sweep": func(t *testing.T, o *modelstest.Office, _ *models.Cancellation) error {
			return o.Operations.Sweep(t.Context())
		},
		"sending is paused": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) error {
			if err := o.Cancellations.Pause(t.Context(), o.Admin, "se restauró"); err != nil {
				return err
			}
			o.Dispatch(c.ID)
			return o.Cancellations.Resume(t.Context(), o.Admin, int64(modelstest.Count(t, o.Owner, `SELECT max(id) FROM pauses`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := o.Branch(t)
			c := b.Request(b.Sale(5000))
			modelstest.Exec(t, b.Owner, `UPDATE cancellations SET asked_in = '7/1/00000001/0' WHERE id = $1`, c.ID)
			if err := door(t, b, c); err != nil {
				t.Error(err)
			}
			wantsDoubt(t, b, c.ID)
			modelstest.Wants(t, "orders sent", len(b.API.Orders()), 0)
			if got := b.Cancellation(c.ID); got.QuietUntil == nil || !got.QuietUntil.Equal(b.Clock.Now().Add(modelstest.Waits.Quiet)) {
				t.Errorf("quiet until %v, want the quiet time from now on", got.QuietUntil)
			}
		})
	}
	o.CheckInvariants(t)
}

// A repeat of the click, or of a program's request, finds the doubt.
func TestARepeatInACopyFindsTheDoubt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	r := o.CancelRequest(sale)
	first, err := o.Cancellations.Request(t.Context(), o.Manager, r)
	if err != nil {
		t.Fatal(err)
	}
	copied := o.Restored(t, o.Backup(t))
	begin(t, copied)
	again, err := copied.Cancellations.Request(t.Context(), copied.Manager, r)
	if err != nil || again.ID != first.ID || again.State != models.Unknown {
		t.Errorf("the same click in the copy = %+v, %v; want cancellation %d in doubt", again, err, first.ID)
	}
	_, err = copied.Cancellations.Request(t.Context(), copied.Manager, copied.CancelRequest(sale))
	if !modelstest.IsError(err, models.ErrCancellationOpen) {
		t.Errorf("another click = %v, want %v", err, models.ErrCancellationOpen)
	}
}

// TestAnOlderSaleIsAskedAboutFirst: it may have been canceled from the other database,
// of which the copy knows nothing.
func TestAnOlderSaleIsAskedAboutFirst(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		happens func(*testing.T, *modelstest.Office, *models.Cancellation)
		want    models.State
		sent    int
	}{
		"canceled":  {answers(models.StandingCanceled), models.Confirmed, 0},
		"charged":   {answers(models.StandingCharged), models.Accepted, 1},
		"no answer": {asksInVain, models.Unknown, 0},
		"the service refuses to ask, and then asks": {func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			o.Inquiries.Then(modelstest.NoTerminal)
			asksInVain(t, o, c)
			answers(models.StandingCharged)(t, o, c)
		}, models.Accepted, 1},
		"asked thrice for claims before": {func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			modelstest.Exec(t, o.Owner, `INSERT INTO inquiries (sale_id, terminal_id, try, key_hash, sent_at, answered_at, meaning)
				SELECT $1, $2, n, repeat(n::text, 64), $3, $3, 'accepted' FROM generate_series(1, 3) n`,
				c.SaleID, c.TerminalID, o.Clock.Now().Add(-2*time.Second))
			if wait := o.Dispatch(c.ID); wait <= 0 {
				t.Error("what was answered within the quiet time counts")
			}
			answers(models.StandingCanceled)(t, o, c)
		}, models.Confirmed, 0},
		"the window closes before": {func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			o.Clock.Set(c.CutoffAt)
			if _, err := o.Cancellations.Expire(t.Context(), c.ID); err != nil {
				t.Error(err)
			}
		}, models.Unknown, 0},
		"it is taken back": {func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID); err != nil {
				t.Error(err)
			}
		}, models.Withdrawn, 0},
	}
	o := modelstest.NewOffice(t)
	begin(t, o)
	sales := map[string]*models.Sale{}
	for name := range tests {
		sales[name] = o.SaleAt(o.NewTerminal(o.Store), 12500)
	}
	copied := o.Restored(t, o.Backup(t))
	copied.Clock.Advance(time.Minute)
	begin(t, copied)
	noticed := copied.Clock.Now()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := copied.Branch(t)
			b.Manager = modelstest.Person(models.Manager, copied.Store)
			begin(t, b)
			b.Clock.Set(noticed.Add(time.Second))
			c := b.Request(sales[name])
			// What was sent last from the other database may still be on the screen: an
			// answer before the quiet time has passed would prove nothing.
			modelstest.Wants(t, "wait of the first", b.Dispatch(c.ID), modelstest.Waits.Quiet-time.Second)
			modelstest.Wants(t, "the sale that is said to be waited for", saidToWaitFor(t, b, c.SaleID), c.SaleID)
			b.Clock.Advance(modelstest.Waits.Quiet)
			if wait := b.Dispatch(c.ID); wait <= 0 {
				t.Error("a sale from before the copy is sent without asking")
			}
			modelstest.Wants(t, "inquiries enqueued", len(modelstest.Tasks(b.Queue.Take(t), models.TaskInquireSale, c.SaleID)), 1)
			tt.happens(t, b, c)
			b.Dispatch(c.ID)
			modelstest.Wants(t, "state", b.Cancellation(c.ID).State, tt.want)
			modelstest.Wants(t, "orders sent", modelstest.Sent(b)[sales[name].OrderID], tt.sent)
		})
	}
	own := copied.SaleAt(copied.NewTerminal(copied.Store), 300)
	request := copied.Request(own)
	modelstest.Wants(t, "the sale that one of its own waits for", saidToWaitFor(t, copied, own.ID), 0)
	copied.Dispatch(request.ID)
	modelstest.Wants(t, "orders of a sale of its own", modelstest.Sent(copied)[own.OrderID], 1)
	copied.CheckInvariants(t)
}

// saidToWaitFor is the sale that people are told a request waits for; 0: it waits for nothing.
func saidToWaitFor(t *testing.T, o *modelstest.Office, saleID int64) int64 {
	t.Helper()
	waits, err := o.Sales.Waits(t.Context(), o.Manager, []int64{saleID})
	if err != nil {
		t.Fatalf("Waits() = %v", err)
	}
	w := waits[saleID]
	if w.For.ID != 0 && (w.State != models.Unknown || w.Until.Before(o.Clock.Now().Add(modelstest.Waits.Quiet-time.Second))) {
		t.Errorf("it waits for %+v, want a doubt until the quiet time has passed", w)
	}
	return w.For.ID
}

// answers has the terminal asked, and answer.
func answers(says models.SaleStanding) func(*testing.T, *modelstest.Office, *models.Cancellation) {
	return func(_ *testing.T, o *modelstest.Office, c *models.Cancellation) {
		o.AnswerInquiry(&o.SaleDetail(c.SaleID).Sale, says)
	}
}

// asksInVain has the terminal asked, and waits for longer than an answer may take.
func asksInVain(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
	t.Helper()
	if wait, err := o.Cancellations.InquireSale(t.Context(), c.SaleID, 0); wait != 0 || err != nil {
		t.Fatalf("InquireSale() = %s, %v", wait, err)
	}
	if wait := o.Dispatch(c.ID); wait <= 0 {
		t.Error("it is not waited for the answer")
	}
	o.Clock.Advance(31 * time.Second)
}

// An older sale is asked about first also by a server that had recognized the database
// when another one noticed more, and when it was requested before anybody noticed.
func TestAnOlderSaleIsAskedAboutWhoeverNoticed(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(t *testing.T, o *modelstest.Office, request func()){
		"requested before": func(t *testing.T, o *modelstest.Office, request func()) {
			request()
			o.Clock.Advance(time.Second)
			begin(t, o)
		},
		"noticed by another": func(t *testing.T, o *modelstest.Office, request func()) {
			begin(t, o)
			o.Clock.Advance(time.Hour)
			modelstest.Exec(t, o.Owner, `INSERT INTO database_changes (identity, cause, doubts, noticed_at)
				SELECT identity, 'lost', 0, $1 FROM database_changes ORDER BY id DESC LIMIT 1`, o.Clock.Now())
			o.Clock.Advance(time.Second)
			request()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			begin(t, o)
			sale := o.Sale(12500)
			copied := o.Restored(t, o.Backup(t))
			copied.Clock.Advance(time.Minute)
			var c *models.Cancellation
			order(t, copied, func() { c = copied.Request(sale) })
			if wait := copied.Dispatch(c.ID); wait < modelstest.Waits.Quiet-time.Second || wait > modelstest.Waits.Quiet {
				t.Errorf("Dispatch() waits %s, want the quiet time since then", wait)
			}
			modelstest.Wants(t, "orders sent", len(copied.API.Orders()), 0)
		})
	}
}

// A doubt about an older sale ends when its terminal answers, and who asks for it again
// is not made to wait a second time.
func TestASilentTerminalOfAnOlderSaleAnswersLater(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	begin(t, o)
	sale := o.Sale(12500)
	copied := o.Restored(t, o.Backup(t))
	copied.Clock.Advance(time.Minute)
	begin(t, copied)
	copied.Clock.Advance(modelstest.Waits.Quiet)
	c := copied.Request(sale)
	asksInVain(t, copied, c)
	copied.Dispatch(c.ID)
	wantsDoubt(t, copied, c.ID)
	settle(t, copied, c, models.StandingCharged, models.NotCanceled)
	again, err := copied.Cancellations.Request(t.Context(), copied.Supervisor, copied.CancelRequest(sale))
	if err != nil {
		t.Fatal(err)
	}
	copied.Dispatch(again.ID)
	modelstest.Wants(t, "state when asked for again", copied.Cancellation(again.ID).State, models.Accepted)
	copied.CheckInvariants(t)
}
