// Package sales handles the pages of sales and of their cancellations: the day's
// list, a sale's detail, manual sales, single and bulk requests, and a day's pending
// cancellations.
package sales

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/cancellations"
	"veinte/models/intake"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/models/savedviews"
	salesview "veinte/views/sales"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Sales         *sales.Service
	Cancellations *cancellations.Service
	Intake        *intake.Service
	Rules         *rules.Service
	SavedViews    *savedviews.Service
	// Onboarding returns the first steps for the user's first page.
	Onboarding func(*fiber.Ctx) (*salesview.FirstSteps, error)
}
