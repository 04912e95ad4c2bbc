package sandbox

import (
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, plain, odd string }{
		{"4500.50", "4500.50", "4500.5"},
		{"1", "1.00", "1.0"},
		{"1250.00", "1250.00", "1250.0"},
		{"0.05", "0.05", "0.05"},
		{"30.5", "30.50", "30.5"},
		{"100", "100.00", "100.0"},
		{"99.99", "99.99", "99.99"},
	} {
		c, err := parseAmount(tt.text)
		if err != nil || c.String() != tt.plain || c.odd() != tt.odd {
			t.Errorf("parseAmount(%s) = %s, %s, %v; want %s, %s", tt.text, c, c.odd(), err, tt.plain, tt.odd)
		}
	}
	for _, text := range []string{"", ".", "1.", ".5", "-1", "+1", "1,5", "1e3", "1.005", "1234567890"} {
		if c, err := parseAmount(text); err == nil {
			t.Errorf("parseAmount(%q) = %s, want an error", text, c)
		}
	}
}

func TestDatesOnTickets(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 6, 5, 4, 3, 0, time.UTC) // still the day before in Mexico City
	if got, want := ticketDate(at), "AGO. 05, 26 23:04:03 "; got != want {
		t.Errorf("ticketDate(%v) = %q, want %q", at, got, want)
	}
	if got, want := transDate(at), "2026-08-05 23:04:03.CST"; got != want {
		t.Errorf("transDate(%v) = %q, want %q", at, got, want)
	}
	if got, want := orderNumber(at, serial), "260805230403-1490000001"; got != want {
		t.Errorf("orderNumber(%v) = %q, want %q", at, got, want)
	}
}
