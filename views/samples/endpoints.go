package samples

import (
	"github.com/a-h/templ"

	"veinte/models"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// SampleAddress is the only address that a sample page may hold: as a text.
const SampleAddress = "https://pos.tienda.example/…/***"

func sampleEndpoint(kind models.EndpointKind, state models.EndpointState) models.EndpointStanding {
	done := sampleAt("18:40:02")
	e := models.Endpoint{
		ID: 3, Kind: kind, Name: "Punto de venta", ShownURL: SampleAddress, AllStores: true, State: state,
		StateAt: sampleAt("12:00:00"), DeliveredAt: &done, Version: 2,
	}
	if kind == models.WebhookEndpoint {
		e.Name, e.Events, e.AllStores, e.StoreIDs = "ERP", models.EventTypes{models.EventConfirmed, models.EventRejected}, false, models.IDs{1}
	}
	if state == models.EndpointDisabled {
		e.StateReason, e.FailingSince = models.DisabledFailing, &e.StateAt
	}
	return models.EndpointStanding{Endpoint: e, Backlog: models.Backlog{Waiting: 1204, Oldest: sampleAt("18:41:00")}}
}

func SampleDeliveries() []models.Delivery {
	now, result, c := sampleAt("19:40:00"), int64(41), int64(5)
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

func SampleEndpointView(kind models.EndpointKind, state models.EndpointState) *exchangeview.EndpointView {
	return &exchangeview.EndpointView{
		Page: samplePage(models.Administrator, "/endpoints/3", "19:52:03"), Endpoint: sampleEndpoint(kind, state), Stores: SampleStores(),
		Log: models.DeliveryPage{Deliveries: SampleDeliveries(), Next: "1100"}, Since: "2026-11-20",
	}
}

func SampleDelivery(i int) *exchangeview.DeliveryView {
	d, sale := SampleDeliveries()[i], int64(100)
	due := sampleAt("19:58:11")
	s := models.DeliveryStory{Delivery: d, Endpoint: sampleEndpoint(models.RelayEndpoint, models.EndpointActive).Endpoint, SaleID: &sale}
	if d.ResultID != nil {
		s.Result = &models.Result{Body: `{"amount":"1250.00","transType":"A"}`}
	} else {
		s.Payload = `{"type":"cancellation.confirmed","data":{"amount":"1250.00"}}`
	}
	for n := d.Tries; n > 0; n-- {
		try := models.DeliveryTry{Number: n, At: sampleAt("19:50:00"), DurationMS: 15002, Detail: models.TryTimeout}
		if n == 1 {
			try.DurationMS, try.HTTPStatus, try.Detail, try.Answer, try.MaskedBody = 84, 503, models.TryRefused, "el servicio se está reiniciando", true
		}
		s.TryList = append(s.TryList, try)
	}
	if d.State == models.DeliveryWaiting {
		s.DueAt = &due
	}
	return &exchangeview.DeliveryView{Page: samplePage(models.Administrator, "/deliveries/1200", "19:52:03"), Story: s}
}

// SampleStuck is an endpoint that refuses what one terminal and one case say.
func SampleStuck() *exchangeview.EndpointView {
	v := SampleEndpointView(models.RelayEndpoint, models.EndpointActive)
	v.Stuck = []models.StuckLane{
		{Total: 2, ID: 1200, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", Detail: models.TryRefused, FailingSince: sampleAt("19:10:00"), Waiting: 1240},
		{Total: 2, ID: 1204, Detail: models.TryTimeout, FailingSince: sampleAt("19:30:00"), Waiting: 1},
	}
	return v
}

func addForwardingPages(pages map[string]templ.Component) {
	p := samplePage(models.Administrator, "/endpoints", "19:52:03")
	list := []models.EndpointStanding{
		sampleEndpoint(models.RelayEndpoint, models.EndpointActive), sampleEndpoint(models.WebhookEndpoint, models.EndpointDisabled),
		sampleEndpoint(models.WebhookEndpoint, models.EndpointPaused), sampleEndpoint(models.RelayEndpoint, models.EndpointRetired),
	}
	pages["endpoints"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true, Endpoints: list})
	pages["endpoints-none"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true})
	pages["endpoints-no-key"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p})
	pages["endpoint-new"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{Page: p, Stores: SampleStores(), Form: exchangeview.EndpointForm{Kind: models.RelayEndpoint}})
	pages["endpoint-edit"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{Page: p, ID: 3, Stores: SampleStores(), AllowPrivate: true, Form: exchangeview.EndpointForm{
		Kind: models.WebhookEndpoint, Name: "ERP", URL: SampleAddress, Events: models.WebhookEvents[3:5],
		Errors: ui.Errors{"url": "endpoint.urlPrivate", "stores": "endpoint.storesRequired"},
	}})
	pages["endpoint"] = exchangeview.Endpoint(SampleEndpointView(models.RelayEndpoint, models.EndpointActive))
	pages["endpoint-stuck"] = exchangeview.Endpoint(SampleStuck())
	pages["endpoint-disabled"] = exchangeview.Endpoint(SampleEndpointView(models.WebhookEndpoint, models.EndpointDisabled))
	pages["endpoint-retired"] = exchangeview.Endpoint(SampleEndpointView(models.RelayEndpoint, models.EndpointRetired))
	empty := SampleEndpointView(models.RelayEndpoint, models.EndpointPaused)
	empty.Log, empty.State, empty.Errors = models.DeliveryPage{}, models.DeliveryGivenUp, ui.Errors{"since": "delivery.sinceInvalid"}
	pages["endpoint-empty"] = exchangeview.Endpoint(empty)
	pages["endpoint-secret"] = exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{Page: p, Endpoint: sampleEndpoint(models.RelayEndpoint, models.EndpointActive).Endpoint, Rotated: true})
	for i, d := range SampleDeliveries() {
		name := "delivery-" + string(d.State)
		if i == len(models.DeliveryStates) {
			name = "delivery-test"
		}
		pages[name] = exchangeview.Delivery(SampleDelivery(i))
	}
}
