package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// What a page of the trail shows is compared with what was sealed of it: columns with
// bytes, and bytes with the seal.
func TestAPageKnowsWhatWasAltered(t *testing.T) {
	t.Parallel()
	s, _ := sealedTwice(t)
	services := wiring.Over(s.DB())
	page := func() []models.AuditEntry {
		t.Helper()
		elena := models.Actor{UserID: 1, Name: "Elena", Role: models.Auditor, AllStores: true}
		p, err := services.Audit.Audit(t.Context(), elena, audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Entries
	}
	altered := func(entries []models.AuditEntry) string {
		t.Helper()
		all, err := services.Verify.Standings(t.Context(), entries)
		if err != nil || len(all) != len(entries) {
			t.Fatalf("%d of %d entries were compared: %v", len(all), len(entries), err)
		}
		maps.DeleteFunc(all, func(id int64, at verify.Standing) bool {
			if last := s.IdOf(599); at.Sealed != (id <= last) || at.Leaf == (tlog.Hash{}) {
				t.Errorf("entries up to %d are sealed, and the standing of %d says %+v", last, id, at)
			}
			return !at.Altered()
		})
		return fmt.Sprint(slices.Sorted(maps.Keys(all)))
	}
	entries := page()
	if got := altered(entries); got != "[]" {
		t.Errorf("nothing was altered, and the page says of %s", got)
	}
	modelstest.Exec(t, s.Owner, `UPDATE audit_entries SET amount = 1 WHERE id = $1`, entries[3].ID)
	modelstest.Exec(t, s.Owner, consistently, entries[7].ID)
	if got, want := altered(page()), fmt.Sprint([]int64{entries[7].ID, entries[3].ID}); got != want {
		t.Errorf("altered are %s, want the entry of which a column is and the one of which the bytes are: %s", got, want)
	}
	if got := altered(nil); got != "[]" {
		t.Errorf("of an empty page %s is altered", got)
	}
}
