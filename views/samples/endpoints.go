package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/webhooks"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// SampleAddress is the only address that a sample page may hold: as a text.
const SampleAddress = "https://pos.tienda.example/…/***"

func sampleEndpoint(kind webhooks.EndpointKind, state webhooks.EndpointState) webhooks.EndpointStatus {
	done := sampleAt("18:40:02")
	e := webhooks.Endpoint{
		ID: 3, Kind: kind, Name: "Punto de venta", ShownURL: SampleAddress, AllStores: true, State: state,
		StateAt: sampleAt("12:00:00"), DeliveredAt: &done, Version: 2,
	}
	if kind == webhooks.WebhookEndpoint {
		e.Name, e.Events, e.AllStores, e.StoreIDs = "ERP", webhooks.EventTypes{webhooks.EventConfirmed, webhooks.EventRejected}, false, webhooks.IDs{1}
	}
	if state == webhooks.EndpointDisabled {
		e.StateReason, e.FailingSince = webhooks.DisabledFailing, &e.StateAt
	}
	return webhooks.EndpointStatus{Endpoint: e, Backlog: webhooks.Backlog{Waiting: 1204, Oldest: sampleAt("18:41:00")}}
}

func SampleDeliveries() []webhooks.Delivery {
	now, result, c := sampleAt("19:40:00"), int64(41), int64(5)
	base := webhooks.Delivery{EndpointID: 3, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", CreatedAt: now, QueuedAt: now}
	var all []webhooks.Delivery
	for i, state := range webhooks.States {
		d := base
		d.ID, d.State, d.Event, d.ResultID, d.Tries = int64(1200-i), state, "result.sale", &result, i
		d.MessageID = "5f0c7f6e-7c1b-4f5e-9a55-0d7f4f0e9a11"
		switch state {
		case webhooks.Waiting:
			d.SealedBody, d.Detail, d.Tries = []byte{1}, webhooks.TryTimeout, 4
		case webhooks.SetAside:
			d.Event, d.ResultID, d.CancellationID, d.Detail = webhooks.EventConfirmed, nil, &c, webhooks.OverByHand
		}
		all = append(all, d)
	}
	return append(all, webhooks.Delivery{ID: 1100, EndpointID: 3, State: webhooks.Delivered, Event: webhooks.EventTest, CreatedAt: now, Tries: 1, Detail: webhooks.TryDelivered})
}

func SampleEndpointView(kind webhooks.EndpointKind, state webhooks.EndpointState) *exchangeview.EndpointView {
	return &exchangeview.EndpointView{
		Page: samplePage(models.Administrator, "/endpoints/3", "19:52:03"), Endpoint: sampleEndpoint(kind, state), Stores: SampleStores(),
		Log: webhooks.Page{Deliveries: SampleDeliveries(), Next: "1100"}, Since: "2026-11-20",
	}
}

func SampleDelivery(i int) *exchangeview.DeliveryView {
	d, sale := SampleDeliveries()[i], int64(100)
	due := sampleAt("19:58:11")
	s := webhooks.DeliveryHistory{Delivery: d, Endpoint: sampleEndpoint(webhooks.RelayEndpoint, webhooks.EndpointActive).Endpoint, SaleID: &sale}
	if d.ResultID != nil {
		s.Result = &models.Result{Body: `{"amount":"1250.00","transType":"A"}`}
	} else {
		s.Payload = `{"type":"cancellation.confirmed","data":{"amount":"1250.00"}}`
	}
	for n := d.Tries; n > 0; n-- {
		try := webhooks.DeliveryTry{Number: n, At: sampleAt("19:50:00"), DurationMS: 15002, Detail: webhooks.TryTimeout}
		if n == 1 {
			try.DurationMS, try.HTTPStatus, try.Detail, try.Answer, try.MaskedBody = 84, 503, webhooks.TryRefused, "el servicio se está reiniciando", true
		}
		s.TryList = append(s.TryList, try)
	}
	if d.State == webhooks.Waiting {
		s.DueAt = &due
	}
	return &exchangeview.DeliveryView{Page: samplePage(models.Administrator, "/deliveries/1200", "19:52:03"), Story: s}
}

// SampleStuck is an endpoint that refuses the events of one terminal and one
// cancellation.
func SampleStuck() *exchangeview.EndpointView {
	v := SampleEndpointView(webhooks.RelayEndpoint, webhooks.EndpointActive)
	v.Stuck = []webhooks.StuckLane{
		{Total: 2, ID: 1200, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", Detail: webhooks.TryRefused, FailingSince: sampleAt("19:10:00"), Waiting: 1240},
		{Total: 2, ID: 1204, Detail: webhooks.TryTimeout, FailingSince: sampleAt("19:30:00"), Waiting: 1},
	}
	return v
}

func addForwardingPages(pages map[string]templ.Component) {
	p := samplePage(models.Administrator, "/endpoints", "19:52:03")
	list := []webhooks.EndpointStatus{
		sampleEndpoint(webhooks.RelayEndpoint, webhooks.EndpointActive), sampleEndpoint(webhooks.WebhookEndpoint, webhooks.EndpointDisabled),
		sampleEndpoint(webhooks.WebhookEndpoint, webhooks.EndpointPaused), sampleEndpoint(webhooks.RelayEndpoint, webhooks.EndpointRetired),
	}
	pages["endpoints"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true, Endpoints: list})
	pages["endpoints-none"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true})
	pages["endpoints-no-key"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p})
	pages["endpoint-new"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{Page: p, Stores: SampleStores(), Form: exchangeview.EndpointForm{Kind: webhooks.RelayEndpoint}})
	pages["endpoint-edit"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{Page: p, ID: 3, Stores: SampleStores(), AllowPrivate: true, Form: exchangeview.EndpointForm{
		Kind: webhooks.WebhookEndpoint, Name: "ERP", URL: SampleAddress, Events: webhooks.WebhookEvents[3:5],
		Errors: ui.Errors{"url": "endpoint.urlPrivate", "stores": "endpoint.storesRequired"},
	}})
	pages["endpoint"] = exchangeview.Endpoint(SampleEndpointView(webhooks.RelayEndpoint, webhooks.EndpointActive))
	pages["endpoint-stuck"] = exchangeview.Endpoint(SampleStuck())
	pages["endpoint-disabled"] = exchangeview.Endpoint(SampleEndpointView(webhooks.WebhookEndpoint, webhooks.EndpointDisabled))
	pages["endpoint-retired"] = exchangeview.Endpoint(SampleEndpointView(webhooks.RelayEndpoint, webhooks.EndpointRetired))
	empty := SampleEndpointView(webhooks.RelayEndpoint, webhooks.EndpointPaused)
	empty.Log, empty.State, empty.Errors = webhooks.Page{}, webhooks.GivenUp, ui.Errors{"since": "delivery.sinceInvalid"}
	pages["endpoint-empty"] = exchangeview.Endpoint(empty)
	pages["endpoint-secret"] = exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{Page: p, Endpoint: sampleEndpoint(webhooks.RelayEndpoint, webhooks.EndpointActive).Endpoint, Rotated: true})
	for i, d := range SampleDeliveries() {
		name := "delivery-" + string(d.State)
		if i == len(webhooks.States) {
			name = "delivery-test"
		}
		pages[name] = exchangeview.Delivery(SampleDelivery(i))
	}
}
