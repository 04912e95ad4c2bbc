package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// failing makes every new entry of the trail fail with a SQLSTATE, as a full disk
// does, and returns what ends that.
func failing(t *testing.T, o *modelstest.Office, sqlstate string) (mend func()) {
	t.Helper()
	modelstest.Exec(t, o.Owner, `CREATE FUNCTION test_fail() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '`+sqlstate+`'; END $$`)
	modelstest.Exec(t, o.Owner, `CREATE TRIGGER test_fail BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION test_fail()`)
	return func() {
		t.Helper()
		modelstest.Exec(t, o.Owner, `DROP TRIGGER test_fail ON audit_entries`)
	}
}

func TestWithoutATrailNothingLeaves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*testing.T, *modelstest.Office) (mend func())
		want  *database.Outage
	}{
		{"the disk is full", func(t *testing.T, o *modelstest.Office) func() { return failing(t, o, "53100") }, database.OutageDisk},
		{"no right to the trail", func(t *testing.T, o *modelstest.Office) func() {
			role := modelstest.AppRole
			modelstest.Exec(t, o.Owner, `REVOKE INSERT ON audit_entries FROM `+role)
			modelstest.Exec(t, o.Owner, `REVOKE INSERT (canonical) ON audit_entries FROM `+role)
			return func() { modelstest.Exec(t, o.Owner, `GRANT INSERT ON audit_entries TO `+role) }
		}, database.OutageTrail},
		{"a lock that does not come", func(t *testing.T, o *modelstest.Office) func() { return failing(t, o, "55P03") }, database.OutageBusy},
		{"a deadlock", func(t *testing.T, o *modelstest.Office) func() { return failing(t, o, "40P01") }, database.OutageBusy},
		{"clocks that differ", func(t *testing.T, o *modelstest.Office) func() { return failing(t, o, "VT001") }, database.OutageClock},
		{"a standby", func(t *testing.T, o *modelstest.Office) func() { return failing(t, o, "25006") }, database.OutageDatabase},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			waiting, sale := o.Request(o.Sale(5000)), o.SaleAt(o.NewTerminal(o.Store), 6000)
			mend := tt.spoil(t, o)

			_, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
			if got := database.OutageOf(err); got != tt.want {
				t.Errorf("Request() = %v, an outage %v; want %v", err, got, tt.want)
			}
			if _, err := o.Cancellations.Dispatch(t.Context(), waiting.ID); database.OutageOf(err) != tt.want {
				t.Errorf("Dispatch() = %v, want the outage %v", err, tt.want)
			}
			if n := len(o.API.Orders()); n != 0 {
				t.Errorf("%d orders left, want none", n)
			}
			if tt.want == database.OutageTrail {
				if err := o.DB.Ready(t.Context()); !errors.Is(err, tt.want) {
					t.Errorf("Ready() = %v, want %v", err, tt.want)
				}
			}

			mend()
			if err := o.DB.Ready(t.Context()); err != nil {
				t.Errorf("Ready() after it passed = %v, want nil", err)
			}
			o.Dispatch(waiting.ID)
			if n := len(o.API.Orders()); n != 1 {
				t.Errorf("%d orders left after it passed, want the one that waited", n)
			}
			if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); err != nil {
				t.Errorf("Request() after it passed = %v", err)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestWithoutACredentialNobodyIsReady(t *testing.T) {
	t.Parallel()
	var missing error
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Credential = func() error { return missing } })
	if err := o.Operations.Ready(t.Context()); err != nil {
		t.Errorf("Ready() = %v, want nil", err)
	}
	c := o.Request(o.Sale(5000))
	missing = errors.New("no such file")
	if wait := o.Dispatch(c.ID); wait <= 0 || len(o.API.Orders()) != 0 || o.Cancellation(c.ID).Attempts != 0 {
		t.Errorf("Dispatch() without the file = %s, %d orders, %d attempts; want a wait, none, none",
			wait, len(o.API.Orders()), o.Cancellation(c.ID).Attempts)
	}
	if err := o.Cancellations.Pause(t.Context(), o.Admin, "se busca la credencial"); err != nil {
		t.Fatal(err)
	}
	n := o.Operations.Notices(t.Context())
	if n.Outage != database.OutageCredential || n.Pause == nil {
		t.Errorf("Notices() = %+v, want the outage and the pause", n)
	}
	if err := o.Cancellations.Resume(t.Context(), o.Admin, n.Pause.ID); err != nil {
		t.Fatal(err)
	}
	if err := o.Operations.Ready(t.Context()); database.OutageOf(err) != database.OutageCredential {
		t.Errorf("Ready() without the file = %v, want %v", err, database.OutageCredential)
	}
	missing = nil
	if err := o.Operations.Ready(t.Context()); err != nil {
		t.Errorf("Ready() with the file again = %v, want nil", err)
	}
	o.Dispatch(c.ID)
	if n := len(o.API.Orders()); n != 1 {
		t.Errorf("%d orders left with the file again, want the one that waited", n)
	}
}

// TestALostConnectionIsAnOutage: whatever its first sign is, and every sign after it.
func TestALostConnectionIsAnOutage(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	conn, err := o.DB.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{`SELECT pg_terminate_backend(pg_backend_pid())`, `SELECT 1`, `SELECT 1`} {
		_, err := conn.Exec(t.Context(), statement)
		if got := database.OutageOf(fmt.Errorf("read today's sales: %w", err)); got != database.OutageDatabase {
			t.Errorf("%s: %v is %v, want %v", statement, err, got, database.OutageDatabase)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := o.DB.Pool().QueryRow(gone, `SELECT 1`).Scan(new(int)); err == nil || database.OutageOf(err) != nil {
		t.Errorf("a client that left is the outage %v: %v", database.OutageOf(err), err)
	}
}
