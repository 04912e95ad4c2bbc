package failover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// judge waits until everything has ended, and compares the ledger with the database.
func (d *drill) judge(ctx context.Context, s *scenario, f *figures) error {
	losing := s.loses && !d.synchronous
	if losing {
		d.told(ctx)
	}
	if !d.synchronous {
		if err := d.named(ctx, f); err != nil {
			return err
		}
	}
	if err := d.settled(ctx); err != nil {
		return err
	}
	entries, err := d.Box.Ledger()
	if err != nil {
		return err
	}
	for k, n := range lab.Deliveries(entries) {
		if n > 1 {
			f.twice++
			d.t.Errorf("order %s of terminal %s was sent %d times", k.OrderID, k.Serial, n)
		}
	}
	v, err := d.Judge(ctx)
	if err != nil {
		return err
	}
	f.lost = v.Lost
	for _, violation := range v.Violations {
		// With asynchronous replication these are the loss itself, which named has looked for.
		if lost := strings.Contains(violation, "there is no case") || strings.Contains(violation, "without a committed attempt") ||
			strings.Contains(violation, "are stored"); !lost || d.synchronous {
			d.t.Error(violation)
		}
	}
	if losing && f.lost == 0 {
		d.t.Error("nothing was lost: the standbys did not lag")
	}
	d.t.Logf("cases %s; deliveries %d, of no attempt %d; posts lost %d; by people %d", lab.Counts(v.States), v.Deliveries, v.Unrecorded,
		v.PostsLost, v.ByPeople)
	return nil
}

// told checks that it is said that the promoted standby lacks something: the sealing has
// stopped, and pages and the probe say why.
func (d *drill) told(ctx context.Context) {
	var stops int
	if err := d.Pool.QueryRow(ctx, `SELECT count(*) FROM sealing_stops`).Scan(&stops); err != nil || stops == 0 {
		d.t.Errorf("the sealing goes on over a trail that lacks what checkpoints have: %d stops, %v", stops, err)
	}
	if page := d.Supervisor.Get(ctx, d.Servers[0], "/sales"); !strings.Contains(page.Text, `data-kind="database"`) {
		d.t.Errorf("no page says that the database is another one: %v", page.Problem())
	}
	if probe := d.Supervisor.Get(ctx, d.Servers[0], "/healthz"); !strings.Contains(probe.Text, `"seal.`) {
		d.t.Errorf("/healthz does not say that the sealing stopped: %s", probe.Text)
	}
}

// named checks that the trail names each sale that was sent and of which the database lacks
// it. People then press again what is called cancelable.
func (d *drill) named(ctx context.Context, f *figures) error {
	rows, err := d.Pool.Query(ctx, `SELECT DISTINCT jsonb_array_elements_text(after->'lostOrders') FROM audit_entries
		WHERE action = 'database.changed'`)
	if err != nil {
		return err
	}
	named, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	// First: an attempt is stored before it is sent, and some still are.
	entries, err := d.Box.Ledger()
	if err != nil {
		return err
	}
	attempts, err := d.Attempts(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		sent := e.Kind == "request" && e.Operation == "cancel" && e.AttemptHash() != ""
		if !sent || slices.ContainsFunc(attempts, func(a lab.Attempt) bool { return a.KeyHash == e.AttemptHash() }) {
			continue
		}
		f.lostSent++
		if slices.Contains(named, e.OrderID) {
			f.found++
		} else {
			d.t.Errorf("order %s was sent, the database lacks it, and the trail does not name it", e.OrderID)
		}
	}
	return d.pressAgain(ctx)
}

// pressAgain has people press each sale once more that was acknowledged and is called
// cancelable.
func (d *drill) pressAgain(ctx context.Context) error {
	rows, err := d.Pool.Query(ctx, `SELECT id FROM sales WHERE state = 'cancelable'`)
	if err != nil {
		return err
	}
	cancelable, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	again := 0
	for _, p := range d.load.presses {
		if p.told != done || !slices.Contains(cancelable, p.sale.ID) {
			continue
		}
		again++
		a := d.Managers[again%len(d.Managers)].Click(ctx, d.Servers[again%2], p.sale.ID, fmt.Sprintf("%s-again", p.sale.OrderID), false)
		if !a.OK() {
			return fmt.Errorf("press order %s again: %w", p.sale.OrderID, a.Problem())
		}
	}
	d.t.Logf("%d sales were pressed again", again)
	return nil
}

// table is the figures as text.
func table(all []figures) string {
	var b strings.Builder
	b.WriteString("| Scenario | Replication | Writes away | Clicks: done, failed, unknown | Slowest answer | Sent twice |" +
		" Done and lost; sent of what was lost, and named |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for _, f := range all {
		fmt.Fprintf(&b, "| %s | %s | %.1f s | %d, %d, %d | %.1f s | %d | %d; %d, %d |\n", f.scenario, f.mode, f.without.Seconds(),
			f.acknowledged, f.failed, f.unknown, f.slowest.Seconds(), f.twice, f.lost, f.lostSent, f.found)
	}
	return b.String()
}
