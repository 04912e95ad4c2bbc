package cutoff

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/wiring"
	"veinte/web/cancelapi"
)

// The waits are those of the product's defaults.
var waits = models.Waits{Answer: 30 * time.Second, Result: 180 * time.Second, Quiet: 180 * time.Second}

// world is one day's evening at one store: the real parts on a stage.
type world struct {
	*stage
	*draw
	run     *run
	name    string
	begins  time.Time // the day of the cut-off, in its zone
	cutoff  time.Time
	window  models.Window
	judge   *judge
	service *service
	*wiring.Services
	manager models.Actor
	storeID int64
	late    func() time.Duration // how late a job begins
	lapses  func(*sale) func() time.Duration

	mu              sync.Mutex
	sales           map[string]*sale // by order
	hasCancellation map[int64]*sale  // by cancellation
	refused         []*sale          // by the click, as too late

	accounted int // attempts that arrived and are in the books
}

// sale is a sale on trial.
type sale struct {
	id     int64
	order  string
	serial string
	soldAt time.Time
	amount models.Money
	asked  time.Time // when its cancellation was opened; zero: not yet
}

// terms are what a world is made with.
type terms struct {
	name   string
	zone   zone
	store  zone
	day    date
	margin time.Duration
	ahead  time.Duration
	secure bool
	manner func() manner
	tokens func(fresh bool) (time.Duration, error) // nil: asked for over the network
}

// newWorld opens the service and wires the parts as the server does.
func (r *run) newWorld(d *draw, t terms) (*world, error) {
	w := &world{
		draw: d, run: r, name: t.name, begins: t.zone.midnight(t.day), cutoff: t.zone.cutoff(t.day),
		sales: map[string]*sale{}, hasCancellation: map[int64]*sale{},
		storeID: r.office.stores[t.store.name], manager: r.office.manager,
		late: func() time.Duration { return 0 }, lapses: func(*sale) func() time.Duration { return nil },
	}
	w.stage = newStage(w.begins.Add(-time.Hour))
	w.judge = newJudge(&r.figures, w.cutoff, t.margin, t.ahead)
	w.service = &service{stage: w.stage, judge: w.judge, manner: t.manner, accepting: func() {}, arriving: func() {}, acked: func(wanted) {}}
	var trust *tls.Config
	if t.secure {
		w.service.tls, trust = r.office.tls, r.office.trust
	}
	base, err := w.service.open()
	if err != nil {
		return nil, err
	}
	api, err := cancelapi.New(cancelapi.Config{
		BaseURL: base, InquiryPath: cancelapi.DefaultInquiryPath, Clock: w.stage, TLS: trust,
		Tokens: w.tokenSource(base, trust, t.tokens),
	})
	if err != nil {
		return nil, errors.Join(err, w.service.listener.Close())
	}
	calendar, err := models.NewCalendar("20:00", t.zone.name)
	if err != nil {
		return nil, errors.Join(err, w.service.listener.Close())
	}
	w.window = models.Window{Calendar: calendar, Margin: t.margin, Ahead: api.ClockDifference}
	w.Services = wiring.New(wiring.Config{
		DB: r.office.db, Queue: w, API: api, Inquiries: api, Clock: w.stage, Window: w.window, Waits: waits,
		Logger: slog.New(slog.DiscardHandler),
	})
	return w, nil
}

// Enqueue implements models.Queue: a job is an act, which begins late.
func (w *world) Enqueue(_ context.Context, _ *sql.Tx, t models.Task) error {
	w.at(w.peek().Add(t.After+w.late()), func() { w.work(t) })
	return nil
}

