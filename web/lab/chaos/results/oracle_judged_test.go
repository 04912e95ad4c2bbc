package results

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"veinte/web/lab"
)

const (
	firstID  = "11111111-2222-3333-4444-555555555555"
	secondID = "66666666-2222-3333-4444-555555555555"
)

func anOracle() *oracle {
	return &oracle{serials: map[string]bool{"1490000001": true}, targets: []*target{{
		sale:     &lab.Sale{OrderID: "orden-1", Serial: "1490000001", Amount: "120.50"},
		merchant: "900001", folio: "venta_120.50", ids: []string{firstID, secondID}, current: secondID,
	}}}
}

// What the domain's page says of posts, as the oracle has it.
func TestOracle(t *testing.T) {
	t.Parallel()
	const whole = `"orderId":"orden-1","terminalId":"1490000001","amount":"120.5"`
	first, second := `,"traceability":{"attemptId":"`+firstID+`"}`, `,"traceability":{"attemptId":"`+secondID+`"}`
	for _, tt := range []struct{ fact, body, want string }{
		{"approved, with the attempt", `{"transType":"V","responseCode":"00",` + whole + second + `}`, "confirmed true"},
		{"approved, with an earlier attempt", `{"transType":"V","responseCode":"00",` + whole + first + `}`, "confirmed true"},
		{"approved, with the attempt alone", `{"transType":"V","responseCode":"00"` + second + `}`, ""},
		{
			"approved, with the attempt, without an amount",
			`{"transType":"V","responseCode":"00","orderId":"orden-1","terminalId":"1490000001"` + second + `}`, "",
		},
		{
			"approved, with the attempt and an empty amount",
			`{"transType":"V","responseCode":"00","orderId":"orden-1","terminalId":"1490000001","amount":null` + second + `}`, "",
		},
		{"approved, by order and terminal", `{"transType":"V","responseCode":"00",` + whole + `}`, ""},
		{
			"approved, by folio and terminal", `{"transType":"V","responseCode":"00","folioNumber":"venta_120.50","terminalId":"1490000001"}`, "",
		},
		{"approved, of another amount", `{"transType":"V","responseCode":"00","amount":"120.51"` + second + `}`, ""},
		{"approved, of an amount that is none", `{"transType":"V","responseCode":"00","amount":"-120.50"` + second + `}`, ""},
		{
			"approved, of both amounts", `{"transType":"V","responseCode":"00","amount":"1",` + whole + second + `}`,
			"confirmed false",
		},
		{"approved, of another terminal", `{"transType":"V","responseCode":"00","terminalId":"1490000002"` + second + `}`, ""},
		{"approved, with a forged attempt", `{"transType":"V","responseCode":"00",` + whole + `,"traceability":{"attemptId":"x"}}`, ""},
		{
			"approved, with a forged attempt of another type", `{"transType":"V","responseCode":"00",` + whole + `,"traceability":{"attemptId":1}}`,
			"",
		},
		{"refused, with the attempt", `{"transType":"V","responseCode":"51",` + whole + second + `}`, "rejected true"},
		{"refused, of nothing", `{"transType":"V","responseCode":"51","amount":"0.00"` + second + `}`, "rejected false"},
		{"refused, of another amount", `{"transType":"V","responseCode":"51","amount":"1.00"` + second + `}`, ""},
		{"refused, with an earlier attempt", `{"transType":"V","responseCode":"51",` + whole + first + `}`, ""},
		{"refused, without an attempt", `{"transType":"V","responseCode":"51",` + whole + `}`, ""},
		{"without a code", `{"transType":"V",` + whole + second + `}`, ""},
		{"left, with the attempt", `{"transType":"","responseCode":"02","orderId":"","amount":"0.00"` + second + `}`, "rejected true"},
		{"an inquiry that says canceled", `{"isRePrint":true,"reprintModule":"V",` + whole + `}`, ""},
		{"an inquiry that says charged", `{"isRePrint":true,"reprintModule":"C","transType":"V","responseCode":"00",` + whole + `}`, ""},
		{"a sale that says canceled", `{"transType":"A","responseCode":"00","reprintModule":"V","storeId":"900001",` + whole + `}`, ""},
		{"a sale that is new", `{"transType":"A","responseCode":"00","orderId":"nueva-1","terminalId":"1490000001","amount":"1"}`, "sale false"},
		{"a sale of a terminal that is not ours", `{"transType":"A","responseCode":"00","orderId":"nueva-1","terminalId":"1","amount":"1"}`, ""},
		{"cut", `{"transType":"V","responseCode":"00",` + whole + second, ""},
		{"a list", `[{"transType":"V","responseCode":"00",` + whole + second + `}]`, ""},
	} {
		var got []string
		for _, e := range anOracle().effects([]byte(tt.body)) {
			got = append(got, fmt.Sprint(e.what, " ", e.certain))
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %s may do %q, want %q", tt.fact, tt.body, text, tt.want)
		}
	}
}

// A seed's bodies are the same each time, and of many kinds.
func TestGeneratorRepeats(t *testing.T) {
	t.Parallel()
	bodies := func() (all []string, kinds map[string]int) {
		o := anOracle()
		o.targets[0].prey = "confirmed"
		o.targets[0].truth = []byte(`{"transType":"V","responseCode":"00","isRePrint":false,
			"orderId":"orden-1","terminalId":"1490000001","amount":"120.5","traceability":{"attemptId":"` + secondID + `"}}`)
		g := &generator{Rand: rand.New(rand.NewPCG(7, 1)), oracle: o, name: "0-"}
		kinds = map[string]int{}
		for range 600 {
			body, hits := g.next()
			all = append(all, string(body))
			kinds[fmt.Sprintf("object %t, prey %d", readBody(body) != nil, len(hits))]++
		}
		return all, kinds
	}
	one, kinds := bodies()
	two, _ := bodies()
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("body %d is %.200q, then %.200q", i, one[i], two[i])
		}
	}
	for kind, least := range map[string]int{"object true, prey 0": 300, "object false, prey 0": 60, "object true, prey 1": 1} {
		if kinds[kind] < least {
			t.Errorf("%s: %d of 600 bodies, want at least %d (%v)", kind, kinds[kind], least, kinds)
		}
	}
}
