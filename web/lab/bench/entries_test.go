package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The contents of the trail: 400 stores with four terminals each, 1,000 people,
// twelve months. Of ten groups of five entries three are a cancellation's life
// cycle, four are sales, one is sessions, one is refusals and doubts, and one is
// actions of supervisors and administrators.
const (
	trailMonths = 12
	trailPeople = 1000
	trailReader = 2000 // the user who only reads the trail
)

// trailReading writes that user's accesses: a page every five minutes.
const trailReading = `
INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, after, address, canonical)
SELECT $1::timestamptz + n * interval '5 minutes', $2::bigint, 'Norma Quevedo', 'auditor',
	CASE n % 9 WHEN 0 THEN 'audit.exported' ELSE 'audit.read' END,
	'success', '{"query": "zanahorias"}', '189.250.0.1', convert_to(repeat(md5(n::text), 10), 'UTF8')
FROM generate_series(1, 105000) n`

// trailEntry writes entries $1 to $2 of the whole; the first is at $3, and they are
// $4 apart.
const trailEntry = `
INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name, serial_number,
	sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id, canonical)
SELECT x.at, CASE WHEN x.role IN ('terminal', 'system') THEN NULL ELSE x.person END,
	CASE x.role WHEN 'terminal' THEN x.serial WHEN 'system' THEN 'dispatch' ELSE x.name END, x.role,
	CASE x.role WHEN 'system' THEN x.name ELSE '' END, x.action, x.outcome,
	CASE WHEN x.kind IN (7) THEN NULL ELSE x.store END, CASE WHEN x.kind IN (7) THEN '' ELSE 'Sucursal ' || x.place || ' ' || x.store END,
	CASE WHEN x.kind IN (7, 9) THEN '' ELSE x.serial END,
	CASE WHEN x.kind < 7 THEN x.sale END, CASE WHEN x.kind < 7 THEN to_char(x.at, 'YYMMDD') || lpad((x.sale % 1000000)::text, 6, '0')
		|| '-' || x.serial ELSE '' END,
	CASE WHEN x.kind < 3 THEN x.sale END, CASE WHEN x.kind < 3 AND x.k > 0 THEN 1 + (x.h % 40 = 0)::int END,
	CASE WHEN x.kind < 7 THEN 1000 + (x.h % 2500) * 100 + (x.h % 97) * (x.h % 11) * 1000 END,
	CASE WHEN x.kind < 3 AND x.k > 0 THEN jsonb_build_object('state', (ARRAY['requested', 'sending', 'accepted', 'confirmed'])[x.k]) END,
	CASE WHEN x.kind < 3 THEN jsonb_build_object('state', (ARRAY['requested', 'sending', 'accepted', 'confirmed', 'confirmed'])[x.k + 1],
		'detail', (ARRAY['', 'accepted', 'resultPositive'])[1 + x.h % 3])
		WHEN x.kind < 7 THEN jsonb_build_object('source', 'terminal', 'last4', lpad((x.h % 10000)::text, 4, '0'))
		WHEN x.kind = 9 THEN jsonb_build_object('label', 'Caja ' || x.h % 9, 'store', 'Sucursal ' || x.place) END,
	CASE WHEN x.kind < 3 AND x.k = 0 THEN (ARRAY['duplicate', 'wrongAmount', 'customerReturn', 'other'])[1 + x.h % 4]
			|| CASE x.h % 4 WHEN 3 THEN ': ' || (ARRAY['el cliente cambió de opinión', 'se cobró dos veces', 'la tarjeta no era suya'])[1 + x.h % 3]
				|| CASE WHEN x.n % 500000 < 10 THEN ' zanahoria' ELSE '' END ELSE '' END
		WHEN x.action IN ('access.denied') THEN '/users' ELSE '' END,
	'189.' || x.person % 250 || '.' || x.h % 4 || '.' || 1 + x.person % 200, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
		md5(x.n::text),
	convert_to(md5(x.n::text) || repeat(md5(x.h::text), 11), 'UTF8')
FROM (SELECT g.*, (ARRAY['Roma Norte', 'Cancún', 'Polanco', 'Mérida', 'Centro', 'Tijuana', 'Zapopan', 'León'])[1 + g.store % 8] AS place,
		(ARRAY['Ana','Luis','Sofía','Raúl','María','José','Elena',
			'Pedro','Lucía','Iván','Rosa','Hugo','Inés','Omar','Paola','Saúl','Tania','Ulises','Vera','Ximena'])[1 + g.person % 20]
			|| ' ' || (ARRAY['Torres','Luna','Pech','Núñez','García','Ruiz','Ortega','Díaz','Gómez','Vega'])[1 + g.person / 20 % 10] || ' '
				|| (ARRAY['Sosa','Ríos','Mora','Lara','Cruz'])[1 + g.person / 200 % 5] AS name,
		(1490000000 + g.store * 4 - 4 + g.h % 4)::text AS serial,
		CASE WHEN kind < 3 THEN CASE k WHEN 0 THEN 'manager' WHEN 3 THEN 'terminal' ELSE 'system' END WHEN kind < 7 THEN 'terminal'
			WHEN kind = 9 THEN CASE WHEN k < 3 THEN 'supervisor' ELSE 'administrator' END ELSE 'manager' END AS role,
		CASE WHEN kind < 3 THEN CASE k WHEN 0 THEN 'cancellation.requested' ELSE 'cancellation.moved' END WHEN kind < 7 THEN 'sales.recorded'
			WHEN kind = 7 THEN CASE k WHEN 4 THEN 'session.ended' ELSE 'session.started' END
			WHEN kind = 8 THEN (ARRAY['access.denied', CASE WHEN store = 7 THEN 'inquiry.sent' ELSE 'cancellation.refused' END, 'result.unmatched',
				'inquiry.sent', 'inquiry.answered'])[k + 1]
			ELSE (ARRAY['audit.read', 'review.done', 'audit.read', 'terminal.changed', CASE WHEN h % 50 = 0 THEN 'rules.changed'
				ELSE 'user.changed' END])[k + 1] END AS action,
		CASE WHEN kind = 7 AND h % 12 = 0 THEN 'failure' WHEN kind = 8 AND k < 2 THEN 'denied'
			WHEN kind = 8 AND k = 3 AND h % 3 = 0 THEN 'unknown' ELSE 'success' END AS outcome
	FROM (SELECT n, n / 5 AS sale, (n / 5 % 10)::int AS kind, (n % 5)::int AS k, h, store,
		CASE WHEN n / 5 % 10 = 9 THEN 801 + h % 200 ELSE 1 + (store - 1) + 400 * (h % 2) END AS person,
			date_trunc('day', raw) + interval '15 hours' + (raw - date_trunc('day', raw)) / 2 AS at
		FROM (SELECT n, abs(hashint8(n)) AS h, 1 + abs(hashint8(n / 5 * 31)) % 400 AS store, $3::timestamptz + n * $4::interval AS raw
			FROM generate_series($1::bigint, $2::bigint) n) a) g) x`

