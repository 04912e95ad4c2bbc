package intake

import (
	"testing"
	"time"

	"veinte/models"
)

func TestSaleTime(t *testing.T) {
	t.Parallel()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		t.Fatalf("NewCalendar() = %v", err)
	}
	const serial, received, own = "2290000001", "2026-11-20T12:00:00-06:00", "2026-11-20T11:58:30-06:00"
	tests := []struct{ fact, order, want string }{
		{"its own time, where all agrees", "261120115830-2290000001", own},
		{"also with more behind the serial number", "261120115830-2290000001-7", own},
		{"an evening's sale that came the next day", "261119235900-2290000001", "2026-11-19T23:59:00-06:00"},
		{"of another terminal", "261120115830-2290000002", received},
		{"no stamp", "V-000001", received},
		{"no serial number", "261120115830", received},
		{"an impossible date", "261320115830-2290000001", received},
		{"a stamp that is too short", "26112011583-2290000001", received},
		{"a clock a little ahead", "261120120500-2290000001", received},
		{"a clock far ahead", "271120115830-2290000001", received},
		{"a week and more ago", "261113115959-2290000001", received},
		{"just less than a week ago", "261113120001-2290000001", "2026-11-13T12:00:01-06:00"},
		{"", "", received},
	}
	for _, tt := range tests {
		at, _ := time.Parse(time.RFC3339, received)
		want, _ := time.Parse(time.RFC3339, tt.want)
		if got := SaleTime(tt.order, serial, at, calendar); !got.Equal(want) {
			t.Errorf("%s: saleTime(%s) = %s, want %s", tt.fact, tt.order, got, want)
		}
	}
}
