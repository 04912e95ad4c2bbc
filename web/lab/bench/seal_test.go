package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"

	"veinte/web/lab"
)

const (
	sealPace    = 5000 // entries a second
	sealWriters = 16   // connections that write them
	sealBatch   = 10   // entries of one transaction
)

// BenchmarkSeal writes entries at the rate that a server must follow with its sealing,
// and measures how long each waits for its checkpoint: under two seconds at 5,000
// entries a second (p99). It also has refusals recorded as fast as possible,
// alternately while the server seals and while it cannot: their transactions contain
// only the entry, so this is where sealing costs most; with it at least 0.9 of without.
func BenchmarkSeal(b *testing.B) {
	s := setup(b)
	s.run(b, "lag", func(ctx context.Context, p *build) error {
		return p.serving(ctx, func(*lab.Process) error { return p.sealingLag(ctx) }, s.withKey())
	})
	s.run(b, "recording", recordRefusals)
}

func recordRefusals(ctx context.Context, p *build) error {
	return p.serving(ctx, func(server *lab.Process) error {
		if err := p.untilSealed(ctx); err != nil { // what an earlier round has left
			return err
		}
		refused := page("http://"+server.Addr+"/settings/rules", p.manager)
		refused.status = fasthttp.StatusForbidden
		var sealed, plain round
		record := func(into *round) error {
			got, err := load(*connections, *turn, refused)
			into.add(got)
			return err
		}
		if err := record(&round{}); err != nil { // to warm up
			return err
		}
		for range *turns {
			if err := p.notSealing(ctx, func() error { return record(&plain) }); err != nil {
				return err
			}
			if err := p.untilSealed(ctx); err != nil {
				return err
			}
			if err := record(&sealed); err != nil {
				return err
			}
		}
		p.record("req/s", sealed.perSecond())
		p.record("req/s-to-unsealed", sealed.perSecond()/plain.perSecond())
		return nil
	}, p.withKey())
}

