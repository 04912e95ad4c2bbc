package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/modelstest/mutated"
	"veinte/models/rules"
	"veinte/models/sales"
)

// FuzzBodies: whatever a program sends to an operation that takes a body, the answer is
// JSON and no fault of ours, and what goes on to the rules can be stored. No request asks the
// database, so that millions can be sent.
func FuzzBodies(f *testing.F) {
	const sale = `{"serialNumber":"1490000001","storeId":"9000010","orderId":"O-1","amount":"1250.00","currency":"MXN",` +
		`"soldAt":"2026-11-23T11:59:30-06:00","last4":"4242","cardBrand":"VISA"}`
	var seeds [][]byte
	for _, body := range []string{
		sale, "[" + sale + "," + sale + "]", "[{},1,null]", `{"orderId":"a\u0000\ud800","orderId":"b"}`, "",
		`{"amount":"1205.00","note":"x"}`, `{"note":"x","serialNumber":"1490000001"}`, "{}",
		`{"reason":"r","omitReceipt":true,"traceability":{"a":{"b":[1]}},"amount":"1.00","ticketDate":"2026-11-23"}`,
	} {
		seeds = append(seeds, []byte(body))
	}
	mutated.Add(f, seeds, func(input []byte) { f.Add(uint8(len(input)), string(input)) })
	post := bodiesAPI(f)
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		path := "/api/v1" + []string{"/sales", "/sales/O-1/correction", "/sales/O-1/undoing", "/sales/O-1/cancellation"}[which%4]
		var c fasthttp.RequestCtx
		c.Request.Header.SetMethod("POST")
		c.Request.SetRequestURI(path)
		c.Request.Header.SetContentType("application/json")
		c.Request.Header.Set("Authorization", "Bearer x")
		c.Request.SetBodyString(body)
		post(t, &c)
		if status := c.Response.StatusCode(); status >= 500 || status < 200 || !json.Valid(c.Response.Body()) {
			t.Errorf("POST %s of %q = %d %s", path, body, status, c.Response.Body())
		}
	})
}

// bodiesAPI is the API over rules that only look whether they could store what they get.
func bodiesAPI(tb testing.TB) func(*testing.T, *fasthttp.RequestCtx) {
	tb.Helper()
	o := modelstest.NewOffice(tb) // for the rules in force and the day
	behind := &storing{now: o.Clock.Now(), calendar: o.Rules.Schedule().Calendar()}
	programs := api.New(api.Config{
		APIKeys: keyOfAll{}, Audit: noTrail{}, Sales: oneSale{}, Intake: behind, Cancellations: behind,
		Rules: rulesOnce{of: o.Rules.Schedule()}, Clock: o.Clock, Logger: slog.New(slog.DiscardHandler),
	})
	app := fiber.New(fiber.Config{Immutable: true})
	programs.Mount(app, func(*fiber.Ctx) models.Actor { return models.Actor{} })
	handler := app.Handler()
	return func(t *testing.T, c *fasthttp.RequestCtx) {
		t.Helper()
		behind.refused = ""
		handler(c)
		if behind.refused != "" {
			t.Errorf("%s of %q goes on with %q, which cannot be stored", c.Path(), c.Request.Body(), behind.refused)
		}
	}
}

type rulesOnce struct {
	*rules.Service
	of *rules.Schedule
}

func (r rulesOnce) Schedule() *rules.Schedule { return r.of }

type keyOfAll struct{ *apikeys.Service }

func (keyOfAll) Authenticate(context.Context, models.Actor, string) (models.Actor, int, error) {
	who := models.Actor{UserID: 1, AllStores: true}
	for _, scope := range apikeys.Scopes {
		who.Grants = append(who.Grants, scope.Permission())
	}
	return who, 1 << 30, nil
}

type noTrail struct{ *audit.Service }

func (noTrail) RecordRefusal(context.Context, models.Actor, audit.RefusedRequest, error) error {
	return nil
}

type oneSale struct{ *sales.Service }

func (oneSale) SalesOfOrder(context.Context, models.Actor, sales.OrderName) ([]sales.Found, bool, error) {
	return []sales.Found{{Sale: models.Sale{ID: 1, OrderID: "O-1", Amount: 125000, Currency: "MXN"}}}, false, nil
}

// storing refuses everything, after it has seen that it could be stored.
type storing struct {
	now      time.Time
	calendar models.Calendar
	refused  string
}

var errSeen = models.Invalid("note", "field.tooLong")

func (s *storing) take(texts ...string) {
	for _, text := range texts {
		if !models.Storable(text) {
			s.refused = text
		}
	}
}

func (s *storing) RecordSales(_ context.Context, _ models.Actor, o intake.Options, in []models.SaleInput) ([]intake.Outcome, error) {
	call := &intake.Call{Options: o, Now: s.now, Outcomes: make([]intake.Outcome, len(in))}
	for i := range in {
		for j := range models.SaleFacts {
			s.take(*models.SaleFacts[j].Given(&in[i]))
		}
	}
	call.Judge(in, s.calendar)
	return call.Outcomes, nil
}

func (s *storing) Correct(_ context.Context, _ models.Actor, _ int64, c intake.Correction) (*models.Sale, []*models.Error, error) {
	s.take(c.Note)
	for _, text := range c.Facts {
		s.take(text)
	}
	return nil, nil, errSeen
}

func (s *storing) TakeBack(_ context.Context, _ models.Actor, _ int64, _ models.SaleSource, note string) error {
	s.take(note)
	return errSeen
}

func (s *storing) Request(_ context.Context, _ models.Actor, r cancellations.CancelRequest) (*models.Cancellation, error) {
	s.take(r.Reason, r.Note, r.Traceability, string(r.TicketDate))
	return nil, errSeen
}

func (*storing) Withdraw(context.Context, models.Actor, int64) (*models.Cancellation, error) {
	return nil, errSeen
}

func (*storing) WhyNot(context.Context, models.Actor, []*models.Sale, map[int64]models.Terminal) ([]error, error) {
	return []error{nil}, nil
}
