// Package places handles the pages of stores and terminals: where each terminal is
// and since when, and which need attention.
package places

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/terminals"
	salesview "veinte/views/sales"
)

// Handlers handle the pages of this area, the only ones of stores and terminals. They
// use nearly all that the service does.
type Handlers struct {
	*kit.Kit
	Terminals *terminals.Service
	// Shared is what holds for the address that all terminals share; BaseURL is the
	// address of the server, "" when it is only known from requests.
	Shared  models.SharedAddress
	BaseURL string
	// Onboarding is what the person may do first, on their first page.
	Onboarding func(*fiber.Ctx) (*salesview.Onboarding, error)
}
