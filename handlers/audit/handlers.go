// Package audit handles the pages of the trail: the list and its entries, exports
// and printed documents, proofs and verification. It also handles the saved filters
// of the trail and of the list of sales.
package audit

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit"
	"veinte/models/audit/attest"
	"veinte/models/audit/compare"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/sales"
	"veinte/models/savedviews"
	salesview "veinte/views/sales"
)

// Handlers handle the pages of this area. Exports, verification and saved filters
// have their only pages here, which use nearly all that their services do.
type Handlers struct {
	*kit.Kit
	Audit interface {
		Audit(ctx context.Context, actor models.Actor, f audit.Filter) (*audit.Page, error)
		CurrentStates(ctx context.Context, entries []models.AuditEntry) (map[int64]audit.CurrentState, error)
		Steps(ctx context.Context, actor models.Actor, requests []models.AuditEntry) (map[int64][]models.AuditEntry, error)
	}
	Export  *export.Service
	Verify  *verify.Service
	Compare interface {
		Last(ctx context.Context) (*compare.Comparison, error)
		Differences(ctx context.Context, actor models.Actor) ([]compare.Difference, error)
	}
	Attest interface {
		Status(ctx context.Context) ([]attest.Attester, error)
		Want(ctx context.Context, actor models.Actor) error
	}
	Mail interface {
		CanMail() bool
		CheckpointMail(ctx context.Context, actor models.Actor) (alerts.CheckpointMail, error)
		SetCheckpointMail(ctx context.Context, actor models.Actor, on bool) error
	}
	SavedViews *savedviews.Service
	SalesFiles *sales.Exporter
	// Of other areas.
	Checkpoint   func(context.Context) (*sealing.Checkpoint, error) // the latest
	Noted        func(context.Context) (*sealing.Checkpoint, error) // the same, with what others signed
	Colleagues   func(context.Context, models.Actor) ([]models.User, error)
	AllReasons   func(context.Context) ([]models.Reason, error)
	OwnTerminals func(context.Context, models.Actor) (map[int64]bool, error)
	// BaseURL is the server's address in the instructions to verify from
	// elsewhere; "" when none is configured.
	BaseURL string
	// Onboarding is what the person may do first, on their first page.
	Onboarding func(*fiber.Ctx) (*salesview.Onboarding, error)
}
