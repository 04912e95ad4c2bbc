package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestTheTrailOfAnImportedMap: each terminal and store that an import adds or
// removes has its own entry, which its page and its serial number find.
func TestTheTrailOfAnImportedMap(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	file := terminalsHeader + "0149000001,M1,NEW-1,Caja 1,,Nueva,\n0149000002,M2," + o.Store.Code + ",Caja 2,,,\n"
	imp, said, err := importTerminals(t, o, false, file)
	if err != nil {
		t.Fatalf("ImportFile() = %q, %v", said, err)
	}
	store := modelstest.Count(t, o.Owner, `SELECT id FROM stores WHERE code = 'NEW-1'`)
	entries := func(action models.Action, serial string, store int, field string) int {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
			WHERE action = $1 AND serial_number = $2 AND store_id = $3 AND outcome = 'success'
			AND CASE $4 WHEN 'before' THEN before ELSE after END @> jsonb_build_object('importId', $5::bigint)`,
			action, serial, store, field, imp.ID)
	}
	for _, tt := range []struct {
		fact, field string
		terminal    models.Action
		store       models.Action
		do          func()
	}{
		{"imported", "after", models.ActionTerminalCreated, models.ActionStoreCreated, func() {}},
		{"undone", "before", models.ActionTerminalRemoved, models.ActionStoreRemoved, func() {
			if _, err := o.Imports.UndoImport(t.Context(), o.Admin, imp.ID, modelstest.SaleDetail(t, o, imp.ID).Version); err != nil {
				t.Fatalf("UndoImport() = %v", err)
			}
		}},
	} {
		tt.do()
		a := entries(tt.terminal, "0149000001", store, tt.field)
		b := entries(tt.terminal, "0149000002", int(o.Store.ID), tt.field)
		c := entries(tt.store, "", store, tt.field)
		if a != 1 || b != 1 || c != 1 {
			t.Errorf("%s: %d, %d entries of the terminals and %d of the store, want one each", tt.fact, a, b, c)
		}
	}
}

// importTrail lists the trail's entries of an import since its upload.
func importTrail(t *testing.T, o *modelstest.Office, id int64) (trail []string) {
	t.Helper()
	rows, err := o.Owner.Query(`SELECT action || ' ' || outcome || ' ' || (after->>'conflicts') || ' ' || (after->>'partial') || ' ' || reason
		FROM audit_entries WHERE after->>'importId' = $1 AND action <> 'import.given' AND actor_name = $2
		ORDER BY id`, fmt.Sprint(id), o.Admin.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		trail = append(trail, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return trail
}

// TestTheTrailOfALargeMap: more entries than one statement can write.
func TestTheTrailOfALargeMap(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var b strings.Builder
	b.WriteString(terminalsHeader)
	for i := range 3200 {
		fmt.Fprintf(&b, "%010d,M%d,%s,,,,\n", 150_000_000+i, i, o.Store.Code)
	}
	if _, said, err := importTerminals(t, o, false, b.String()); err != nil {
		t.Fatalf("ImportFile() = %q, %v", said, err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'terminal.created' AND after ? 'importId'`); n != 3200 {
		t.Errorf("%d entries of new terminals, want 3,200", n)
	}
}
