package reconciliation

import (
	"veinte/models"
)

// matching groups a report's lines by order and finds the sale and the latest
// cancellation of each. Arguments: the reconciliation, its day, and the instant at
// which the day ends.
//
// Each query of sales is lateral, so that it is an index probe per order, whatever
// the planner assumes about tables that were just filled: a join might read ten
// million sales for a hundred orders. OFFSET 0 prevents an index that begins with
// the terminal, which would read all its years.
//
// Weak matches are tried where order number and terminal find nothing, the most
// specific first, and are counted: two matching sales are no match.
//
// Merchant ids are compared without leading zeros, which spreadsheets drop from a
// column of numbers.
//
// Last come the lines because of which a missing cancellation proves nothing: a
// cancellation, a reversal or an unreadable line that belongs to no sale of its own
// and might be about this one.
const matching = `WITH said AS (
	SELECT meaning, serial_number, merchant_id, order_id, folio, auth_code, last4, amount, at, day, problem, problem_column, problem_value,
		min(number) AS number, count(*) AS copies
	FROM report_rows WHERE reconciliation_id = $1
	GROUP BY meaning, serial_number, merchant_id, order_id, folio, auth_code, last4, amount, at, day, problem, problem_column, problem_value,
		CASE WHEN order_id = '' OR problem = 'notTransaction' THEN number END
), grouped AS (
	SELECT serial_number, order_id, (array_agg(number ORDER BY number))[1:10] AS lines, sum(copies) AS line_count,
		count(*) FILTER (WHERE meaning = 'sale') AS sales,
		count(*) FILTER (WHERE meaning = 'cancellation') AS cancellations,
		count(*) FILTER (WHERE meaning = 'reversal') AS reversals,
		count(*) FILTER (WHERE meaning = 'declined') AS declines,
		count(*) FILTER (WHERE problem <> '') AS problems,
		min(amount) FILTER (WHERE meaning IN ('sale', 'cancellation', 'reversal')) AS min_amount,
		max(amount) FILTER (WHERE meaning IN ('sale', 'cancellation', 'reversal')) AS max_amount,
		coalesce(max(amount) FILTER (WHERE meaning IN ('sale', 'cancellation', 'reversal')), max(amount)) AS amount,
		min(at) FILTER (WHERE meaning = 'sale') AS sold_at,
		max(at) FILTER (WHERE meaning = 'cancellation') AS canceled_at,
		count(DISTINCT ltrim(merchant_id, '0')) FILTER (WHERE merchant_id <> '') AS merchants,
		max(copies) > 1 AS repeated, max(merchant_id) AS merchant_id, max(folio) AS folio, max(auth_code) AS auth_code, max(last4) AS last4,
		min(at) AS at, min(day) AS day,
		coalesce((array_agg(problem ORDER BY number) FILTER (WHERE problem <> ''))[1], '') AS problem,
		coalesce((array_agg(problem_column ORDER BY number) FILTER (WHERE problem <> ''))[1], '') AS problem_column,
		coalesce((array_agg(problem_value ORDER BY number) FILTER (WHERE problem <> ''))[1], '') AS problem_value
	FROM said
	GROUP BY serial_number, order_id, CASE WHEN order_id = '' OR problem = 'notTransaction' THEN number END,
		CASE WHEN serial_number = '' THEN merchant_id END
), authorized AS MATERIALIZED (
	SELECT serial_number, auth_code, last4, amount, count(*) AS n, min(id) AS id FROM sales
	WHERE business_day = $2 AND auth_code <> '' AND last4 <> '' GROUP BY serial_number, auth_code, last4, amount
), matched AS MATERIALIZED (
	SELECT g.*, t.id AS terminal_id, place.store_id AS place_id,
		CASE WHEN strong.n = 1 THEN strong.id WHEN strong.n > 1 THEN NULL WHEN weak.n = 1 THEN weak.id
			WHEN weak.n IS NULL AND auth.n = 1 THEN auth.id END AS sale_id,
		CASE WHEN strong.n = 1 THEN 'order' WHEN strong.n > 1 OR weak.n > 1 OR weak.n IS NULL AND auth.n > 1 THEN 'several'
			WHEN weak.n = 1 THEN weak.basis WHEN auth.n = 1 THEN 'authCode' ELSE '' END AS basis
	FROM grouped g
	LEFT JOIN authorized auth ON auth.serial_number = g.serial_number AND auth.auth_code = g.auth_code
		AND auth.last4 = g.last4 AND auth.amount = g.amount
	LEFT JOIN LATERAL (SELECT id FROM terminals WHERE serial_number = g.serial_number LIMIT 1) t ON true
	LEFT JOIN LATERAL (
		SELECT a.store_id FROM assignments a WHERE a.terminal_id = t.id
		AND a.valid_from <= coalesce(g.at, $3) AND (a.valid_to IS NULL OR a.valid_to > coalesce(g.at, $3)) LIMIT 1
	) place ON true
	LEFT JOIN LATERAL (
		SELECT count(*) AS n, min(s.id) AS id
		FROM (SELECT id, serial_number, merchant_id FROM sales WHERE order_id = g.order_id AND g.order_id <> '' OFFSET 0) s
		WHERE s.serial_number = g.serial_number AND (g.merchant_id = '' OR ltrim(s.merchant_id, '0') = ltrim(g.merchant_id, '0'))
	) strong ON true
	LEFT JOIN LATERAL (
		SELECT * FROM (
			SELECT 1 AS rank, 'merchant' AS basis, count(*) AS n, min(s.id) AS id
			FROM (SELECT id, serial_number FROM sales WHERE strong.n = 0 AND order_id = g.order_id AND g.order_id <> '' OFFSET 0) s
			WHERE s.serial_number = g.serial_number
			UNION ALL
			SELECT 2, 'folio', count(*), min(s.id) FROM sales s
			WHERE strong.n = 0 AND g.folio <> '' AND g.serial_number <> ''
			AND s.serial_number = g.serial_number AND s.folio = g.folio AND s.folio <> '' AND s.business_day = $2
			UNION ALL
			SELECT 3, 'number', count(*), min(s.id) FROM sales s
			WHERE strong.n = 0 AND g.serial_number = '' AND g.order_id <> ''
			AND s.order_id = g.order_id AND s.business_day = $2 AND (g.merchant_id = '' OR s.merchant_id = g.merchant_id)
		) fits WHERE n > 0 ORDER BY rank LIMIT 1
	) weak ON true
), strays AS MATERIALIZED (
	SELECT serial_number, amount, sale_id, problem FROM matched
	WHERE (cancellations > 0 OR reversals > 0 OR problems > 0) AND basis <> 'order' AND problem <> 'notTransaction'
)
SELECT m.serial_number, m.order_id, m.merchant_id, m.folio, m.auth_code, m.last4, m.amount, m.at,
	coalesce(m.day::text, '') AS day, m.lines::text AS line_text, m.line_count,
	m.sales, m.cancellations, m.reversals, m.declines, m.problems,
	m.min_amount, m.max_amount, m.sold_at, m.canceled_at, m.merchants, m.repeated,
	m.problem, m.problem_column, m.problem_value, m.basis, m.terminal_id IS NOT NULL AS terminal, coalesce(m.place_id, 0) AS place_id,
	CASE
		WHEN m.basis <> 'order' OR m.sales = 0 OR m.cancellations > 0 THEN ''
		WHEN EXISTS (SELECT FROM strays WHERE problem = 'short') THEN 'halfLine'
		WHEN m.sale_id IN (SELECT sale_id FROM strays WHERE sale_id IS NOT NULL) THEN 'otherLine'
		WHEN (m.serial_number, m.amount) IN (
			SELECT serial_number, amount FROM strays WHERE sale_id IS NULL AND amount IS NOT NULL) THEN 'strayLine'
		WHEN ('', m.amount) IN (SELECT serial_number, amount FROM strays WHERE sale_id IS NULL AND amount IS NOT NULL) THEN 'strayLine'
		WHEN m.serial_number IN (SELECT serial_number FROM strays WHERE sale_id IS NULL AND amount IS NULL) THEN 'unreadableLine'
		WHEN '' IN (SELECT serial_number FROM strays WHERE sale_id IS NULL AND amount IS NULL) THEN 'unreadableLine'
		ELSE ''
	END AS disputed,
	s.id AS known_id, s.store_id AS known_store_id, s.amount AS known_amount, s.state AS known_state, s.business_day AS known_business_day,
	c.id AS latest_id, c.state AS latest_state, c.last_push_at AS latest_last_push_at, c.quiet_until AS latest_quiet_until,
	c.changed_at AS latest_changed_at, c.conflict AS latest_conflict, c.reviewed_at AS latest_reviewed_at
FROM matched m
LEFT JOIN LATERAL (SELECT id, store_id, amount, state, business_day FROM sales WHERE id = m.sale_id LIMIT 1) s ON true
LEFT JOIN LATERAL (
	SELECT id, state, last_push_at, quiet_until, changed_at, conflict, reviewed_at FROM cancellations WHERE sale_id = s.id
	ORDER BY state = ` + models.ConfirmedSQL + ` DESC, id DESC LIMIT 1
) c ON true
ORDER BY m.lines[1]`

