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
	"veinte/web/lab"
)

// A batch has the API's maximum size, and a few are sent concurrently, like the
// nightly delivery of a chain of shops.
const (
	batchSales = 1000
	batchers   = 4
	singles    = 64 // concurrent points of sale, each waits for its response
)

// reported numbers the sales that were reported through the API.
var reported atomic.Int64

// measureAPI reports sales through the API as fast as it responds: one per request
// over many connections, then in batches over a few. Each sale is new and each
// response is checked.
func (b *bench) measureAPI(ctx context.Context) error {
	_, secret, err := wiring.Over(b.db).APIKeys.CreateKey(ctx, models.System("bench", ""), apikeys.Input{
		Name: "bench", Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, AllStores: true, Pace: apikeys.PaceBulk, Days: 30,
	})
	if err != nil {
		return err
	}
	return b.serving(ctx, func(p *lab.Process) error {
		url := "http://" + p.Addr + "/api/v1/sales"
		if _, err := load(singles, b.Turn/2, sales(url, secret, 1)); err != nil { // to warm up
			return err
		}
		one, err := load(singles, b.Turn*time.Duration(b.Turns), sales(url, secret, 1))
		if err != nil {
			return err
		}
		many, err := load(batchers, b.Turn*time.Duration(b.Turns), sales(url, secret, batchSales))
		if err != nil {
			return err
		}
		b.record("sales by the API, one a request", "/s", "at least 2,000", one.perSecond())
		b.record("sales by the API, one a request, p99", "ms", "", ms(quantile(one.each, 0.99)))
		b.record("sales by the API, a thousand a request", "/s", "at least 20,000", batchSales*many.perSecond())
		b.record("sales by the API, a thousand a request, p99", "ms", "", ms(quantile(many.each, 0.99)))
		return nil
	})
}

// sales reports some sales per request.
func sales(url, secret string, size int) asker {
	return asker{
		status: fasthttp.StatusCreated,
		prepare: func(req *fasthttp.Request) {
			req.SetRequestURI(url)
			req.Header.SetMethod(fasthttp.MethodPost)
			req.Header.SetContentType("application/json")
			req.Header.Set("Authorization", "Bearer "+secret)
		},
		next: func(req *fasthttp.Request) { req.SetBodyRaw(newSales(req.Body()[:0], size)) },
	}
}

// newSales writes new sales, spread over all terminals.
func newSales(b []byte, size int) []byte {
	first := reported.Add(int64(size)) - int64(size)
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
		b = strconv.AppendInt(b, firstSerial+n%(stores*4), 10)
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
