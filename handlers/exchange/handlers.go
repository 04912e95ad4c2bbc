// Package exchange answers the pages about what comes in from and goes out to
// others: imports, reports of providers, what terminals posted, endpoints and
// deliveries, keys and the API's reference.
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

// Handlers answer the pages of this area.
type Handlers struct {
	*kit.Kit
	Imports        *imports.Service
	Reconciliation *reconciliation.Service
	Results        *results.Service
	Webhooks       *webhooks.Service
	APIKeys        *apikeys.Service
	API            *api.API
}
