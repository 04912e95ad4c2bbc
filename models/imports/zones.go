package imports

import (
	"context"
	"fmt"
	"time"

	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/table"
)

// wallClock is a time without a zone in a row, until the store whose clock showed it
// is known.
const wallClock = "2006-01-02T15:04:05.999999999"

// momentText writes a moment for a row: RFC 3339, or what the clock on the wall shows.
func momentText(m table.Moment) string {
	switch {
	case m.Wall.IsZero():
		return ""
	case !m.At.IsZero():
		return m.At.Format(time.RFC3339Nano)
	}
	return m.Wall.Format(wallClock)
}

// onWall reads a time of a row that has no zone yet.
func onWall(text string) (table.Moment, bool) {
	wall, err := time.Parse(wallClock, text)
	return table.Moment{Wall: wall, Clock: true}, err == nil
}

// soldAt and its column's place among the values of a sale's row.
const (
	soldAtColumn = "soldAt"
	soldAtValue  = 5
)

// placeSales gives times without a zone the zone of the store in which the terminal
// stood then; before its first assignment, that of the first one. Rows of terminals
// that nobody registered stay as they are: they are refused anyway, and asked again
// in the next pass.
func placeSales(ctx context.Context, t database.Tx, rows []*Row) error {
	var serials, walls []string
	var waiting []*Row
	for _, r := range rows {
		if _, ok := onWall(r.Values[soldAtValue]); ok && r.Values[0] != "" {
			waiting = append(waiting, r)
			serials, walls = append(serials, r.Values[0]), append(walls, r.Values[soldAtValue])
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	found, err := database.TxRows[struct {
		Position int
		TimeZone string
	}](ctx, t, `SELECT n.position, s.time_zone
		FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(serial, wall, position)
		JOIN terminals t ON t.serial_number = n.serial
		CROSS JOIN LATERAL (
			SELECT st.time_zone FROM assignments a JOIN stores st ON st.id = a.store_id
			CROSS JOIN LATERAL (SELECT n.wall::timestamp AT TIME ZONE st.time_zone AS instant) AS sold
			WHERE a.terminal_id = t.id
			ORDER BY (a.valid_from <= sold.instant AND (a.valid_to IS NULL OR sold.instant < a.valid_to)) DESC, a.valid_from LIMIT 1) AS s`,
		serials, walls)
	if err != nil {
		return fmt.Errorf("find the stores' zones: %w", err)
	}
	for _, f := range found {
		if err := waiting[f.Position-1].place(f.TimeZone); err != nil {
			return err
		}
	}
	return nil
}

// place reads the row's time by a store's clock.
func (r *Row) place(name string) error {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return fmt.Errorf("zone of a store: %w", err)
	}
	m, _ := onWall(r.Values[soldAtValue])
	at, wrong := m.In(zone)
	if wrong != nil {
		r.Status = intake.Refused
		r.Problems = append(r.Problems, Problem{Column: soldAtColumn, Code: wrong.Code, Detail: wrong.Detail})
		return nil
	}
	r.Values[soldAtValue], r.Zone = at.Format(time.RFC3339Nano), name
	return nil
}
