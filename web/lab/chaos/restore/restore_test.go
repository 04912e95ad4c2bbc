package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets what is tried.
type Experiment struct {
	Presses   int  // sales whose cancellation is asked for; so many are made
	Terminals int  // of the store
	Lagging   bool // a standby is promoted that lagged; else a backup is restored
	Believes  bool // the copy is made to believe that it is the original: a mistake that the judge must find
}

// settings make doubts end soon.
var settings = []string{"CANCEL_TIMEOUT=10s", "RESULT_WAIT=20s", "QUIET_TIME=5s"}

// ends limits how long inquiries may take to settle every doubt; people settle the rest.
const ends = 4 * time.Minute

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	report *lab.Report
	sales  []*lab.Sale
	copied *lab.Copy
	served []*lab.Server // over the copy

	mu      sync.Mutex
	pressed []lab.SaleKey // acknowledged by the copy
}

// Run makes the copy while people press, lets the original go on, serves the copy, and
// runs the judge.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("restore", setup)}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Terminals: x.Terminals, Managers: 5, Settings: settings,
		Latency: 20 * time.Millisecond, ResultDelay: 1500 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	before, err := r.serveOriginal(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.sell(ctx); err != nil {
		return nil, err
	}
	copied := make(chan error, 1)
	r.press(ctx, before, r.sales, func() { go func() { copied <- r.copy(ctx) }() })
	if err := <-copied; err != nil {
		return nil, err
	}
	if err := r.goOn(ctx, before); err != nil {
		return nil, err
	}
	if err := r.serveCopy(ctx, before); err != nil {
		return nil, err
	}
	return r.end(ctx)
}

// serveOriginal starts two servers, which know both databases where the second one is to
// take over under them.
func (r *run) serveOriginal(ctx context.Context) ([]*lab.Server, error) {
	var more []string
	if r.Lagging {
		var err error
		if r.copied, err = r.Follow(ctx); err != nil {
			return nil, err
		}
		more = []string{"DATABASE_URL=" + r.Either(r.copied)}
	}
	for range 2 {
		if _, err := r.Serve(ctx, more...); err != nil {
			return nil, err
		}
	}
	return r.Servers[:2:2], errors.Join(r.PostResultsTo(ctx, r.Servers[1]), r.SignIn(ctx, r.Servers[1]))
}

func (r *run) sell(ctx context.Context) error {
	for i := range r.Presses {
		sale := &lab.Sale{Terminal: i % r.Experiment.Terminals}
		if err := r.SellUnseen(ctx, sale); err != nil {
			return err
		}
		r.sales = append(r.sales, sale)
	}
	for _, sale := range r.sales {
		if err := r.Seen(ctx, sale); err != nil {
			return err
		}
	}
	return nil
}

// press has five people press, each on their share of the sales, and calls half when half
// of it is done.
func (r *run) press(ctx context.Context, servers []*lab.Server, sales []*lab.Sale, half func()) {
	var group sync.WaitGroup
	var once sync.Once
	done := 0
	for i, person := range r.Managers {
		group.Go(func() {
			for n := i; n < len(sales) && ctx.Err() == nil; n += len(r.Managers) {
				sale := sales[n]
				click := fmt.Sprintf("%s-%d", sale.OrderID, servers[0].Number)
				a := person.Click(ctx, servers[n%len(servers)], sale.ID, click, false)
				r.mu.Lock()
				if done++; a.OK() && slices.Contains(r.served, servers[0]) {
					r.pressed = append(r.pressed, lab.SaleKey{Serial: sale.Serial, OrderID: sale.OrderID})
				}
				now := done*2 >= len(sales)
				r.mu.Unlock()
				if now && half != nil {
					once.Do(half)
				}
			}
		})
	}
	group.Wait()
}

// copy makes the backup, or lets the standby lag from now on.
func (r *run) copy(ctx context.Context) error {
	if r.Lagging {
		return r.copied.Lag(ctx)
	}
	_, err := r.Backup(ctx)
	return err
}

