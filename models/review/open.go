package review

import (
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

	differencesSQL = `FROM ` + reconciliation.WaitingSQL + ` AND $3 AND ($1 OR i.store_id = ANY($2))
		AND NOT EXISTS (` + disputedSQL + `i.sale_id)`

	// alertsSQL leaves out what is folded into another item: see the package.
	alertsSQL = `FROM alerts a WHERE a.seen_at IS NULL AND a.kind NOT IN ` + alerts.EchoSQL + `
		AND ($1 OR a.store_id = ANY($2) OR a.kind IN ` + alerts.AlwaysSQL + `)
		AND NOT (` + alerts.OfSaleSQL + ` AND (EXISTS (` + disputedSQL + `a.sale_id)
			OR EXISTS (SELECT FROM results WHERE results.sale_id = a.sale_id AND ` + unmatchedSQL + `)
			OR $3 AND a.sale_id IN (SELECT i.sale_id FROM ` + reconciliation.WaitingSQL + `)))`
)

// countsSQL counts each kind, up to MaxReviewed.
var countsSQL = counted(ReviewDoubt, doubtsSQL) + ` UNION ALL ` + counted(ReviewConflict, conflictsSQL) +
	` UNION ALL ` + counted(ReviewResult, resultsSQL) + ` UNION ALL ` + counted(ReviewAlert, alertsSQL) +
	` UNION ALL ` + counted(ReviewDifference, differencesSQL)

func counted(kind Kind, from string) string {
	return `SELECT '` + string(kind) + `' AS kind, count(*) AS n FROM (SELECT ` + from + ` LIMIT ` + models.JsonNumber(MaxReviewed) + `) few`
}

// openSQL lists them, the gravest kinds first, and of each the oldest. $4 is a kind, or ”
// for all; $5, $6 and $7 the position after which it begins; $8 how many.
var openSQL = `SELECT kind, grade, id, since, sale_id FROM (` +
	listed(ReviewDoubt, `1`, `c.id`, `c.changed_at`, `c.sale_id`, doubtsSQL) + ` UNION ALL ` +
	listed(ReviewAlert, alertGradeSQL, `a.id`, `a.raised_at`, `a.sale_id`, alertsSQL) + ` UNION ALL ` +
	listed(ReviewConflict, `3`, `c.id`, `c.conflict_at`, `c.sale_id`, conflictsSQL) + ` UNION ALL ` +
	listed(ReviewResult, `4`, `results.id`, `results.received_at`, `results.sale_id`, resultsSQL) + ` UNION ALL ` +
	listed(ReviewDifference, `6`, `i.id`, `r.uploaded_at`, `i.sale_id`, differencesSQL) +
	`) waiting ORDER BY grade, since, id LIMIT $8`

// alertGradeSQL is the grade of an alert.
const alertGradeSQL = `CASE WHEN a.kind IN ` + alerts.GraveSQL + ` THEN 2 ELSE 5 END`

// findingGrade is the last: what stands out of weeks can wait longest.
const findingGrade = 7

func listed(kind Kind, grade, id, since, sale, from string) string {
	return `(SELECT '` + string(kind) + `' AS kind, ` + grade + ` AS grade, ` + id + ` AS id, ` + since + ` AS since, ` + sale + `
			AS sale_id ` + from + ` AND $4 IN ('', '` + string(kind) + `') AND (` + grade + `, ` + since + `, ` + id + `)
			> ($5::int, $6::timestamptz, $7::bigint)
		ORDER BY 2, 4, 3 LIMIT $8)`
}
