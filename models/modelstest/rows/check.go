package rows

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// told is an entry of the trail, as far as it can be compared with rows.
type told struct {
	id            int64
	action        string
	tx            string
	own           map[string]any // its own columns, as JSON
	before, after map[string]any
}

// Judge compares the trail with the recorded changes. Each transaction that changed
// stored data must have an entry, the before and after of an entry must be in rows
// as they were and are, and each changed column must be recorded with its old and
// new value. What is left out on purpose, and why, is in columns.go.
func (w *Recorder) Judge() {
	w.tb.Helper()
	changes, entries := w.Changes(), w.entries()
	w.stores = w.storeNames()
	for tx, rows := range changes {
		if len(entries[tx]) > 0 {
			continue
		}
		for _, row := range rows {
			for column := range row.differ() {
				if row.unrecorded(column) == "" {
					w.tb.Errorf("a transaction without an entry changed %s.%s: %v → %v", row.Table, column, row.Was[column], row.Is[column])
				}
			}
		}
	}
	for tx, of := range entries {
		for _, e := range of {
			w.mustBe(e, "before", e.before, w.said(changes[tx], func(r Change) map[string]any { return r.Was }))
			w.mustBe(e, "after", e.after, w.said(changes[tx], func(r Change) map[string]any { return r.Is }))
			w.mustHaveStores(e, changes[tx])
		}
		for _, row := range changes[tx] {
			w.mustBeSaid(of, row)
		}
	}
	w.compare()
}

// byTests are what tests add or change as the database's owner, without an entry.
var byTests = []string{
	"unrecorded users", "unrecorded api_keys", "unrecorded api_secrets", "unrecorded closings", "changed cancellations conflict",
}

// takenByTests are what tests remove likewise.
const takenByTests = "missing passkeys"

// compare fails when the tables are not as the trail recorded them, although the product
// alone changed them.
func (w *Recorder) compare() {
	w.tb.Helper()
	r, err := w.o.Compare.Compare(w.tb.Context())
	if err != nil {
		w.tb.Fatalf("compare the tables with the trail: %v", err)
	}
	for _, d := range r.Differences {
		of := strings.TrimSpace(fmt.Sprint(d.Kind, " ", d.Table, " ", d.Field))
		if of != takenByTests && (d.EntryID != 0 || !slices.Contains(byTests, of)) {
			w.tb.Errorf("a false difference: %+v", d)
		}
	}
}

// said is the values of rows, by the trail's names for their columns.
func (w *Recorder) said(rows []Change, of func(Change) map[string]any) map[string][]any {
	said := map[string][]any{}
	for _, r := range rows {
		row := of(r)
		if row == nil {
			continue
		}
		if id, ok := row["store_id"]; ok {
			said["store"] = append(said["store"], w.stores[fmt.Sprint(id)]...)
		}
		for column, value := range row {
			name := nameOf(r.Table, column)
			said[name.key] = append(said[name.key], name.of(value))
		}
	}
	return said
}

// storeNames are the names that each store has or had, by its number.
func (w *Recorder) storeNames() map[string][]any {
	w.tb.Helper()
	rows, err := w.o.Owner.Query(`SELECT id::text, name FROM stores
		UNION SELECT was->>'id', was->>'name' FROM witness.rows WHERE name = 'stores' AND was IS NOT NULL`)
	if err != nil {
		w.tb.Fatalf("name stores: %v", err)
	}
	defer rows.Close()
	names := map[string][]any{}
	for rows.Next() {
		var id, name string
		if err := rows.Scan(&id, &name); err != nil {
			w.tb.Fatalf("name stores: %v", err)
		}
		names[id] = append(names[id], name)
	}
	return names
}

// mustBe fails when the entry has a value that no row of its transaction has.
func (w *Recorder) mustBe(e *told, side string, says map[string]any, rows map[string][]any) {
	w.tb.Helper()
	if len(rows) == 0 || beforeIsElsewhere[e.action] != "" && side == "before" {
		return
	}
	for key, value := range says {
		if notOfRows[key] != "" || notOfRows[e.action+" "+key] != "" {
			continue
		}
		found, ok := rows[key]
		switch {
		case !ok:
			w.tb.Errorf("entry %d (%s) says %s of %s: no row of its transaction has it (say in notOfRows why)", e.id, e.action, side, key)
		case !slices.ContainsFunc(found, func(v any) bool { return same(v, value) }):
			w.tb.Errorf("entry %d (%s): %s of %s is %v, the database has %v", e.id, e.action, side, key, value, found)
		}
	}
}

