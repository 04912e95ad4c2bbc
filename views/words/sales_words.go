package words

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

func StateOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "sales.allStates")}}
	for _, s := range models.SaleFilterStates {
		options = append(options, ui.Option{Value: string(s), Text: StateWord(ctx, s)})
	}
	return options
}

// SaleFilterNames are what the filters of sales are called, by their name in
// addresses.
var SaleFilterNames = map[string]string{
	"q": "sales.text", "store": "sales.store", "terminal": "sales.terminal", "state": "sales.state", "date": "sales.date",
}
