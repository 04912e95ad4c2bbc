package failover

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
)

// scenario is one thing that happens to a cluster.
type scenario struct {
	name   string
	only   string                              // kind of replication; "": both
	strike func(context.Context, *drill) error // does it
	mend   func(context.Context, *drill) error // brings back what was struck, once people work again
	stays  bool                                // the leader goes on
	loses  bool                                // what was acknowledged, in asynchronous mode
}

// drill is one scenario under load.
type drill struct {
	*lab.Lab
	*cluster
	t              *testing.T
	synchronous    bool
	leads          *node // before it is struck
	struckStandbys []*node
	load           *load
	struck         time.Time
	checkpoints    string
}

// figures are what a scenario came to.
type figures struct {
	scenario, mode               string
	without                      time.Duration // writes
	acknowledged                 int
	failed, unknown, unanswered  int
	slowest                      time.Duration
	twice, lost, lostSent, found int
}

// sales is how many are sold before, for people to press.
const sales = 1000

func build(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("VEINTE_BIN"); bin != "" {
		return bin
	}
	bin, err := lab.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// run carries out a scenario.
func (s *scenario) run(t *testing.T, bin string, synchronous bool) (f figures) {
	d := &drill{t: t, synchronous: synchronous}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	var err error
	d.cluster, err = start(ctx, synchronous)
	must(err)
	t.Cleanup(func() { report(t, d.cluster.close()) })
	t.Cleanup(func() { d.keepLogs(t) })
	d.Lab, err = lab.Start(ctx, lab.Options{
		Setup: lab.Setup{Bin: bin, Seed: 1}, Database: &lab.Database{App: d.app(), Owner: d.owner()}, Terminals: 60, Managers: 6,
		Settings: []string{"CANCEL_TIMEOUT=10s", "RESULT_WAIT=20s", "QUIET_TIME=5s"},
		Latency:  20 * time.Millisecond, ResultDelay: 300 * time.Millisecond,
	})
	must(err)
	t.Cleanup(func() { report(t, d.Lab.Close()) })
	must(d.serve(ctx))
	sold, err := d.sell(ctx)
	must(err)
	d.leads, err = d.leader(ctx)
	must(err)

	d.load = begin(ctx, d.Lab, sold)
	t.Cleanup(d.load.end)
	must(d.load.until(ctx, 60, time.Time{}))
	d.struck = time.Now()
	must(s.strike(ctx, d))
	must(d.load.until(ctx, 100, d.struck))
	if now, err := d.leader(ctx, d.struckStandbys...); err != nil || (now == d.leads) != s.stays {
		t.Errorf("%v leads after %v, %v", now, d.leads, err)
	}
	must(s.mend(ctx, d))
	must(d.whole(ctx))
	must(d.load.until(ctx, 20, time.Now()))
	d.load.end()

	f = d.figures()
	f.scenario = s.name
	must(d.judge(ctx, s, &f))
	return f
}

// report is for what fails at the end.
func report(t *testing.T, err error) {
	if err != nil {
		t.Error(err)
	}
}

// serve starts two servers, as two machines would have them.
func (d *drill) serve(ctx context.Context) error {
	private, _, err := trailfile.GenerateKey("failover.veinte.example/bitacora")
	if err != nil {
		return err
	}
	key := filepath.Join(d.t.TempDir(), "audit.key")
	if err := os.WriteFile(key, []byte(private+"\n"), 0o600); err != nil {
		return err
	}
	d.checkpoints = filepath.Join(d.t.TempDir(), "checkpoints")
	settings := []string{"DATABASE_PAGES_URL=" + d.pages(), "AUDIT_KEY_FILE=" + key, "AUDIT_CHECKPOINT_DIR=" + d.checkpoints}
	if d.synchronous {
		settings = append(settings, "FAILOVER_KEEPS_COMMITS=on")
	}
	for range 2 {
		if _, err := d.Serve(ctx, settings...); err != nil {
			return err
		}
	}
	return errors.Join(d.PostResultsTo(ctx, d.Servers[1]), d.SignIn(ctx, d.Servers[0]))
}

func (d *drill) sell(ctx context.Context) (sold []*lab.Sale, err error) {
	for i := range sales {
		sale := &lab.Sale{Terminal: i % d.Terminals()}
		if err := d.SellUnseen(ctx, sale); err != nil {
			return nil, err
		}
		sold = append(sold, sale)
	}
	for _, sale := range sold {
		if err := d.Seen(ctx, sale); err != nil {
			return nil, err
		}
	}
	return sold, nil
}

// figures are those of the load.
func (d *drill) figures() figures {
	f := figures{mode: "asynchronous", without: d.load.longest(d.struck), slowest: d.load.slowest()}
	if d.synchronous {
		f.mode = "synchronous"
	}
	since := time.Time{}
	f.acknowledged, f.failed = d.load.count(done, since), d.load.count(failed, since)
	f.unknown, f.unanswered = d.load.count(unknown, since), d.load.count(unanswered, since)
	for _, p := range append(d.load.presses, d.load.pages...) {
		if p.told == wordless || p.told == unanswered {
			d.t.Errorf("an answer without words, after %s: %v", p.end.Sub(p.begun), p.problem)
		}
	}
	return f
}

// settled waits until each cancellation has ended, and has people end what an inquiry did
// not.
func (d *drill) settled(ctx context.Context) error {
	err := lab.Eventually(ctx, 3*time.Minute, "every doubt has ended", func(ctx context.Context) (ended bool, err error) {
		err = d.Pool.QueryRow(ctx, `SELECT count(*) = 0 FROM cancellations
			WHERE state IN ('requested', 'sending', 'accepted', 'unknown')`).Scan(&ended)
		return ended, err
	})
	if err == nil {
		return nil
	}
	d.t.Log(err)
	_, err = d.ResolveByPeople(ctx, d.Servers[0])
	return err
}

// keepLogs writes the logs of a failure where they can be read.
func (d *drill) keepLogs(t *testing.T) {
	to := os.Getenv("FAILOVER_LOGS")
	if to == "" || !t.Failed() {
		return
	}
	var files []string
	for _, dir := range []string{d.dir, d.Lab.File("")} {
		found, _ := filepath.Glob(filepath.Join(dir, "*.log"))
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, strings.ReplaceAll(t.Name(), "/", "-")+"-"+filepath.Base(file)), text, 0o600)
		}
		report(t, err)
	}
}

func TestFailover(t *testing.T) {
	bin := build(t)
	var all []figures
	for _, mode := range []string{"synchronous", "asynchronous"} {
		for _, s := range scenarios {
			if s.only != "" && s.only != mode {
				continue
			}
			t.Run(mode+"/"+s.name, func(t *testing.T) { all = append(all, s.run(t, bin, mode == "synchronous")) })
		}
	}
	t.Log("\n" + table(all))
}
