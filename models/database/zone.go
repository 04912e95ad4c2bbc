package database

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata"
)

// CheckZoneData refuses zone data that predates October 2022, when Mexico City
// abolished daylight saving: with it every summer cut-off would be an hour early. It
// checks Go and, when db is not nil, PostgreSQL, which has its own data.
func CheckZoneData(ctx context.Context, db *DB) error {
	loc, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		return fmt.Errorf("load zone of Mexico City: %w", err)
	}
	const instant, want = "2026-07-15T12:00:00Z", "2026-07-15 06:00"
	at, _ := time.Parse(time.RFC3339, instant)
	if got := at.In(loc).Format("2006-01-02 15:04"); got != want {
		return fmt.Errorf("zone data of this program: %s is %s in Mexico City, want %s: update it", instant, got, want)
	}
	if db == nil {
		return nil
	}
	var got string
	err = db.pool.QueryRow(ctx, `SELECT to_char($1::timestamptz AT TIME ZONE 'America/Mexico_City', 'YYYY-MM-DD HH24:MI')`, at).Scan(&got)
	if err != nil {
		return fmt.Errorf("check zone data of the database: %w", err)
	}
	if got != want {
		return fmt.Errorf("zone data of the database: %s is %s in Mexico City, want %s: update PostgreSQL or its tzdata", instant, got, want)
	}
	return nil
}
