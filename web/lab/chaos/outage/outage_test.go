package outage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Rounds int // rounds; each has every outage once
	Sales  int // sales that people try to cancel while each lasts, and as many after it
}

// outage is one thing that fails and comes back.
type outage struct {
	name  string
	code  string // the probe's response
	words string // the page's text
	begin func(context.Context) error
	end   func(context.Context) error
}

// run is one run of it.
type run struct {
	*Experiment
	*lab.Lab
	report  *lab.Report
	clicks  int
	resumed time.Duration // longest from the end of an outage to the green probe
	during  int           // clicks during an outage
}

// turns limits how long the probe may take to change. Its checks are cached for no
// more than a second.
const turns = 30 * time.Second

// Run causes and ends the outages, and then runs the judge.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{Experiment: x, report: lab.NewReport("outage", setup)}
	disk, err := newDisk()
	if err != nil {
		return nil, err
	}
	defer disk.remove()
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, PostgresDir: disk.dir, Servers: 2, Terminals: 40, Durable: true, Settings: []string{"CANCEL_TIMEOUT=10s"},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for n := range x.Rounds {
		for _, o := range r.outages(disk) {
			if err := r.goThrough(ctx, o); err != nil {
				return nil, fmt.Errorf("%s: %w", o.name, err)
			}
		}
		if (n+1)%5 == 0 {
			r.Progress("outage: round %d of %d", n+1, x.Rounds)
		}
	}
	return r.judge(ctx, disk)
}

func (r *run) outages(disk *disk) []outage {
	all := []outage{
		{
			"no database", "outage.database", "No hay conexión con la base de datos",
			func(context.Context) error { return r.KillPostgres() }, r.StartPostgres,
		},
		{
			"no right to the trail", "outage.trail", "No se puede escribir en la bitácora",
			r.sql("REVOKE INSERT ON audit_entries FROM veinte_app", "REVOKE INSERT (canonical) ON audit_entries FROM veinte_app"),
			r.sql("GRANT INSERT ON audit_entries TO veinte_app"),
		},
	}
	if disk.mounted {
		all = append(all, outage{
			"full disk", "outage.disk", "se quedó sin espacio",
			func(ctx context.Context) error { return errors.Join(disk.fill(), r.fillTrail(ctx)) },
			func(context.Context) error { return disk.empty() },
		})
	}
	return all
}

