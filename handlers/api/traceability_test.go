package api_test

import (
	"testing"

	"veinte/handlers/api/shapes"
)

// A program's own object goes to the service with its cancellation, as it is written.
func TestTraceabilityOfAProgram(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for body, want := range map[string]string{
		`{"reason":"chargedTwice"}`:                                        "",
		`{"reason":"chargedTwice","traceability":{}}`:                      "",
		`{"reason":"chargedTwice","traceability":{ "n":1.50, "a":["x"]} }`: `{"n":1.50,"a":["x"]}`,
		`{"traceability":{"reason":"mine"},"reason":"chargedTwice"}`:       `{"reason":"mine"}`,
	} {
		got := into[shapes.Cancellation](p.post(cancelPath(d.SaleAt(d.NewTerminal(d.Store), 125000)), body).want(202))
		d.Dispatch(got.ID)
		if sent := d.LastOrder().Traceability; sent != want {
			t.Errorf("%s: sent %q, want %q", body, sent, want)
		}
	}
	for body, want := range map[string]string{
		`{"reason":"chargedTwice","traceability":null}`:                       "body.traceability:traceability.notObject",
		`{"reason":"chargedTwice","traceability":"{}"}`:                       "body.traceability:traceability.notObject",
		`{"reason":"chargedTwice","traceability":{"attemptId":"x"}}`:          "body.traceability:traceability.reserved",
		`{"reason":"chargedTwice","traceability":{"c":"4012888888881881"}}`:   "body.traceability:field.cardNumber",
		`{"reason":"chargedTwice","traceability":{},"traceability":{"a":1}}`:  "body.traceability:api.field.twice",
		`{"reason":"chargedTwice","traceability":{"a":{"b":{"c":{"d":{}}}}}}`: "body.traceability:traceability.tooDeep",
	} {
		if got := places(p.post(cancelPath(d.Sale(100)), body).problem(422, "validation").Errors); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
