package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/compare"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/models/oversight"
	"veinte/models/reconciliation"
	"veinte/models/review"
	"veinte/models/rules"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

func (s Shop) Review() *oversightview.ReviewView {
	store, terminal := s.Stores()[0], models.Terminal{SerialNumber: "1234567890", Label: "Caja 1"}
	item := func(id int64, state models.SaleState, since string) review.Item {
		sale := s.Sale(id, "18:40:00", 125000, state)
		return review.Item{
			Kind: review.ReviewDoubt, ID: id, Since: s.At(since), Sale: &sale, Store: &store, Terminal: terminal,
			Cancellation: &models.Cancellation{
				ID: id, SaleID: id, Requester: "Ana Torres Luna", Origin: models.FromPerson, Detail: models.DetailNoResult, State: models.Unknown,
			},
		}
	}
	overdue, waiting, due := item(
		1, models.SaleUnknown, "18:50:00",
	), item(2, models.SaleUnknown, "19:18:00"), item(4, models.SaleUnknown, "19:19:00")
	overdue.Also, overdue.Report = []alerts.Kind{alerts.KindAmount, alerts.AlertDoubt}, 8
	waiting.NextInquiry, waiting.Tries = s.At("19:22:00"), 3
	due.NextInquiry, due.Tries = s.At("19:20:00"), 1
	conflict := item(3, models.SaleConfirmed, "17:02:00")
	conflict.Kind, conflict.Cancellation.Conflict = review.ReviewConflict, models.ConflictLatePositive
	amount := models.Money(9900)
	stray := review.Item{
		Kind: review.ReviewResult, ID: 9, Since: s.At("19:19:40"), Store: &store, Terminal: terminal, Result: &models.Result{
			ID: 9, ReceivedAt: s.At("19:19:40"), Kind: models.ResultCancellation, Status: models.ResultUnmatched, Note: "noSuchSale",
			SerialNumber: "1234567890", OrderID: "261120181203-1234567890", Amount: &amount,
		},
	}
	silent := s.Alerts()[8]
	alert := review.Item{
		Kind: review.ReviewAlert, ID: silent.ID, Since: s.At("16:10:00"), Store: &store, Terminal: terminal, Alert: &silent,
	}
	difference := review.Item{
		Kind: review.ReviewDifference, ID: 12, Since: s.At("11:03:00"), Store: &store, Terminal: terminal, Difference: &review.Difference{
			ReportItem: reconciliation.ReportItem{
				ID: 12, ReconciliationID: 8, Kind: reconciliation.ItemUnknownSale, OrderID: "261119171500-1234567890", Amount: &amount,
			},
			ProfileName: "Procesador del norte", BusinessDay: "2026-11-19",
		},
	}
	differing := review.Item{
		Kind: review.ReviewReport, ID: 7, Since: s.At("11:02:00"),
		Differing: &review.Differing{ID: 7, ProfileName: "Procesador del norte", BusinessDay: "2026-11-19", Differences: 23},
	}
	finding := review.Item{Kind: review.ReviewFinding, ID: 1, Since: s.At("13:40:00"), Finding: &oversight.Waiting{
		Kind: oversight.FindLate, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Count: 9, Amount: 281250, At: s.At("13:40:00"),
	}}
	return &oversightview.ReviewView{
		Page: s.Page(models.Supervisor, "/review", "19:20:03"),
		List: review.Page{
			Items: []review.Item{overdue, waiting, due, conflict, stray, alert, differing, difference, finding},
			Counts: review.Counts{
				review.ReviewDoubt: 3, review.ReviewConflict: 1, review.ReviewResult: 1, review.ReviewAlert: 1, review.ReviewReport: 1,
				review.ReviewDifference: 1, review.ReviewFinding: 1,
			},
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
	marked.Open, marked.Note = oversightview.ItemName(&marked.List.Items[3]), "Hablé con la encargada"
	pages["review-refused"] = oversightview.Review(marked)
	read := s.Review()
	read.Page, read.Kind = s.Page(models.Auditor, "/review", "19:20:03"), review.ReviewAlert
	pages["review-read"] = oversightview.Review(read)
	pages["review-empty"] = oversightview.Review(&oversightview.ReviewView{
		Page: s.Page(models.Supervisor, "/review", "19:20:03"), Filter: review.Filter{Kind: review.ReviewDoubt},
	})
	pages["review-not-found"] = oversightview.Review(&oversightview.ReviewView{
		Page: s.Page(models.Supervisor, "/review", "19:20:03"), Filter: review.Filter{Kind: review.ReviewDoubt, Query: "Saltillo"},
		List: review.Page{Counts: review.Counts{review.ReviewConflict: 2}},
	})
	searched := s.Review()
	searched.Query, searched.List.Next = "Roma Norte", "MTIz"
	pages["review-searched"] = oversightview.Review(searched)
	amount, sale := models.Money(125000), int64(3)
	pages["review-handled"] = oversightview.HandledLately(&oversightview.HandledView{
		Page: s.Page(models.Supervisor, "/review?show=handled", "19:20:03"), Counts: s.Review().List.Counts, Handled: []review.Handled{
			{
				Kind: review.ReviewDoubt, At: s.At("19:01:00"), By: "Sofía Méndez", StoreName: "Roma Norte",
				Of: string(models.Confirmed), Note: "authCode 355873 · note Ticket en mano",
				SaleID: &sale, OrderID: "261120184000-1234567890", Amount: &amount,
			},
			{
				Kind: review.ReviewAlert, At: s.At("18:40:00"), By: "Sofía Méndez", Note: "Hablé con la encargada",
				Of: "silent", StoreName: "Roma Norte",
			},
		},
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
	changed := *waits
	changed.Differences = []compare.Difference{
		{Kind: compare.Changed, Table: "sales", Row: "100", Field: "amount", Recorded: "1250.00", Found: "1.00", EntryID: 1204},
		{Kind: compare.Changed, Table: "cancellations", Row: "9", Field: "state", Recorded: "confirmed", Found: "rejected", EntryID: 1210},
	}
	pages["story-altered"] = salesview.SaleDetail(&changed)
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
