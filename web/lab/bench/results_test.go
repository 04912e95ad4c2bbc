package bench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

const (
	resultPosts = 200 // posts a second to the results endpoint, as in the goal
	listReads   = 400 // reads of today's list a second: two open pages query it for each post
	warmUp      = 4 * time.Second
)

// terminal is one of the table, as the service names it.
type terminal struct{ Serial, Merchant string }

// terminals are those of stores from one to another, in their order.
func (s *bench) terminals(ctx context.Context, from, to int64) ([]terminal, error) {
	rows, err := s.db.Pool().Query(ctx, `SELECT t.serial_number AS serial, a.merchant_id AS merchant
		FROM terminals t JOIN assignments a ON a.terminal_id = t.id WHERE a.store_id BETWEEN $1 AND $2 ORDER BY t.id`, from, to)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[terminal])
}

// postSale reports a sale as a terminal does.
func postSale(ctx context.Context, server string, t terminal) error {
	body, err := json.Marshal(map[string]string{
		"transType": "A", "responseCode": "00", "orderId": "bench-" + rand.Text(), "amount": "120.50", "storeId": t.Merchant,
		"terminalId": t.Serial, "cardNumber": "************4242", "authCode": "A1B2C3", "folioNumber": rand.Text()[:12],
		"message": "Transacción exitosa",
	})
	if err != nil {
		return err
	}
	_, err = (&user{base: server}).post(ctx, "/results/"+resultsSecret, "application/json", body)
	return err
}

// BenchmarkResults posts sales to the results endpoint at a steady rate while today's
// list is read; p99-ms should be under 50. It starts with a warm-up that is not
// measured, because a new process must open its database connections and prepare its
// queries on each.
func BenchmarkResults(b *testing.B) {
	setup(b).measure(b, postResults)
}

func postResults(ctx context.Context, p *build) error {
	all, err := p.terminals(ctx, 1, stores)
	if err != nil {
		return err
	}
	return p.serving(ctx, func(server *lab.Process) error {
		manager := &user{"http://" + server.Addr, p.manager}
		for _, long := range []time.Duration{warmUp, allTurns()} {
			var failed error
			var readers sync.WaitGroup
			readers.Go(func() {
				_, failed = paced(ctx, listReads, long, func(int) error {
					_, err := manager.get(ctx, "/sales?store=1")
					return err
				})
			})
			posts, err := paced(ctx, resultPosts, long, func(n int) error { return postSale(ctx, manager.base, all[n%len(all)]) })
			readers.Wait()
			if err := errors.Join(err, failed); err != nil {
				return err
			}
			if long != warmUp {
				p.recordTimes("", posts)
			}
		}
		return nil
	}, p.withKey())
}

// paced calls f at a fixed rate: a slow response delays no other call, as terminals
// do not wait for each other. Each call is timed from when it was due.
func paced(ctx context.Context, perSecond int, long time.Duration, f func(n int) error) ([]time.Duration, error) {
	var mu sync.Mutex
	var each []time.Duration
	var failed error
	var calls sync.WaitGroup
	begin := time.Now()
	for n := 0; ; n++ {
		due := begin.Add(time.Duration(n) * time.Second / time.Duration(perSecond))
		if due.Sub(begin) > long || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Until(due))
		calls.Go(func() {
			err := f(n)
			mu.Lock()
			defer mu.Unlock()
			each = append(each, time.Since(due))
			failed = errors.Join(failed, err)
		})
	}
	calls.Wait()
	return each, failed
}
