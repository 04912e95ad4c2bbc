package words

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

func ActionWord(ctx context.Context, a models.Action) string {
	return ui.Maybe(ctx, "action.", string(a))
}

// EntryTitle names the action; for a cancellation that moved, also its new state.
func EntryTitle(ctx context.Context, e *models.AuditEntry) string {
	if e.Action == models.ActionCancellationMoved {
		if state, ok := Object(e.After)["state"].(string); ok && locale.Has("case."+state) {
			return locale.T(ctx, "audit.movedTo", "State", CancellationStateText(ctx, models.State(state)))
		}
	}
	return ActionWord(ctx, e.Action)
}

func OutcomeWord(ctx context.Context, o models.Outcome) string {
	return ui.Maybe(ctx, "outcome.", string(o))
}

// ActorName is the person's name; parts of the system and terminals are
// introduced as what they are.
func ActorName(ctx context.Context, e *models.AuditEntry) string {
	switch e.ActorRole {
	case models.SystemRole:
		return ui.RoleWord(ctx, e.ActorRole)
	case models.TerminalRole:
		return ui.RoleWord(ctx, e.ActorRole) + " " + e.ActorName
	}
	// Whoever could not sign in is nobody that we know: what they typed may be anybody's.
	if e.ActorRole == models.Anonymous || e.ActorName == "" || e.ActorName == "?" {
		return locale.T(ctx, "audit.nobody")
	}
	return e.ActorName
}

// Typed is what somebody wrote who did not come in, where the trail has the name of others;
// "" of everybody else.
func Typed(e *models.AuditEntry) string {
	if e.ActorRole != models.Anonymous || e.ActorName == "?" {
		return ""
	}
	return e.ActorName
}

// IsPerson distinguishes users, whose role is shown, from jobs and terminals.
func IsPerson(e *models.AuditEntry) bool {
	return e.ActorRole != "" && e.ActorRole != models.SystemRole && e.ActorRole != models.TerminalRole
}

// Object reads a JSON object; anything else is an empty one, because a page of
// the trail must show the other entries whatever one of them holds.
func Object(data []byte) map[string]any {
	var o map[string]any
	if len(data) == 0 || json.Unmarshal(data, &o) != nil {
		return nil
	}
	return o
}

// Together is the reference of the press that an entry's request was one of
// several of, and of how many; "" when it was the only one.
func Together(e *models.AuditEntry) (reference string, of int) {
	after := Object(e.After)
	reference, _ = after["together"].(string)
	n, _ := after["togetherOf"].(float64)
	return reference, int(n)
}

// ReceiptValue words what a receipt starts with; null is as in general.
func ReceiptValue(ctx context.Context, v any) string {
	print, own := v.(bool)
	switch {
	case !own:
		return locale.T(ctx, "rules.asGeneral")
	case print:
		return locale.T(ctx, "rules.print")
	}
	return locale.T(ctx, "rules.omit")
}

// FieldWord names what an object within a field holds: a reason by its words.
func FieldWord(ctx context.Context, name, field string) string {
	if word := textValue(ctx, name, field); word != field {
		return word
	}
	return ui.Maybe(ctx, "field.", field)
}

func textValue(ctx context.Context, name, text string) string {
	if d, err := models.ParseDay(text); err == nil && (name == "effectiveAt" || name == "accessUntil") {
		return ui.Day(ctx, d)
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
	"rule":           {"alertKind."},
	"list":           {"value.list."},
	"link":           {"value.link."},
	"way":            {"value.way."},
	"notice":         {"accountNotice."},
	"use":            {"closingUse."},
	"told":           {"slipHead."},
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
	"outcome":        {"told.", "outcome."},
	"problems":       {""},
	"warnings":       {""},
	"endpointKind":   {"endpointKind."},
	"importState":    {"importState."},
	"endpointState":  {"endpointState."},
	"relayBody":      {"relayBody."},
	"deliveryState":  {"deliveryState."},
	"exportState":    {"exportState."},
	"filters":        {"action.", "outcome.", "role."},
	"format":         {"exportFormat."},
	"file":           {"exportFile."},
	"trouble":        {"trouble."},
	"missingIn":      {"missingIn."},
	"cause":          {"databaseCause."},
	"finding":        {"oversight.find."},
	"by":             {"oversight.by."},
	"page":           {"oversightPage."},
	"action":         {"action."},
	"reasonCode":     {"reason."},
	"note":           {"resultNote."},
	"columns":        {"reportField."},
	"words":          {"reportMeaning."},
	"amounts":        {"amountStyle."},
	"dates":          {"dateStyle."},
	"step":           {"probe."},
	"code":           {"probeCode."},
	"scopes":         {"scope."},
	"event":          {"event."},
	"events":         {"event."},
	"found":          {""},

	"comparisonState":   {"comparisonState."},
	"verificationState": {"verificationState."},
}

// SealedColumns names columns of the trail, "amount, reason", as people call them; "" when
// they are none.
func SealedColumns(ctx context.Context, columns string) string {
	var names []string
	for column := range strings.SplitSeq(columns, ", ") {
		if !locale.Has("sealedColumn." + column) {
			return ""
		}
		if name := locale.T(ctx, "sealedColumn."+column); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
