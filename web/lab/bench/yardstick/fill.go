// Package yardstick is what the pages of the product are measured by: a page of today's
// sales, 20 kB, written by hand as somebody would who wants nothing but speed, and the same
// page as it is written without a thought, with fiber, gorm and templ. Both read tables of
// their own, and neither knows anything of the product. It is not changed when the product
// is: a figure of today can be compared with those of other days.
package yardstick

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Session is the cookie by which both know their user. It has the name of any other, so
// that all are asked in the same way.
const (
	Session    = "a-session-of-the-yardstick"
	cookieName = "veinte_session"
)

// PageBytes is about what the page weighs.
const PageBytes = 20_000

const (
	stores     = 400
	perStore   = 60 // sales of today
	shown      = 50
	itsStore   = 1
	daysBefore = 40
)

// today is the day of the page, whenever it is asked for.
const today = "2026-11-20"

const tables = `
CREATE TABLE people (id bigint PRIMARY KEY, name text NOT NULL, role text NOT NULL, language text NOT NULL, disabled_at timestamptz);
CREATE TABLE person_stores (person_id bigint REFERENCES people, store_id bigint, PRIMARY KEY (person_id, store_id));
CREATE TABLE sessions (token_hash bytea PRIMARY KEY, person_id bigint NOT NULL REFERENCES people, expires_at timestamptz NOT NULL);
CREATE TABLE terminals (id bigint PRIMARY KEY, store_id bigint NOT NULL, serial_number text NOT NULL, label text NOT NULL);
CREATE TABLE day_totals (store_id bigint, terminal_id bigint, day date, sales bigint NOT NULL, amount bigint NOT NULL,
	canceled bigint NOT NULL, last_sold timestamptz NOT NULL, PRIMARY KEY (store_id, day, terminal_id));
CREATE TABLE sales (id bigint PRIMARY KEY, store_id bigint NOT NULL, terminal_id bigint NOT NULL REFERENCES terminals,
	order_id text NOT NULL, amount bigint NOT NULL, sold_at timestamptz NOT NULL, day date NOT NULL, last4 text NOT NULL,
	brand text NOT NULL, state text NOT NULL);`

// Fill makes the tables with n sales; of today as many of each store.
func Fill(ctx context.Context, url string, n int) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("fill yardstick: %w", err)
	}
	defer conn.Close(ctx)
	hash := sha256.Sum256([]byte(Session))
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{tables, nil},
		{`INSERT INTO people SELECT i, 'Persona ' || i, 'manager', 'es-MX' FROM generate_series(1, 1000) i`, nil},
		{`INSERT INTO person_stores SELECT i, 1 + (i - 1) % $1::bigint FROM generate_series(1, 1000) i`, []any{stores}},
		{
			`INSERT INTO sessions SELECT CASE i WHEN 1 THEN $1::bytea ELSE sha256(i::text::bytea) END, i, $2
			FROM generate_series(1, 1000) i`, []any{hash[:], time.Now().AddDate(1, 0, 0)},
		},
		{
			`INSERT INTO terminals SELECT i, 1 + (i - 1) / 4, (1490000000 + i)::text, 'Caja ' || 1 + i % 4
			FROM generate_series(1, $1::bigint * 4) i`, []any{stores},
		},
		{
			`INSERT INTO sales SELECT i, store, (store - 1) * 4 + 1 + i / $1 % 4, to_char(sold, 'YYMMDD') || lpad((i % 1000000)::text, 6, '0'),
				1000 + i * 7919 % 250000, sold, sold::date, lpad((i * 37 % 10000)::text, 4, '0'),
				(ARRAY['VISA', 'MASTERCARD', 'AMEX'])[1 + i % 3], CASE WHEN i % 20 = 0 THEN 'Cancelada' ELSE 'Cobrada' END
			FROM (SELECT i, 1 + i % $1 AS store, $2::date::timestamptz - CASE WHEN i < $1 * $3 THEN '0' ELSE
					(1 + i % $4) * interval '1 day' END + interval '9 hours' + i / $1 % 600 * interval '1 minute' AS sold
				FROM generate_series(0::bigint, $5::bigint - 1) i) x`, []any{int64(stores), today, int64(perStore), int64(daysBefore), n},
		},
		{`CREATE INDEX ON sales (store_id, day, sold_at DESC, id DESC)`, nil},
		{
			`INSERT INTO day_totals SELECT store_id, terminal_id, day, count(*), sum(amount), count(*) FILTER (WHERE state = 'Cancelada'),
				max(sold_at) FROM sales GROUP BY 1, 2, 3`, nil,
		},
		{`VACUUM ANALYZE`, nil},
	} {
		if _, err := conn.Exec(ctx, s.sql, s.args...); err != nil {
			return fmt.Errorf("fill yardstick: %.60s: %w", s.sql, err)
		}
	}
	return nil
}

// pesos writes $1,250.00.
func pesos(b []byte, centavos int64) []byte {
	whole := fmt.Appendf(nil, "%d", centavos/100)
	b = append(b, '$')
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digit)
	}
	return append(b, '.', byte('0'+centavos/10%10), byte('0'+centavos%10))
}
