package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

const (
	doorPosts = 200 // posts a second to the results endpoint, as in the goal
	listReads = 400 // reads of today's list a second: two open pages query it for each post
	warmUp    = 4 * time.Second
)

// terminal is one of the table, as the service names it.
type terminal struct{ Serial, Merchant string }

// terminals are those of stores from one to another, in their order.
func (b *bench) terminals(ctx context.Context, from, to int64) ([]terminal, error) {
	rows, err := b.db.Pool().Query(ctx, `SELECT t.serial_number AS serial, a.merchant_id AS merchant
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

// measureDoor posts sales to the results endpoint at a steady rate while today's list
// is read. It starts with a warm-up that is not measured, because a new process must
// open its database connections and prepare its queries on each.
func (b *bench) measureDoor(ctx context.Context) error {
	all, err := b.terminals(ctx, 1, stores)
	if err != nil {
		return err
	}
	return b.serving(ctx, func(p *lab.Process) error {
		manager := &user{"http://" + p.Addr, b.manager}
		for _, long := range []time.Duration{warmUp, b.Turn * time.Duration(b.Turns)} {
			var failed error
			var readers sync.WaitGroup
			readers.Go(func() {
				_, failed = paced(ctx, listReads, long, func(int) error {
					_, err := manager.get(ctx, "/sales?store=1")
					return err
				})
			})
			posts, err := paced(ctx, doorPosts, long, func(n int) error { return postSale(ctx, manager.base, all[n%len(all)]) })
			readers.Wait()
			if err := errors.Join(err, failed); err != nil {
				return err
			}
			if long != warmUp {
				b.recordTimes(fmt.Sprintf("results, %d posts and %d lists a second", doorPosts, listReads), "under 50", posts)
			}
		}
		return nil
	})
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