// work carries a task out as the job does, and again when it must wait.
func (w *world) work(t models.Task) {
	ctx := w.run.ctx
	var wait time.Duration
	var err error
	switch t.Kind {
	case models.TaskDispatch:
		w.mu.Lock()
		of := w.hasCancellation[t.SubjectID]
		w.mu.Unlock()
		w.letLapse(w.lapses(of))
		defer w.letLapse(nil)
		wait, err = w.Cancellations.Dispatch(ctx, t.SubjectID)
	case models.TaskExpire:
		wait, err = w.Cancellations.Expire(ctx, t.SubjectID)
	case models.TaskRecover:
		wait, err = w.Cancellations.Recover(ctx, t.SubjectID, t.Attempt)
	case models.TaskResultWait:
		wait, err = w.Cancellations.EndResultWait(ctx, t.SubjectID, t.Attempt)
	case models.TaskInquire:
		wait, err = w.Cancellations.Inquire(ctx, t.SubjectID, t.Attempt)
	}
	if err != nil {
		w.fault("%s of case %d: %v", t.Kind, t.SubjectID, err)
		return
	}
	if wait > 0 {
		w.at(w.peek().Add(wait+w.late()), func() { w.work(t) })
	}
}

// sell posts a sale as a terminal, now.
func (w *world) sell(s *sale) {
	amount := s.amount
	err := w.Results.Receive(w.run.ctx, models.Post{
		Kind: models.ResultSale, Body: `{"n":"` + s.order + `"}`, SerialNumber: s.serial, MerchantID: "M" + s.serial,
		OrderID: s.order, Amount: &amount, ResponseCode: "00", Last4: "4242",
	})
	var cutoff time.Time
	if err == nil {
		err = w.run.office.owner.QueryRow(w.run.ctx, `SELECT id, sold_at, cutoff_at FROM sales WHERE order_id = $1`, s.order).
			Scan(&s.id, &s.soldAt, &cutoff)
	}
	if err != nil {
		w.fault("sell %s: %v", s.order, err)
	}
	w.mu.Lock()
	w.sales[s.order] = s
	w.mu.Unlock()
}

// click requests the sale's cancellation as the manager.
func (w *world) click(s *sale) {
	w.run.tally(func(f *figures) { f.cases.Clicks++ })
	w.letLapse(w.lapses(s))
	defer w.letLapse(nil)
	c, err := w.Cancellations.Request(w.run.ctx, w.manager, cancellations.CancelRequest{
		SaleID: s.id, Reason: "chargedTwice", Click: fmt.Sprintf("%s-%d", s.order, w.run.clicks.Add(1)),
		TicketDate: models.Day(s.soldAt.In(models.MexicoCity).Format(time.DateOnly)),
	})
	switch {
	case err == nil:
		w.mu.Lock()
		w.hasCancellation[c.ID], s.asked = s, c.RequestedAt
		w.mu.Unlock()
		w.accepted(s)
	case errors.Is(err, models.ErrTooLate), errors.Is(err, models.ErrOtherDay):
		w.run.tally(func(f *figures) { f.cases.RefusedLate++ })
		w.mu.Lock()
		w.refused = append(w.refused, s)
		w.mu.Unlock()
	case errors.Is(err, models.ErrCancellationOpen), errors.Is(err, &models.Error{Kind: models.KindConflict, Code: "error.saleState"}):
		w.run.tally(func(f *figures) { f.cases.RefusedElse++ })
	default:
		w.fault("request of %s: %v", s.order, err)
	}
}

// accepted judges an accepted click.
func (w *world) accepted(s *sale) {
	if w.judge.late(s.asked) {
		w.fault("%s was accepted at %s, too late", s.order, stamp(s.asked))
	}
	if s.soldAt.Before(w.begins) || !s.soldAt.Before(w.cutoff) {
		w.fault("%s was accepted, a sale of %s", s.order, stamp(s.soldAt))
	}
}

// result posts, as the terminal, that it canceled the sale of an order.
func (w *world) result(o wanted) {
	w.mu.Lock()
	s := w.sales[o.OrderID]
	w.mu.Unlock()
	amount := s.amount
	err := w.Results.Receive(w.run.ctx, models.Post{
		Kind: models.ResultCancellation, Body: `{"v":"` + s.order + `"}`, SerialNumber: s.serial, MerchantID: "M" + s.serial,
		OrderID: s.order, Amount: &amount, ResponseCode: "00", AttemptKey: models.HashAttemptKey(o.Traceability.AttemptID),
	})
	if err != nil {
		w.fault("result of %s: %v", s.order, err)
	}
}

func (w *world) fault(format string, args ...any) {
	w.run.t.Errorf(w.name+": "+format, args...)
}
