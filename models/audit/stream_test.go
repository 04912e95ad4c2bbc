package audit_test

import (
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
)

// TestAFollowerOfOneStoreDoesNotReadTwice: the cursor passes the entries of other
// stores, so that no poll reads the whole trail again.
func TestAFollowerOfOneStoreDoesNotReadTwice(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	actor := modelstest.Person(models.Supervisor, there.Store)
	actor.Role, actor.Grants = models.Integration, []models.Permission{models.FollowAudit} // one whose reading makes nothing new
	follow := func(after string, most int) *audit.Stream {
		t.Helper()
		s, err := o.Audit.FollowAudit(t.Context(), actor, after, most)
		if err != nil {
			t.Fatalf("FollowAudit(%q) = %v", after, err)
		}
		return s
	}
	// Other tests' transactions delay the trail for as long as they run.
	read := func(after string) *audit.Stream {
		t.Helper()
		var s *audit.Stream
		modelstest.WaitFor(t, "the trail to catch up", func() bool {
			before := modelstest.Count(t, o.Owner, `SELECT max(txid::text::bigint) FROM audit_entries`)
			s = follow(after, 1000)
			after = s.After
			return len(s.Entries) == 0 && modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
				WHERE txid < pg_snapshot_xmin(pg_current_snapshot()) AND txid::text::bigint = $1`, before) > 0
		})
		return s
	}
	first := read("")
	o.Request(o.Sale(888)) // elsewhere
	second := read(first.After)
	if second.After == first.After {
		t.Errorf("after what another store did the cursor is still %q", second.After)
	}
	for range 3 {
		there.Request(there.Sale(777))
	}
	var ids []int64
	after := second.After
	modelstest.WaitFor(t, "three entries one by one", func() bool {
		s := follow(after, 1)
		after = s.After
		for _, e := range s.Entries {
			if e.Action == models.ActionCancellationRequested {
				ids = append(ids, e.ID)
			}
		}
		return len(ids) == 3
	})
	if ids[0] >= ids[1] || ids[1] >= ids[2] {
		t.Errorf("entries %v are not in order", ids)
	}
}
