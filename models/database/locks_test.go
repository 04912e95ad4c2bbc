package database_test

import (
	"strings"
	"testing"

	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestLocksKeepTheirKeys: a server of an earlier release and this one exclude
// each other, so the keys are written here as PostgreSQL shows them.
func TestLocksKeepTheirKeys(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	call := func(l database.Lock) []any { s, of := l.Waiting(); return append([]any{s}, of...) }
	tests := []struct {
		name, key string
		call      []any
	}{
		{"sending", "7020000", call(database.LockSending)},
		{"sealing", "-2696362832136947383", call(database.LockSealing)},
		{"sealing keys", "1798252059667669552", call(database.LockSealingKeys)},
		{"attesters", "-1479893698699520814", call(database.LockAttesters)},
		{"recognizing", "7005886916362799014", call(database.LockRecognizing)},
		{"archive", "4079863131872924331", call(database.LockArchive)},
		{"closing", "2493404894661076848", call(database.LockClosing)},
		{"alerts", "-190840316311934269", call(database.LockAlerts)},
		{"endpoints", "308003417", call(database.LockEndpoints)},
		{"import 7", "2000, 7", call(database.ImportLock(7))},
		{"exports of user 7", "1953070231, 7", call(database.ExportsLock(7))},
		{"login", "-1249595179565211621", call(database.LoginLock("ana@example.com"))},
		{"cancel", "-3100222510698122405", call(database.CancelLock("2290000001", "V-000001"))},
		{"order, by the schema", "7471145801619641321", []any{"pg_advisory_xact_lock(order_lock($1, $2))", "2290000001", "V-000001"}},
		{"order, by the schema's reader", "7471145801619641321", []any{"sales_of_order($1, $2)", "2290000001", "V-000001"}},
		{"months, by the schema", "8735219274283841312", []any{"audit_partitions(current_date)"}},
	}
	for _, tt := range tests {
		if got := lockTaken(t, o, tt.call[0].(string), tt.call[1:]...); got != tt.key {
			t.Errorf("the key of %s is %s, want %s", tt.name, got, tt.key)
		}
	}
}

// lockTaken returns the key of the one lock that the call takes.
func lockTaken(t *testing.T, o *modelstest.Office, call string, args ...any) string {
	t.Helper()
	tx, err := o.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("SELECT "+call, args...); err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	var key string
	err = tx.QueryRow(`SELECT string_agg(CASE objsubid WHEN 1 THEN (classid::bigint << 32 | objid::bigint)::text
		ELSE classid || ', ' || objid END, '; ') FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`).Scan(&key)
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	return key
}

// TestTheEraHasItsOwnLock: its lock is taken only after a dump was restored
// elsewhere, so its key is read from the schema.
func TestTheEraHasItsOwnLock(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	var source string
	err := o.Owner.QueryRow(`SELECT prosrc FROM pg_proc WHERE proname = 'trail_begin_era'`).Scan(&source)
	if err != nil {
		t.Fatal(err)
	}
	if want := `pg_advisory_xact_lock(hashtextextended('veinte era of the trail', 0))`; !strings.Contains(source, want) {
		t.Errorf("trail_begin_era takes no %s:\n%s", want, source)
	}
}

// TestLocksAreTakenInOneFile: all keys are in one file. The chaos runs check from
// outside and name theirs themselves.
func TestLocksAreTakenInOneFile(t *testing.T) {
	t.Parallel()
	modelstest.EachSource(t, func(path, source string) {
		if path != "models/database/locks.go" && strings.Contains(source, "advisory_") {
			t.Errorf("%s takes an advisory lock; its key belongs in models/database/locks.go", path)
		}
	})
}
