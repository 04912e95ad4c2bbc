package views

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

func actionWord(ctx context.Context, a models.Action) string {
	return maybe(ctx, "action.", string(a))
}

func outcomeWord(ctx context.Context, o models.Outcome) string {
	return maybe(ctx, "outcome.", string(o))
}

// actorName is the person's name; parts of the system and terminals are
// introduced as what they are.
func actorName(ctx context.Context, e *models.AuditEntry) string {
	switch e.ActorRole {
	case models.SystemRole:
		return roleWord(ctx, e.ActorRole)
	case models.TerminalRole:
		return roleWord(ctx, e.ActorRole) + " " + e.ActorName
	}
	// Whoever could not sign in has typed a name, or nothing that can be read.
	if e.ActorName == "" || e.ActorName == "?" {
		return locale.T(ctx, "audit.nobody")
	}
	return e.ActorName
}

// isPerson tells people, whose role says something, from jobs and terminals.
func isPerson(e *models.AuditEntry) bool {
	return e.ActorRole != "" && e.ActorRole != models.SystemRole && e.ActorRole != models.TerminalRole
}

// difference is one field of what an act changed.
type difference struct {
	name, before, after string
}

// differences lists the fields that an entry changed, in words where we have
// them. What is equal before and after is left out.
func differences(ctx context.Context, e *models.AuditEntry) []difference {
	before, after := object(e.Before), object(e.After)
	names := make([]string, 0, len(before)+len(after))
	for name := range before {
		names = append(names, name)
	}
	for name := range after {
		if _, both := before[name]; !both {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var all []difference
	for _, name := range names {
		if name == "reason" && e.Reason != "" {
			continue // told with its note, where every entry's reason is
		}
		d := difference{maybe(ctx, "field.", name), value(ctx, name, before[name]), value(ctx, name, after[name])}
		if d.before != d.after {
			all = append(all, d)
		}
	}
	return all
}

// object reads a JSON object; anything else is an empty one, because a page of
// the trail must show the other entries whatever one of them holds.
func object(data []byte) map[string]any {
	var o map[string]any
	if len(data) == 0 || json.Unmarshal(data, &o) != nil {
		return nil
	}
	return o
}

func value(ctx context.Context, name string, v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case bool:
		return yesNo(ctx, x)
	case float64:
		if name == "amount" {
			return money(models.Money(x))
		}
		number := strings.TrimSuffix(fmt.Sprintf("%.2f", x), ".00")
		if strings.HasSuffix(name, "Seconds") {
			number += " s"
		}
		return number
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = value(ctx, name, x[i])
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		parts := make([]string, 0, len(x))
		for _, field := range slices.Sorted(maps.Keys(x)) {
			text := value(ctx, name, x[field])
			if strings.HasSuffix(name, "Receipts") {
				text = receiptValue(ctx, x[field])
			}
			parts = append(parts, fieldWord(ctx, name, field)+": "+text)
		}
		return strings.Join(parts, " · ")
	case string:
		return textValue(ctx, name, x)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

// receiptValue words what a receipt starts with; null is as in general.
func receiptValue(ctx context.Context, v any) string {
	print, own := v.(bool)
	switch {
	case !own:
		return locale.T(ctx, "rules.asGeneral")
	case print:
		return locale.T(ctx, "rules.print")
	}
	return locale.T(ctx, "rules.omit")
}

// fieldWord names what an object within a field holds: a reason by its words.
func fieldWord(ctx context.Context, name, field string) string {
	if word := textValue(ctx, name, field); word != field {
		return word
	}
	return maybe(ctx, "field.", field)
}

func textValue(ctx context.Context, name, text string) string {
	if d, err := models.ParseDay(text); err == nil && name == "effectiveAt" {
		return day(ctx, d)
	}
	for _, known := range valueWords[name] {
		if text != "" && locale.Has(known+text) {
			return locale.T(ctx, known+text)
		}
	}
	return text
}

// valueWords says where the words for a field's values are.
var valueWords = map[string][]string{
	"state":          {"case.", "state."},
	"detail":         {"detail."},
	"role":           {"role."},
	"conflict":       {"conflict."},
	"status":         {"resultStatus."},
	"kind":           {"resultKind.", "importKind."},
	"reason":         {"reason."},
	"order":          {"reason."},
	"reasonReceipts": {"reason."},
	"standing":       {"standing."},
	"source":         {"source."},
	"outcome":        {"told."},
	"problems":       {""},
	"warnings":       {""},
	"endpointKind":   {"endpointKind."},
}
