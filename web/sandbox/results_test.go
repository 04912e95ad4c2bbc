package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// sample reads one of the documented posts.
func sample(tb testing.TB, name string) map[string]any {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		tb.Fatal(err)
	}
	return all
}

// shape is each key with the JSON type of its value.
func shape(object map[string]any) []string {
	var all []string
	for name, value := range object {
		all = append(all, fmt.Sprintf("%s %T", name, value))
	}
	slices.Sort(all)
	return all
}

func wantShape(tb testing.TB, got map[string]any, name string) {
	tb.Helper()
	if want := shape(sample(tb, name)); !slices.Equal(shape(got), want) {
		tb.Errorf("post = %v\nwant the shape of %s: %v", shape(got), name, want)
	}
}

// wantFields compares the named fields of a post.
func wantFields(tb testing.TB, got, want map[string]any) {
	tb.Helper()
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			tb.Errorf("%s = %#v, want %#v", name, got[name], value)
		}
	}
}

var sentAlong = map[string]any{"attemptId": "a-1", "n": 987.0}

func TestSalePost(t *testing.T) {
	t.Parallel()
	b := start(t, "2026-06-27T11:02:40-06:00")
	b.control("POST", "/control/sales",
		`{"serialNumber":"`+serial+`","amount":"4500.50","soldAt":"2026-06-27T17:02:40Z","last4":"1234","cardBrand":"visa"}`, 200)
	got := b.next()
	wantShape(t, got, "04_sale_result_approved.json")
	wantFields(t, got, map[string]any{
		"orderId": "260627110240-1490000001", "amount": "4500.5", "authAmount": "4500.5", "tipLessAmount": "4500.5", "transType": "A",
		"responseCode": "00", "storeId": store, "terminalId": serial, "cardNumber": "1234", "cardTypeName": "VISA", "message": "Transacción " +
			"exitosa",
		"ticketDate": "JUN. 27, 26 11:02:40 ", "transDate": "2026-06-27 11:02:41.CST", "isRePrint": false, "traceability": map[string]any{},
	})
	b.control("POST", "/control/sales", `{"serialNumber":"`+serial+`","amount":"1","declined":true,"soldAt":"2026-06-27T17:02:40Z"}`, 200)
	wantFields(t, b.next(), map[string]any{"orderId": "260627110241-1490000001", "amount": "1.0", "responseCode": "05", "transType": "A"})
}

func TestCancelPost(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	order := b.sell("")
	b.push(cancelPath, order)
	got := b.next()
	wantShape(t, got, "06_cancel_result_approved.json")
	wantFields(t, got, map[string]any{
		"orderId": order, "folioNumber": "venta_4500.50", "amount": "4500.5", "transType": "V", "responseCode": "00",
		"traceability": sentAlong,
		"customerName": "null", "bin": "", "cardExpDate": "29/11", "moduleCharge": "6", "reprintModule": "C", "isRePrint": false,
		"message": "Transacción exitosa", "terminalId": serial, "storeId": store,
	})
	b.push(cancelPath, order)
	wantFields(t, b.next(), map[string]any{"orderId": order, "transType": "V", "responseCode": "94", "traceability": sentAlong})
}

func TestReprintPost(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	order := b.sell("")
	b.push(reprintPath, order)
	got := b.next()
	wantShape(t, got, "08_reprint_result_sale_active.json")
	wantFields(t, got, map[string]any{
		"orderId": order, "isRePrint": true, "reprintModule": "C", "transType": "A", "folioNumber": "", "responseCode": "00",
		"traceability": sentAlong,
	})
	b.push(cancelPath, order)
	b.next()
	b.push(reprintPath, order)
	wantFields(t, b.next(), map[string]any{"orderId": order, "isRePrint": true, "reprintModule": "V", "responseCode": "00"})
	b.push(reprintPath, b.sell(`,"reprintModule":"PRV"`))
	wantFields(t, b.next(), map[string]any{"reprintModule": "PRV"})
	b.push(reprintPath, b.sell(`,"declined":true`))
	wantFields(t, b.next(), map[string]any{"reprintModule": "D"})
	b.push(reprintPath, "nobody's")
	wantFields(t, b.next(), map[string]any{"orderId": "nobody's", "isRePrint": true, "reprintModule": "", "responseCode": "25"})
}

func TestTerminalRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, now, soldAt, code string }{
		{"the last second before the cut-off is in time", "2026-03-10T19:59:00-06:00", "2026-03-10T00:00:00-06:00", "00"},
		{"the cut-off itself is too late", "2026-03-10T20:00:00-06:00", "2026-03-10T10:00:00-06:00", "58"},
		{"yesterday's sale", "2026-03-10T12:00:00-06:00", "2026-03-09T23:59:59-06:00", "12"},
		{"the UTC date is already tomorrow", "2026-03-10T18:30:00-06:00", "2026-03-10T09:00:00-06:00", "00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, tt.now)
			order := b.sell(`,"soldAt":"` + tt.soldAt + `"`)
			b.push(cancelPath, order)
			wantFields(t, b.next(), map[string]any{"responseCode": tt.code, "transType": "V", "orderId": order, "traceability": sentAlong})
		})
	}
	t.Run("an order it does not know", func(t *testing.T) {
		t.Parallel()
		b := start(t, noon)
		b.push(cancelPath, "nobody's")
		wantFields(t, b.next(), map[string]any{
			"responseCode": "25", "transType": "V", "orderId": "nobody's", "amount": "0.0",
			"traceability": sentAlong,
		})
	})
}

func TestResultFaults(t *testing.T) {
	t.Parallel()
	plain := map[string]any{"transType": "V", "responseCode": "00", "amount": "4500.5", "terminalId": serial, "traceability": sentAlong}
	with := func(fields map[string]any) map[string]any {
		all := maps.Clone(plain)
		maps.Copy(all, fields)
		return all
	}
	for _, tt := range []struct {
		fault    string
		want     map[string]any
		canceled float64
	}{
		{"declined", with(map[string]any{"responseCode": "05"}), 0},
		{"abandoned", map[string]any{
			"transType": "", "orderId": "", "responseCode": "02", "folioNumber": "venta_4500.50",
			"traceability": sentAlong,
		}, 0},
		{"wrongAmount", with(map[string]any{"amount": "4501.5", "authAmount": "4501.5", "tipLessAmount": "4501.5"}), 1},
		{"wrongTerminal", with(map[string]any{"terminalId": "9999999999"}), 1},
		{"lateResult", plain, 1},
		{"duplicateResult", plain, 1},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			b := start(t, noon)
			order := b.sell("")
			b.control("POST", "/control/faults", `{"orderId":"`+order+`","fault":"`+tt.fault+`","delay":"10ms"}`, 200)
			b.push(cancelPath, order)
			got := b.next()
			wantFields(t, got, tt.want)
			if tt.fault == "abandoned" {
				wantShape(t, got, "10_user_cancelled_on_terminal.json")
			}
			if tt.fault == "duplicateResult" && !reflect.DeepEqual(b.next(), got) {
				t.Error("the second result is not the first again")
			}
			if n := b.state("canceled"); n != tt.canceled {
				t.Errorf("%v sales canceled, want %v", n, tt.canceled)
			}
		})
	}
}
