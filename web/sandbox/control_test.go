package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestControlRefuses(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	order := b.sell("")
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"PUT", "/control/terminals/149", `{"merchantId":"1"}`, 400},
		{"PUT", "/control/terminals/1490000002", `{}`, 400},
		{"PUT", "/control/terminals/1490000002", `{"merchantId":"1","cardBrands":["DINERS"]}`, 400},
		{"POST", "/control/sales", `{"serialNumber":"1490000001","amount":"1.005"}`, 400},
		{"POST", "/control/sales", `{"serialNumber":"1490000001","amount":"-1"}`, 400},
		{"POST", "/control/sales", `{"serialNumber":"1490000001","amount":"1","fault":"fire"}`, 400},
		{"POST", "/control/sales", `{"serialNumber":"1490000001","amount":"1","price":"1"}`, 400},
		{"POST", "/control/sales", `{"serialNumber":"1490000099","amount":"1"}`, 409},
		{"POST", "/control/sales", `{"serialNumber":"1490000001","amount":"1","orderId":"` + order + `"}`, 409},
		{"POST", "/control/faults", `{"fault":"fire"}`, 400},
		{"POST", "/control/faults", `{"fault":"slow","operation":"refund"}`, 400},
		{"POST", "/control/faults", `{"fault":"slow","delay":"-1s"}`, 400},
		{"PUT", "/control/config", `{"responseURL":"http://192.0.2.1/x"}`, 400},
		{"PUT", "/control/config", `{"responseURL":"http://localhost.example.com/x"}`, 400},
		{"PUT", "/control/config", `{"latency":5}`, 400},
		{"POST", "/control/cancellations-on-terminal", `{"orderId":"nobody's"}`, 404},
		{"GET", "/control/ledger?after=x", ``, 400},
		{"POST", "/control/unknown", `{}`, 404},
	} {
		if status, text := b.do(tt.method, tt.path, tt.body, nil); status != tt.status {
			t.Errorf("%s %s %s = %d %s, want %d", tt.method, tt.path, tt.body, status, text, tt.status)
		}
	}
}

func TestPosterDialsLoopbackOnly(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	// As if the check of the URL had been passed, for instance by a name.
	b.sandbox.settings.change(func(v *settingValues) { v.ResponseURL = "http://192.0.2.1:9/x" })
	if _, _, err := b.sandbox.send("http://192.0.2.1:9/x", []byte("{}")); err == nil ||
		!strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("send to another machine = %v, want a refusal to dial", err)
	}
	if _, err := New(Config{ResponseURL: "https://example.com/"}); err == nil {
		t.Error("New accepts a response URL on another machine")
	}
}

func TestSalesInAnArray(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	one := `{"serialNumber":"1490000001","amount":"30","orderId":"`
	text := b.control("POST", "/control/sales", `[`+one+`o-1"},`+one+`o-1x","async":true},{"serialNumber":"x","amount":"1"}]`, 200)
	var got []saleOutcome
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || !got[0].Delivered || got[0].OrderID != "o-1" || got[1].OrderID != "o-1x" || got[2].Error == "" {
		t.Errorf("outcomes = %s", text)
	}
	b.next()
	b.next()
	if text := b.control("GET", "/control/sales?serialNumber=1490000002", "", 200); text != "[]\n" {
		t.Errorf("another terminal's sales = %s", text)
	}
	b.control("POST", "/control/sales", `{"serialNumber":"1490000001","amount":"1","async":true}`, http.StatusAccepted)
	b.next()
}

func TestCancellationByHand(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	order := b.sell("")
	text := b.control("POST", "/control/cancellations-on-terminal", `{"orderId":"`+order+`"}`, 200)
	if !strings.Contains(text, `"responseCode":"00"`) {
		t.Errorf("answer = %s", text)
	}
	got := b.next()
	wantShape(t, got, "06_cancel_result_approved.json")
	wantFields(t, got, map[string]any{"orderId": order, "transType": "V", "responseCode": "00", "traceability": map[string]any{}})
	b.push(reprintPath, order)
	wantFields(t, b.next(), map[string]any{"reprintModule": "V"})
}

func TestRawPost(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	if text := b.control("POST", "/control/posts", `{"folioNumber":"1","listOfPays":[{}]}`, 200); text != `{"delivered":true}`+"\n" {
		t.Errorf("answer = %s", text)
	}
	wantFields(t, b.next(), map[string]any{"folioNumber": "1"})
}

func TestFaultsAreListedAndDeleted(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("POST", "/control/faults", `{"fault":"slow","delay":"5s"}`, 200)
	want := `[{"fault":"slow","operation":"cancel","times":1,"delay":"5s"}]` + "\n"
	if got := b.control("GET", "/control/faults", "", 200); got != want {
		t.Errorf("faults = %s, want %s", got, want)
	}
	b.control("DELETE", "/control/faults", "", 200)
	if got := b.control("GET", "/control/faults", "", 200); got != "[]\n" {
		t.Errorf("faults after delete = %s", got)
	}
}

func TestLiveSales(t *testing.T) {
	t.Parallel()
	b := start(t, "2026-03-10T23:00:00-06:00")
	b.control("POST", "/control/live", `{"every":"2ms","always":true}`, 200)
	for range 10 {
		got := b.next()
		wantShape(t, got, "04_sale_result_approved.json")
	}
	if b.state("live") != true {
		t.Error("live sales are on, the state says no")
	}
	b.control("POST", "/control/live", `{"every":"0s"}`, 200)
	if b.state("live") != false {
		t.Error("live sales are off, the state says no")
	}
}

func TestStoreHours(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{
		"2026-07-10T08:59:59-06:00": false, "2026-07-10T09:00:00-06:00": true,
		"2026-07-10T21:29:59-06:00": true, "2026-07-10T21:30:00-06:00": false,
	} {
		instant, err := time.Parse(time.RFC3339, at)
		if got := storeHours(instant); err != nil || got != want {
			t.Errorf("storeHours(%s) = %v, want %v", at, got, want)
		}
	}
}

func TestBelievableSale(t *testing.T) {
	t.Parallel()
	usual, refused, n := 0, 0, 5000
	for range n {
		d := believableSale(terminal{SerialNumber: serial})
		amount, err := parseAmount(d.Amount)
		if err != nil || amount < 3000 || amount > 960000 || brands[d.CardBrand].aid == "" || len(d.Last4) != 4 {
			t.Fatalf("sale = %+v (%v)", d, err)
		}
		if amount <= 400000 {
			usual++
		}
		if d.Declined {
			refused++
		}
	}
	if usual < n*95/100 || refused == 0 || refused > n/10 {
		t.Errorf("of %d sales %d are usual and %d declined", n, usual, refused)
	}
}
