package seal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/models/audit/trailfile"
	"veinte/web/lab"
	"veinte/web/lab/chaos"
)

// Experiment sets how much is tried.
type Experiment struct {
	Kills   int // how many times a server or PostgreSQL is killed
	Writers int // connections that write entries meanwhile
}

// servers is how many processes seal. The first two share a directory of
// checkpoints, as two on one machine may.
const servers = 3

// run is one run of the experiment.
type run struct {
	*lab.Lab
	x       *Experiment
	keys    *trailfile.Keys
	dirs    []string // of checkpoints, by server
	servers []*lab.Server
	report  *lab.Report
	killed  map[string]int

	mu           sync.Mutex
	acknowledged []int64 // entries whose commit was acknowledged
	failed       int     // transactions that were not
}

// Run carries out the experiment.
func (x *Experiment) Run(ctx context.Context, setup lab.Setup) (_ *lab.Report, err error) {
	l, err := lab.Start(ctx, lab.Options{Setup: setup, Durable: true, Terminals: 1, Managers: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	dir, err := os.MkdirTemp("", "veinte-chaos-seal-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &run{Lab: l, x: x, report: lab.NewReport("seal", setup), killed: map[string]int{}}
	if err := r.serve(ctx, dir); err != nil {
		return nil, err
	}
	writing, stop := context.WithCancel(ctx)
	var writers sync.WaitGroup
	for w := range x.Writers {
		writers.Go(func() { r.write(writing, r.Rand(100+uint64(w))) })
	}
	err = r.kill(ctx, r.Rand(1))
	stop()
	writers.Wait()
	if err != nil {
		return nil, err
	}
	r.waitSealed(ctx)
	return r.report.Done(), r.judge(ctx)
}

// serve starts the servers with one key.
func (r *run) serve(ctx context.Context, dir string) error {
	private, _, err := trailfile.GenerateKey("chaos.veinte.example/bitacora")
	if err != nil {
		return err
	}
	if r.keys, err = trailfile.ParseKeys(private); err != nil {
		return err
	}
	key := filepath.Join(dir, "audit.key")
	if err := os.WriteFile(key, []byte(private+"\n"), 0o600); err != nil {
		return err
	}
	shared := filepath.Join(dir, "shared")
	for i := range servers {
		to := shared
		if i > 1 {
			to = filepath.Join(dir, fmt.Sprintf("alone-%d", i))
		}
		s, err := r.Serve(ctx, "AUDIT_KEY_FILE="+key, "AUDIT_CHECKPOINT_DIR="+to)
		if err != nil {
			return err
		}
		r.dirs, r.servers = append(r.dirs, to), append(r.servers, s)
	}
	return nil
}

const writeEntries = `WITH w AS (INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
	SELECT now(), 'x', 'system', 'test.done', 'success', convert_to(gen_random_uuid()::text || repeat('.', 400), 'UTF8')
		FROM generate_series(1, $1)
	RETURNING id) SELECT array_agg(id) FROM w`

// write writes transactions of some entries, some of them slow, until ctx ends.
func (r *run) write(ctx context.Context, random *rand.Rand) {
	pool, err := pgxpool.New(ctx, r.DatabaseURL())
	if err != nil {
		return // only when the address cannot be read
	}
	defer pool.Close()
	for ctx.Err() == nil {
		ids, err := r.transaction(ctx, pool, random)
		r.mu.Lock()
		if err == nil {
			r.acknowledged = append(r.acknowledged, ids...)
		} else {
			r.failed++
		}
		r.mu.Unlock()
		pause := time.Duration(random.IntN(10)) * time.Millisecond
		if err != nil {
			pause += 20 * time.Millisecond // the database is down
		}
		time.Sleep(pause)
	}
}

func (r *run) transaction(ctx context.Context, pool *pgxpool.Pool, random *rand.Rand) (ids []int64, err error) {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	for range 1 + random.IntN(3) {
		var more []int64
		if err := tx.QueryRow(ctx, writeEntries, 1+random.IntN(30)).Scan(&more); err != nil {
			return nil, err
		}
		ids = append(ids, more...)
		if random.IntN(8) == 0 {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // others overtake it
		}
	}
	return ids, tx.Commit(ctx)
}

func TestMain(m *testing.M) { chaos.Main(m) }

func TestSeal(t *testing.T) {
	t.Parallel()
	chaos.Try(t, chaos.Choose(&Experiment{Kills: 8, Writers: 4}, &Experiment{Kills: 120, Writers: 8}).Run)
}
