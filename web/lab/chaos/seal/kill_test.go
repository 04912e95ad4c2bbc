package seal

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"veinte/web/lab"
)

// kill kills servers and PostgreSQL alternately, in the middle of a batch or at a
// random moment, and starts them again.
func (r *run) kill(ctx context.Context, random *rand.Rand) error {
	for n := range r.x.Kills {
		when := "at any moment"
		if random.IntN(3) > 0 {
			when = "while sealing"
			if err := r.untilSealing(ctx); err != nil {
				return err
			}
			time.Sleep(time.Duration(random.IntN(15_000)) * time.Microsecond)
		} else {
			time.Sleep(time.Duration(random.IntN(900)) * time.Millisecond)
		}
		what := "all servers"
		switch random.IntN(4) {
		case 0:
			what = "PostgreSQL"
			if err := r.KillPostgres(); err != nil {
				return err
			}
			if err := r.StartPostgres(ctx); err != nil {
				return err
			}
		case 1:
			what = "a server"
			r.servers[random.IntN(servers)].Kill()
		default: // whichever process seals
			for _, s := range r.servers {
				s.Kill()
			}
		}
		r.killed[what+" "+when]++
		if err := r.revive(ctx); err != nil {
			return err
		}
		if n%20 == 19 {
			r.Progress("%d kills", n+1)
		}
	}
	return nil
}

// revive starts the servers that are dead.
func (r *run) revive(ctx context.Context) error {
	for _, s := range r.servers {
		if s.Alive() {
			continue
		}
		if err := s.Respawn(); err != nil {
			return err
		}
	}
	for _, s := range r.servers {
		if err := s.Ready(ctx); err != nil {
			if errors.Is(err, lab.ErrEnded) { // the database was still starting
				err = s.Restart(ctx)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// maxWait limits the wait for a batch to begin; entries come all the time.
const maxWait = 3 * time.Second

// untilSealing waits until a process holds the sealing lock and has written
// something: the batch is half done.
func (r *run) untilSealing(ctx context.Context) error {
	for begin := time.Now(); time.Since(begin) < maxWait; {
		var sealing bool
		err := r.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks a JOIN pg_locks x USING (pid)
			WHERE a.locktype = 'advisory' AND a.granted
				AND (a.classid::bigint << 32 | a.objid::bigint) = hashtextextended('veinte seals the trail', 0)
				AND x.locktype = 'relation' AND x.relation = 'sealed_entries'::regclass AND x.mode = 'RowExclusiveLock')`).Scan(&sealing)
		if err != nil || sealing {
			return err
		}
	}
	return nil
}
