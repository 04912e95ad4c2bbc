package models_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// TestAVerificationSeesAMonthGoWithItsEntry: one that begins in the very moment
// misses neither the month nor the word for it.
func TestAVerificationSeesAMonthGoWithItsEntry(t *testing.T) {
	t.Parallel()
	a := newArchiving(t)
	db, verdict := a.db(), make(chan *verify.Verdict)
	going, err := a.owner.BeginTx(context.WithoutCancel(t.Context()), nil)
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
		v, err := verify.New(db).VerifyTrail(t.Context(), verify.TrailCheck{Keys: a.keys.Verifiers(), Archives: []io.Reader{bytes.NewReader(a.file)}})
		if err != nil {
			t.Error(err)
		}
		verdict <- v
	}()
	waitFor(t, "the verification to wait for the trail", func() bool {
		return count(t, a.owner, `SELECT count(*) FROM pg_locks WHERE relation = 'audit_entries'::regclass AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0
	})
	in(`DROP TABLE trail.` + a.month.Format("audit_entries_2006_01"))
	in(archivedEntry(t, a.claim), 301, 301)
	if err := going.Commit(); err != nil {
		t.Fatal(err)
	}
	if v := <-verdict; v == nil || v.State != verify.Intact {
		t.Errorf("the verification says\n%s", findingsOf(v))
	}
}

// TestMakingAMonthHoldsNobodyUp: while somebody reads the trail without an end,
// who asks it of one sale, as each request to cancel does, waits less than a person
// notices.
func TestMakingAMonthHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	reader, err := s.owner.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if _, err := reader.Exec(`SELECT count(*) FROM audit_entries`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := sealing.New(modelstest.Open(t, s.url)).MakeMonths(t.Context())
		done <- err
	}()
	var longest time.Duration
	for until := time.Now().Add(4 * time.Second); time.Now().Before(until); {
		began := time.Now()
		count(t, s.owner, `SELECT count(*) FROM audit_entries WHERE sale_id = 7`)
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
