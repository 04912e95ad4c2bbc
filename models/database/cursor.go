package database

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"veinte/models"
)

// CursorOf writes where a list continues: below this instant and id.
func CursorOf(at time.Time, id int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", at.UnixMicro(), id))
}

// EncodeCursor writes a position that is more than an instant and an id, for the next
// page's address. Texts and numbers can always be encoded.
func EncodeCursor(position any) string {
	data, _ := json.Marshal(position)
	return base64.RawURLEncoding.EncodeToString(data)
}

// DecodeCursor reads what EncodeCursor wrote.
func DecodeCursor(cursor string, into any) error {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(data, into) != nil {
		return models.Invalid("cursor", "cursor.invalid")
	}
	return nil
}

// ParseCursor reads what CursorOf wrote.
func ParseCursor(cursor string) (time.Time, int64, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	micros, id, ok := strings.Cut(string(raw), ".")
	at, errAt := strconv.ParseInt(micros, 10, 64)
	n, errID := strconv.ParseInt(id, 10, 64)
	// Beyond the year 9999 PostgreSQL and Go part ways.
	if err != nil || !ok || errAt != nil || errID != nil || at < 0 || at > 253402300799000000 {
		return time.Time{}, 0, models.Invalid("cursor", "cursor.invalid")
	}
	return time.UnixMicro(at).UTC(), n, nil
}
