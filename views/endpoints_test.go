package views

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/webhooks"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// What gets nowhere leads to the delivery that can be set aside.
func TestStuckLanesAreNamed(t *testing.T) {
	t.Parallel()
	got := draw(t, "es-MX", exchangeview.Endpoint(shop.StuckEndpoint()))
	for _, want := range []string{`data-kind="stuck"`, `href="/deliveries/1200"`, "1,240", "19:10"} {
		if !strings.Contains(got, want) {
			t.Errorf("an endpoint with stuck lanes does not show %s", want)
		}
	}
	active := shop.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive)
	if got := draw(t, "es-MX", exchangeview.Endpoint(active)); strings.Contains(got, `data-kind="stuck"`) {
		t.Error("an endpoint where nothing is stuck says so")
	}
}

// What a delivery offers follows from what became of it.
func TestActsOfADelivery(t *testing.T) {
	t.Parallel()
	for i, d := range shop.Deliveries() {
		got := draw(t, "es-MX", exchangeview.Delivery(shop.Delivery(i)))
		for act, want := range map[string]bool{"/setting-aside": d.State == webhooks.Waiting, "/redelivery": d.State != webhooks.Waiting} {
			if has := strings.Contains(got, act+`"`); has != want {
				t.Errorf("a delivery that is %s offers %s: %t, want %t", d.State, act, has, want)
			}
		}
		if masked := strings.Contains(got, "X-Veinte-Body: masked"); masked != (d.ResultID != nil && d.State != webhooks.Waiting) {
			t.Errorf("a delivery that is %s says that it would be masked: %t", d.State, masked)
		}
	}
	retired := draw(t, "es-MX", exchangeview.Endpoint(shop.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointRetired)))
	if strings.Contains(retired, `action="/endpoints/3/`) {
		t.Error("an endpoint that was removed offers something")
	}
}

// Of what nothing is kept nothing can be delivered again.
func TestNothingKeptIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	v := shop.Delivery(2)
	v.History.Result.Body, v.History.Detail = "", webhooks.OverEmpty
	if got := draw(t, "es-MX", exchangeview.Delivery(v)); strings.Contains(got, `/redelivery"`) || !strings.Contains(got, "comprimido") {
		t.Error("a delivery of which nothing is kept offers to be sent again, or does not say why it is over")
	}
}

// What concerns only those who keep the endpoints is told only to them.
func TestDisabledEndpointsAreToldOf(t *testing.T) {
	t.Parallel()
	for role, want := range map[models.Role]bool{models.Manager: false, models.Supervisor: false, models.Administrator: true} {
		p := page(t, role, "/sales", "12:00:00")
		p.Notices.Endpoints = []string{"ERP"}
		if has := strings.Contains(draw(t, "es-MX", ui.Notices(p, false)), "ERP"); has != want {
			t.Errorf("%s is told of a disabled endpoint: %t, want %t", role, has, want)
		}
	}
}

// Every code that a delivery may carry has its words.
func TestDeliveryCodesHaveWords(t *testing.T) {
	t.Parallel()
	v := shop.Endpoint(webhooks.WebhookEndpoint, webhooks.EndpointActive)
	v.Log.Deliveries = nil
	for i, e := range append([]webhooks.EventType{"result.sale", "result.unreadable", webhooks.EventTest}, webhooks.WebhookEvents...) {
		v.Log.Deliveries = append(v.Log.Deliveries, webhooks.Delivery{ID: int64(i + 1), Event: e, State: webhooks.Waiting})
	}
	for _, d := range []webhooks.Reason{
		webhooks.TryGone, webhooks.TryRedirected, webhooks.TryRefused, webhooks.TryTimeout, webhooks.TryUnreachable, webhooks.TryTLS,
		webhooks.TryConnectionLost, webhooks.TryForbidden, webhooks.TryUndecryptable, webhooks.OverByHand, webhooks.OverRetired,
		webhooks.OverOff, webhooks.OverEmpty,
	} {
		v.Log.Deliveries = append(v.Log.Deliveries, webhooks.Delivery{ID: 100, Event: webhooks.EventTest, State: webhooks.GivenUp, Detail: d})
	}
	got := draw(t, "es-MX", exchangeview.Endpoint(v))
	for _, code := range []string{
		"Cancelación: requested", ">gone<", ">redirected<", ">refused<", ">timeout<", ">unreachable<", ">tlsFailed<", ">cut<", ">notAllowed<",
		">sealed<", ">byHand<", ">retired<", ">endpointOff<", ">nothingKept<", ">givenUp<",
	} {
		if strings.Contains(got, code) {
			t.Errorf("the log shows the code %s", code)
		}
	}
}
