package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models/crashpoint"
	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Seeds    int // kills of a server at each of the twelve points
	Postgres int // kills of PostgreSQL
	Both     int // kills of PostgreSQL and both servers at once
	Real     int // further kills with the default CANCEL_TIMEOUT of 30 s, for the time until a cancellation is resolved
	Block    int // kills after which the load stops until every cancellation is resolved
	Workers  int // workers that sell and cancel concurrently

	Terminals int // terminals of the store

	Inquiries time.Duration // limits the final wait for automatic inquiries; people resolve the rest
}

// settings make a cancellation end soon; see realWaits for the defaults.
var settings = []string{"CANCEL_TIMEOUT=1s", "RESULT_WAIT=2s", "QUIET_TIME=3s"}

// realWaits is the default timeout of a request, for one kind of block.
var realWaits = []string{"CANCEL_TIMEOUT=30s"}

// most limits the time from a restart until a cancellation is resolved, or visibly
// "Por verificar".
const most = time.Minute

// run is one run of it.
type run struct {
	x *Experiment
	*lab.Lab
	rand    *rand.Rand
	report  *lab.Report
	killed  map[string]int // what was killed, how often
	reached map[crashpoint.Point]int
	longest map[string]time.Duration // from the last restart, by the cancellation's state then
	behind  time.Duration            // the longest of a too long wait that was behind inquiries
	waits   []string                 // of the servers at present, beside the laboratory's

	began     time.Time
	restarted time.Time // when the program killed last worked again
}

// Run kills, and then runs the judge.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	r := &run{
		x: x, began: time.Now(), report: lab.NewReport("crash", setup), killed: map[string]int{},
		reached: map[crashpoint.Point]int{}, longest: map[string]time.Duration{},
	}
	r.Lab, err = lab.Start(ctx, lab.Options{
		Setup: setup, Durable: true, Servers: 2, Terminals: x.Terminals, Managers: 5, Settings: settings,
		Latency: 20 * time.Millisecond, ResultDelay: 100 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.rand = r.Rand(0)
	if err := r.carryOut(ctx); err != nil {
		return nil, err
	}
	return r.end(ctx)
}

// part is some kills of one kind, after which the load may stop.
type part struct {
	kind  string
	kills int
	do    func(context.Context) error
}

// parts are all kills, in an order that the seed decides.
func (r *run) parts() (parts []part) {
	var aims []aim
	for _, p := range crashpoint.All() {
		for range r.x.Seeds {
			aims = append(aims, aim{p, 1 + r.rand.IntN(3)})
		}
	}
	r.rand.Shuffle(len(aims), func(i, j int) { aims[i], aims[j] = aims[j], aims[i] })
	for some := range slices.Chunk(aims, r.x.Block) {
		parts = append(parts, part{"points", len(some), func(ctx context.Context) error { return r.atPoints(ctx, some) }})
	}
	for range r.x.Postgres {
		parts = append(parts, part{"postgres", 1, r.killPostgres})
	}
	for range r.x.Both {
		parts = append(parts, part{"both", 1, r.killBoth})
	}
	return parts
}

// real is the part with the default timeout, at the points where an attempt is under
// way: there it takes longest until a cancellation is in doubt.
func (r *run) real() part {
	sending := []crashpoint.Point{
		crashpoint.AfterAttemptCommit, crashpoint.AfterDial, crashpoint.AfterHeaders,
		crashpoint.AfterBody, crashpoint.AfterAnswer, crashpoint.BeforeOutcomeCommit,
	}
	var aims []aim
	for i := range r.x.Real {
		aims = append(aims, aim{sending[i%len(sending)], 1})
	}
	return part{"real", len(aims), func(ctx context.Context) error { return r.atPoints(ctx, aims) }}
}

// carryOut does every kill under load. After each block the load stops until every
// cancellation is resolved, counted from the last restart.
func (r *run) carryOut(ctx context.Context) error {
	parts, kills := r.parts(), 0
	working := r.startLoad(ctx)
	defer func() { working.stop() }()
	for i, p := range parts {
		if err := p.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.kind, err)
		}
		if kills += p.kills; kills < r.x.Block && i < len(parts)-1 {
			continue
		}
		kills = 0
		working.stop()
		if err := r.resolved(ctx, ""); err != nil {
			return err
		}
		working = r.startLoad(ctx)
	}
	if r.x.Real == 0 {
		return nil
	}
	r.waits = realWaits
	if err := r.real().do(ctx); err != nil {
		return err
	}
	working.stop()
	if err := r.resolved(ctx, "real "); err != nil {
		return err
	}
	r.waits = nil
	return r.restartAll(ctx)
}

// settled waits until every cancellation is resolved or visibly in doubt, and
// records how long that took since the last restart.
func (r *run) resolved(ctx context.Context, kind string) error {
	if err := r.Resolved(ctx, 3*time.Minute); err != nil {
		r.report.Violate("%s%v", kind, err)
	}
	moves, err := r.Moves(ctx)
	if err != nil {
		return err
	}
	for state, w := range lab.Longest(moves, r.restarted) {
		if w.Took > r.longest[kind+state] {
			r.longest[kind+state] = w.Took
			r.Progress("crash: case %d, %s at the restart, took %s: %s", w.CancellationID, state, w.Took.Round(time.Millisecond),
				trailOf(moves, w.CancellationID, r.restarted))
		}
		if w.Took <= most {
			continue
		}
		behind, err := r.behindInquiries(ctx, w.CancellationID, r.restarted, r.restarted.Add(w.Took))
		if err != nil {
			return err
		}
		r.behind = max(r.behind, behind)
		if w.Took-behind > most {
			r.report.Violate("case %d, %s at the restart, was settled only after %s, of which %s behind inquiries: %s",
				w.CancellationID, w.From, w.Took, behind, trailOf(moves, w.CancellationID, r.restarted))
		}
	}
	r.Progress("crash: %v kills, %d clicks, %s", r.killed, len(r.Clicks()), time.Since(r.began).Round(time.Second))
	return nil
}

