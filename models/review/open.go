package review

import (
	"strings"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/database"
	"veinte/models/reconciliation"
)

// What waits, by kind. $1 says whether all stores are in the scope, $2 has those that are,
// and $3 says whether reports are. Each condition begins with the predicate of a partial
// index.
const (
	doubtsSQL = `FROM cancellations c WHERE c.state = ` + models.UnknownSQL + ` AND ($1 OR c.store_id = ANY($2))`

	conflictsSQL = `FROM cancellations c WHERE ` + contradictedSQL + ` AND ($1 OR c.store_id = ANY($2))`

	// contradictedSQL says that cancellation c is contradicted, and nobody has handled that.
	contradictedSQL = `c.conflict <> '' AND c.reviewed_at IS NULL`

	// unmatchedSQL says that a result waits for a person. One that raised a contradiction is
	// shown with its cancellation.
	unmatchedSQL = `results.status IN ` + models.ResultsReviewSQL + ` AND results.reviewed_at IS NULL
		AND NOT EXISTS (SELECT FROM cancellations c
			WHERE c.id = results.cancellation_id AND c.conflict = results.note AND c.reviewed_at IS NULL)`

	resultsSQL = `FROM results WHERE ` + unmatchedSQL + ` AND ($1 OR ` + database.ResultStoreSQL + ` = ANY($2))`

	// disputedSQL are the sales with a doubt or a contradiction.
	disputedSQL = `SELECT FROM cancellations c WHERE (c.state = ` + models.UnknownSQL + ` OR ` + contradictedSQL + `) AND c.sale_id = `

	// inboxDifferenceSQL says that item i of a report is nobody else's item, and in scope.
	inboxDifferenceSQL = reconciliation.UnresolvedSQL + ` AND $3 AND ($1 OR i.store_id = ANY($2))
		AND NOT EXISTS (` + disputedSQL + `i.sale_id)`

	// withDifferencesSQL reads no more items of a report than are shown one by one, and one
	// to know that there are more. Reports with open items are found by steps through the
	// index of these: there may be thousands in one report.
	withDifferencesSQL = `WITH RECURSIVE open_reports (id) AS (
			(SELECT min(i.reconciliation_id) FROM report_items i WHERE ` + reconciliation.OpenSQL + `)
			UNION ALL
			SELECT (SELECT min(i.reconciliation_id) FROM report_items i WHERE ` + reconciliation.OpenSQL + ` AND i.reconciliation_id > o.id)
			FROM open_reports o WHERE o.id IS NOT NULL
		), differences AS (
			SELECT w.*, r.id AS report, r.uploaded_at, count(*) OVER (PARTITION BY r.id) > ` + maxApart + ` AS together
			FROM open_reports o JOIN reconciliations r ON r.id = o.id AND ` + reconciliation.StandsSQL + `
			CROSS JOIN LATERAL (SELECT i.* FROM report_items i
				WHERE i.reconciliation_id = r.id AND ` + inboxDifferenceSQL + ` LIMIT ` + maxApart + ` + 1) w
		) `

	// withEachSQL is for a search, which finds each difference by itself.
	withEachSQL = `WITH differences AS (
			SELECT i.*, r.id AS report, r.uploaded_at, false AS together FROM report_items i JOIN reconciliations r ON r.id = i.reconciliation_id
			WHERE ` + inboxDifferenceSQL + ` AND ` + reconciliation.StandsSQL + `
		) `

	differencesSQL = `FROM differences i WHERE NOT i.together`
	reportsSQL     = `FROM (SELECT DISTINCT report, uploaded_at FROM differences WHERE together) r WHERE true`

	// alertsSQL leaves out what is folded into another item: see the package.
	alertsSQL = `FROM alerts a WHERE a.seen_at IS NULL AND a.kind NOT IN ` + alerts.EchoSQL + `
		AND ($1 OR a.store_id = ANY($2) OR a.kind IN ` + alerts.AlwaysSQL + `)
		AND NOT (` + alerts.OfSaleSQL + ` AND (EXISTS (` + disputedSQL + `a.sale_id)
			OR EXISTS (SELECT FROM results WHERE results.sale_id = a.sale_id AND ` + unmatchedSQL + `)
			OR a.sale_id IN (SELECT i.sale_id ` + differencesSQL + `)))`
)

