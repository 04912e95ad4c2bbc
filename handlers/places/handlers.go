// Package places handles the pages of stores and terminals: where each terminal is
// and since when, and which need attention.
package places

import (
	"context"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// Handlers handle the pages of this area, the only ones of stores and terminals. They
// use nearly all that the service does.
type Handlers struct {
	*kit.Kit
	Terminals *terminals.Service
	// Day adds up the day of a store, TerminalDay that of a terminal, and People lists who
	// works in a store.
	Day         func(context.Context, models.Actor, sales.Filter) (*sales.DayFigures, error)
	TerminalDay func(ctx context.Context, actor models.Actor, terminalID int64, day models.Day) (*sales.TerminalDay, error)
	People      func(context.Context, models.Actor, accounts.PeopleFilter) (*accounts.PeoplePage, error)
	// Shared is what holds for the address that all terminals share; BaseURL is the
	// address of the server, "" when it is only known from requests.
	Shared  models.SharedAddress
	BaseURL string
}
