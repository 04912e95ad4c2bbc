package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/wiring"
)

// Sealing is the result of sealing the trail under load.
type Sealing struct {
	Entries   int     `json:"entries"`          // written and sealed
	PerSecond float64 `json:"entriesPerSecond"` // written
	LagMedian float64 `json:"lagMs"`            // from an entry's commit to its checkpoint's
	LagP99    float64 `json:"lagP99Ms"`         //
	LagWorst  float64 `json:"lagMaxMs"`         //
	On        float64 `json:"recordedPerSecondSealing"`
	Off       float64 `json:"recordedPerSecondWithout"`
	Ratio     float64 `json:"sealingToWithout"`
}

const (
	sealPace    = 5000 // entries a second
	sealWriters = 16   // connections that write them
	sealBatch   = 10   // entries of one transaction
	recorders   = 32   // connections of the hot path
)

// measureSealing writes entries at the rate that sealing must follow, and measures
// how long each waits for its checkpoint. Then it records as fast as it can, one
// entry a transaction, alternately with sealing on and off.
func (b *bench) measureSealing(ctx context.Context) error {
	db, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	_, keys, err := newKeys()
	if err != nil {
		return err
	}
	s := &sealBench{bench: b, db: db, seals: sealing.New(sealing.Config{
		DB: db, Clock: models.ShiftedClock(0), Signers: keys.Signers(), Dir: filepath.Join(b.dir, "checkpoints"),
	})}
	if err := s.seals.Check(ctx); err != nil {
		return err
	}
	if err := s.lag(ctx); err != nil {
		return err
	}
	return s.compare(ctx)
}

// sealBench is the measurement of sealing.
type sealBench struct {
	*bench
	db    *database.DB
	seals *sealing.Service

	mu   sync.Mutex
	told []committed
}

// committed is when a transaction's entries were committed.
type committed struct {
	last int64 // the number of its last entry
	at   time.Time
}

