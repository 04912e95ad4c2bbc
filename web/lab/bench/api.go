package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"veinte/models"
)

// A batch is as large as the API takes, and a few come at once: a chain's
// nightly delivery, not a crowd.
const (
	batchSales = 1000
	batchers   = 4
	singles    = 64 // points of sale that each tell of a sale and wait for the answer
)

// measureAPI tells of sales through the API as fast as it answers: one a
// request over many connections, then in batches over a few. Each sale is new and
// each answer is looked at.
func (b *bench) measureAPI(ctx context.Context) error {
	secret, err := b.apiKey(ctx)
	if err != nil {
		return err
	}
	p, _, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }()
	t := &teller{url: "http://" + p.addr + "/api/v1/sales", secret: secret}
	b.progress("sales by the API, one a request")
	if _, err := t.load(singles, 1, b.Turn/2); err != nil { // to warm up
		return err
	}
	one, err := t.load(singles, 1, b.Turn*time.Duration(b.Turns))
	if err != nil {
		return err
	}
	b.report.APISales, b.report.APISaleP99 = float64(one.answers)/one.took.Seconds(), ms(quantile(one.each, 0.99))
	b.progress("sales by the API, a thousand a request")
	many, err := t.load(batchers, batchSales, b.Turn*time.Duration(b.Turns))
	if err != nil {
		return err
	}
	b.report.APIRows, b.report.APIBatchP99 = float64(many.answers*batchSales)/many.took.Seconds(), ms(quantile(many.each, 0.99))
	return nil
}

// apiKey makes a key of every store at the highest pace.
func (b *bench) apiKey(ctx context.Context) (string, error) {
	db, err := models.Open(ctx, models.DBConfig{URL: b.url, Application: "veinte bench", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, secret, err := db.CreateKey(ctx, models.System("bench", ""), b.now, models.KeyInput{
		Name: "bench", Scopes: []models.Scope{models.ScopeSalesWrite}, AllStores: true, Pace: models.PaceBulk, Days: 30,
	})
	return secret, err
}

// teller tells of sales.
type teller struct {
	url, secret string
	next        atomic.Int64
}

// load lets n connections tell of sales, size a request, for the given time.
func (t *teller) load(n, size int, long time.Duration) (round, error) {
	client := &fasthttp.Client{MaxConnsPerHost: n}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all round
	var failed error
	begin := time.Now()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			each, err := t.tell(client, size, begin.Add(long))
			mu.Lock()
			defer mu.Unlock()
			all.each = append(all.each, each...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	all.answers, all.took = len(all.each), time.Since(begin)
	return all, failed
}

func (t *teller) tell(client *fasthttp.Client, size int, until time.Time) (each []time.Duration, err error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(t.url)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType("application/json")
	req.Header.Set("Authorization", "Bearer "+t.secret)
	var body []byte
	for time.Now().Before(until) {
		body = t.body(body[:0], size)
		req.SetBodyRaw(body)
		begin := time.Now()
		if err := client.Do(req, resp); err != nil {
			return each, fmt.Errorf("tell of sales: %w", err)
		}
		each = append(each, time.Since(begin))
		if resp.StatusCode() != fasthttp.StatusCreated {
			return each, fmt.Errorf("tell of sales: status %d: %.300s", resp.StatusCode(), resp.Body())
		}
	}
	return each, nil
}

// body writes sales that nobody has told of, of all terminals in turn.
func (t *teller) body(b []byte, size int) []byte {
	first := t.next.Add(int64(size)) - int64(size)
	sold := time.Now().UTC().Format(time.RFC3339)
	if size > 1 {
		b = append(b, '[')
	}
	for i := range int64(size) {
		n := first + i
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"serialNumber":"`...)
		b = strconv.AppendInt(b, 1490000000+n%(stores*4), 10)
		b = append(b, `","orderId":"api-`...)
		b = strconv.AppendInt(b, n, 10)
		b = append(b, `","amount":"`...)
		b = strconv.AppendInt(b, 100+n%5000, 10)
		b = append(b, `.50","currency":"MXN","soldAt":"`...)
		b = append(b, sold...)
		b = append(b, `","last4":"4242","cardBrand":"VISA","authCode":"A1B2C3","folio":"000123","reference":"ticket 7841"}`...)
	}
	if size > 1 {
		b = append(b, ']')
	}
	return b
}
