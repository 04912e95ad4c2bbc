// Package exchange handles the pages for data that is received from and sent to
// others: imports, providers' reports, posts of terminals, endpoints and deliveries,
// API keys and the API's reference.
package exchange

import (
	"context"

	"veinte/handlers/api"
	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	"veinte/models/imports"
	"veinte/models/reconciliation"
	"veinte/models/results"
	"veinte/models/webhooks"
)

// Handlers handle the pages of this area. Imports, reports, endpoints and keys have
// their only pages here, which use nearly all that their services do.
type Handlers struct {
	*kit.Kit
	Results        func(context.Context, models.Actor, results.Filter) (*results.Page, error)
	Imports        *imports.Service
	Reconciliation *reconciliation.Service
	Webhooks       *webhooks.Service
	APIKeys        *apikeys.Service
	Proposals      *proposals.Service
	WaitingOf      func(ctx context.Context, requester int64) (int64, error) // what they asked for and has not left
	API            *api.API
}
