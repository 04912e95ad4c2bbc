package terminals

import (
	"veinte/models"
)

// problemSQL finds each kind of problem, with the columns terminal_id,
// serial_number, merchant_id, detail, at and other_id, over the tables ask and
// places. The cost grows with the number of terminals and unmatched results only:
// for each of them the queries read the first row of an index of sales or results.
var problemSQL = map[Problem]string{
	ProblemUnknownSerial: unmatchedSQL + ` AND serial_number ~ '^[0-9]{10}$'`,
	ProblemInvalidSerial: unmatchedSQL + ` AND serial_number !~ '^[0-9]{10}$'`,
	ProblemNoStore: `SELECT id AS terminal_id, serial_number, merchant_id, '' AS detail, last_result_at AS at, NULL::bigint AS other_id
		FROM places WHERE retired_at IS NULL AND store_id = 0 AND plan_id IS NULL`,
	ProblemSharedMerchant: `SELECT id AS terminal_id, serial_number, merchant_id, '' AS detail, since AS at, other_id FROM (
			SELECT *, CASE WHEN id = min(id) OVER same THEN max(id) OVER same ELSE min(id) OVER same END AS other_id
			FROM places WHERE retired_at IS NULL AND merchant_id <> '' WINDOW same AS (PARTITION BY merchant_id)
		) AS m WHERE other_id <> id`,
	ProblemOtherSerial: `SELECT p.id AS terminal_id, p.serial_number, p.merchant_id, substr(s.order_id, 14, 10) AS detail,
			s.sold_at AS at, o.id AS other_id
		FROM places p CROSS JOIN LATERAL (
			SELECT order_id, sold_at FROM sales
			WHERE terminal_id = p.id AND sold_at >= (SELECT since FROM ask)
			  AND substr(order_id, 13, 1) = '-' AND substr(order_id, 14, 10) <> serial_number AND order_id ~ '^[0-9]{12}-[0-9]{10}'
			ORDER BY sold_at DESC LIMIT 1) AS s
		LEFT JOIN terminals o ON o.serial_number = substr(s.order_id, 14, 10)
		WHERE p.retired_at IS NULL`,
	ProblemNotFound: `SELECT id AS terminal_id, serial_number, merchant_id, '' AS detail, last_answer_at AS at, NULL::bigint AS other_id
		FROM places WHERE retired_at IS NULL AND last_answer = 'terminalNotFound'`,
	ProblemSharedAddress: `SELECT id AS terminal_id, serial_number, merchant_id, shared_posts::text AS detail, last_result_at AS at,
			NULL::bigint AS other_id
		FROM places WHERE retired_at IS NULL AND shared_posts > 0 AND (SELECT key_id FROM ask) <> ''`,
	ProblemOlderAddress: `SELECT id AS terminal_id, serial_number, merchant_id, '' AS detail, last_result_at AS at, NULL::bigint AS other_id
		FROM places WHERE retired_at IS NULL AND shared_posts = 0 AND address_key NOT IN ('', (SELECT key_id FROM ask))
		  AND (SELECT key_id FROM ask) <> ''`,
	ProblemNoSales: `SELECT p.id AS terminal_id, p.serial_number, p.merchant_id, '' AS detail, s.sold_at AS at, NULL::bigint AS other_id
		FROM places p LEFT JOIN LATERAL (
			SELECT sold_at FROM sales WHERE terminal_id = p.id ORDER BY sold_at DESC LIMIT 1) AS s ON true
		WHERE p.retired_at IS NULL AND p.last_result_at IS NOT NULL AND p.created_at < (SELECT since FROM ask)
		  AND (s.sold_at IS NULL OR s.sold_at < (SELECT since FROM ask))`,
	// A terminal is expected to post once it has stood in its store for as many days, or
	// an hour after a sale that somebody else reported. Where an acknowledgement means
	// canceled, none is expected before the first one posts.
	ProblemNeverSeen: `SELECT p.id AS terminal_id, p.serial_number, p.merchant_id, '' AS detail, s.sold_at AS at, NULL::bigint AS other_id
		FROM places p LEFT JOIN LATERAL (
			SELECT sold_at FROM sales WHERE terminal_id = p.id AND sold_at > p.created_at
			  AND sold_at < (SELECT now FROM ask) - interval '1 hour' ORDER BY sold_at DESC LIMIT 1) AS s ON true
		WHERE p.retired_at IS NULL AND p.last_result_at IS NULL AND p.store_id <> 0
		  AND (s.sold_at IS NOT NULL OR p.since < (SELECT since FROM ask))
		  AND (NOT (SELECT optional FROM ask) OR EXISTS (SELECT FROM terminals WHERE last_result_at IS NOT NULL))`,
}

// unmatchedSQL finds the serial numbers with unreviewed posts that belong to no
// terminal, with the last post of each. It skips from one serial number to the next
// in the index, however many posts each has.
const unmatchedSQL = `SELECT NULL::bigint AS terminal_id, serial_number, merchant_id, '' AS detail,
		received_at AS at, NULL::bigint AS other_id FROM (
	WITH RECURSIVE leaps AS (
		(SELECT serial_number FROM results WHERE ` + unmatchedRows + ` ORDER BY serial_number LIMIT 1)
		UNION ALL
		SELECT (SELECT r.serial_number FROM results r WHERE ` + unmatchedRows + ` AND r.serial_number > l.serial_number
			ORDER BY r.serial_number LIMIT 1)
		FROM leaps l WHERE l.serial_number IS NOT NULL)
	SELECT l.serial_number, r.merchant_id, r.received_at
	FROM leaps l CROSS JOIN LATERAL (
		SELECT merchant_id, received_at FROM results WHERE ` + unmatchedRows + ` AND serial_number = l.serial_number
			ORDER BY id DESC LIMIT 1) AS r
	WHERE NOT EXISTS (SELECT FROM terminals t WHERE t.serial_number = l.serial_number)
	) AS strays WHERE true`

// unmatchedRows is the predicate of the index results_strays.
const unmatchedRows = `status = ` + models.UnmatchedSQL + ` AND reviewed_at IS NULL AND kind <> ` + models.UnreadableKindSQL
