package views

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"veinte/models"
)

// sampleAddress is the only address that a sample page may hold: as a text.
const sampleAddress = "https://pos.tienda.example/…/***"

func sampleEndpoint(tb testing.TB, kind models.EndpointKind, state models.EndpointState) models.EndpointStanding {
	tb.Helper()
	done := at(tb, "18:40:02")
	e := models.Endpoint{
		ID: 3, Kind: kind, Name: "Punto de venta", ShownURL: sampleAddress, AllStores: true, State: state,
		StateAt: at(tb, "12:00:00"), DeliveredAt: &done, Version: 2,
	}
	if kind == models.WebhookEndpoint {
		e.Name, e.Events, e.AllStores, e.StoreIDs = "ERP", models.EventTypes{models.EventConfirmed, models.EventRejected}, false, models.IDs{1}
	}
	if state == models.EndpointDisabled {
		e.StateReason, e.FailingSince = models.DisabledFailing, &e.StateAt
	}
	return models.EndpointStanding{Endpoint: e, Backlog: models.Backlog{Waiting: 1204, Oldest: at(tb, "18:41:00")}}
}

func sampleDeliveries(tb testing.TB) []models.Delivery {
	tb.Helper()
	now, result, c := at(tb, "19:40:00"), int64(41), int64(5)
	base := models.Delivery{EndpointID: 3, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", CreatedAt: now, QueuedAt: now}
	var all []models.Delivery
	for i, state := range models.DeliveryStates {
		d := base
		d.ID, d.State, d.Event, d.ResultID, d.Tries = int64(1200-i), state, "result.sale", &result, i
		d.MessageID = "5f0c7f6e-7c1b-4f5e-9a55-0d7f4f0e9a11"
		switch state {
		case models.DeliveryWaiting:
			d.SealedBody, d.Detail, d.Tries = []byte{1}, models.TryTimeout, 4
		case models.DeliverySetAside:
			d.Event, d.ResultID, d.CancellationID, d.Detail = models.EventConfirmed, nil, &c, models.OverByHand
		}
		all = append(all, d)
	}
	return append(all, models.Delivery{ID: 1100, EndpointID: 3, State: models.DeliveryDone, Event: models.EventTest, CreatedAt: now, Tries: 1, Detail: models.TryDelivered})
}

func sampleEndpointView(tb testing.TB, kind models.EndpointKind, state models.EndpointState) *EndpointView {
	tb.Helper()
	return &EndpointView{
		Page: page(tb, models.Administrator, "/endpoints/3", "19:52:03"), Endpoint: sampleEndpoint(tb, kind, state), Stores: sampleStores(),
		Log: models.DeliveryPage{Deliveries: sampleDeliveries(tb), Next: "1100"}, Since: "2026-11-20",
	}
}

func sampleDelivery(tb testing.TB, i int) *DeliveryView {
	tb.Helper()
	d, sale := sampleDeliveries(tb)[i], int64(100)
	due := at(tb, "19:58:11")
	s := models.DeliveryStory{Delivery: d, Endpoint: sampleEndpoint(tb, models.RelayEndpoint, models.EndpointActive).Endpoint, SaleID: &sale}
	if d.ResultID != nil {
		s.Result = &models.Result{Body: `{"amount":"1250.00","transType":"A"}`}
	} else {
		s.Payload = `{"type":"cancellation.confirmed","data":{"amount":"1250.00"}}`
	}
	for n := d.Tries; n > 0; n-- {
		try := models.DeliveryTry{Number: n, At: at(tb, "19:50:00"), DurationMS: 15002, Detail: models.TryTimeout}
		if n == 1 {
			try.DurationMS, try.HTTPStatus, try.Detail, try.Answer, try.MaskedBody = 84, 503, models.TryRefused, "el servicio se está reiniciando", true
		}
		s.TryList = append(s.TryList, try)
	}
	if d.State == models.DeliveryWaiting {
		s.DueAt = &due
	}
	return &DeliveryView{Page: page(tb, models.Administrator, "/deliveries/1200", "19:52:03"), Story: s}
}

// sampleStuck is an endpoint that refuses what one terminal and one case say.
func sampleStuck(tb testing.TB) *EndpointView {
	tb.Helper()
	v := sampleEndpointView(tb, models.RelayEndpoint, models.EndpointActive)
	v.Stuck = []models.StuckLane{
		{Total: 2, ID: 1200, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", Detail: models.TryRefused, FailingSince: at(tb, "19:10:00"), Waiting: 1240},
		{Total: 2, ID: 1204, Detail: models.TryTimeout, FailingSince: at(tb, "19:30:00"), Waiting: 1},
	}
	return v
}

// What gets nowhere leads to the delivery that can be set aside.
func TestStuckLanesAreNamed(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", Endpoint(sampleStuck(t)))
	for _, want := range []string{`data-kind="stuck"`, `href="/deliveries/1200"`, "1,240", "19:10"} {
		if !strings.Contains(got, want) {
			t.Errorf("an endpoint with stuck lanes does not show %s", want)
		}
	}
	if got := draw(t, "es-MX", Endpoint(sampleEndpointView(t, models.RelayEndpoint, models.EndpointActive))); strings.Contains(got, `data-kind="stuck"`) {
		t.Error("an endpoint where nothing is stuck says so")
	}
}

func addForwardingPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	p := page(tb, models.Administrator, "/endpoints", "19:52:03")
	list := []models.EndpointStanding{
		sampleEndpoint(tb, models.RelayEndpoint, models.EndpointActive), sampleEndpoint(tb, models.WebhookEndpoint, models.EndpointDisabled),
		sampleEndpoint(tb, models.WebhookEndpoint, models.EndpointPaused), sampleEndpoint(tb, models.RelayEndpoint, models.EndpointRetired),
	}
	pages["endpoints"] = Endpoints(&EndpointsView{Page: p, HasKey: true, Endpoints: list})
	pages["endpoints-none"] = Endpoints(&EndpointsView{Page: p, HasKey: true})
	pages["endpoints-no-key"] = Endpoints(&EndpointsView{Page: p})
	pages["endpoint-new"] = EndpointEdit(&EndpointFormView{Page: p, Stores: sampleStores(), Form: EndpointForm{Kind: models.RelayEndpoint}})
	pages["endpoint-edit"] = EndpointEdit(&EndpointFormView{Page: p, ID: 3, Stores: sampleStores(), AllowPrivate: true, Form: EndpointForm{
		Kind: models.WebhookEndpoint, Name: "ERP", URL: sampleAddress, Events: models.WebhookEvents[3:5],
		Errors: Errors{"url": "endpoint.urlPrivate", "stores": "endpoint.storesRequired"},
	}})
	pages["endpoint"] = Endpoint(sampleEndpointView(tb, models.RelayEndpoint, models.EndpointActive))
	pages["endpoint-stuck"] = Endpoint(sampleStuck(tb))
	pages["endpoint-disabled"] = Endpoint(sampleEndpointView(tb, models.WebhookEndpoint, models.EndpointDisabled))
	pages["endpoint-retired"] = Endpoint(sampleEndpointView(tb, models.RelayEndpoint, models.EndpointRetired))
	empty := sampleEndpointView(tb, models.RelayEndpoint, models.EndpointPaused)
	empty.Log, empty.State, empty.Errors = models.DeliveryPage{}, models.DeliveryGivenUp, Errors{"since": "delivery.sinceInvalid"}
	pages["endpoint-empty"] = Endpoint(empty)
	pages["endpoint-secret"] = EndpointSecret(&EndpointSecretView{Page: p, Endpoint: sampleEndpoint(tb, models.RelayEndpoint, models.EndpointActive).Endpoint, Rotated: true})
	for i, d := range sampleDeliveries(tb) {
		name := "delivery-" + string(d.State)
		if i == len(models.DeliveryStates) {
			name = "delivery-test"
		}
		pages[name] = Delivery(sampleDelivery(tb, i))
	}
}

// What a delivery offers follows from what became of it.
func TestActsOfADelivery(t *testing.T) {
	t.Parallel()
	for i, d := range sampleDeliveries(t) {
		got := draw(t, "es-MX", Delivery(sampleDelivery(t, i)))
		for act, want := range map[string]bool{"/setting-aside": d.State == models.DeliveryWaiting, "/redelivery": d.State != models.DeliveryWaiting} {
			if has := strings.Contains(got, act+`"`); has != want {
				t.Errorf("a delivery that is %s offers %s: %t, want %t", d.State, act, has, want)
			}
		}
		if masked := strings.Contains(got, "X-Veinte-Body: masked"); masked != (d.ResultID != nil && d.State != models.DeliveryWaiting) {
			t.Errorf("a delivery that is %s says that it would be masked: %t", d.State, masked)
		}
	}
	retired := draw(t, "es-MX", Endpoint(sampleEndpointView(t, models.RelayEndpoint, models.EndpointRetired)))
	if strings.Contains(retired, `action="/endpoints/3/`) {
		t.Error("an endpoint that was removed offers something")
	}
}

// Of what nothing is kept nothing can be delivered again.
func TestNothingKeptIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	v := sampleDelivery(t, 2)
	v.Story.Result.Body, v.Story.Detail = "", models.OverEmpty
	if got := draw(t, "es-MX", Delivery(v)); strings.Contains(got, `/redelivery"`) || !strings.Contains(got, "comprimido") {
		t.Error("a delivery of which nothing is kept offers to be sent again, or does not say why it is over")
	}
}

