package crash

import (
	"context"
	"fmt"
	"time"

	"veinte/models/crashpoint"
	"veinte/web/lab"
)

// aim is where a server must die: at the n-th passing of a point.
type aim struct {
	point   crashpoint.Point
	passing int
}

func (a aim) setting() string {
	return fmt.Sprintf("%s=%s:%d", crashpoint.Variable, a.point, a.passing)
}

// atResult reports whether only the server that gets the terminals' posts passes the
// point.
func (a aim) atResult() bool {
	return a.point == crashpoint.BeforeResultCommit || a.point == crashpoint.AfterResultCommit
}

// patience is how long a point may take to be reached under load.
const patience = 3 * time.Minute

// target is a server that is armed.
type target struct {
	*lab.Server
	aim   *aim // nil when there is nothing more to do
	since time.Time
}

// atPoints arms both servers with the next aims, and arms a server that has died
// with the one after, until all are used up; then both run unarmed.
func (r *run) atPoints(ctx context.Context, aims []aim) error {
	targets := []*target{{Server: r.Servers[0]}, {Server: r.Servers[1]}}
	for _, t := range targets {
		if err := r.arm(ctx, t, &aims); err != nil {
			return err
		}
		r.killed["servers"]++ // it ran until now
	}
	nudge := time.NewTicker(200 * time.Millisecond)
	defer nudge.Stop()
	for targets[0].aim != nil || targets[1].aim != nil {
		if err := r.aimResults(ctx, targets); err != nil {
			return err
		}
		var died *target
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-targets[0].Dead():
			died = targets[0]
		case <-targets[1].Dead():
			died = targets[1]
		case <-nudge.C:
		}
		for _, t := range targets {
			if t.aim != nil && time.Since(t.since) > patience {
				return fmt.Errorf("server %d did not reach %s in %s", t.Number, t.aim.setting(), patience)
			}
		}
		if died == nil {
			if err := r.sweep(ctx, targets); err != nil {
				return err
			}
			continue
		}
		if err := r.buried(ctx, died, &aims); err != nil {
			return err
		}
	}
	// Servers that survived while the others died are no longer armed.
	return r.restartAll(ctx)
}

// buried records a death and starts the server again.
func (r *run) buried(ctx context.Context, t *target, aims *[]aim) error {
	if t.EndedInOrder() {
		return fmt.Errorf("server %d ended by itself:\n%s", t.Number, t.Log())
	}
	if t.aim == nil {
		return fmt.Errorf("server %d died although nothing was aimed at it", t.Number)
	}
	r.reached[t.aim.point]++
	r.killed["points"]++
	return r.arm(ctx, t, aims)
}

// arm starts a server with the next aim, or without when there is none. It may die
// before it is ready, because its first jobs pass the points too.
func (r *run) arm(ctx context.Context, t *target, aims *[]aim) error {
	settings := append([]string(nil), r.waits...)
	t.aim, t.since = nil, time.Now()
	if len(*aims) > 0 {
		t.aim = &(*aims)[0]
		*aims = (*aims)[1:]
		settings = append(settings, t.aim.setting())
	}
	if t.aim != nil {
		return t.Respawn(settings...)
	}
	return t.Restart(ctx, settings...)
}

// aimResults lets terminals post to the server that has waited longest to die
// at a result, if any does.
func (r *run) aimResults(ctx context.Context, targets []*target) error {
	var chosen *target
	for _, t := range targets {
		if t.aim != nil && t.aim.atResult() && (chosen == nil || t.since.Before(chosen.since)) {
			chosen = t
		}
	}
	if chosen == nil {
		for _, t := range targets {
			if t.Alive() {
				chosen = t
			}
		}
	}
	if chosen == nil {
		return nil
	}
	return r.PostResultsTo(ctx, chosen.Server)
}

// sweep makes the periodic check of every open cancellation due now, if a server
// must die in it. Otherwise it runs only every ten seconds.
func (r *run) sweep(ctx context.Context, targets []*target) error {
	for _, t := range targets {
		if t.aim == nil || t.aim.point != crashpoint.BetweenMoves {
			continue
		}
		_, err := r.Pool.Exec(ctx, `INSERT INTO river_job (kind, args, queue, max_attempts) VALUES ('sweep', '{}', 'timers', 1)`)
		if err != nil {
			return fmt.Errorf("make a sweep due: %w", err)
		}
	}
	return nil
}

// restartAll restarts both servers without an aim.
func (r *run) restartAll(ctx context.Context) error {
	for _, s := range r.Servers {
		if err := s.Restart(ctx, r.waits...); err != nil {
			return err
		}
		r.killed["servers"]++
	}
	r.restarted = time.Now()
	return nil
}

// soon waits for a random time.
func (r *run) soon(ctx context.Context, most time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(r.rand.Int64N(int64(most)))):
	}
}

// killPostgres kills PostgreSQL under the servers, which must recover without help
// once it is back. It does so at a random moment, and every other time immediately
// after a click was acknowledged.
func (r *run) killPostgres(ctx context.Context) error {
	if r.killed["postgres"]%2 == 0 {
		if err := r.acknowledged(ctx); err != nil {
			return err
		}
	} else {
		r.soon(ctx, time.Second)
	}
	if err := r.KillPostgres(); err != nil {
		return err
	}
	r.soon(ctx, 500*time.Millisecond)
	if err := r.StartPostgres(ctx); err != nil {
		return err
	}
	r.killed["postgres"]++
	for _, s := range r.Servers {
		if err := s.Ready(ctx); err != nil {
			return fmt.Errorf("after PostgreSQL came back: %w", err)
		}
	}
	r.restarted = time.Now()
	return nil
}

// acknowledged sells and cancels once, and returns as soon as the click is
// acknowledged.
func (r *run) acknowledged(ctx context.Context) error {
	sale, err := r.Sell(ctx, lab.Sale{Terminal: r.rand.IntN(r.Terminals())})
	if err != nil {
		return err
	}
	s := r.Servers[r.rand.IntN(len(r.Servers))]
	if a := r.Managers[0].Click(ctx, s, sale.ID, sale.OrderID+"-last", false); !a.OK() {
		return fmt.Errorf("the click before the kill: %w", a.Problem())
	}
	return nil
}

// killBoth kills PostgreSQL and both servers, in a random order.
func (r *run) killBoth(ctx context.Context) error {
	r.soon(ctx, time.Second)
	first := r.rand.IntN(3)
	for i := range 3 {
		if n := (first + i) % 3; n < 2 {
			r.Servers[n].Kill()
		} else if err := r.KillPostgres(); err != nil {
			return err
		}
	}
	if err := r.StartPostgres(ctx); err != nil {
		return err
	}
	r.killed["both"]++
	for _, s := range r.Servers {
		if err := s.Restart(ctx, r.waits...); err != nil {
			return err
		}
	}
	r.restarted = time.Now()
	return nil
}