// goOn lets the original send nine in ten of what was asked for, and then ends it: its
// servers, or PostgreSQL under them.
func (r *run) goOn(ctx context.Context, before []*lab.Server) error {
	most := r.Presses * 9 / 10
	err := lab.Eventually(ctx, 5*time.Minute, "the original has sent most of it", func(context.Context) (bool, error) {
		entries, err := r.Box.Ledger()
		return len(lab.Deliveries(entries)) >= most, err
	})
	if err != nil {
		return err
	}
	if r.Lagging {
		return r.KillPostgres()
	}
	for _, s := range before {
		s.Kill()
	}
	return nil
}

// serveCopy restores the backup, or promotes the standby, and serves it: the terminals
// post there from then on.
func (r *run) serveCopy(ctx context.Context, before []*lab.Server) error {
	began := time.Now()
	if r.Lagging {
		if err := r.copied.Promote(ctx); err != nil {
			return err
		}
	} else {
		var err error
		if r.copied, err = r.Restore(ctx, r.File("backup.dump")); err != nil {
			return err
		}
	}
	if err := r.MoveTo(ctx, r.copied); err != nil {
		return err
	}
	waiting, err := r.count(ctx, `SELECT count(*) FROM cancellations WHERE state = 'requested'`)
	if err != nil {
		return err
	}
	r.report.Add("requested, as the copy says", waiting, "")
	if r.Believes {
		if err := r.believe(ctx); err != nil {
			return err
		}
	}
	for range 2 {
		s, err := r.Serve(ctx, "DATABASE_URL="+r.copied.App)
		if err != nil {
			return err
		}
		r.served = append(r.served, s)
	}
	if r.Lagging { // those that lived through it go on as well
		for _, s := range before {
			if err := s.Ready(ctx); err != nil {
				return err
			}
			r.served = append(r.served, s)
		}
	}
	r.report.Add("from the end of the original until the copy is served", time.Since(began), "")
	return r.PostResultsTo(ctx, r.served[0])
}