// running seals until the returned function is called.
func (s *sealBench) running(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.seals.Run(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// lag writes at the rate for the time, and measures the delay of sealing.
func (s *sealBench) lag(ctx context.Context) error {
	s.progress(fmt.Sprintf("sealing %d entries a second for %s", sealPace, time.Duration(s.Seconds)*time.Second))
	stop := s.running(ctx)
	defer stop()
	seen := &sealWatch{db: s.db}
	watching, seenAll := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { seen.run(watching) })
	begin := time.Now()
	err := s.writeAll(ctx, begin)
	took := time.Since(begin)
	for begin := time.Now(); err == nil && time.Since(begin) < time.Minute; {
		st, e := s.seals.Status(ctx)
		if err = e; e == nil && st.Lag == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // the watch polls once more
	seenAll()
	watch.Wait()
	if err != nil {
		return err
	}
	lags, err := s.lags(ctx, seen)
	if err != nil {
		return err
	}
	r := &s.report.Sealing
	r.Entries, r.PerSecond = len(s.told)*sealBatch, float64(len(s.told)*sealBatch)/took.Seconds()
	r.LagMedian, r.LagP99, r.LagWorst = ms(quantile(lags, 0.5)), ms(quantile(lags, 0.99)), ms(quantile(lags, 1))
	return nil
}

// writeEntries makes entries of typical size.
const writeEntries = `WITH written AS (INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome,
		store_id, store_name, serial_number,
		sale_id, order_id, amount, after, address, user_agent, request_id, canonical)
	SELECT clock_timestamp(), 7, 'Ana Pérez', 'manager', 'cancellation.moved', 'success', 1 + n % 40, 'Roma Norte', '1490000001',
		n, 'ORDER-' || n, 125000, '{"state":"sending"}', '192.0.2.7', 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36', 'r-' || n,
		convert_to(format('{"v":2,"nonce":"%s","at":"2026-11-20T18:00:00.000000Z","actorId":7,"actor":"Ana Pérez","role":"manager",' ||
			'"action":"cancellation.moved","outcome":"success","storeId":1,"store":"Roma Norte","serialNumber":"1490000001",' ||
			'"orderId":"ORDER-%s","amountCentavos":125000,"after":{"state":"sending"},"address":"192.0.2.7",' ||
			'"userAgent":"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36","requestId":"r-%s"}', gen_random_uuid(), n, n), 'UTF8')
	FROM generate_series($1::bigint, $1::bigint + $2 - 1) n RETURNING id)
	SELECT max(id) FROM written`

// writeAll writes transactions of a few entries each, evenly.
func (s *sealBench) writeAll(ctx context.Context, begin time.Time) error {
	every := time.Second * sealBatch * sealWriters / sealPace
	var wg sync.WaitGroup
	errs := make([]error, sealWriters)
	for w := range sealWriters {
		wg.Go(func() {
			next := begin.Add(every * time.Duration(w) / sealWriters)
			for ; next.Sub(begin) < time.Duration(s.Seconds)*time.Second; next = next.Add(every) {
				time.Sleep(time.Until(next)) // late ones follow at once to hold the rate
				var c committed
				n := next.Sub(begin).Microseconds()*sealWriters + int64(w)
				if err := s.db.Pool().QueryRow(ctx, writeEntries, n, sealBatch).Scan(&c.last); err != nil {
					errs[w] = err
					return
				}
				c.at = time.Now()
				s.mu.Lock()
				s.told = append(s.told, c)
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
	}
	return nil
}

// lags reads which checkpoint contains each transaction's entries, and how much
// later it came.
func (s *sealBench) lags(ctx context.Context, seen *sealWatch) ([]time.Duration, error) {
	ids := make([]int64, len(s.told))
	at := map[int64]time.Time{}
	for i, c := range s.told {
		ids[i], at[c.last] = c.last, c.at
	}
	rows, err := s.db.Pool().Query(ctx, `SELECT entry_id, n FROM sealed_entries WHERE entry_id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	var lags []time.Duration
	var id, n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		lags = append(lags, max(seen.when(n).Sub(at[id]), 0))
		return nil
	})
	if err == nil && len(lags) != len(ids) {
		err = fmt.Errorf("%d of %d transactions are sealed", len(lags), len(ids))
	}
	return lags, err
}

// sealWatch records when checkpoints become visible to other connections.
type sealWatch struct {
	db    *database.DB
	sizes []int64
	times []time.Time
}

func (w *sealWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		c, err := wiring.Over(w.db).Sealing.LatestCheckpoint(ctx)
		if err == nil && c != nil && (len(w.sizes) == 0 || w.sizes[len(w.sizes)-1] < c.Size) {
			w.sizes, w.times = append(w.sizes, c.Size), append(w.times, time.Now())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// when returns when leaf n was seen as sealed.
func (w *sealWatch) when(n int64) time.Time {
	i, _ := slices.BinarySearch(w.sizes, n+1)
	if i == len(w.times) {
		return time.Now()
	}
	return w.times[i]
}

// compare records alternately with sealing on and off.
func (s *sealBench) compare(ctx context.Context) error {
	s.progress("recording with sealing on and off")
	var on, off round
	for turn := range 2 * s.Turns {
		if _, err := s.seals.Seal(ctx); err != nil { // entries that the round without sealing left
			return err
		}
		into, stop := &off, func() {}
		if turn%2 == 0 {
			into, stop = &on, s.running(ctx)
		}
		r, err := s.record(ctx)
		stop()
		if err != nil {
			return err
		}
		into.answers += r.answers
		into.took += r.took
	}
	r := &s.report.Sealing
	r.On, r.Off = float64(on.answers)/on.took.Seconds(), float64(off.answers)/off.took.Seconds()
	r.Ratio = r.On / r.Off
	return nil
}

// record records refusals as fast as it can. Their transactions contain only the
// entry, so this is where sealing costs most.
func (s *sealBench) record(ctx context.Context) (round, error) {
	actor := models.Actor{
		UserID: 7, Name: "Ana Pérez", Role: models.Manager, StoreIDs: []int64{typicalStore}, Address: "192.0.2.7",
		UserAgent: "bench", RequestID: "r",
	}
	counts, errs := make([]int, recorders), make([]error, recorders)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range recorders {
		wg.Go(func() {
			for time.Since(begin) < s.Turn && errs[i] == nil {
				errs[i] = wiring.Over(s.db).Audit.Refused(ctx, actor, "GET /settings/rules")
				counts[i]++
			}
		})
	}
	wg.Wait()
	r := round{took: time.Since(begin)}
	for i := range counts {
		r.answers += counts[i]
		if errs[i] != nil {
			return r, errs[i]
		}
	}
	return r, nil
}
