package views

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// stateIcons has a picture for every state, so that none is told by colour alone.
var stateIcons = map[models.SaleState]string{
	models.SaleCancelable:  "circle-dot",
	models.SaleSoon:        "timer",
	models.SaleRequested:   "clock",
	models.SaleSending:     "send",
	models.SaleAccepted:    "smartphone-nfc",
	models.SaleConfirmed:   "circle-check",
	models.SaleRejected:    "circle-x",
	models.SaleUnknown:     "circle-question-mark",
	models.SaleNotCanceled: "credit-card",
	models.SaleExpired:     "hourglass",
	models.SaleTooLate:     "lock",
}

// look is the state as people see it: near the cut-off a cancelable sale is "soon".
func look(s *models.Sale, p Page) models.SaleState {
	return near(s.Shown(p.Window, p.Now), s, &p)
}

func near(shown models.SaleState, s *models.Sale, p *Page) models.SaleState {
	if shown == models.SaleCancelable && p.Window.Closes(s).Sub(p.Now) <= models.SoonBefore {
		return models.SaleSoon
	}
	return shown
}

func stateWord(ctx context.Context, s models.SaleState) string {
	return locale.T(ctx, "state."+string(s))
}

func roleWord(ctx context.Context, r models.Role) string {
	return locale.T(ctx, "role."+string(r))
}

// maybe translates a code that may be of a kind this page does not know yet:
// codes are added by other parts, and a page must not break over one.
func maybe(ctx context.Context, prefix, code string) string {
	if code == "" {
		return ""
	}
	if locale.Has(prefix + code) {
		return locale.T(ctx, prefix+code)
	}
	return code
}

// reasonLabel is a reason in the reader's language; its code when it is unknown.
func reasonLabel(ctx context.Context, reasons []models.Reason, code string) string {
	if code == models.ReasonOther {
		reasons = nil // its label asks for the note, which here stands beside it
	}
	for i := range reasons {
		if reasons[i].Code == code {
			return label(ctx, &reasons[i])
		}
	}
	return maybe(ctx, "reason.", code)
}

func label(ctx context.Context, r *models.Reason) string {
	if locale.Of(ctx) == "en" {
		return r.LabelEN
	}
	return r.LabelES
}

// zoneName names a zone as people do: hora CDMX, Cancún.
func zoneName(ctx context.Context, zone string) string {
	if locale.Has("zone." + zone) {
		return locale.T(ctx, "zone."+zone)
	}
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// sameClock reports whether two zones show the same time at an instant.
func sameClock(a, b *time.Location, at time.Time) bool {
	_, x := at.In(a).Zone()
	_, y := at.In(b).Zone()
	return x == y
}

// terminalName is how people tell terminals apart: the label, else the serial number.
func terminalName(label string, serial models.SerialNumber) string {
	if label == "" {
		return string(serial)
	}
	return label
}
