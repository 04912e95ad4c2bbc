package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/models/review"
	"veinte/models/rules"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

func (s Shop) Review() *oversightview.ReviewView {
	store := s.Stores()[0]
	item := func(id int64, state models.SaleState, since string) review.Item {
		sale := s.Sale(id, "18:40:00", 125000, state)
		return review.Item{
			Kind: review.ReviewDoubt, Since: s.At(since), Sale: &sale, Store: &store,
			Cancellation: &models.Cancellation{
				ID: id, Requester: "Ana Torres Luna", Origin: models.FromPerson, Detail: models.DetailNoResult, State: models.Unknown,
			},
		}
	}
	overdue, waiting, due := item(
		1, models.SaleUnknown, "18:50:00",
	), item(2, models.SaleUnknown, "19:18:00"), item(4, models.SaleUnknown, "19:19:00")
	waiting.NextInquiry, waiting.Tries = s.At("19:22:00"), 3
	due.NextInquiry, due.Tries = s.At("19:20:00"), 1
	conflict := item(3, models.SaleConfirmed, "17:02:00")
	conflict.Kind, conflict.Cancellation.Conflict = review.ReviewConflict, models.ConflictLatePositive
	amount := models.Money(9900)
	stray := review.Item{Kind: review.ReviewResult, Since: s.At("19:19:40"), Result: &models.Result{
		ID: 9, ReceivedAt: s.At("19:19:40"), Kind: models.ResultCancellation, Status: models.ResultUnmatched, Note: "noSuchSale",
		SerialNumber: "1234567890", OrderID: "261120181203-1234567890", Amount: &amount, Body: `{"transType":"V"}`,
	}}
	return &oversightview.ReviewView{
		Page: s.Page(models.Supervisor, "/review", "19:20:03"),
		List: review.Page{
			Items:  []review.Item{overdue, waiting, due, conflict, stray},
			Counts: map[review.Kind]int{review.ReviewDoubt: 3, review.ReviewConflict: 1, review.ReviewResult: 1},
		},
	}
}

func (s Shop) settings() *settingsview.SettingsView {
	p := s.Page(models.Administrator, "/settings", "19:20:03")
	return &settingsview.SettingsView{Page: p}
}

func (s Shop) addReviewPages(pages map[string]templ.Component) {
	pages["review"] = oversightview.Review(s.Review())
	marked := s.Review()
	marked.Errors = ui.Errors{"": "error.alreadyReviewed"}
	pages["review-refused"] = oversightview.Review(marked)
	pages["review-empty"] = oversightview.Review(&oversightview.ReviewView{
		Page: s.Page(models.Supervisor, "/review", "19:20:03"), Kind: review.ReviewDoubt,
	})
	pages["settings"] = settingsview.Settings(s.settings())
	wrong := s.settings()
	wrong.Errors = ui.Errors{"reason": "field.required"}
	pages["settings-wrong"] = settingsview.Settings(wrong)
	paused := s.settings()
	paused.Page = s.Troubled(models.Administrator, "/settings")
	paused.Pause = paused.Page.Notices.Pause
	pages["settings-paused"] = settingsview.Settings(paused)
	busy := s.Sales("19:20:03")
	busy.Page = s.Troubled(models.Manager, "/sales")
	pages["sales-troubled"] = salesview.Sales(busy)
	waits := s.SaleDetail(models.Supervisor, "19:41:01", models.SaleRequested)
	waits.Page = s.Troubled(models.Supervisor, "/sales/100")
	pages["story-paused"] = salesview.SaleDetail(waits)
	byHand := s.SaleDetail(models.Manager, "19:52:03", models.SaleUnknown)
	byHand.Inquiries = false
	pages["story-without-inquiries"] = salesview.SaleDetail(byHand)
	pages["error-503"] = ui.Error(ui.ErrorView{
		Page: s.Outside("/", "19:52:03"), Status: 503, Code: database.OutageDisk.Code, RequestID: "01J9Z",
	})
}

// Troubled is a page with every notice on it.
func (s Shop) Troubled(role models.Role, path string) ui.Page {
	p := s.Page(role, path, "19:20:03")
	p.Review = 3
	p.Window.Ahead = func() time.Duration { return 37 * time.Second }
	p.Notices = operations.Notices{
		Outage: database.OutageTrail,
		Pause: &rules.Pause{
			ID: 1, Reason: "El proveedor está en mantenimiento hasta las 19:30", PausedAt: s.At("19:02:00"), PausedBy: "Diego Ríos",
		},
		Unanswered: &operations.Unanswered{Since: s.At("19:01:00"), Times: 4},
		Access:     &operations.AccessRefused{Since: s.At("18:58:00"), Doubt: true, Call: []string{"Diego Ríos"}},
		Ahead:      37 * time.Second,
	}
	return p
}
