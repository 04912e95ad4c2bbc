package database

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestACursorIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := time.UnixMicro(rapid.Int64Range(0, 253402300799000000).Draw(t, "micros"))
		id := rapid.Int64().Draw(t, "id")
		at, n, err := ParseCursor(CursorOf(want, id))
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
		if at, id, err := ParseCursor(cursor); err == nil {
			t.Errorf("parseCursor(%.40q) = %s, %d, want a refusal", cursor, at, id)
		}
	}
}