// sql is statements of the database's owner.
func (r *run) sql(statements ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, s := range statements {
			if _, err := r.Pool.Exec(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}
}

// fillTrail takes what room the trail's last pages have left: an entry that still
// fits is recorded, and what is recorded may be done.
func (r *run) fillTrail(ctx context.Context) error {
	var full *pgconn.PgError
	// An entry that finds no room in an index still takes some of the table's.
	for failures := 0; failures < 200; {
		_, err := r.Pool.Exec(ctx, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
			VALUES (now(), 'laboratory', 'system', 'test.filler', 'success', '')`)
		switch {
		case errors.As(err, &full) && full.Code == "53100":
			failures++
		case err != nil:
			return fmt.Errorf("fill the trail's pages: %w", err)
		default:
			failures = 0
		}
	}
	return nil
}

// goThrough is one outage. A cancellation that waits for its terminal exists before
// it and must not leave during it; people click during it and after it.
func (r *run) goThrough(ctx context.Context, o outage) error {
	sales, err := r.sell(ctx)
	if err != nil {
		return err
	}
	for _, sale := range sales[:2] { // the second waits for the first
		if a := r.press(ctx, sale); !a.OK() {
			return fmt.Errorf("press before it: %w", a.Problem())
		}
	}
	if err := r.sent(ctx, sales[0]); err != nil {
		return err
	}
	if err := o.begin(ctx); err != nil {
		return err
	}
	before, err := r.deliveries()
	if err != nil {
		return err
	}
	r.lookDuring(ctx, o, sales[2:2+r.Sales])
	if after, err := r.deliveries(); err != nil {
		return err
	} else if after != before {
		r.report.Violate("%s: %d deliveries while it lasted", o.name, after-before)
	}
	if err := o.end(ctx); err != nil {
		return err
	}
	return r.lookAfter(ctx, o, sales[2+r.Sales:])
}

// sell makes the sales of a round: two on one terminal, of which the first gets
// no result for a while, and those that are pressed during and after the outage.
func (r *run) sell(ctx context.Context) ([]*lab.Sale, error) {
	demands := []lab.Sale{{Terminal: 0, Fault: "ackNoResult"}, {Terminal: 0}}
	for i := range 2 * r.Sales {
		demands = append(demands, lab.Sale{Terminal: 1 + i%(r.Terminals()-1)})
	}
	sales := make([]*lab.Sale, 0, len(demands))
	for _, demand := range demands {
		sale, err := r.Sell(ctx, demand)
		if err != nil {
			return nil, err
		}
		sales = append(sales, sale)
	}
	return sales, nil
}

// sent waits until the service has a sale's cancellation.
func (r *run) sent(ctx context.Context, sale *lab.Sale) error {
	return lab.Eventually(ctx, time.Minute, "the service has it", func(ctx context.Context) (sent bool, err error) {
		err = r.Pool.QueryRow(ctx, "SELECT state = 'accepted' FROM sales WHERE id = $1", sale.ID).Scan(&sent)
		return sent, err
	})
}

// deliveries counts the cancellations that the service has received.
func (r *run) deliveries() (n int, err error) {
	entries, err := r.Box.Ledger()
	for i := range entries {
		if entries[i].Kind == "request" && entries[i].Operation == "cancel" {
			n++
		}
	}
	return n, err
}

// lookAfter checks that the same processes go on without help.
func (r *run) lookAfter(ctx context.Context, o outage, sales []*lab.Sale) error {
	ended := time.Now()
	for _, s := range r.Servers {
		if err := r.probe(ctx, s, `"ok"`); err != nil {
			r.report.Violate("%s: server %d did not resume by itself: %v", o.name, s.Number, err)
		}
	}
	r.resumed = max(r.resumed, time.Since(ended))
	for _, sale := range sales {
		if a := r.press(ctx, sale); !a.OK() {
			r.report.Violate("%s: a press after it: %v", o.name, a.Problem())
		}
	}
	return r.Resolved(ctx, 90*time.Second)
}

// lookDuring clicks during an outage: the probe must fail, the response must state
// why, and no click may be acknowledged.
func (r *run) lookDuring(ctx context.Context, o outage, sales []*lab.Sale) {
	for _, sale := range sales {
		r.during++
		a := r.press(ctx, sale)
		switch {
		case a.OK():
			r.report.Violate("%s: a press was answered %d, as if it had been done", o.name, a.Status)
		case !strings.Contains(a.Text, o.words):
			r.report.Violate("%s: a press was answered %d without saying %q: %v", o.name, a.Status, o.words, a.Problem())
		}
	}
	for _, s := range r.Servers {
		if err := r.probe(ctx, s, o.code); err != nil {
			r.report.Violate("%s: %v", o.name, err)
		}
	}
}

func (r *run) press(ctx context.Context, sale *lab.Sale) lab.Answer {
	r.clicks++
	return r.Managers[r.clicks%len(r.Managers)].Click(ctx, r.Servers[r.clicks%2], sale.ID, fmt.Sprintf("click-%d", r.clicks), false)
}

// probe waits until a server says what is out, or that nothing is.
func (r *run) probe(ctx context.Context, s *lab.Server, want string) error {
	return lab.Eventually(ctx, turns, "the probe says "+want, func(ctx context.Context) (bool, error) {
		a := r.Managers[0].Get(ctx, s, "/healthz")
		return strings.Contains(a.Text, want), a.Problem()
	})
}

func (r *run) judge(ctx context.Context, disk *disk) (*lab.Report, error) {
	r.report.Add("presses while something was away", r.during, "")
	r.report.Add("longest from its return to a green probe", r.resumed, "")
	if !disk.mounted {
		r.report.Add("full disk", "not tried: only root can mount a small one, on Linux", "")
	}
	for _, s := range r.Servers {
		if !s.Alive() {
			r.report.Violate("server %d has ended", s.Number)
		}
	}
	var err error
	r.report.Verdict, err = r.Judge(ctx)
	return r.report.Done(), err
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has each outage once, with two clicks during it.
func TestOutage(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(&Experiment{Rounds: 1, Sales: 2}, &Experiment{Rounds: 20, Sales: 6}).Run)
}
