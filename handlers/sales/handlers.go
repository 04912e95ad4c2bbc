// Package sales handles the pages of sales and of their cancellations: the day's
// list, a sale's detail, manual sales, single and bulk requests, and a day's pending
// cancellations.
package sales

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/models/bulk"
	"veinte/models/cancellations"
	"veinte/models/intake"
	"veinte/models/notices"
	"veinte/models/review"
	"veinte/models/rules"
	"veinte/models/sales"
	"veinte/models/savedviews"
	salesview "veinte/views/sales"
	"veinte/views/seal"
)

// Handlers handle the pages of this area. Sales and cancellations have their only
// pages here, which use most of what their services do.
type Handlers struct {
	*kit.Kit
	Intake interface {
		ManualTerminals(ctx context.Context, actor models.Actor) ([]intake.ManualTerminal, error)
		Correctable(ctx context.Context, actor models.Actor, sale int64, source models.SaleSource) (*models.Sale, error)
		Correct(ctx context.Context, actor models.Actor, sale int64, c intake.Correction) (*models.Sale, []*models.Error, error)
		TakeBack(ctx context.Context, actor models.Actor, sale int64, source models.SaleSource, note string) error
		RecordManual(ctx context.Context, actor models.Actor, e intake.ManualSale) (*intake.ManualOutcome, error)
		CheckManual(ctx context.Context, actor models.Actor, e intake.ManualSale) (*intake.ManualOutcome, error)
	}
	Rules interface {
		Reasons(ctx context.Context) ([]models.Reason, error) // those in use
		AllReasons(ctx context.Context) ([]models.Reason, error)
		Schedule() *rules.Schedule
	}
	SavedViews    func(context.Context, models.Actor, models.ViewList) ([]savedviews.View, error)
	Sales         *sales.Service
	Cancellations *cancellations.Service
	Bulk          *bulk.Service
	// IssueNotice returns the notice for the customer of a sale.
	// Seal returns the last checkpoint of the trail; nil: none.
	Seal        func(context.Context) *seal.View
	IssueNotice func(ctx context.Context, actor models.Actor, saleID int64) (*notices.Notice, error)
	// Pending lists the cancellations of a day that are not confirmed.
	Pending func(ctx context.Context, actor models.Actor, day models.Day, storeID int64) (*review.PendingDay, error)
	// SawEnded stores that the actor has seen how doubts ended.
	SawEnded func(ctx context.Context, actor models.Actor, ids []int64) error
	// Differences are in what a sale is not as the trail recorded it.
	Differences func(ctx context.Context, saleID int64) ([]compare.Difference, error)
	// Onboarding returns the first steps for the user's first page.
	Onboarding func(*fiber.Ctx) (*salesview.Onboarding, error)
}
