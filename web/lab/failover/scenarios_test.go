package failover

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// scenarios are tried with each kind of replication.
var scenarios = []scenario{
	{
		name:   "the leader is killed",
		strike: func(_ context.Context, d *drill) error { d.leads.kill(); return nil },
		mend:   func(ctx context.Context, d *drill) error { return d.leads.process.Start(ctx) },
	},
	{
		name: "the leader is cut off",
		strike: func(_ context.Context, d *drill) error {
			return shut(d.leads.toEtcd, d.leads.forStandbys, d.leads.forRest, d.leads.forClients)
		},
		mend: func(ctx context.Context, d *drill) error {
			open(ctx, d.leads.toEtcd, d.leads.forStandbys, d.leads.forRest, d.leads.forClients)
			return nil
		},
	},
	{
		name:   "the leader is frozen",
		strike: func(_ context.Context, d *drill) error { d.leads.freeze(); return nil },
		mend:   func(_ context.Context, d *drill) error { d.leads.thaw(); return nil },
	},
	{
		name:   "a standby is frozen",
		strike: freezeStandby, stays: true,
		mend: func(_ context.Context, d *drill) error { d.struckStandbys[0].thaw(); return nil },
	},
	{
		name:   "the standbys lag, the leader is killed",
		strike: lagAndKill, loses: true,
		mend: func(ctx context.Context, d *drill) error {
			open(ctx, d.leads.forStandbys)
			return d.leads.process.Start(ctx)
		},
	},
	{
		name:   "no standby is there",
		strike: freezeBoth, only: "synchronous", stays: true,
		mend: func(context.Context, *drill) error { return nil },
	},
}

// freezeStandby freezes the standby that commits wait for, if there is one.
func freezeStandby(ctx context.Context, d *drill) error {
	members, err := d.members(ctx, d.leads)
	if err != nil {
		return err
	}
	for _, m := range members {
		n := d.nodes[slices.IndexFunc(d.nodes, func(n *node) bool { return n.name == m.Name })]
		if n != d.leads && (m.Role == "sync_standby" || !d.synchronous) {
			n.freeze()
			d.struckStandbys = append(d.struckStandbys, n)
			return nil
		}
	}
	return errors.New("no standby is synchronous")
}

// lagAndKill has the standbys get nothing any more, and then kills the leader: at once when
// commits wait for them, else after it has sent what they do not know.
func lagAndKill(ctx context.Context, d *drill) error {
	if !d.synchronous { // Patroni would promote none that lacks so much
		const lax = `{"maximum_lag_on_failover": 1073741824}`
		if err := rest(ctx, d.leads, http.MethodPatch, "/config", lax, nil); err != nil {
			return err
		}
	}
	if err := shut(d.leads.forStandbys); err != nil {
		return err
	}
	since := time.Now()
	if d.synchronous {
		if err := d.waiting(ctx); err != nil {
			return err
		}
	} else if err := d.outside(ctx, since); err != nil {
		return err
	}
	d.struck = time.Now()
	d.leads.kill()
	return nil
}

// waiting waits until a commit waits for a standby.
func (d *drill) waiting(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.url(d.leads.db, "postgres", "SUPERUSER_PASSWORD", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return lab.Eventually(ctx, time.Minute, "a commit waits", func(ctx context.Context) (waits bool, err error) {
		err = conn.QueryRow(ctx, `SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).Scan(&waits)
		return waits, err
	})
}

// outside waits until the service has cancellations of which the standbys know nothing, and
// a checkpoint has left the leader that has them.
func (d *drill) outside(ctx context.Context, since time.Time) error {
	err := d.load.until(ctx, 30, since)
	if err != nil {
		return err
	}
	var entries int64
	if err := d.Pool.QueryRow(ctx, `SELECT count(*) FROM audit_entries`).Scan(&entries); err != nil {
		return err
	}
	return lab.Eventually(ctx, time.Minute, "a checkpoint has left the leader", func(ctx context.Context) (left bool, err error) {
		err = d.Pool.QueryRow(ctx, `SELECT max(size) >= $1 FROM checkpoints`, entries).Scan(&left)
		return left, err
	})
}

// withoutStandbys is how long no commit can end.
const withoutStandbys = 45 * time.Second

// freezeBoth has the leader answer and not commit, and then brings the standbys back. Until
// then no click may be called done, and everybody is answered why.
func freezeBoth(ctx context.Context, d *drill) error {
	for _, n := range d.nodes {
		if n != d.leads {
			n.freeze()
			d.struckStandbys = append(d.struckStandbys, n)
		}
	}
	defer func() {
		for _, n := range d.struckStandbys {
			n.thaw()
		}
	}()
	if err := d.waiting(ctx); err != nil {
		return err
	}
	frozen := time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(withoutStandbys):
	}
	if n := d.load.count(done, frozen); n > 0 {
		d.t.Errorf("%d clicks were called done while no commit could be", n)
	}
	if n := d.load.count(unknown, frozen) + d.load.count(failed, frozen); n < 2*len(d.Managers) {
		d.t.Errorf("%d clicks were answered in words within %s, by %d people", n, withoutStandbys, len(d.Managers))
	}
	for _, s := range d.Servers {
		if probe := d.Supervisor.Get(ctx, s, "/healthz"); !strings.Contains(probe.Text, `"outage.standby"`) {
			d.t.Errorf("/healthz does not say that commits wait: %s", probe.Text)
		}
	}
	return nil
}