// missing adds the sales of the day that no line matched.
const missing = `INSERT INTO report_items (reconciliation_id, kind, settles, verdict, why, basis, lines, line_count, serial_number,
		merchant_id, order_id, folio, auth_code, last4, amount, at, day, problem, problem_column, problem_value, store_id, sale_id, ours,
		our_amount)
	SELECT $1, 'notInReport', '', 'absent', '', 'order', '{}', 0, s.serial_number, s.merchant_id, s.order_id, s.folio, s.auth_code,
		s.last4, s.amount, s.sold_at, s.business_day, '', '', '', s.store_id, s.id, s.state, s.amount
	FROM sales s WHERE s.business_day = $2 AND ($3::bigint[] IS NULL OR s.store_id = ANY($3::bigint[]))
	AND NOT EXISTS (SELECT FROM report_items i WHERE i.reconciliation_id = $1 AND i.sale_id = s.id)
	ORDER BY s.sold_at, s.id`

// counting sums the items up by kind and store.
const counting = `INSERT INTO report_counts (reconciliation_id, kind, store_id, items)
	SELECT reconciliation_id, kind, coalesce(store_id, 0), count(*) FROM report_items WHERE reconciliation_id = $1
	GROUP BY reconciliation_id, kind, coalesce(store_id, 0) RETURNING kind, items`
