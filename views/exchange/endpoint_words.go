package exchange

import (
	"context"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/webhooks"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

func endpointKind(ctx context.Context, k webhooks.EndpointKind) string {
	return ui.Maybe(ctx, "endpointKind.", string(k))
}

// endpointIcons has an icon for every state, so that states are not distinguished by
// colour alone; the colours are those of the sales' states.
var endpointIcons = map[webhooks.EndpointState][2]string{
	webhooks.EndpointActive:   {"check", "confirmed"},
	webhooks.EndpointPaused:   {"hourglass", "expired"},
	webhooks.EndpointDisabled: {"circle-x", "rejected"},
	webhooks.EndpointRetired:  {"power", "tooLate"},
}

var deliveryIcons = map[webhooks.State][2]string{
	webhooks.Waiting:   {"clock", "requested"},
	webhooks.Delivered: {"check", "confirmed"},
	webhooks.GivenUp:   {"circle-x", "rejected"},
	webhooks.SetAside:  {"ban", "tooLate"},
}

// eventWord names the event of a delivery; an unknown one keeps its code.
func eventWord(ctx context.Context, e webhooks.EventType) string {
	kind, name, _ := strings.Cut(string(e), ".")
	switch kind {
	case "result":
		return locale.T(ctx, "delivery.ofResult", "Kind", ui.Maybe(ctx, "resultKind.", name))
	case "cancellation":
		if e == webhooks.EventConflict {
			return locale.T(ctx, "delivery.ofConflict")
		}
		return locale.T(ctx, "delivery.ofCase", "State", ui.Maybe(ctx, "case.", name))
	}
	if e == webhooks.EventDayClosed || e == webhooks.EventAlertRaised {
		return ui.Maybe(ctx, "event.", string(e))
	}
	return locale.T(ctx, "delivery.ofTest")
}

// stateOfCancellation is the choice of an event in the form.
func stateOfCancellation(ctx context.Context, e webhooks.EventType) string {
	if e == webhooks.EventConflict {
		return locale.T(ctx, "delivery.ofConflict")
	}
	if e == webhooks.EventDayClosed || e == webhooks.EventAlertRaised {
		return ui.Maybe(ctx, "event.", string(e))
	}
	return ui.Maybe(ctx, "case.", strings.TrimPrefix(string(e), "cancellation."))
}

// wanted names the events that a webhook receives.
func wanted(ctx context.Context, e *webhooks.Endpoint) string {
	if e.Kind == webhooks.RelayEndpoint {
		return ""
	}
	if len(e.Events) == len(webhooks.WebhookEvents) {
		return locale.T(ctx, "endpoint.allEvents")
	}
	words := make([]string, 0, len(e.Events))
	for _, event := range webhooks.WebhookEvents { // in their own order
		for _, has := range e.Events {
			if has == event {
				words = append(words, stateOfCancellation(ctx, event))
			}
		}
	}
	return strings.Join(words, ", ")
}

// forStores names the stores of a webhook.
func forStores(ctx context.Context, e *webhooks.Endpoint, stores []models.Store) string {
	if e.Kind == webhooks.RelayEndpoint {
		return ""
	}
	return words.StoreCodes(ctx, &models.User{AllStores: e.AllStores, StoreIDs: e.StoreIDs}, stores)
}

// backlog says how much waits, and since when.
func backlog(ctx context.Context, p ui.Page, b webhooks.Backlog) string {
	if b.Waiting == 0 {
		return locale.T(ctx, "delivery.nothingWaits")
	}
	return locale.T(ctx, "delivery.waits", "N", ui.Number(b.Waiting), "When", ui.Since(ctx, p, &b.Oldest))
}

// stuck says what gets nowhere: whose it is, since when, and how much waits behind it.
func stuck(ctx context.Context, p ui.Page, l *webhooks.StuckLane) string {
	return locale.T(ctx, "endpoint.stuckLane", "N", ui.Number(l.Waiting), "When", ui.Since(ctx, p, &l.FailingSince),
		"Detail", ui.Maybe(ctx, "deliveryDetail.", string(l.Detail)))
}

// stuckName names the first delivery of a lane that gets nowhere.
func stuckName(ctx context.Context, l *webhooks.StuckLane) string {
	name := locale.T(ctx, "delivery.title", "N", ui.Itoa(l.ID))
	for _, of := range []string{l.SerialNumber, l.OrderID} {
		if of != "" {
			name += ", " + of
		}
	}
	return name
}

// failing says since when nothing arrives; "" when the last delivery did.
func failing(ctx context.Context, p ui.Page, e *webhooks.Endpoint) string {
	if e.FailingSince == nil {
		return ""
	}
	return ui.Since(ctx, p, e.FailingSince)
}

// tryResult is how a try ended, with the status that was answered.
func tryResult(ctx context.Context, t *webhooks.DeliveryTry) string {
	words := ui.Maybe(ctx, "deliveryDetail.", string(t.Detail))
	if t.HTTPStatus == 0 {
		return words
	}
	return words + " (HTTP " + strconv.Itoa(t.HTTPStatus) + ")"
}

func milliseconds(ms int) string {
	if ms < 1000 {
		return strconv.Itoa(ms) + " ms"
	}
	return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
}

// due says when a waiting delivery is tried, or what it waits for.
func (v *DeliveryView) due(ctx context.Context) string {
	s := &v.History
	switch {
	case s.State != webhooks.Waiting:
		return ""
	case s.Endpoint.State != webhooks.EndpointActive:
		return locale.T(ctx, "delivery.dueOff")
	case s.Behind != nil:
		return locale.T(ctx, "delivery.dueBehind", "N", ui.Itoa(*s.Behind))
	case s.DueAt == nil || !s.DueAt.After(v.Now):
		return locale.T(ctx, "delivery.dueNow")
	}
	return ui.DateSeconds(ctx, *s.DueAt, v.Zone())
}

func (v *DeliveryView) path(act string) string {
	return "/deliveries/" + ui.Itoa(v.History.ID) + "/" + act
}

// kept reports whether of a delivery that is over something is left to be sent.
func (v *DeliveryView) kept() bool {
	return v.History.Result == nil || v.History.Result.Body != ""
}

// body says what is sent, or would be.
func (v *DeliveryView) body(ctx context.Context) string {
	switch s := &v.History; {
	case s.ResultID == nil:
		return locale.T(ctx, "delivery.bodyEvent")
	case s.Original():
		return locale.T(ctx, "delivery.bodyOriginal")
	case !v.kept():
		return locale.T(ctx, "delivery.bodyNone")
	}
	return locale.T(ctx, "delivery.bodyMasked")
}

// over says why a delivery is over, where the tries do not.
func (v *DeliveryView) over(ctx context.Context) string {
	switch v.History.Detail {
	case webhooks.OverByHand, webhooks.OverRetired, webhooks.OverOff, webhooks.OverEmpty:
		return ui.Maybe(ctx, "deliveryDetail.", string(v.History.Detail))
	}
	return ""
}
