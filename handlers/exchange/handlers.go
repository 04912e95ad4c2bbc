// Package exchange handles the pages for data that is received from and sent to
// others: imports, providers' reports, posts of terminals, endpoints and deliveries,
// API keys and the API's reference.
package exchange

import (
	"veinte/handlers/api"
	"veinte/handlers/kit"
	"veinte/models/apikeys"
	"veinte/models/imports"
	"veinte/models/reconciliation"
	"veinte/models/results"
	"veinte/models/webhooks"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Imports        *imports.Service
	Reconciliation *reconciliation.Service
	Results        *results.Service
	Webhooks       *webhooks.Service
	APIKeys        *apikeys.Service
	API            *api.API
}
