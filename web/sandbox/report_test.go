package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheDailyReport(t *testing.T) {
	t.Parallel()
	b := start(t, "2026-03-10T19:00:00-06:00")
	open := b.sell("")
	gone := b.sell("")
	b.control("POST", "/control/cancellations-on-terminal", `{"orderId":"`+gone+`"}`, 200)
	b.next()
	b.control("POST", "/control/sales",
		`{"serialNumber":"1490000001","amount":"30","orderId":"ayer","soldAt":"2026-03-09T23:59:59-06:00","silent":true}`, 200)
	b.control("POST", "/control/sales",
		`{"serialNumber":"1490000001","amount":"40","orderId":"tarde","soldAt":"2026-03-10T23:30:00-06:00","silent":true}`, 200)
	b.control("POST", "/control/sales", `{"serialNumber":"1490000001","amount":"50","orderId":"no","declined":true,"silent":true}`, 200)
	for query, want := range map[string][]string{
		"?date=2026-03-10":                {open + " VENTA", gone + " VENTA", gone + " CANCELACIÓN", "tarde VENTA", "no DECLINADA"},
		"?date=2026-03-10&until=23:00:00": {open + " VENTA", gone + " VENTA", gone + " CANCELACIÓN", "no DECLINADA"},
		"?date=2026-03-09":                {"ayer VENTA"},
		"?date=2026-03-11&zone=UTC":       {open + " VENTA", gone + " VENTA", gone + " CANCELACIÓN", "tarde VENTA", "no DECLINADA"},
		"?date=2026-03-12":                nil,
		"":                                {open + " VENTA", gone + " VENTA", gone + " CANCELACIÓN", "tarde VENTA", "no DECLINADA"},
	} {
		lines := strings.Split(strings.TrimSpace(b.control("GET", "/control/report"+query, "", 200)), "\n")
		var got []string
		for _, line := range lines[1:] {
			cells := strings.Split(line, ",")
			got = append(got, cells[0]+" "+cells[3])
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("report%s = %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"?date=hoy", "?until=noche", "?zone=Roma"} {
		if status, text := b.do("GET", "/control/report"+query, "", nil); status != http.StatusBadRequest {
			t.Errorf("report%s = %d %s, want 400", query, status, text)
		}
	}
}
