// Package events describes in the API's document what Veinte posts to others: the events
// of webhooks and the results that are forwarded. models/webhooks sends them.
package events

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/webhooks"
)

// Tag is under which the document has them.
const Tag = "webhooks"

// resultKinds are what results that are forwarded can be.
var resultKinds = []models.ResultKind{
	models.ResultSale, models.ResultCancellation, models.ResultInquiry, models.ResultAbandoned, models.ResultOther, models.ResultUnreadable,
}

// Webhooks describes each message by its type.
func Webhooks(schemas huma.Registry) map[string]*huma.PathItem {
	all := map[string]*huma.PathItem{}
	for _, event := range append(webhooks.WebhookEvents, webhooks.EventTest) {
		var data any = shapes.CancellationFacts{}
		var more []string
		switch event {
		case webhooks.EventDayClosed:
			data = shapes.DayFacts{}
		case webhooks.EventAlertRaised:
			data = shapes.AlertFacts{}
		case webhooks.EventTest:
			data = shapes.TestFacts{}
		default:
			more = []string{"deprecation", "sunset"}
		}
		facts := schemas.Schema(reflect.TypeOf(data), true, "")
		all[string(event)] = message(string(event), envelope(event, facts), more...)
	}
	for _, kind := range resultKinds {
		name := "result." + string(kind)
		all[name] = message(name, &huma.Schema{
			Type: huma.TypeObject, Description: "api.doc.event.result", AdditionalProperties: true,
		}, "x-veinte-received-at", "x-veinte-body")
	}
	return all
}

// envelope is the body of an event.
func envelope(event webhooks.EventType, data *huma.Schema) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"type", "timestamp", "data"},
		Properties: map[string]*huma.Schema{
			"type":      {Type: huma.TypeString, Description: "api.doc.event.type", Enum: []any{string(event)}},
			"timestamp": {Type: huma.TypeString, Format: "date-time", Description: "api.doc.event.timestamp"},
			"data":      data,
		},
	}
}

// message is a POST of ours. more are the headers that not every message has.
func message(name string, body *huma.Schema, more ...string) *huma.PathItem {
	op := &huma.Operation{
		OperationID: "on" + camel(name), Summary: "api.event." + name, Description: "api.event.text", Tags: []string{Tag},
		// Nobody shows us a key: the signature says who speaks.
		Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: body},
		}},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "api.event.answer.2XX"}, "410": {Description: "api.event.answer.410"},
			"default": {Description: "api.event.answer.default"},
		},
	}
	for _, header := range append([]string{
		"webhook-id", "webhook-timestamp", "webhook-signature", "x-veinte-event", "x-veinte-delivery",
	}, more...) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: header, In: "header", Required: true, Description: "api.event.header." + header, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	return &huma.PathItem{Post: op}
}

// camel writes cancellation.notCanceled as CancellationNotCanceled.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, ".") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