// notSealing keeps the server from sealing, as another process that seals would.
func (s *bench) notSealing(ctx context.Context, f func() error) error {
	return pgx.BeginFunc(ctx, s.db.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('veinte seals the trail', 0))`); err != nil {
			return err
		}
		return f()
	})
}

func (m *machine) withKey() string { return "AUDIT_KEY_FILE=" + m.keyFile }

// committed is when a transaction's entries were committed, or a checkpoint of that
// many entries was seen.
type committed struct {
	last int64 // the number of its last entry, or the checkpoint's size
	at   time.Time
}

// sealingLag writes at the rate, and records how much later the entries are sealed.
func (p *build) sealingLag(ctx context.Context) error {
	if err := p.untilSealed(ctx); err != nil { // what an earlier round has left
		return err
	}
	watching, stop := context.WithCancel(ctx)
	var seen []committed
	var watch sync.WaitGroup
	watch.Go(func() { seen = p.watchCheckpoints(watching) })
	begin := time.Now()
	written, err := p.writeAtPace(ctx, begin)
	took := time.Since(begin)
	if err == nil {
		err = p.untilSealed(ctx)
	}
	time.Sleep(100 * time.Millisecond) // the watch polls once more
	stop()
	watch.Wait()
	if err != nil {
		return err
	}
	lags, err := p.lags(ctx, written, seen)
	if err != nil {
		return err
	}
	p.record("entries/s", float64(len(written)*sealBatch)/took.Seconds())
	p.recordTimes("", lags)
	return nil
}

// untilSealed waits until the server has sealed every entry.
func (s *bench) untilSealed(ctx context.Context) error {
	for ctx.Err() == nil {
		var all bool
		const equal = `SELECT (SELECT count(*) FROM audit_entries) = coalesce((SELECT max(size) FROM checkpoints), 0)`
		err := s.db.Pool().QueryRow(ctx, equal).Scan(&all)
		if err != nil || all {
			return err
		}
		time.Sleep(time.Second)
	}
	return ctx.Err()
}

// wholeEntries writes entries $1 to $2, whose columns match their bytes; the first is at
// $3, and they are a tenth of a millisecond apart. It returns the last one's number.
const wholeEntries = `WITH written AS (INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome,
		store_id, store_name, serial_number,
		sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
	SELECT at, 7, 'Ana Pérez', 'manager', 'cancellation.moved', 'success', 1 + n % 40, 'Roma Norte', '1490000001', n, 'ORDER-' || n, n, 1,
		125000 + n % 1000, '{"state":"requested"}', '{"state":"sending"}', 'customer', '192.0.2.7',
		'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36', 'r-' || n,
		convert_to(format('{"v":2,"nonce":"%s","at":"%s","actorId":7,"actor":"Ana Pérez","role":"manager","action":"cancellation.moved",' ||
			'"outcome":"success","storeId":%s,"store":"Roma Norte","serialNumber":"1490000001","saleId":%s,"orderId":"ORDER-%s",' ||
			'"cancellationId":%s,"attempt":1,"amountCentavos":%s,"before":{"state":"requested"},"after":{"state":"sending"},' ||
			'"reason":"customer","address":"192.0.2.7","userAgent":"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36","requestId":"r-%s"}',
			rtrim(translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '='),
			to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 1 + n % 40, n, n, n, 125000 + n % 1000, n), 'UTF8')
	FROM (SELECT n, $3::timestamptz + (n - $1::bigint) * interval '100 microseconds' AS at FROM generate_series($1::bigint, $2) n) e
	RETURNING id) SELECT max(id) FROM written`

// writeAtPace writes transactions of a few entries each, evenly.
func (s *bench) writeAtPace(ctx context.Context, begin time.Time) (written []committed, err error) {
	every := time.Second * sealBatch * sealWriters / sealPace
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range sealWriters {
		wg.Go(func() {
			next := begin.Add(every * time.Duration(w) / sealWriters)
			for ; next.Sub(begin) < time.Duration(*sealSeconds)*time.Second; next = next.Add(every) {
				time.Sleep(time.Until(next)) // late ones follow at once to hold the rate
				var c committed
				n := next.Sub(begin).Microseconds()*sealWriters + int64(w)
				failure := s.db.Pool().QueryRow(ctx, wholeEntries, n, n+sealBatch-1, time.Now()).Scan(&c.last)
				c.at = time.Now()
				mu.Lock()
				written = append(written, c)
				if failure != nil {
					err = fmt.Errorf("write entries: %w", failure)
				}
				mu.Unlock()
				if failure != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return written, err
}

// watchCheckpoints records when checkpoints become visible to other connections.
func (s *bench) watchCheckpoints(ctx context.Context) (seen []committed) {
	for ctx.Err() == nil {
		var size int64
		err := s.db.Pool().QueryRow(ctx, `SELECT coalesce(max(size), 0) FROM checkpoints`).Scan(&size)
		if err == nil && (len(seen) == 0 || seen[len(seen)-1].last < size) {
			seen = append(seen, committed{size, time.Now()})
		}
		pause()
	}
	return seen
}

// lags reads which leaf each transaction's last entry became, and how much later a
// checkpoint contained it.
func (s *bench) lags(ctx context.Context, written, seen []committed) ([]time.Duration, error) {
	at := map[int64]time.Time{}
	var ids []int64
	for _, c := range written {
		ids, at[c.last] = append(ids, c.last), c.at
	}
	rows, err := s.db.Pool().Query(ctx, `SELECT entry_id, n FROM sealed_entries WHERE entry_id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	var lags []time.Duration
	var id, n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		i := slices.IndexFunc(seen, func(c committed) bool { return c.last > n })
		if i < 0 {
			return fmt.Errorf("entry %d is in no checkpoint that was seen", id)
		}
		lags = append(lags, max(seen[i].at.Sub(at[id]), 0))
		return nil
	})
	if err == nil && len(lags) != len(ids) {
		err = fmt.Errorf("%d of %d transactions are sealed", len(lags), len(ids))
	}
	return lags, err
}
