package webhooks_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// receiver is an office with an endpoint, and the deliveries sent to it.
type receiver struct {
	*modelstest.Office
	tb testing.TB
	d  *webhooks.Service
	e  *webhooks.Endpoint
}

func newReceiver(tb testing.TB, in webhooks.Input) *receiver {
	tb.Helper()
	r := &receiver{Office: modelstest.NewOffice(tb), tb: tb}
	r.d = r.Deliveries
	r.e = r.endpoint(in)
	if in.Kind == webhooks.RelayEndpoint {
		r.wantOriginal(r.e.ID)
	}
	return r
}

// second is another administrator than the one who makes endpoints.
func (r *receiver) second() models.Actor {
	second := r.Admin
	second.UserID, second.Name = r.Supervisor.UserID, r.Supervisor.Name
	return second
}

// wantOriginal is a relay that gets what came; TestTheOriginalIsASecondPersonsChoice has
// the way there.
func (r *receiver) wantOriginal(id int64) {
	r.tb.Helper()
	modelstest.Exec(r.tb, r.Owner, `UPDATE endpoints SET relay_body = 'original' WHERE id = $1`, id)
}

func (r *receiver) endpoint(in webhooks.Input) *webhooks.Endpoint {
	r.tb.Helper()
	e, _, err := r.d.CreateEndpoint(context.Background(), r.Admin, in)
	if err != nil {
		r.tb.Fatalf("CreateEndpoint(%+v) = %v", in, err)
	}
	return e
}

var relayInput = webhooks.Input{Kind: webhooks.RelayEndpoint, Name: "Punto de venta", URL: "https://pos.example/veinte?key=hidden"}

func webhookInput(events ...webhooks.EventType) webhooks.Input {
	return webhooks.Input{Kind: webhooks.WebhookEndpoint, Name: "ERP", URL: "https://erp.example/hook", Events: events, AllStores: true}
}

// post makes a terminal post a result with the given body.
func (r *receiver) post(t *models.Terminal, raw string) {
	r.tb.Helper()
	p := r.SalePost(t.SerialNumber, 12050)
	p.Raw, p.ContentType = []byte(raw), "application/json;charset=UTF-8"
	r.Post(p)
}

// claim claims every lane that is due.
func (r *receiver) claim() []webhooks.Lane {
	r.tb.Helper()
	var lanes []webhooks.Lane
	due, err := r.d.Due(context.Background())
	if err != nil {
		r.tb.Fatal(err)
	}
	for _, id := range due {
		got, err := r.d.Claim(context.Background(), id, 100)
		if err != nil {
			r.tb.Fatal(err)
		}
		lanes = append(lanes, got...)
	}
	slices.SortFunc(lanes, func(a, b webhooks.Lane) int { return strings.Compare(a.Lane, b.Lane) })
	return lanes
}

func (r *receiver) head(l webhooks.Lane) *webhooks.Outgoing {
	r.tb.Helper()
	p, err := r.d.Head(context.Background(), l)
	if err != nil {
		r.tb.Fatal(err)
	}
	return p
}

func (r *receiver) report(p *webhooks.Outgoing, detail webhooks.Reason) bool {
	r.tb.Helper()
	next, err := r.d.Report(context.Background(), p, webhooks.Response{At: r.Clock.Now(), Detail: detail, HTTPStatus: 500, Excerpt: "no"})
	if err != nil {
		r.tb.Fatal(err)
	}
	return next
}

// drain delivers everything that is due and returns the bodies in order.
func (r *receiver) drain() []string {
	r.tb.Helper()
	var bodies []string
	for _, lane := range r.claim() {
		for p := r.head(lane); p != nil; p = r.head(lane) {
			bodies = append(bodies, string(p.Body))
			if !r.report(p, webhooks.TryDelivered) {
				break
			}
		}
	}
	return bodies
}

func (r *receiver) deliveryHistory(id int64) *webhooks.DeliveryHistory {
	r.tb.Helper()
	s, err := r.d.DeliveryHistory(context.Background(), r.Admin, id)
	if err != nil {
		r.tb.Fatal(err)
	}
	return s
}

func (r *receiver) must(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

func (r *receiver) count(query string, args ...any) int {
	r.tb.Helper()
	var n int
	if err := r.Owner.QueryRow(query, args...).Scan(&n); err != nil {
		r.tb.Fatalf("%s: %v", query, err)
	}
	return n
}
