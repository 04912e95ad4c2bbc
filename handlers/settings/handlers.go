// Package settings handles the administrator's pages: rules, reasons, the pause,
// users and the connection to the service.
package settings

import (
	"context"
	"time"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/entrance"
	"veinte/models/operations"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
)

// Handlers handle the pages of this area. Users and rules have their only pages here,
// which use nearly all that their services do.
type Handlers struct {
	*kit.Kit
	Cancellations interface {
		Pause(ctx context.Context, actor models.Actor, reason string) error
		Resume(ctx context.Context, actor models.Actor, pauseID int64) error
		CanInquire() bool
		WaitingOf(ctx context.Context, requester int64) (int64, error)
	}
	Operations interface {
		ReplyCounts(ctx context.Context, actor models.Actor) ([]operations.ReplyCount, error)
		LastConnectionTest(ctx context.Context) (operations.ConnectionTest, error)
		TestConnection(ctx context.Context, actor models.Actor, probe func(context.Context) []operations.ProbeStep) error
		ClockAhead() time.Duration
	}
	// Latest reads the newest entries of the trail that a filter matches.
	Latest    func(context.Context, models.Actor, audit.Filter, int) ([]models.AuditEntry, error)
	Accounts  *accounts.Service
	Entrance  *entrance.Service
	Proposals *proposals.Service
	Rules     *rules.Service
	// SSO is how the provider of the single sign-on is reached; nil: there is none.
	SSO *settingsview.SSOSetup
	// BaseURL is the server's address in the links that people get.
	BaseURL string
	// Connection is the client of the service.
	Connection Connection
	// Shared is what holds for the address that all terminals share.
	Shared models.SharedAddress
	// Setup is how the service is reached, secrets as ***.
	Setup []settingsview.Setting
	// Differs lists what was set otherwise than the cancellation document says; nil:
	// nothing.
	Differs func(now time.Time) []settingsview.Difference
}
