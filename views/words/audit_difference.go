package words

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/views/locale"
)

// Difference is one field that an act changed: for a list what was added and
// removed, for anything else its old and new value.
type Difference struct {
	Name           string // the field in words; within a field, with the way to it
	Before, After  string
	Added, Removed []string
}

// Listed reports whether it is the difference of two lists.
func (d *Difference) Listed() bool { return len(d.Added)+len(d.Removed) > 0 }

// Differences lists the fields that an entry changed, in words where we have
// them. What is equal before and after is left out.
func (n *AuditNames) Differences(ctx context.Context, e *models.AuditEntry) []Difference {
	before, after := Object(e.Before), Object(e.After)
	if e.Reason != "" { // told with its note, where every entry's reason is
		delete(before, "reason")
		delete(after, "reason")
	}
	if e.Action == models.ActionCancellationMoved {
		delete(before, "detail") // why it had moved before: not what this move changed
	}
	if says := raised(ctx, e, after); says != "" {
		after["facts"] = says
	}
	return n.compare(ctx, nil, "", before, after)
}

// raised is what an alert found, in the sentence that its page has too; "" of any
// other entry.
func raised(ctx context.Context, e *models.AuditEntry, after map[string]any) string {
	kind, ok := after["rule"].(string)
	if e.Action != models.ActionAlertRaised || !ok || !locale.Has("alertKind."+kind) {
		return ""
	}
	facts, err := json.Marshal(after["facts"])
	if err != nil {
		return ""
	}
	return AlertSays(ctx, &alerts.Alert{Kind: alerts.Kind(kind), StoreName: e.StoreName, Facts: facts})
}

// compare lists what differs in two objects; way are the fields that lead to
// them, in words, and within the last of them by its code.
func (n *AuditNames) compare(ctx context.Context, way []string, within string, before, after map[string]any) []Difference {
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	var all []Difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		b, a := before[name], after[name]
		if reflect.DeepEqual(b, a) {
			continue
		}
		here := append(slices.Clone(way), FieldWord(ctx, within, name))
		as := wordedAs(within, name)
		d := Difference{Name: strings.Join(here, " › ")}
		bObject, bIs := b.(map[string]any)
		aObject, aIs := a.(map[string]any)
		bList, bLists := b.([]any)
		aList, aLists := a.([]any)
		switch {
		case bIs && aIs && !strings.HasSuffix(name, "Receipts"):
			all = append(all, n.compare(ctx, here, name, bObject, aObject)...)
			continue
		case bLists && aLists:
			d.Added, d.Removed = n.apart(ctx, as, bList, aList), n.apart(ctx, as, aList, bList)
		}
		if !d.Listed() {
			d.Before, d.After = n.value(ctx, as, b), n.value(ctx, as, a)
		}
		if d.Listed() || d.Before != d.After {
			all = append(all, d)
		}
	}
	return all
}

// apart words what of a list another one lacks.
func (n *AuditNames) apart(ctx context.Context, name string, other, list []any) []string {
	var apart []string
	for _, item := range list {
		if !slices.ContainsFunc(other, func(o any) bool { return reflect.DeepEqual(o, item) }) {
			apart = append(apart, n.value(ctx, name, item))
		}
	}
	return apart
}

// InText lists the fields that an entry changed for where there are no signs but
// in the text: in a file and on paper.
func (n *AuditNames) InText(ctx context.Context, e *models.AuditEntry) []Difference {
	all := n.Differences(ctx, e)
	for i, d := range all {
		if !d.Listed() {
			continue
		}
		var parts []string
		for _, r := range d.Removed {
			parts = append(parts, "− "+r)
		}
		for _, a := range d.Added {
			parts = append(parts, "+ "+a)
		}
		all[i].After = strings.Join(parts, ", ")
	}
	return all
}
