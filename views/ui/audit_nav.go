package ui

import (
	"slices"

	"veinte/models"
	"veinte/models/audit/sealing"
)

// AuditPage is a place of the trail, with a line in its sub-navigation. Its
// title is a catalogue key.
type AuditPage struct {
	Path, Title string
	May         models.Permission // the one on the page's line in the route table
}

// AuditPages are in the order of the sub-navigation. The first is the trail
// itself, to which every address below /audit belongs that is no other's.
var AuditPages = []AuditPage{
	{"/audit", "auditNav.trail", models.ReadAudit},
	{"/audit/views", "auditNav.views", models.ReadAudit},
	{"/audit/exports", "auditNav.exports", models.ReadAudit},
	{"/audit/verification", "auditNav.verification", models.ReadAudit},
}

func AuditPagesFor(actor models.Actor) []AuditPage {
	var pages []AuditPage
	for _, p := range AuditPages {
		if actor.May(p.May) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Holds reports whether an address is the page's own, or lies below it and
// below no page that is nearer.
func (p AuditPage) Holds(path string) bool {
	for _, other := range AuditPages {
		if len(other.Path) > len(p.Path) && within(other.Path, p.Path) && within(path, other.Path) {
			return false
		}
	}
	return within(path, p.Path)
}

// AuditPlace reports whether the sub-navigation leads to a path.
func AuditPlace(path string) bool {
	return slices.ContainsFunc(AuditPages, func(p AuditPage) bool { return p.Path == path })
}

// RootStart is enough of a checkpoint's root to compare by eye.
func RootStart(c *sealing.Checkpoint) string { return c.Root.String()[:12] + "…" }