// behindInquiries is how much of a cancellation's wait another sale's inquiry was on
// its terminal's screen. Until that has a response, or 30 s are over, nothing may be
// pushed there: the crash did not cause this wait.
func (r *run) behindInquiries(ctx context.Context, caseID int64, since, until time.Time) (time.Duration, error) {
	var seconds float64
	err := r.Pool.QueryRow(ctx, `SELECT coalesce(sum(extract(epoch FROM least(i.ended, $3) - greatest(i.sent_at, $2))), 0)::float8
		FROM (SELECT cancellation_id, terminal_id, sent_at, least(answered_at, sent_at + interval '30 s') AS ended FROM inquiries) i
		JOIN cancellations c ON c.terminal_id = i.terminal_id
		WHERE c.id = $1 AND i.cancellation_id <> c.id AND i.sent_at < $3 AND i.ended > $2`, caseID, since, until).Scan(&seconds)
	return time.Duration(seconds * float64(time.Second)), err
}

// story lists a cancellation's moves, in seconds from an instant.
func trailOf(moves []lab.Move, caseID int64, since time.Time) string {
	var text strings.Builder
	for _, m := range moves {
		if m.CancellationID == caseID {
			fmt.Fprintf(&text, "%+.1f %s ", m.At.Sub(since).Seconds(), m.To)
		}
	}
	return text.String()
}

// end waits for what the product resolves automatically, lets people resolve the
// rest, and runs the judge.
func (r *run) end(ctx context.Context) (*lab.Report, error) {
	r.Progress("crash: waiting %s for inquiries", r.x.Inquiries)
	r.quiet(ctx)
	people, err := r.ResolveByPeople(ctx, r.Servers[0])
	if err != nil {
		return nil, err
	}
	v, err := r.Judge(ctx)
	if err != nil {
		return nil, err
	}
	r.report.Verdict = v
	if v.LeftOpen > 0 {
		r.report.Violate("%d cases are left open", v.LeftOpen)
	}
	for _, s := range r.Servers {
		if log := s.Log(); strings.Contains(log, "panic") || strings.Contains(log, "no such move") {
			r.report.Violate("server %d has a panic or a move that does not exist in its log", s.Number)
		}
	}
	total := 0
	for _, p := range crashpoint.All() {
		r.report.Add("kill -9 of a server, "+string(p), r.reached[p], "")
		total += r.reached[p]
	}
	r.report.Add("kill -9 of a server at a point", total, "")
	r.report.Add("kill -9 of a server between blocks", r.killed["servers"], "")
	r.report.Add("kill -9 of PostgreSQL", r.killed["postgres"], "")
	r.report.Add("kill -9 of PostgreSQL and both servers", r.killed["both"], "")
	for _, state := range []string{"requested", "sending", "accepted", "real requested", "real sending", "real accepted"} {
		if took, ok := r.longest[state]; ok {
			r.report.Add(fmt.Sprintf("longest from restart to settled, %s", state), took, "at most 1m")
		}
	}
	if r.behind > 0 {
		r.report.Add("of a longer wait, behind another sale's inquiry", r.behind, "")
	}
	statuses := map[string]int{}
	for _, c := range r.Clicks() {
		statuses[strconv.Itoa(c.Status)]++
	}
	r.report.Add("clicks by the status of their answer, 0 for none", lab.Counts(statuses), "")
	r.report.Add("doubts that people settled at the end", people, "")
	return r.report.Done(), nil
}

// quiet waits until no cancellation is in doubt, at most for the time of Inquiries.
func (r *run) quiet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.x.Inquiries)
	defer cancel()
	for left := 1; left > 0; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		if err := r.Pool.QueryRow(ctx, "SELECT count(*) FROM cancellations WHERE state = 'unknown'").Scan(&left); err != nil {
			left = 1
		}
	}
}

func TestMain(m *testing.M) { chaos.Main(m) }

// The short version has each point once, PostgreSQL twice, everything once.
func TestCrash(t *testing.T) {
	t.Parallel()
	report, text := chaos.Try(t, chaos.Choose(
		&Experiment{Seeds: 1, Postgres: 2, Both: 1, Block: 13, Workers: 4, Terminals: 150, Inquiries: time.Second},
		&Experiment{Seeds: 100, Postgres: 100, Both: 20, Real: 20, Block: 50, Workers: 8, Terminals: 120, Inquiries: 130 * time.Second},
	).Run)
	for _, p := range crashpoint.All() {
		if !strings.Contains(text, string(p)) {
			t.Errorf("the report does not name %s", p)
		}
	}
	if v := report.Verdict; v.Deliveries == 0 || v.Acknowledged == 0 || v.Automatically == 0 {
		t.Errorf("nothing happened: %+v", v)
	}
}
