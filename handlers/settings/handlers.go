// Package settings handles the administrator's pages: rules, reasons, the pause,
// users and the connection to the service.
package settings

import (
	"veinte/handlers/kit"
	"veinte/models/accounts"
	"veinte/models/cancellations"
	"veinte/models/operations"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Accounts      *accounts.Service
	Cancellations *cancellations.Service
	Operations    *operations.Service
	Rules         *rules.Service
	// Connection is the client of the service.
	Connection Connection
	// Setup is how the service is reached, secrets as ***.
	Setup []settingsview.Setting
}
