package compare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The tables of the shop's own arrangements.
const (
	tableStores      = "stores"
	tableTerminals   = "terminals"
	tableAssignments = "assignments"
	tablePeople      = "users"
	tableKeys        = "api_keys"
	tableReasons     = "reasons"
	tableRules       = "rules"
)

// compareRecords compares people, keys and what is stored of their secrets, terminals, stores, reasons and rules.
func (r *run) compareRecords(ctx context.Context, tx pgx.Tx) error {
	for _, part := range []func(context.Context, pgx.Tx) error{
		r.compareStores, r.compareTerminals, r.comparePeople, r.compareKeys, r.compareCredentials, r.compareReasons,
		r.compareRules,
	} {
		if err := part(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// arrangement is a row as it is compared: its values by the trail's names.
type arrangement struct {
	table, row string
	column     map[string]string // the trail's name of a value: the table's
	values     map[string]string
	made       int64 // month
	store      int64
}

// hold compares a row with its record.
func (r *run) hold(a *arrangement, x *record) {
	table := r.table(a.table)
	switch {
	case x == nil && r.isArchived(a.made):
		table.Archived++
		return
	case x == nil:
		r.add(Difference{Kind: Unrecorded, Table: a.table, Row: a.row, Found: a.short(), StoreID: a.store})
		return
	}
	x.seen = true
	table.Compared++
	for _, name := range slices.Sorted(maps.Keys(a.column)) {
		recorded, told := x.values[name]
		if !told || recorded == a.values[name] {
			continue
		}
		if x.month < r.lastArchived { // another entry may have changed it, and is not here
			table.Archived++
			return
		}
		r.add(Difference{
			Kind: Changed, Table: a.table, Row: a.row, Field: a.column[name], Recorded: recorded, Found: a.values[name],
			EntryID: x.entry, StoreID: a.store,
		})
	}
}

// short is what a row says, in a line.
func (a *arrangement) short() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if v := a.values[name]; v != "" {
			all = append(all, a.column[name]+" "+v)
		}
	}
	return strings.Join(all, " · ")
}

// gone adds a difference for a record without a row.
func (r *run) goneRecord(table, row string, x *record) {
	if x.seen || x.month < r.lastArchived {
		return
	}
	r.table(table).Compared++
	r.add(Difference{Kind: Missing, Table: table, Row: row, Recorded: x.values["name"], EntryID: x.entry})
}

// each reads the rows of a statement into the same variables, one after the other.
func each(ctx context.Context, tx pgx.Tx, sql string, into []any, f func() error) error {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, into, f)
	return err
}

func (r *run) compareStores(ctx context.Context, tx pgx.Tx) error {
	var n int64
	var code, name, zone string
	var made time.Time
	err := each(ctx, tx, `SELECT id, code, name, time_zone, created_at FROM stores ORDER BY id`,
		[]any{&n, &code, &name, &zone, &made}, func() error {
			r.hold(&arrangement{
				table: tableStores, row: code, made: monthOf(made), store: n,
				column: map[string]string{"code": "code", "name": "name", "timeZone": "time_zone"},
				values: map[string]string{"code": code, "name": name, "timeZone": zone},
			}, r.records.stores[n])
			return nil
		})
	if err != nil {
		return fmt.Errorf("compare stores: %w", err)
	}
	for _, n := range slices.Sorted(maps.Keys(r.records.stores)) {
		r.goneRecord(tableStores, id(n), r.records.stores[n])
	}
	return nil
}

