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

func (s Shop) endpoint(kind webhooks.EndpointKind, state webhooks.EndpointState) webhooks.EndpointStatus {
	done := s.At("18:40:02")
	e := webhooks.Endpoint{
		ID: 3, Kind: kind, Name: "Punto de venta", ShownURL: SampleAddress, AllStores: true, State: state,
		StateAt: s.At("12:00:00"), DeliveredAt: &done, Version: 2,
	}
	if kind == webhooks.RelayEndpoint {
		e.RelayBody = webhooks.BodyMasked
	}
	if kind == webhooks.WebhookEndpoint {
		e.Name, e.Events, e.AllStores, e.StoreIDs = "ERP", webhooks.EventTypes{
			webhooks.EventConfirmed, webhooks.EventRejected,
		}, false, webhooks.IDs{1}
	}
	if state == webhooks.EndpointDisabled {
		e.StateReason, e.FailingSince = webhooks.DisabledFailing, &e.StateAt
	}
	return webhooks.EndpointStatus{Endpoint: e, Backlog: webhooks.Backlog{Waiting: 1204, Oldest: s.At("18:41:00")}}
}

func (s Shop) Deliveries() []webhooks.Delivery {
	now, result, c := s.At("19:40:00"), int64(41), int64(5)
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
	return append(all, webhooks.Delivery{
		ID: 1100, EndpointID: 3, State: webhooks.Delivered, Event: webhooks.EventTest, CreatedAt: now, Tries: 1,
		Detail: webhooks.TryDelivered,
	})
}

func (s Shop) Endpoint(kind webhooks.EndpointKind, state webhooks.EndpointState) *exchangeview.EndpointView {
	return &exchangeview.EndpointView{
		Page: s.Page(models.Administrator, "/endpoints/3", "19:52:03"), Endpoint: s.endpoint(kind, state), Stores: s.Stores(),
		Log: webhooks.Page{Deliveries: s.Deliveries(), Next: "1100"}, Since: "2026-11-20",
	}
}

func (s Shop) Delivery(i int) *exchangeview.DeliveryView {
	d, sale := s.Deliveries()[i], int64(100)
	due := s.At("19:58:11")
	history := webhooks.DeliveryHistory{
		Delivery: d, Endpoint: s.endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive).Endpoint, SaleID: &sale,
	}
	if d.ResultID != nil {
		history.Result = &models.Result{Body: `{"amount":"1250.00","transType":"A"}`}
	} else {
		history.Payload = `{"type":"cancellation.confirmed","data":{"amount":"1250.00"}}`
	}
	for n := d.Tries; n > 0; n-- {
		try := webhooks.DeliveryTry{Number: n, At: s.At("19:50:00"), DurationMS: 15002, Detail: webhooks.TryTimeout}
		if n == 1 {
			try.DurationMS, try.HTTPStatus, try.Detail, try.MaskedBody = 84, 503, webhooks.TryRefused, true
			try.Answer = "el servicio se está reiniciando"
		}
		history.TryList = append(history.TryList, try)
	}
	if d.State == webhooks.Waiting {
		history.DueAt = &due
	}
	return &exchangeview.DeliveryView{Page: s.Page(models.Administrator, "/deliveries/1200", "19:52:03"), History: history}
}

// StuckEndpoint is an endpoint that refuses the events of one terminal and one
// cancellation.
func (s Shop) StuckEndpoint() *exchangeview.EndpointView {
	v := s.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive)
	v.Stuck = []webhooks.StuckLane{
		{
			Total: 2, ID: 1200, SerialNumber: "1234567890", OrderID: "261120194000-1234567890", Detail: webhooks.TryRefused,
			FailingSince: s.At("19:10:00"), Waiting: 1240,
		},
		{Total: 2, ID: 1204, Detail: webhooks.TryTimeout, FailingSince: s.At("19:30:00"), Waiting: 1},
	}
	return v
}

func (s Shop) addForwardingPages(pages map[string]templ.Component) {
	p := s.Page(models.Administrator, "/endpoints", "19:52:03")
	list := []webhooks.EndpointStatus{
		s.endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive), s.endpoint(webhooks.WebhookEndpoint, webhooks.EndpointDisabled),
		s.endpoint(webhooks.WebhookEndpoint, webhooks.EndpointPaused), s.endpoint(webhooks.RelayEndpoint, webhooks.EndpointRetired),
	}
	pages["endpoints"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true, Endpoints: list})
	pages["endpoints-none"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p, HasKey: true})
	pages["endpoints-no-key"] = exchangeview.Endpoints(&exchangeview.EndpointsView{Page: p})
	pages["endpoint-new"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{
		Page: p, Stores: s.Stores(), Form: exchangeview.EndpointForm{Kind: webhooks.RelayEndpoint},
	})
	wrong := exchangeview.EndpointForm{
		Kind: webhooks.WebhookEndpoint, Name: "ERP", URL: SampleAddress, Events: webhooks.WebhookEvents[3:5],
		Errors: ui.Errors{"url": "endpoint.urlPrivate", "stores": "endpoint.storesRequired"},
	}
	pages["endpoint-edit"] = exchangeview.EndpointEdit(&exchangeview.EndpointFormView{
		Page: p, ID: 3, Stores: s.Stores(), AllowPrivate: true, Form: wrong,
	})
	pages["endpoint"] = exchangeview.Endpoint(s.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive))
	pages["endpoint-stuck"] = exchangeview.Endpoint(s.StuckEndpoint())
	pages["endpoint-disabled"] = exchangeview.Endpoint(s.Endpoint(webhooks.WebhookEndpoint, webhooks.EndpointDisabled))
	asked, who := s.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive), int64(9)
	asked.Endpoint.RelayBody, asked.Endpoint.ChangedBy, asked.Endpoint.ChangedByName = webhooks.BodyOriginalAsked, &who, "Diego Ruiz"
	pages["endpoint-original-asked"] = exchangeview.Endpoint(asked)
	pages["endpoint-retired"] = exchangeview.Endpoint(s.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointRetired))
	empty := s.Endpoint(webhooks.RelayEndpoint, webhooks.EndpointPaused)
	empty.Log, empty.State, empty.Errors = webhooks.Page{}, webhooks.GivenUp, ui.Errors{"since": "delivery.sinceInvalid"}
	pages["endpoint-empty"] = exchangeview.Endpoint(empty)
	pages["endpoint-secret"] = exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{
		Page: p, Endpoint: s.endpoint(webhooks.RelayEndpoint, webhooks.EndpointActive).Endpoint, Rotated: true,
	})
	for i, d := range s.Deliveries() {
		name := "delivery-" + string(d.State)
		if i == len(webhooks.States) {
			name = "delivery-test"
		}
		pages[name] = exchangeview.Delivery(s.Delivery(i))
	}
}
