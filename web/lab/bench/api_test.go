package bench

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
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

// BenchmarkAPI reports sales through the API as fast as it responds: one per request
// over many connections, and in batches over a few; at least 2,000 and 20,000 sales a
// second. Each sale is new and each response is checked.
func BenchmarkAPI(b *testing.B) {
	s := setup(b)
	_, secret, err := wiring.Over(s.db).APIKeys.CreateKey(b.Context(), models.System("bench", ""), apikeys.Input{
		Name: "bench", Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, AllStores: true, Pace: apikeys.PaceBulk, Days: 30,
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name        string
		connections int
		size        int
	}{{"single", singles, 1}, {"batch", batchers, batchSales}} {
		s.run(b, way.name, func(ctx context.Context, p *build) error {
			return p.serving(ctx, func(server *lab.Process) error {
				ask := sales("http://"+server.Addr+"/api/v1/sales", secret, way.size)
				if _, err := load(way.connections, *turn/2, ask); err != nil { // to warm up
					return err
				}
				all, err := load(way.connections, allTurns(), ask)
				p.record("sales/s", float64(way.size)*all.perSecond())
				p.record("p99-ms", ms(quantile(all.each, 0.99)))
				return err
			})
		})
	}
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
