package sealing_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/sealing"
	"veinte/models/modelstest"
)

// TestGuardsThatAreOffAreNamed: what a superuser turns off before changing the trail is
// said by every process that looks afterwards.
func TestGuardsThatAreOffAreNamed(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct{ do, named string }{
		"nothing":                    {`SELECT 1`, ""},
		"the trigger of the trail":   {`ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only`, "audit_entries: audit_entries_"},
		"that of a month":            {`ALTER TABLE trail.audit_entries_rest DISABLE TRIGGER ALL`, "trail.audit_entries_rest: append_only"},
		"it fires for origins alone": {`ALTER TABLE checkpoints ENABLE TRIGGER append_only`, "checkpoints: append_only"},
		"a trigger that is dropped":  {`DROP TRIGGER append_only ON sealed_entries`, "sealed_entries: -"},
		"the time of entries":        {`DROP TRIGGER audit_entries_of_now ON audit_entries`, "audit_entries: refuse_other_time"},
		"another table's trigger":    {`ALTER TABLE cancellations DISABLE TRIGGER USER`, "cancellations: "},
		"sessions that are replicas": {`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica',
			current_database()); END $$`, "session_replication_role: "},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newTrail(t)
			s.Write(1)
			s.All()
			modelstest.Exec(t, s.Owner, tt.do)
			p := s.Process(s.Dir)
			off, err := p.Unguarded(t.Context())
			if err != nil || (len(off) > 0) != (tt.named != "") || !strings.Contains(strings.Join(off, ", "), tt.named) {
				t.Errorf("Unguarded() = %q, %v, want %q", off, err, tt.named)
			}
			notice := s.noticed(p, 0)
			told := notice != nil && notice.Code == sealing.Unguarded && strings.Contains(notice.Detail, tt.named)
			if told != (tt.named != "") || !told && notice != nil {
				t.Errorf("people are notified of %v, want %q", notice, tt.named)
			}
		})
	}
}

// TestTheLastEntriesAreSealed although an older transaction is still running when it is
// first tried.
func TestTheLastEntriesAreSealed(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(1)
	s.All()
	slow, err := s.Owner.Begin()
	must(t, err)
	defer func() { _ = slow.Rollback() }()
	if _, err := slow.Exec(`SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	s.Write(2)
	looks := 0
	s.Seals.OnLook(func() {
		if looks++; looks == 2 {
			_ = slow.Rollback()
		}
	})
	if err := s.Seals.SealAll(context.Background(), time.Minute); err != nil {
		t.Errorf("SealAll = %v", err)
	}
	modelstest.Wants(t, "sealed entries", modelstest.Count(t, s.Owner, `SELECT max(size) FROM checkpoints`), 3)
}
