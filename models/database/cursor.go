package database

import (
	"encoding/base64"
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
