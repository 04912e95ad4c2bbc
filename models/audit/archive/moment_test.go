package archive_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestAVerificationSeesAMonthGoWithItsEntry: a verification that begins while a
// month is archived misses neither the month nor the entry about it.
func TestAVerificationSeesAMonthGoWithItsEntry(t *testing.T) {
	t.Parallel()
	a := modelstest.NewArchiving(t)
	db, verdict := a.DB(), make(chan *verify.Verdict)
	going, err := a.Owner.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = going.Rollback() }()
	in := func(query string, args ...any) {
		t.Helper()
		if _, err := going.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	in(`LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE`)
	go func() {
		v, err := wiring.Over(db).Verify.VerifyTrail(t.Context(),
			verify.TrailCheck{Keys: a.Keys.Verifiers(), Archives: []io.Reader{bytes.NewReader(a.File)}})
		if err != nil {
			t.Error(err)
		}
		verdict <- v
	}()
	modelstest.WaitFor(t, "the verification to wait for the trail", func() bool {
		return modelstest.Count(t, a.Owner, `SELECT count(*) FROM pg_locks WHERE relation = 'audit_entries'::regclass AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0
	})
	in(`DROP TABLE trail.` + a.Month.Format("audit_entries_2006_01"))
	in(modelstest.ArchivedEntry(t, a.Claim), 301, 301)
	if err := going.Commit(); err != nil {
		t.Fatal(err)
	}
	if v := <-verdict; v == nil || v.State != verify.Intact {
		t.Errorf("the verification says\n%s", modelstest.FindingsOf(v))
	}
}

// TestMakingAMonthHoldsNobodyUp: while a long read of the trail runs, a query for
// one sale, as each request to cancel makes, waits less than a person notices.
func TestMakingAMonthHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s := modelstest.NewSealedTrail(t)
	reader, err := s.Owner.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if _, err := reader.Exec(`SELECT count(*) FROM audit_entries`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := wiring.New(wiring.Config{
			DB:    modelstest.Open(t, s.URL),
			Clock: modelstest.NewClock(time.Now().AddDate(0, 9, 0)),
		}).Sealing.MakeMonths(t.Context())
		done <- err
	}()
	var longest time.Duration
	for until := time.Now().Add(4 * time.Second); time.Now().Before(until); {
		began := time.Now()
		modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries WHERE sale_id = 7`)
		longest = max(longest, time.Since(began))
	}
	if longest > 2*time.Second {
		t.Errorf("the longest question waited %s", longest)
	}
	_ = reader.Rollback()
	if err := <-done; err != nil {
		t.Errorf("MakeMonths() when nobody reads any more = %v", err)
	}
}