func (r *run) compareTerminals(ctx context.Context, tx pgx.Tx) error {
	var serial, label string
	var retired bool
	var made time.Time
	var stores []int64
	var merchants []string
	var from []time.Time
	var to []*time.Time
	err := each(ctx, tx, `SELECT t.serial_number, t.label, t.retired_at IS NOT NULL, t.created_at,
			coalesce(array_agg(a.store_id ORDER BY a.valid_from) FILTER (WHERE a.id IS NOT NULL), '{}'),
			coalesce(array_agg(a.merchant_id ORDER BY a.valid_from) FILTER (WHERE a.id IS NOT NULL), '{}'),
			coalesce(array_agg(a.valid_from ORDER BY a.valid_from) FILTER (WHERE a.id IS NOT NULL), '{}'),
			coalesce(array_agg(a.valid_to ORDER BY a.valid_from) FILTER (WHERE a.id IS NOT NULL), '{}')
		FROM terminals t LEFT JOIN assignments a ON a.terminal_id = t.id GROUP BY t.id ORDER BY t.id`,
		[]any{&serial, &label, &retired, &made, &stores, &merchants, &from, &to}, func() error {
			x := r.records.terminals[serial]
			store := int64(0)
			if len(stores) > 0 {
				store = stores[len(stores)-1]
			}
			r.hold(&arrangement{
				table: tableTerminals, row: serial, made: monthOf(made), store: store,
				column: map[string]string{"label": "label", "retired": "retired_at"},
				values: map[string]string{"label": label, "retired": fmt.Sprint(retired)},
			}, x)
			if x == nil {
				return nil
			}
			found := make([]string, len(stores))
			for i := range stores {
				found[i] = r.standing(id(stores[i]), merchants[i], from[i], to[i])
			}
			r.places(serial, store, x, found)
			return nil
		})
	if err != nil {
		return fmt.Errorf("compare terminals: %w", err)
	}
	for _, serial := range slices.Sorted(maps.Keys(r.records.terminals)) {
		r.goneRecord(tableTerminals, serial, r.records.terminals[serial])
	}
	return nil
}

// standing writes where a terminal stands, and from when to when.
func (r *run) standing(store, merchant string, from time.Time, to *time.Time) string {
	until := "…"
	if to != nil {
		until = to.UTC().Format(time.RFC3339Nano)
	}
	var n int64
	_, _ = fmt.Sscan(store, &n)
	return fmt.Sprintf("%s %s %s – %s", r.storeName(n), merchant, from.UTC().Format(time.RFC3339Nano), until)
}

// places compares where a terminal has stood. Each place ends where the next one begins.
func (r *run) places(serial string, store int64, x *record, found []string) {
	table := r.table(tableAssignments)
	if x.month <= r.lastArchived || len(x.places) > 0 && monthOf(x.places[0].from) <= r.lastArchived {
		table.Archived += int64(len(found)) // moves may be in a month that is not here
		return
	}
	want := make([]string, len(x.places))
	for i, p := range x.places {
		var until *time.Time
		if i+1 < len(x.places) {
			until = &x.places[i+1].from
		}
		want[i] = r.standing(p.store, p.merchant, p.from, until)
	}
	table.Compared += int64(len(want))
	for i := range max(len(want), len(found)) {
		d := Difference{Kind: Changed, Table: tableAssignments, Row: serial, StoreID: store}
		switch {
		case i >= len(want):
			d.Kind, d.Found = Unrecorded, found[i]
		case i >= len(found):
			d.Kind, d.Recorded, d.EntryID = Missing, want[i], x.places[i].entry
		case want[i] != found[i]:
			d.Field, d.Recorded, d.Found, d.EntryID = "place", want[i], found[i], x.places[i].entry
		default:
			continue
		}
		r.add(d)
	}
}

func (r *run) comparePeople(ctx context.Context, tx pgx.Tx) error {
	var email, name, role, until string
	var all, disabled bool
	var made time.Time
	var stores []int64
	err := each(ctx, tx, `SELECT email, name, role, all_stores, coalesce(access_until::text, ''), disabled_at IS NOT NULL, created_at,
			array(SELECT store_id FROM user_stores s WHERE s.user_id = u.id ORDER BY store_id) FROM users u ORDER BY id`,
		[]any{&email, &name, &role, &all, &until, &disabled, &made, &stores}, func() error {
			x := r.records.people[email]
			if x == nil && hidden(email) {
				r.table(tablePeople).NotBound++
				return nil
			}
			if x != nil {
				if x.values["stores"] = sorted(x.values["stores"]); x.values["disabled"] == "" {
					x.values["disabled"] = "false"
				}
			}
			a := &arrangement{
				table: tablePeople, row: email, made: monthOf(made),
				column: map[string]string{
					"name": "name", "role": "role", "allStores": "all_stores", "stores": "user_stores", "accessUntil": "access_until",
					"disabled": "disabled_at",
				},
				values: map[string]string{
					"name": name, "role": role, "allStores": fmt.Sprint(all), "stores": listed(stores), "accessUntil": until,
					"disabled": fmt.Sprint(disabled),
				},
			}
			if hidden(name) {
				delete(a.column, "name")
			}
			r.hold(a, x)
			return nil
		})
	if err != nil {
		return fmt.Errorf("compare people: %w", err)
	}
	for _, email := range slices.Sorted(maps.Keys(r.records.people)) {
		r.goneRecord(tablePeople, email, r.records.people[email])
	}
	return nil
}