// mustHaveStores fails when the stores of a person or a key are not the previous
// ones without those that the transaction removed and with those that it added.
func (w *Recorder) mustHaveStores(e *told, rows []Change) {
	w.tb.Helper()
	if len(e.after) == 0 {
		return
	}
	stores := map[string]bool{}
	if before, ok := e.before["stores"].([]any); ok {
		for _, id := range before {
			stores[fmt.Sprint(id)] = true
		}
	}
	for _, r := range rows {
		if r.Table != "user_stores" && r.Table != "api_key_stores" {
			continue
		}
		if r.Was != nil {
			delete(stores, fmt.Sprint(r.Was["store_id"]))
		}
		if r.Is != nil {
			stores[fmt.Sprint(r.Is["store_id"])] = true
		}
	}
	says := map[string]bool{}
	if after, ok := e.after["stores"].([]any); ok {
		for _, id := range after {
			says[fmt.Sprint(id)] = true
		}
	}
	if !maps.Equal(says, stores) {
		w.tb.Errorf("entry %d (%s) says stores %v, the database has %v", e.id, e.action, says, stores)
	}
}

// mustBeSaid fails when a column changed and no entry of the transaction records it.
func (w *Recorder) mustBeSaid(of []*told, row Change) {
	w.tb.Helper()
	for column := range row.differ() {
		if leftOut(of, row.Table, column) {
			continue
		}
		name := nameOf(row.Table, column)
		was, is := name.of(row.Was[column]), name.of(row.Is[column])
		if !slices.ContainsFunc(of, func(e *told) bool { return e.tells(column, was, is, row) }) {
			w.tb.Errorf("%s changed %s.%s from %v to %v, and says neither in %s", of[0].action, row.Table, column, was, is, name.key)
		}
	}
}

// leftOut reports whether a column is not repeated on purpose, of an act that the
// transaction is about or of any.
func leftOut(of []*told, table, column string) bool {
	for _, name := range []string{table, "*." + column, table + "." + column} {
		if unsaid[name] != "" || slices.ContainsFunc(of, func(e *told) bool { return unsaid[e.action+" "+name] != "" }) {
			return true
		}
	}
	return false
}

// tells reports whether the entry records the old and the new value, in its
// attributes or in its own columns: when, who, of what.
func (e *told) tells(column string, was, is any, row Change) bool {
	key := nameOf(row.Table, column).key
	for _, own := range []string{
		"at", "actor_id", "actor_name", "actor_role", "reason", "amount", "order_id", "serial_number", "store_id", "sale_id", "address",
	} {
		if value := row.Is[column]; !empty(value) && same(e.own[own], value) {
			return true
		}
	}
	reason, _ := e.own["reason"].(string)
	if note, ok := row.Is[column].(string); ok && column == "note" && strings.HasSuffix(reason, note) {
		return true // behind the reason's code
	}
	before := row.Was == nil || beforeIsElsewhere[e.action] != "" || same(e.before[key], was)
	after := row.Is == nil || same(e.after[key], is)
	return before && after
}

// entries are those of transactions that changed something, by transaction.
func (w *Recorder) entries() map[string][]*told {
	w.tb.Helper()
	rows, err := w.o.Owner.Query(`SELECT id, txid::text, action, to_jsonb(e) - 'canonical', coalesce(before, '{}'), coalesce(after, '{}')
		FROM audit_entries e WHERE txid IN (SELECT txid FROM witness.rows) ORDER BY id`)
	if err != nil {
		w.tb.Fatalf("read the trail: %v", err)
	}
	defer rows.Close()
	entries := map[string][]*told{}
	for rows.Next() {
		e := &told{}
		if err := e.scan(rows); err != nil {
			w.tb.Fatalf("read the trail: %v", err)
		}
		entries[e.tx] = append(entries[e.tx], e)
	}
	if err := rows.Err(); err != nil {
		w.tb.Fatalf("read the trail: %v", err)
	}
	return entries
}

func (e *told) scan(rows *sql.Rows) error {
	var own, before, after []byte
	if err := rows.Scan(&e.id, &e.tx, &e.action, &own, &before, &after); err != nil {
		return err
	}
	for _, part := range []struct {
		raw  []byte
		into *map[string]any
	}{{own, &e.own}, {before, &e.before}, {after, &e.after}} {
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return fmt.Errorf("entry %d: %w", e.id, err)
		}
	}
	return nil
}
