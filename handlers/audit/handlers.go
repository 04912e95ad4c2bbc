// Package audit handles the pages of the trail: the list and its entries, exports
// and printed documents, proofs and verification. It also handles the saved filters
// of the trail and of the list of sales.
package audit

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/models/savedviews"
	salesview "veinte/views/sales"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Audit      *audit.Service
	Export     *export.Service
	Sealing    *sealing.Service
	Verify     *verify.Service
	Accounts   *accounts.Service
	Rules      *rules.Service
	Sales      *sales.Service
	SavedViews *savedviews.Service
	// BaseURL is the server's address in the instructions to verify from
	// elsewhere; "" when none is configured.
	BaseURL string
	// Onboarding is what the person may do first, on their first page.
	Onboarding func(*fiber.Ctx) (*salesview.FirstSteps, error)
}
