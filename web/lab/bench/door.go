package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"
)

const (
	doorPosts = 200 // posts a second to the results endpoint, as in the goal
	listReads = 400 // reads of today's list a second: two open pages query it for each post
	seenPosts = 60  // posts whose delay until an open page is measured
	warmUp    = 4 * time.Second
)

// measureDoor posts sales to the results endpoint at a steady rate while today's
// list is read. Then it measures how soon a sale appears on an open page.
func (b *bench) measureDoor(ctx context.Context) error {
	p, _, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	d := &door{bench: b, server: "http://" + p.Addr}
	if d.terminals, err = d.find(ctx); err != nil {
		return err
	}
	b.progress(fmt.Sprintf("%d posts a second while the list is read %d times", doorPosts, listReads))
	if err := d.steady(ctx); err != nil {
		return err
	}
	b.progress("from a post to an open page")
	return d.seen(ctx)
}

type door struct {
	*bench
	server    string
	terminals []doorTerminal
}

type doorTerminal struct{ Serial, Merchant string }

// find returns the terminals, those of the manager's two stores first.
func (d *door) find(ctx context.Context) ([]doorTerminal, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT t.serial_number, a.merchant_id FROM terminals t JOIN assignments a ON a.terminal_id = t.id
		ORDER BY a.store_id NOT IN ($1, $2), t.id`, typicalStore, busyStore)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[doorTerminal])
}

// post reports a sale as a terminal, and returns its order number.
func (d *door) post(client *fasthttp.Client, t doorTerminal) (order string, err error) {
	order = "bench-" + rand.Text()
	body, err := json.Marshal(map[string]string{
		"transType": "A", "responseCode": "00", "orderId": order, "amount": "120.50", "storeId": t.Merchant, "terminalId": t.Serial,
		"cardNumber": "************4242", "authCode": "A1B2C3", "folioNumber": rand.Text()[:12], "message": "Transacción exitosa",
	})
	if err != nil {
		return "", err
	}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(d.server + "/results/" + resultsSecret)
	req.Header.SetMethod(http.MethodPost)
	req.Header.SetContentType("application/json")
	req.SetBody(body)
	if err := client.Do(req, resp); err != nil {
		return "", fmt.Errorf("post: %w", err)
	}
	if resp.StatusCode() != http.StatusOK {
		return "", fmt.Errorf("post: status %d", resp.StatusCode())
	}
	return order, nil
}

// steady posts and reads at fixed rates, however slow the responses are. It starts
// with a warm-up that is not measured, because a new process must open its database
// connections and prepare its queries on each.
func (d *door) steady(ctx context.Context) error {
	if _, err := d.postAndRead(ctx, warmUp); err != nil {
		return err
	}
	each, err := d.postAndRead(ctx, time.Duration(d.Turns)*d.Turn)
	d.report.DoorMedian, d.report.DoorP99 = ms(quantile(each, 0.5)), ms(quantile(each, 0.99))
	return err
}

func (d *door) postAndRead(ctx context.Context, long time.Duration) (posts []time.Duration, err error) {
	client := &fasthttp.Client{MaxConnsPerHost: 512}
	defer client.CloseIdleConnections()
	var readErr error
	var readers sync.WaitGroup
	readers.Go(func() {
		_, readErr = paced(ctx, listReads, long, func(int) error {
			_, err := fetch(target{d.server + "/sales?store=1", d.cookie})
			return err
		})
	})
	posts, err = paced(ctx, doorPosts, long, func(n int) error {
		_, err := d.post(client, d.terminals[n%len(d.terminals)])
		return err
	})
	readers.Wait()
	return posts, errors.Join(err, readErr)
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

// seen opens a page's event stream and measures the time from the start of a
// terminal's post until the list that the page then requests contains the sale.
func (d *door) seen(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var changes atomic.Int64
	if err := d.listen(ctx, &changes); err != nil {
		return err
	}
	client := &fasthttp.Client{}
	defer client.CloseIdleConnections()
	var each []time.Duration
	for n := range seenPosts {
		told := changes.Load()
		begin := time.Now()
		order, err := d.post(client, d.terminals[n%8])
		if err != nil {
			return err
		}
		if err := d.await(order, told, &changes); err != nil {
			return err
		}
		each = append(each, time.Since(begin))
	}
	d.report.SeenMedian, d.report.SeenWorst = ms(quantile(each, 0.5)), ms(quantile(each, 1))
	return nil
}

// listen opens a page's event stream and counts its events.
func (d *door) listen(ctx context.Context, changes *atomic.Int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.server+"/events", nil)
	if err != nil {
		return err
	}
	req.AddCookie(&http.Cookie{Name: "veinte_session", Value: d.cookie})
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("open stream: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return fmt.Errorf("open stream: %s", resp.Status)
	}
	go func() {
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "event: changed") {
				changes.Add(1)
			}
		}
	}()
	return nil
}

// await requests the list after each event of the stream, until it contains the
// sale.
func (d *door) await(order string, told int64, changes *atomic.Int64) error {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		now := changes.Load()
		if now == told {
			continue
		}
		told = now
		list, err := fetch(target{d.server + "/sales?fragment=list", d.cookie})
		if err != nil {
			return err
		}
		if bytes.Contains(list, []byte(order)) {
			return nil
		}
	}
	return fmt.Errorf("sale %s is on no open page after ten seconds", order)
}