// anyTime lets a year's entries be written today.
const anyTime = `CREATE OR REPLACE FUNCTION refuse_other_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`

// fillTrail writes the entries, and only then builds the indexes.
func (s *bench) fillTrail(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.owner())
	if err != nil {
		return fmt.Errorf("fill trail: %w", err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT indexname AS name, replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes
		WHERE schemaname = 'public' AND tablename = 'audit_entries' AND indexname NOT LIKE '%pkey'`)
	if err != nil {
		return fmt.Errorf("fill trail: %w", err)
	}
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct{ Name, Definition string }])
	if err != nil {
		return fmt.Errorf("fill trail: %w", err)
	}
	begin, step := s.trailBegin()
	steps := []statement{{sql: `SET maintenance_work_mem = '1GB'`}, {sql: anyTime}}
	for m := range trailMonths + 1 {
		steps = append(steps, statement{`SELECT trail.make_month($1::date)`, []any{begin.AddDate(0, m, 1-begin.Day())}})
	}
	for _, x := range indexes {
		steps = append(steps, statement{sql: `DROP INDEX ` + x.Name})
	}
	steps = append(steps, statement{trailReading, []any{begin, trailReader}})
	const atOnce = 500_000
	for from := 0; from < *trailEntries; from += atOnce {
		steps = append(steps, statement{trailEntry, []any{from + 1, min(from+atOnce, *trailEntries), begin, step}})
	}
	for _, x := range indexes {
		steps = append(steps, statement{sql: x.Definition})
	}
	steps = append(steps, statement{sql: "VACUUM ANALYZE audit_entries"}, statement{sql: "CHECKPOINT"})
	return execAll(ctx, conn, steps)
}

// trailBegin returns when the trail begins, and the time between entries.
func (s *bench) trailBegin() (begin time.Time, step time.Duration) {
	begin = s.now.UTC().AddDate(0, -trailMonths, 0)
	return begin, s.now.Add(-time.Minute).Sub(begin) / time.Duration(*trailEntries)
}
