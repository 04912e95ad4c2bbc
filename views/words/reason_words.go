package words

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

// ReasonText puts an entry's reason into words. The trail keeps codes and what
// people typed: a reason with its note ("other: the card broke"), a refusal
// (error.tooLate), a note of a result, or evidence ("authCode 1 · folio 2").
// What is none of these was typed and stays as it is.
func ReasonText(ctx context.Context, reasons []models.Reason, text string) string {
	if strings.Contains(text, ".") && locale.Has(text) {
		return locale.T(ctx, text)
	}
	if locale.Has("resultNote." + text) {
		return locale.T(ctx, "resultNote."+text)
	}
	code, note, noted := strings.Cut(text, ": ")
	if known := ReasonLabel(ctx, reasons, code); known != code {
		if noted {
			return known + ": " + note
		}
		return known
	}
	var parts []string
	for _, part := range strings.Split(text, " · ") {
		name, value, ok := strings.Cut(part, " ")
		switch {
		case part == "row 0": // the report has no line of the sale
			continue
		case ok && evidence[name]:
			part = locale.T(ctx, "field."+name) + ": " + value
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " · ")
}

// ReasonName is what the text of an entry's reason is called: a reason where a
// person gave one, a detail where it is a code of the bank, an address or what a
// rule said.
func ReasonName(ctx context.Context, reasons []models.Reason, e *models.AuditEntry) string {
	code, _, _ := strings.Cut(e.Reason, ": ")
	switch e.Action {
	case models.ActionCancellationRequested, models.ActionPaused, models.ActionResumed:
		return locale.T(ctx, "audit.reason")
	}
	if ReasonLabel(ctx, reasons, code) != code {
		return locale.T(ctx, "audit.reason")
	}
	return locale.T(ctx, "audit.detail")
}

// evidence are the attributes which a resolution or a result brings along.
var evidence = map[string]bool{
	"authCode": true, "folio": true, "note": true, "responseCode": true, "report": true, "hash": true, "row": true,
}
