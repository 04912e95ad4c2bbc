package models

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSaleTime(t *testing.T) {
	t.Parallel()
	calendar, err := NewCalendar("20:00", "America/Mexico_City")
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
		if got := saleTime(tt.order, serial, at, calendar); !got.Equal(want) {
			t.Errorf("%s: saleTime(%s) = %s, want %s", tt.fact, tt.order, got, want)
		}
	}
}

func TestACursorIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := time.UnixMicro(rapid.Int64Range(0, 253402300799000000).Draw(t, "micros"))
		id := rapid.Int64().Draw(t, "id")
		at, n, err := parseCursor(cursorOf(want, id))
		if err != nil || !at.Equal(want) || n != id {
			t.Fatalf("parseCursor(cursorOf(%s, %d)) = %s, %d, %v", want, id, at, n, err)
		}
	})
}

func TestParseCursorRefuses(t *testing.T) {
	t.Parallel()
	encoded := base64.RawURLEncoding.EncodeToString
	for _, cursor := range []string{
		"x", "%", strings.Repeat("A", 10_000), encoded(nil), encoded([]byte("1")), encoded([]byte("1.")), encoded([]byte(".1")),
		encoded([]byte("-1.1")), encoded([]byte("1.1.1")), encoded([]byte("1e3.1")), encoded([]byte("253402300799000001.1")),
		encoded([]byte("1.99999999999999999999")), encoded([]byte("1.1\x00")), encoded([]byte("1.1)--")),
	} {
		if at, id, err := parseCursor(cursor); err == nil {
			t.Errorf("parseCursor(%.40q) = %s, %d, want a refusal", cursor, at, id)
		}
	}
}

func TestClipKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(0, 20).Draw(t, "n")
		got := clip(s, n)
		if len(got) > n || !strings.HasPrefix(s, got) || len(s)-len(got) > 3 && len(got) < n-3 || strings.ToValidUTF8(got, "?") != got {
			t.Fatalf("clip(%q, %d) = %q", s, n, got)
		}
	})
}

func TestALegibleTextCanBeStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if got := legible(s, 20); !storable(got) || len(got) > 20 {
			t.Fatalf("legible(%q) = %q, want at most 20 bytes that PostgreSQL takes", s, got)
		}
	})
}

func TestEveryErrorNamesItself(t *testing.T) {
	t.Parallel()
	if got, want := ErrTooLate.Error(), "tooLate: error.tooLate"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(Invalid("note", "note.required")), "invalid: note: note.required"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

// Exporting has so many exports more under way.
func (s *Cancellations) Exporting(n int64) { s.exports.Add(n) }