// What concerns only those who keep the endpoints is told only to them.
func TestDisabledEndpointsAreToldOf(t *testing.T) {
	t.Parallel()
	for role, want := range map[models.Role]bool{models.Manager: false, models.Supervisor: false, models.Administrator: true} {
		p := page(t, role, "/sales", "12:00:00")
		p.Notices.Endpoints = []string{"ERP"}
		if has := strings.Contains(draw(t, "es-MX", Notices(p, false)), "ERP"); has != want {
			t.Errorf("%s is told of a disabled endpoint: %t, want %t", role, has, want)
		}
	}
}

// Every code that a delivery may carry has its words.
func TestDeliveryCodesHaveWords(t *testing.T) {
	t.Parallel()
	v := sampleEndpointView(t, models.WebhookEndpoint, models.EndpointActive)
	v.Log.Deliveries = nil
	for i, e := range append([]models.EventType{"result.sale", "result.unreadable", models.EventTest}, models.WebhookEvents...) {
		v.Log.Deliveries = append(v.Log.Deliveries, models.Delivery{ID: int64(i + 1), Event: e, State: models.DeliveryWaiting})
	}
	for _, d := range []models.DeliveryDetail{
		models.TryGone, models.TryRedirected, models.TryRefused, models.TryTimeout, models.TryUnreachable, models.TryTLS,
		models.TryCut, models.TryForbidden, models.TrySealed, models.OverByHand, models.OverRetired, models.OverOff, models.OverEmpty,
	} {
		v.Log.Deliveries = append(v.Log.Deliveries, models.Delivery{ID: 100, Event: models.EventTest, State: models.DeliveryGivenUp, Detail: d})
	}
	got := draw(t, "es-MX", Endpoint(v))
	for _, code := range []string{"Cancelación: requested", ">gone<", ">redirected<", ">refused<", ">timeout<", ">unreachable<", ">tlsFailed<", ">cut<", ">notAllowed<", ">sealed<", ">byHand<", ">retired<", ">endpointOff<", ">nothingKept<", ">givenUp<"} {
		if strings.Contains(got, code) {
			t.Errorf("the log shows the code %s", code)
		}
	}
}