// believe removes all by which the copy could know that it is one.
func (r *run) believe(ctx context.Context) error {
	for _, s := range []string{
		`UPDATE cancellations SET asked_in = database_identity() WHERE state = 'requested'`,
		`INSERT INTO database_changes (identity, cause, doubts, noticed_at)
			SELECT regexp_replace(database_identity(), '/[^/]*$', ''), 'first', 0, now()`,
	} {
		if _, err := r.Pool.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) count(ctx context.Context, sql string) (n int, err error) {
	err = r.Pool.QueryRow(ctx, sql).Scan(&n)
	return n, err
}

// end has people press again what the copy does not know, waits for inquiries, and
// judges.
func (r *run) end(ctx context.Context) (*lab.Report, error) {
	words := r.Managers[0].Get(ctx, r.served[0], "/sales")
	if !strings.Contains(words.Text, `data-kind="database"`) && !r.Believes {
		r.report.Violate("no page says that the database is another one: %v", words.Problem())
	}
	again, err := r.unknownToTheCopy(ctx)
	if err != nil {
		return nil, err
	}
	r.press(ctx, r.served, again, nil)
	began := time.Now()
	settled := lab.Eventually(ctx, ends, "every doubt is settled by an inquiry", func(ctx context.Context) (bool, error) {
		n, err := r.count(ctx, `SELECT count(*) FROM cancellations WHERE state IN ('requested', 'sending', 'accepted', 'unknown')`)
		return n == 0, err
	})
	took, people := time.Since(began), 0
	if settled != nil {
		if people, err = r.ResolveByPeople(ctx, r.served[0]); err != nil {
			return nil, err
		}
	}
	b, err := r.books(ctx)
	if err != nil {
		return nil, err
	}
	f := judge(b)
	for _, v := range f.violations {
		r.report.Violate("%s", v)
	}
	sent := 0
	for _, n := range b.delivered {
		sent += n
	}
	states := map[string]int{}
	for _, c := range b.cases {
		if b.doubts[c.ID] {
			states[c.State]++
		}
	}
	r.report.Add("presses on the original, and again on the copy", fmt.Sprintf("%d, %d", r.Presses, len(again)), "")
	r.report.Add("cancel requests that the service received", sent, "")
	r.report.Add("sent twice", f.twice, "0")
	r.report.Add("doubts for having been requested elsewhere", lab.Counts(states), "")
	r.report.Add("settled by people, not by an inquiry", people, "0")
	r.report.Add("until the last was settled", took, "")
	if err := r.times(ctx); err != nil {
		return nil, err
	}
	r.report.Add("ends that the terminals contradict", f.wrong, "0")
	if len(b.doubts) == 0 && !r.Believes {
		r.report.Violate("nothing was in doubt: the copy knew of no request that waited")
	}
	return r.report.Done(), nil
}

// unknownToTheCopy are the sales that the copy calls cancelable: people press them again,
// although the original may have sent them.
func (r *run) unknownToTheCopy(ctx context.Context) (again []*lab.Sale, err error) {
	rows, err := r.Pool.Query(ctx, `SELECT id FROM sales WHERE state = 'cancelable'`)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, sale := range r.sales {
		if slices.Contains(ids, sale.ID) {
			again = append(again, sale)
		}
	}
	return again, err
}

// times adds how long doubts took until they ended.
func (r *run) times(ctx context.Context) error {
	var median, longest float64
	err := r.Pool.QueryRow(ctx, `SELECT coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY s), 0), coalesce(max(s), 0) FROM (
		SELECT extract(epoch FROM (SELECT min(n.at) FROM audit_entries n WHERE n.cancellation_id = m.cancellation_id AND n.id > m.id
			AND n.action = 'cancellation.moved') - m.at)::float8 AS s FROM audit_entries m
		WHERE m.action = 'cancellation.moved' AND m.after->>'detail' = 'otherDatabase') x`).Scan(&median, &longest)
	r.report.Add("from a doubt to its end, median, longest", fmt.Sprintf("%.1f s, %.1f s", median, longest), "")
	return err
}

func (r *run) books(ctx context.Context) (*books, error) {
	b := &books{doubts: map[int64]bool{}, pressed: r.pressed}
	rows, err := r.Pool.Query(ctx, `SELECT DISTINCT cancellation_id FROM audit_entries
		WHERE action = 'cancellation.moved' AND after->>'detail' = 'otherDatabase'`)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		b.doubts[id] = true
	}
	if b.cases, err = r.Cancellations(ctx); err != nil {
		return nil, err
	}
	if b.canceled, err = r.Truth(); err != nil {
		return nil, err
	}
	entries, err := r.Box.Ledger()
	b.delivered = lab.Deliveries(entries)
	return b, err
}

func TestMain(m *testing.M) { chaos.Main(m) }

// TestRestoredUnderLoad restores a backup that was made while people pressed.
func TestRestoredUnderLoad(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(&Experiment{Presses: 36, Terminals: 6}, &Experiment{Presses: 240, Terminals: 24}).Run)
}

// TestALaggingStandby promotes a standby that had not got everything, under servers that
// live on.
func TestALaggingStandby(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(
		&Experiment{Presses: 36, Terminals: 6, Lagging: true}, &Experiment{Presses: 240, Terminals: 24, Lagging: true},
	).Run)
}

// TestACopyThatBelievesIsCaught: without what the copy knows of itself it sends a second
// time, and the judge says so.
func TestACopyThatBelievesIsCaught(t *testing.T) {
	t.Parallel()
	report, err := (&Experiment{Presses: 24, Terminals: 4, Believes: true}).Run(t.Context(), chaos.Setup(t))
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(report.All(), "\n"); !strings.Contains(all, "was sent 2 times") {
		t.Errorf("the judge did not see that a copy sent a second time: %q", all)
	}
}
