package sandbox

import (
	"strings"
	"testing"
)

func TestParseOrder(t *testing.T) {
	t.Parallel()
	good := `"serialNumber":"1490000001","orderId":"o-1","storeId":"900001"`
	for _, tt := range []struct{ name, body, want string }{
		{"the three required fields are enough", `{` + good + `}`, ""},
		{"all five", `{` + good + `,"traceability":{},"disablePrintAnimation":false}`, ""},
		{"nine digits", `{"serialNumber":"149000001","orderId":"o-1","storeId":"900001"}`, "serialNumber is not a string of ten digits"},
		{"eleven digits", `{"serialNumber":"14900000011","orderId":"o-1","storeId":"900001"}`, "serialNumber is not a string of ten digits"},
		{
			"a serial that is a number", `{"serialNumber":1490000001,"orderId":"o-1","storeId":"900001"}`,
			"serialNumber is not a string of ten digits",
		},
		{
			"digits of another script", `{"serialNumber":"१४९०००","orderId":"o-1","storeId":"900001"}`,
			"serialNumber is not a string of ten digits",
		},
		{"an empty order", `{"serialNumber":"1490000001","orderId":"","storeId":"900001"}`, "orderId is not a string with text"},
		{"an order that is null", `{"serialNumber":"1490000001","orderId":null,"storeId":"900001"}`, "orderId is not a string with text"},
		{"no store", `{"serialNumber":"1490000001","orderId":"o-1"}`, "storeId is missing"},
		{"traceability as text", `{` + good + `,"traceability":"{}"}`, "traceability is not an object"},
		{"traceability null", `{` + good + `,"traceability":null}`, "traceability is not an object"},
		{"a boolean in quotes", `{` + good + `,"disablePrintAnimation":"true"}`, "disablePrintAnimation is not a boolean"},
		{"a boolean that is null", `{` + good + `,"disablePrintAnimation":null}`, "disablePrintAnimation is not a boolean"},
		{"a sixth field", `{` + good + `,"amount":"1.00"}`, `field "amount" is not in the specification`},
		{"a field in another case", `{` + good + `,"StoreId":"900001"}`, `field "StoreId" is not in the specification`},
		{"a field twice", `{` + good + `,"orderId":"o-2"}`, `field "orderId" is there twice`},
		{"an array", `[]`, "body is not a JSON object"},
		{"nothing", ``, "body is not a JSON object"},
		{"cut JSON", `{` + good, "body is not a JSON object"},
		{"two objects", `{` + good + `}{}`, "text after the JSON object"},
		{"Latin-1", "{" + good + ",\"traceability\":{\"a\":\"\xf1\"}}", "body is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, violations := parseOrder([]byte(tt.body))
			if got := strings.Join(violations, "; "); got != tt.want {
				t.Errorf("parseOrder(%s) complains %q, want %q", tt.body, got, tt.want)
			}
		})
	}
}
