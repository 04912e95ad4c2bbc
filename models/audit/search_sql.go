package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/database"
)

// beyond is the condition for what lies beyond the search's position, and the order
// of reading.
func (q *search) beyond(args []any) (condition, order string, _ []any) {
	n := len(args)
	args = append(args, q.edge.at, q.edge.id)
	if q.newer {
		return fmt.Sprintf("at >= $%d AND (at, id) > ($%d, $%d)", n+1, n+1, n+2), "at, id", args
	}
	return fmt.Sprintf("at <= $%d AND (at, id) < ($%d, $%d)", n+1, n+1, n+2), "at DESC, id DESC", args
}

// inOrder reports whether an index has the entries of the filter in the order of the
// list, and little else: the entries of a sale, and those of one field with an index
// of its own, with or without a period. It does not where readings are left out of a
// person's acts or of everybody's.
func (f *Filter) inOrder(actor models.Actor) bool {
	if f.SaleID != 0 {
		return true
	}
	others := f.Query != "" || f.Reason != "" || f.Serial != "" || f.Role != "" || f.Address != "" || f.Attempt != 0
	if others || f.Min != nil || f.Max != nil || f.StoreID == 0 && !actor.AllStores {
		return false
	}
	fields := 0
	for _, set := range []bool{f.StoreID != 0, f.ActorID != 0, f.Action != "", f.Outcome != ""} {
		if set {
			fields++
		}
	}
	if f.Reads == ReadsOut && (fields == 0 || f.ActorID != 0 || slices.Contains(readActions, string(f.Action))) {
		return false
	}
	return fields == 0 || fields == 1 && f.Outcome != models.OutcomeSuccess
}

// scanSQL reads the next entries by time, and whether each matches. It reads no more
// than an index finds in order.
func (q *search) scanSQL(most int) (string, []any) {
	w := q.fields.clone()
	w.add(q.words != "", terms+" @@ %s::tsquery", q.words)
	beyond, order, args := q.beyond(w.args)
	matches := "coalesce((" + w.sql() + "), false)::int"
	if q.direct {
		matches, beyond = "1", beyond+" AND ("+w.sql()+")"
	}
	if !q.end.IsZero() {
		args = append(args, q.end)
		beyond += fmt.Sprintf(map[bool]string{false: " AND at >= $%d", true: " AND at < $%d"}[q.newer], len(args))
	}
	if q.direct && q.store != 0 {
		return storeSQL(beyond, order, most, len(args)+1), append(args, q.store)
	}
	return fmt.Sprintf("SELECT at, id, %s AS n FROM audit_entries WHERE %s ORDER BY %s LIMIT %d", matches, beyond, order, most), args
}

// storeSQL reads what concerns a store by one index each: its entries, and the few moves of
// all stores, of which the condition leaves those away from it. n is the store's argument.
func storeSQL(beyond, order string, most, n int) string {
	parts := []string{fmt.Sprintf("store_id = $%d", n)}
	for _, action := range []models.Action{models.ActionTerminalMoved, models.ActionMovePlanned} {
		parts = append(parts, fmt.Sprintf("action = '%s' AND store_id IS DISTINCT FROM $%d", action, n))
	}
	for i, part := range parts {
		parts[i] = fmt.Sprintf("(SELECT at, id, 1 AS n FROM audit_entries WHERE %s AND %s ORDER BY %s LIMIT %d)", part, beyond, order, most)
	}
	return fmt.Sprintf("SELECT at, id, n FROM (%s) AS all_of ORDER BY %s LIMIT %d", strings.Join(parts, " UNION ALL "), order, most)
}

// sliceSQL reads the matches of a slice, and counts them up to one more than may be
// sorted. The inner query has no order, so that its limit ends it. The fields are
// compared as a boolean expression, which no other index supports: the index of
// marks already narrows by them, and a second index beside it only adds cost.
func (q *search) sliceSQL(s timeSlice) (string, []any) {
	beyond, order, args := q.beyond(q.fields.clone().args)
	marks := q.marks
	if s.days != nil {
		days := make([]string, len(s.days))
		for i, d := range s.days {
			days[i] = lexeme("=d" + strconv.FormatInt(d, 10))
		}
		marks = "(" + marks + ") & (" + strings.Join(days, " | ") + ")"
	}
	args = append(args, s.lo, s.hi, marks)
	n, upTo := len(args), "<="
	if q.newer {
		upTo = "<"
	}
	return fmt.Sprintf(`SELECT at, id, count(*) OVER () AS n FROM (SELECT at, id FROM audit_entries
			WHERE ((%s) IS TRUE) AND %s AND at >= $%d AND at %s $%d AND %s @@ $%d::tsquery LIMIT %d) AS matching
		ORDER BY %s LIMIT %d`, q.fields.sql(), beyond, n-2, upTo, n-1, terms, n, densePerSlice+1, order, q.limit-len(q.found)), args
}

// commonSettings turn off plans that are always wrong here: compiled code for one
// page, parallel workers that take longer to start, and a sequential scan of a
// table. A plan is made for the values that are searched, and not for any.
const commonSettings = `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
	set_config('plan_cache_mode', 'force_custom_plan', true),
	set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '32MB', true),
	set_config('statement_timeout', $1, true), set_config('enable_indexscan', $2, true), set_config('enable_indexonlyscan', $2, true)`

// settings are those of a query: how long it may take, and whether it may use other indexes
// than that of marks.
type settings struct {
	atMost  time.Duration
	indexes string // on or off
}

// milliseconds is never zero, which would mean no limit.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 5), 10) }

// reader runs the queries of a search, each in one round trip and with settings of its own.
type reader struct{ db *database.DB }

// keys runs a query of the search. It is no part of a round of the page: its settings are
// not those of other questions, and neither is the end of its time.
func (r *reader) keys(ctx context.Context, of settings, sql string, args []any) (keys []key, numbers []int64, err error) {
	batch := &pgx.Batch{}
	batch.Queue(commonSettings, milliseconds(of.atMost), of.indexes)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		return database.Each(rows, func(row *struct {
			At time.Time
			ID int64
			N  int64
		},
		) error {
			keys, numbers = append(keys, key{row.At.UTC(), row.ID}), append(numbers, row.N)
			return nil
		})
	})
	if err := r.db.Pool().SendBatch(ctx, batch).Close(); err != nil {
		return nil, nil, fmt.Errorf("search trail: %w", err)
	}
	return keys, numbers, nil
}

// timedOut reports whether the database gave up at the end of the budget.
func timedOut(ctx context.Context, err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "57014" && ctx.Err() == nil
}
