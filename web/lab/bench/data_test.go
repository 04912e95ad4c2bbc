package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// The contents of the table: every store has four terminals and sixty sales today,
// one has two thousand, and the rest are of earlier days.
const (
	stores       = 400
	perStore     = 60
	busyStore    = 2
	busySales    = 2000
	typicalStore = 1
	clickStores  = 50 // stores whose last terminals are clicked on
	daysBefore   = 40
	firstSerial  = 1490000000
)

// fill makes stores, terminals and n sales, as if they had arrived normally; the
// database computes the day's sums itself.
func fill(ctx context.Context, url string, n int, calendar models.Calendar, now time.Time) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	defer conn.Close(ctx)
	steps := []statement{
		{`INSERT INTO stores (code, name, time_zone, created_at)
			SELECT 'S-' || i, 'Sucursal ' || i, 'America/Mexico_City', $1 FROM generate_series(1, $2::int) i`, []any{now, stores}},
		{`INSERT INTO terminals (serial_number, label, created_at)
			SELECT ($3::bigint + i)::text, 'Caja ' || (i % 4 + 1), $1 FROM generate_series(0, $2::int - 1) i`, []any{now, stores * 4, firstSerial}},
		{`INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from)
			SELECT id, (id - 1) / 4 + 1, '9' || lpad(id::text, 5, '0'), $1 FROM terminals`, []any{now.AddDate(0, -6, 0)}},
	}
	today := stores*perStore + busySales - perStore
	for day := range daysBefore + 1 {
		per := fmt.Sprintf("CASE WHEN s.id = %d THEN %d ELSE %d END", busyStore, busySales, perStore)
		if day > 0 {
			per = fmt.Sprint((n - today) / daysBefore / stores)
		}
		steps = append(steps, salesOf(calendar, now.AddDate(0, 0, -day), per))
	}
	// A server does not normally find a million new rows, so they are written to
	// disk before anything is measured.
	return execAll(ctx, conn, append(steps, statement{sql: "VACUUM ANALYZE"}, statement{sql: "CHECKPOINT"}))
}

// statement is one of SQL, with its arguments.
type statement struct {
	sql  string
	args []any
}

func execAll(ctx context.Context, conn *pgx.Conn, all []statement) error {
	for _, s := range all {
		if _, err := conn.Exec(ctx, s.sql, s.args...); err != nil {
			return fmt.Errorf("fill: %.60s: %w", s.sql, err)
		}
	}
	return nil
}

// salesOf makes the sales of a day, as many of each store as the expression says.
func salesOf(calendar models.Calendar, at time.Time, per string) statement {
	day := calendar.Day(at)
	opened := day.Time(calendar.Zone())
	// Sales end a little before the instant, so that today's are in the past.
	span := at.Sub(opened) - time.Minute
	return statement{
		`
		INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio)
		SELECT s.id, t.id, t.serial_number, a.merchant_id,
			to_char($1::timestamptz AT TIME ZONE 'America/Mexico_City', 'YYMMDD') || lpad(i::text, 6, '0') || '-' || t.serial_number,
			1000 + (i * 7919 + s.id * 31) % 250000, 'MXN', $1::timestamptz + $2::interval * (i::float / c.per), 
			$1::timestamptz + $2::interval * (i::float / c.per), $3::date, $4, lpad(((i * 37 + s.id) % 10000)::text, 4, '0'),
			CASE i % 3 WHEN 0 THEN 'VISA' WHEN 1 THEN 'MASTERCARD' ELSE 'AMEX' END, lpad(i::text, 6, '0'), ''
		FROM stores s
		CROSS JOIN LATERAL (SELECT (` + per + `)::int AS per) c
		CROSS JOIN LATERAL generate_series(0, c.per - 1) i
		JOIN terminals t ON t.id = (s.id - 1) * 4 + i % 4 + 1
		JOIN assignments a ON a.terminal_id = t.id`,
		[]any{opened, span, string(day), calendar.Cutoff(at)},
	}
}
