package sales

import (
	"context"

	"veinte/models"
	"veinte/models/intake"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SaleNewView is the form of one sale typed from its ticket.
type SaleNewView struct {
	ui.Page
	Terminals []intake.ManualTerminal
	Form      SaleEntryForm
}

// SaleEntryForm is what was typed, and what came back of it.
type SaleEntryForm struct {
	intake.ManualSale
	Warnings []string // catalogue keys; the person says that they looked at them
	Similar  int64    // the sale that this one may be; 0 when there is none
	Errors   ui.Errors
}

// entryOrder is the order of the form's fields.
var entryOrder = []string{"orderId", "terminal", "amount", "date", "time", "last4", "cardBrand", "authCode", "folio"}

// terminalOptions names each terminal, with its store where there are several.
func (v *SaleNewView) terminalOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "entry.chooseTerminal")}}
	for i := range v.Terminals {
		t := &v.Terminals[i]
		text := ui.TerminalName(t.Label, t.SerialNumber) + " · " + locale.T(ctx, "terminal.serialShort") + " " + string(t.SerialNumber)
		if v.stores() > 1 {
			text = ui.InStore(t.Store.Code, text)
		}
		options = append(options, ui.Option{Value: ui.Itoa(t.ID), Text: text})
	}
	return options
}

// stores counts the stores whose terminals are offered.
func (v *SaleNewView) stores() int {
	codes := map[string]bool{}
	for i := range v.Terminals {
		codes[v.Terminals[i].Store.Code] = true
	}
	return len(codes)
}

// sourceText names the source of a sale and who reported it.
func sourceText(ctx context.Context, s *models.Sale) string {
	text := locale.T(ctx, "source."+string(s.Source))
	if s.RecordedBy != "" {
		text += ": " + s.RecordedBy
	}
	return text
}
