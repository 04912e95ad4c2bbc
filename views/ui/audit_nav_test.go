package ui

import (
	"strings"
	"testing"

	"veinte/models"
)

// TestOnePageOfTheTrailIsCurrent: whatever lies below /audit belongs to exactly
// one page of the sub-navigation, to the nearest.
func TestOnePageOfTheTrailIsCurrent(t *testing.T) {
	t.Parallel()
	paths := []string{"/audit", "/audit?q=x", "/audit/17", "/audit/17/proof"}
	for _, p := range AuditPages {
		paths = append(paths, p.Path, p.Path+"/1", p.Path+"?cursor=x")
	}
	for _, path := range paths {
		var current []string
		for _, p := range AuditPages {
			if p.Holds(path) {
				current = append(current, p.Path)
			}
		}
		if len(current) != 1 || !strings.HasPrefix(path, current[0]) {
			t.Errorf("%s belongs to %v, want one", path, current)
		}
	}
	if got := AuditPagesFor(models.Actor{Role: models.Manager}); len(got) != 0 {
		t.Errorf("a manager is led to %v", got)
	}
}