// maxApart is how many differences of one report are items of their own. More are one item:
// they are a wrong file rather than wrong sales, and would bury all else.
const maxApart = "5"

// source is where the items of a kind come from, and what each has in an order by grade.
// self is what a search finds it by beside its sale.
type source struct {
	kind                         Kind
	grade, id, since, sale, from string
	self                         string
}

var sources = []source{
	{ReviewDoubt, `1`, `c.id`, `c.changed_at`, `c.sale_id`, doubtsSQL, byAskerSQL},
	{
		ReviewAlert, alertGradeSQL, `a.id`, `a.raised_at`, `a.sale_id`, alertsSQL,
		` OR a.store_id = ANY({stores}) OR a.facts->>'serialNumber' = ANY({serials})`,
	},
	{ReviewConflict, `3`, `c.id`, `c.conflict_at`, `c.sale_id`, conflictsSQL, byAskerSQL},
	{
		ReviewResult, `4`, `results.id`, `results.received_at`, `results.sale_id`, resultsSQL,
		` OR upper(results.order_id) LIKE {order} OR {name} IN (upper(results.folio), upper(results.auth_code))
			OR results.last4 = {last4} OR results.amount BETWEEN {least} AND {most} OR results.serial_number = ANY({serials})
			OR ` + database.ResultStoreSQL + ` = ANY({stores})`,
	},
	{ReviewReport, `6`, `r.report`, `r.uploaded_at`, `NULL::bigint`, reportsSQL, ``},
	{
		ReviewDifference, `7`, `i.id`, `i.uploaded_at`, `i.sale_id`, differencesSQL,
		` OR upper(i.order_id) LIKE {order} OR i.last4 = {last4} OR i.amount BETWEEN {least} AND {most}
			OR i.serial_number = ANY({serials}) OR i.store_id = ANY({stores})`,
	},
}

// byAskerSQL finds a cancellation by the name of who asked for it.
const byAskerSQL = ` OR upper(c.requester) LIKE {order}`

// alertGradeSQL is the grade of an alert.
const alertGradeSQL = `CASE WHEN a.kind IN ` + alerts.GraveSQL + ` THEN 2 ELSE 5 END`

// findingGrade is the last: what stands out of weeks can wait longest.
const findingGrade = 8

// countsSQL counts each kind, up to MaxReviewed; countsFoundSQL only what a search finds,
// whose parameters follow.
var countsSQL, countsFoundSQL = counts(false), counts(true)

func counts(search bool) string {
	each := make([]string, len(sources))
	for n, s := range sources {
		each[n] = `SELECT '` + string(s.kind) + `' AS kind, count(*) AS n FROM (SELECT ` + s.from + s.found(search, 4) +
			` LIMIT ` + models.JsonNumber(MaxReviewed) + `) few`
	}
	return withDifferences(search) + strings.Join(each, ` UNION ALL `)
}

func withDifferences(search bool) string {
	if search {
		return withEachSQL
	}
	return withDifferencesSQL
}

// openSQL lists them, the gravest kinds first, and of each the oldest. $4 is a kind, or ”
// for all; $5, $6 and $7 the position after which it begins; $8 how many. Those of a search
// follow in openFoundSQL.
var openSQL, openFoundSQL = open(false), open(true)

func open(search bool) string {
	each := make([]string, len(sources))
	for n, s := range sources {
		each[n] = `(SELECT '` + string(s.kind) + `' AS kind, ` + s.grade + ` AS grade, ` + s.id + ` AS id, ` + s.since + ` AS since, ` +
			s.sale + ` AS sale_id ` + s.from + s.found(search, 9) + ` AND $4 IN ('', '` + string(s.kind) + `')
				AND (` + s.grade + `, ` + s.since + `, ` + s.id + `) > ($5::int, $6::timestamptz, $7::bigint)
			ORDER BY 2, 4, 3 LIMIT $8)`
	}
	return withDifferences(search) + `SELECT kind, grade, id, since, sale_id FROM (` + strings.Join(each, ` UNION ALL `) + `) waiting
		ORDER BY grade, since, id LIMIT $8`
}
