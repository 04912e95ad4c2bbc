package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// compareRules compares the versions of the rules with their entries, in the order in which
// they were made: one after the other. The first is of migration 8.
func (r *run) compareRules(ctx context.Context, tx pgx.Tx) error {
	var rows []arrangement
	var withdrawn []*time.Time
	var n int64
	var set, effective time.Time
	var by, note string
	var cutoff, margin, answer, result, quiet *int
	var prints, settles *bool
	var taken *time.Time
	var storeReceipts, reasonReceipts *string
	const sql = `SELECT id, set_at, set_by, effective_at, note, cutoff_minute, margin_s, answer_s, result_s, quiet_s, print_receipt,
			managers_settle, taken_back_at,
			(SELECT jsonb_object_agg(s.code, p.print)::text FROM rule_receipts p JOIN stores s ON s.id = p.store_id WHERE p.rules_id = r.id),
			(SELECT jsonb_object_agg(p.reason, p.print)::text FROM rule_receipts p WHERE p.rules_id = r.id AND p.reason IS NOT NULL)
		FROM rules r ORDER BY id`
	zone := r.zone
	err := each(ctx, tx, sql, []any{
		&n, &set, &by, &effective, &note, &cutoff, &margin, &answer, &result, &quiet, &prints, &settles, &taken,
		&storeReceipts, &reasonReceipts,
	}, func() error {
		a := arrangement{
			table: tableRules, row: id(n), made: monthOf(set), column: ruleColumns,
			values: map[string]string{
				"setBy": by, "note": note, "cutoff": minutes(cutoff), "marginSeconds": whole(margin), "answerSeconds": whole(answer),
				"resultSeconds": whole(result), "quietSeconds": whole(quiet), "printReceipt": yes(prints), "managersSettle": yes(settles),
				"storeReceipts": object(storeReceipts), "reasonReceipts": object(reasonReceipts), "withdrawn": fmt.Sprint(taken != nil),
			},
		}
		if !effective.Equal(set) {
			a.values["effectiveAt"] = effective.In(zone).Format(time.DateOnly)
		}
		rows, withdrawn = append(rows, a), append(withdrawn, taken)
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare rules: %w", err)
	}
	if len(rows) > 0 && rows[0].row == "1" {
		seed := &record{values: map[string]string{"setBy": "Veinte", "managersSettle": "false", "withdrawn": "false"}}
		r.hold(&rows[0], seed)
		rows, withdrawn = rows[1:], withdrawn[1:]
	}
	for len(rows) > 0 && rows[0].made <= r.lastArchived {
		r.table(tableRules).Archived++
		rows, withdrawn = rows[1:], withdrawn[1:]
	}
	told := slices.DeleteFunc(r.records.rules, func(x *record) bool { return x.month <= r.lastArchived })
	for i := range rows {
		if i >= len(told) {
			r.hold(&rows[i], nil)
			continue
		}
		for name := range ruleColumns { // what an entry does not say, it did not change
			if _, says := told[i].values[name]; !says {
				told[i].values[name] = ""
			}
		}
		back := withdrawn[i]
		told[i].values["withdrawn"] = fmt.Sprint(back != nil && slices.ContainsFunc(r.records.withdrawn, func(x *record) bool {
			return x.at.Equal(*back)
		}))
		r.hold(&rows[i], told[i])
	}
	for _, x := range told[min(len(rows), len(told)):] {
		r.goneRecord(tableRules, x.at.UTC().Format(time.RFC3339), x)
	}
	return r.withdrawals(withdrawn)
}

// withdrawals finds planned rules that an entry takes back, and that stand as if nobody had.
func (r *run) withdrawals(found []*time.Time) error {
	for _, x := range r.records.withdrawn {
		there := slices.ContainsFunc(found, func(at *time.Time) bool { return at != nil && at.Equal(x.at) })
		if !there && x.month > r.lastArchived {
			r.add(Difference{
				Kind: Changed, Table: tableRules, Row: x.at.UTC().Format(time.RFC3339), Field: "taken_back_at",
				Recorded: x.at.UTC().Format(time.RFC3339), EntryID: x.entry,
			})
		}
	}
	return nil
}

// ruleColumns are the columns of what an entry says of a version.
var ruleColumns = map[string]string{
	"setBy": "set_by", "note": "note", "cutoff": "cutoff_minute", "marginSeconds": "margin_s", "answerSeconds": "answer_s",
	"resultSeconds": "result_s", "quietSeconds": "quiet_s", "printReceipt": "print_receipt", "managersSettle": "managers_settle",
	"storeReceipts": "rule_receipts", "reasonReceipts": "rule_receipts", "effectiveAt": "effective_at", "withdrawn": "taken_back_at",
}

func minutes(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%02d:%02d", *n/60, *n%60)
}

func whole(n *int) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func yes(b *bool) string {
	if b == nil {
		return ""
	}
	return fmt.Sprint(*b)
}

// object writes a JSON object in the order of its names.
func object(s *string) string {
	if s == nil {
		return ""
	}
	var v map[string]any
	if json.Unmarshal([]byte(*s), &v) != nil {
		return *s
	}
	return text(v)
}