// listed writes numbers as a list, and sorted one of the trail in the same order.
func listed(all []int64) string {
	words := make([]string, len(all))
	for i, n := range all {
		words[i] = id(n)
	}
	return sorted(strings.Join(words, " "))
}

func sorted(list string) string {
	words := strings.Fields(list)
	slices.Sort(words)
	return strings.Join(words, " ")
}

func (r *run) compareKeys(ctx context.Context, tx pgx.Tx) error {
	var name string
	var scopes, prefixes []string
	var withheld, all, revoked bool
	var pace int
	var made time.Time
	var stores []int64
	var ends []time.Time
	err := each(ctx, tx, `SELECT name, scopes, withheld, all_stores, per_minute, revoked_at IS NOT NULL, created_at,
			array(SELECT store_id FROM api_key_stores s WHERE s.key_id = k.id ORDER BY store_id),
			array(SELECT prefix FROM api_secrets s WHERE s.key_id = k.id ORDER BY id DESC),
			array(SELECT expires_at FROM api_secrets s WHERE s.key_id = k.id ORDER BY id DESC) FROM api_keys k ORDER BY id`,
		[]any{&name, &scopes, &withheld, &all, &pace, &revoked, &made, &stores, &prefixes, &ends}, func() error {
			var x *record
			for _, p := range prefixes {
				if x == nil {
					x = r.records.keys[p]
				}
			}
			if x != nil {
				if x.values["stores"] = sorted(x.values["stores"]); x.values["revoked"] == "" {
					x.values["revoked"] = "false"
				}
			}
			a := &arrangement{
				table: tableKeys, row: name, made: monthOf(made),
				column: map[string]string{
					"name": "name", "scopes": "scopes", "withheld": "withheld", "allStores": "all_stores", "perMinute": "per_minute",
					"stores": "api_key_stores", "revoked": "revoked_at", "prefix": "api_secrets", "expiresAt": "expires_at",
				},
				values: map[string]string{
					"name": name, "scopes": strings.Join(scopes, " "), "withheld": fmt.Sprint(withheld), "allStores": fmt.Sprint(all),
					"perMinute": fmt.Sprint(pace), "stores": listed(stores), "revoked": fmt.Sprint(revoked),
				},
			}
			if len(prefixes) > 0 {
				a.values["prefix"], a.values["expiresAt"] = prefixes[0], ends[0].UTC().Format(time.RFC3339)
			}
			r.hold(a, x)
			return nil
		})
	if err != nil {
		return fmt.Errorf("compare keys: %w", err)
	}
	for _, prefix := range slices.Sorted(maps.Keys(r.records.keys)) {
		x := r.records.keys[prefix]
		r.goneRecord(tableKeys, x.values["name"], x)
		x.seen = true // of several secrets
	}
	return nil
}

func (r *run) compareReasons(ctx context.Context, tx pgx.Tx) error {
	var code, es, en string
	var used bool
	var order []string
	err := each(ctx, tx, `SELECT code, label_es, label_en, retired_at IS NULL FROM reasons ORDER BY position, code`,
		[]any{&code, &es, &en, &used}, func() error {
			if used {
				order = append(order, code)
			}
			r.hold(&arrangement{
				table: tableReasons, row: code, made: r.lastArchived,
				column: map[string]string{"labelEs": "label_es", "labelEn": "label_en", "inUse": "retired_at"},
				values: map[string]string{"labelEs": es, "labelEn": en, "inUse": fmt.Sprint(used)},
			}, r.records.reasons[code])
			return nil
		})
	if err != nil {
		return fmt.Errorf("compare reasons: %w", err)
	}
	for _, code := range slices.Sorted(maps.Keys(r.records.reasons)) {
		r.goneRecord(tableReasons, code, r.records.reasons[code])
	}
	return nil
}
