package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/wiring"
)

// A batch has the API's maximum size, and a few are sent concurrently, like the
// nightly delivery of a chain of shops.
const (
	batchSales = 1000
	batchers   = 4
	singles    = 64 // concurrent points of sale, each waits for its response
)

// measureAPI reports sales through the API as fast as it responds: one per request
// over many connections, then in batches over a few. Each sale is new and each
// response is checked.
func (b *bench) measureAPI(ctx context.Context) error {
	secret, err := b.apiKey(ctx)
	if err != nil {
		return err
	}
	p, _, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	t := &teller{url: "http://" + p.Addr + "/api/v1/sales", secret: secret}
	b.progress("sales by the API, one a request")
	if _, err := load(singles, b.Turn/2, t.ask(1)); err != nil { // to warm up
		return err
	}
	one, err := load(singles, b.Turn*time.Duration(b.Turns), t.ask(1))
	if err != nil {
		return err
	}
	b.report.APISales, b.report.APISaleP99 = float64(one.answers)/one.took.Seconds(), ms(quantile(one.each, 0.99))
	b.progress("sales by the API, a thousand a request")
	many, err := load(batchers, b.Turn*time.Duration(b.Turns), t.ask(batchSales))
	if err != nil {
		return err
	}
	b.report.APIRows, b.report.APIBatchP99 = float64(many.answers*batchSales)/many.took.Seconds(), ms(quantile(many.each, 0.99))
	return nil
}

// apiKey makes an API key for every store with the highest rate.
func (b *bench) apiKey(ctx context.Context) (string, error) {
	db, err := b.open(ctx)
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, secret, err := wiring.Over(db).APIKeys.CreateKey(ctx, models.System("bench", ""), apikeys.Input{
		Name: "bench", Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, AllStores: true, Pace: apikeys.PaceBulk, Days: 30,
	})
	return secret, err
}

// teller is a client that reports sales.
type teller struct {
	url, secret string
	next        atomic.Int64
}

// ask reports size sales per request.
func (t *teller) ask(size int) asker {
	return asker{
		status: fasthttp.StatusCreated,
		prepare: func(req *fasthttp.Request) {
			req.SetRequestURI(t.url)
			req.Header.SetMethod(fasthttp.MethodPost)
			req.Header.SetContentType("application/json")
			req.Header.Set("Authorization", "Bearer "+t.secret)
		},
		next: func(req *fasthttp.Request) { req.SetBodyRaw(t.body(req.Body()[:0], size)) },
	}
}

// body writes new sales, spread over all terminals.
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
