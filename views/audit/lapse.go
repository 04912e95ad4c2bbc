package audit

import (
	"slices"

	"veinte/models"
)

// OldestFirst is the page in the order of time.
func (v *AuditView) OldestFirst() []models.AuditEntry {
	entries := slices.Clone(v.List.Entries)
	slices.Reverse(entries)
	return entries
}
