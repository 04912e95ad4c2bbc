// Package sales answers the pages of sales and of their cancellations: the day's
// list, a sale and what became of it, a sale typed from a ticket, requests one by
// one and in bulk, and what is left of a day.
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

// Handlers answer the pages of this area.
type Handlers struct {
	*kit.Kit
	Sales         *sales.Service
	Cancellations *cancellations.Service
	Intake        *intake.Service
	Rules         *rules.Service
	SavedViews    *savedviews.Service
	// Onboarding is what the person may do first, on their first page.
	Onboarding func(*fiber.Ctx) (*salesview.FirstSteps, error)
}
