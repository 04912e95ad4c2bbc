package samples

import (
	"strings"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// ReportItem is what a report says of a sample sale.
func (s Shop) ReportItem(id int64, kind reconciliation.ItemKind, settles reconciliation.Resolves) reconciliation.ReportItem {
	amount, sold := models.Money(125000+id*3150), s.At("18:40:31")
	return reconciliation.ReportItem{
		ID: id, Kind: kind, Resolves: settles, Basis: reconciliation.BasisOrder, Lines: []int{int(id) + 1}, LineCount: 1,
		SerialNumber: "1234567890", OrderID: "261120184031-1234567890", Last4: "4242", AuthCode: "204913", Folio: "000123",
		Amount: &amount, At: &sold, Day: "2026-11-20", StoreID: 1, SaleID: id, Ours: models.SaleUnknown, Now: models.SaleUnknown,
	}
}

func (s Shop) Reconciliation(role models.Role) *exchangeview.ReconciliationView {
	v := &exchangeview.ReconciliationView{
		Page: s.Page(role, "/reconciliations/7", "21:15:03"),
		Report: reconciliation.Reconciliation{
			ID: 7, ProfileID: 1, ProfileVersion: 3, ProfileName: "Proveedor de ejemplo", BusinessDay: "2026-11-20", CompleteUntil: s.At("21:00:00"),
			FileName: "reporte-2026-11-20.csv", FileHash: strings.Repeat("1a2b", 16), FileBytes: 88112, Rows: 1284,
			UploadedAt: s.At("21:12:40"), Uploader: "Sofía Méndez", Open: 16,
			Counts: map[reconciliation.ItemKind]int{reconciliation.ItemSame: 1250, reconciliation.ItemIgnored: 4},
			Findings: report.Findings{
				Fields: report.Fields, Unread: []string{"Comisión", "Neto"}, CardRows: 3, CardColumns: []string{"Tarjeta"},
			},
		},
		Preview: map[reconciliation.Resolves]int{
			reconciliation.ResolvesConfirmed: 2, reconciliation.ResolvesNotCanceled: 1, reconciliation.ResolvesConflict: 1,
		},
		Stores:    map[int64]*models.Store{1: {ID: 1, Name: "Roma Norte", TimeZone: "America/Mexico_City"}},
		Terminals: map[string]int64{"1234567890": 1},
	}
	settles := map[reconciliation.ItemKind]reconciliation.Resolves{
		reconciliation.ItemCanceled: reconciliation.ResolvesConfirmed, reconciliation.ItemManual: reconciliation.ResolvesConfirmed,
		reconciliation.ItemCharged: reconciliation.ResolvesNotCanceled, reconciliation.ItemStillCharged: reconciliation.ResolvesConflict,
	}
	for n, kind := range reconciliation.ItemKinds[:len(reconciliation.ItemKinds)-2] {
		i := s.ReportItem(int64(n+1), kind, settles[kind])
		i.Why = sampleWhy[kind]
		ours := *i.Amount
		i.OurAmount = &ours
		switch kind {
		case reconciliation.ItemAmountDiffers:
			ours -= 1000
		case reconciliation.ItemUnreadable:
			i.Problem, i.ProblemColumn, i.ProblemValue, i.SaleID, i.Ours, i.Now = "word", "Operación", "AJUSTE", 0, "", ""
		case reconciliation.ItemUnknownSale, reconciliation.ItemUnknownTerminal:
			i.SaleID, i.Ours, i.Now = 0, "", ""
		case reconciliation.ItemProposed:
			i.Basis = reconciliation.BasisFolio
		case reconciliation.ItemReversed:
			when := s.At("21:14:00")
			i.ReviewedAt, i.ReviewedBy, i.Note = &when, "Sofía Méndez", "el banco lo confirmó"
		case reconciliation.ItemManual:
			i.Ours, i.Now = models.SaleCancelable, models.SaleConfirmed
		}
		v.Report.Counts[kind] = 1
		v.List.Items = append(v.List.Items, i)
	}
	v.First = v.List.Items[:4]
	v.Discarding = &reconciliation.Discarding{Open: v.Report.Open}
	return v
}

func (s Shop) profile() *exchangeview.ReportProfileView {
	amount, sold := models.Money(125000), s.At("18:40:31")
	return &exchangeview.ReportProfileView{
		Page: s.Page(models.Administrator, "/settings/reconciliation/1", "12:00:00"), ID: 1, SetBy: "Diego Luna",
		Form: exchangeview.ProfileForm{
			Name: "Proveedor de ejemplo", Version: 3, Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: "America/Mexico_City",
			Cut: "21:00",
			Columns: map[report.Field]string{
				report.FieldOrderID: "Número de orden", report.FieldSerialNumber: "Terminal", report.FieldAmount: "Importe",
				report.FieldStatus: "Operación", report.FieldSoldAt: "Fecha",
			},
			Words: []exchangeview.ProfileWord{
				{Word: "VENTA", Meaning: "sale", Lines: 1200},
				{Word: "CANCELACIÓN", Meaning: "cancellation", Lines: 12},
				{Word: "AJUSTE", Meaning: "", Lines: 1},
			},
		},
		Preview: &reconciliation.Preview{
			Header: []string{"Número de orden", "Terminal", "Importe", "Operación", "Fecha"}, Lines: 1213,
			Rows: []report.ReportRow{
				{
					Number: 2, Meaning: report.MeansSale, OrderID: "261120184031-1234567890", SerialNumber: "1234567890", Amount: &amount, At: &sold,
					Last4: "4242", AuthCode: "204913",
				},
				{
					Number: 3, Problem: "word", Column: "Operación", Value: "AJUSTE", OrderID: "261120184100-1234567890", SerialNumber: "1234567890",
					Amount: &amount, Day: "2026-11-20",
				},
			},
		},
	}
}

func (s Shop) addReconciliationPages(pages map[string]templ.Component) {
	v := s.Reconciliation(models.Supervisor)
	pages["reconciliation"] = exchangeview.Reconciliation(v)
	pages["reconciliation-admin"] = exchangeview.Reconciliation(s.Reconciliation(models.Administrator))
	old := s.Reconciliation(models.Supervisor)
	old.Report.SupersededBy, old.Report.OtherDayRows, old.Errors = 8, 900, ui.Errors{"": "report.superseded"}
	pages["reconciliation-old"] = exchangeview.Reconciliation(old)
	same := s.Reconciliation(models.Supervisor)
	same.Report.Counts = map[reconciliation.ItemKind]int{reconciliation.ItemSame: 1250, reconciliation.ItemIgnored: 4}
	same.Report.Open, same.List.Items, same.First, same.Preview, same.Report.SalesCompared = 0, nil, nil, nil, true
	pages["reconciliation-same"] = exchangeview.Reconciliation(same)
	done := s.Reconciliation(models.Supervisor)
	when := s.At("21:14:00")
	done.Report.AppliedAt, done.Report.AppliedBy, done.Preview, done.First, done.List.Items = &when, "Sofía Méndez", nil, nil, nil
	done.Filter.Kind = reconciliation.ItemNotInReport
	done.Discarding = &reconciliation.Discarding{Open: 13, Conflicts: make([]reconciliation.Standing, 1), Ended: []reconciliation.Standing{
		{SaleID: 1, OrderID: "261120184031-1234567890", Amount: 128150, Resolved: reconciliation.ResolvesConfirmed, StoreName: "Roma Norte"},
		{SaleID: 3, OrderID: "261120171502-1234567890", Amount: 45050, Resolved: reconciliation.ResolvesNotCanceled, StoreName: "Roma Norte"},
	}}
	done.DiscardErrors = ui.Errors{"note": "field.required"}
	pages["reconciliation-done"] = exchangeview.Reconciliation(done)
	gone := s.Reconciliation(models.Supervisor)
	gone.Report.DiscardedAt, gone.Report.DiscardedBy, gone.Report.DiscardedNote = &when, "Sofía Méndez", "era el archivo del día anterior"
	gone.Preview, gone.First, gone.Report.Open, gone.Discarding = nil, nil, 0, nil
	pages["reconciliation-discarded"] = exchangeview.Reconciliation(gone)

	p := s.Page(models.Supervisor, "/reconciliations", "21:15:03")
	pages["reconciliations"] = exchangeview.Reconciliations(&exchangeview.ReconciliationsView{Page: p, Profiles: 1, List: reconciliation.Page{
		Reconciliations: []reconciliation.Reconciliation{v.Report, same.Report, old.Report, gone.Report}, Next: "next",
	}})
	pages["reconciliations-empty"] = exchangeview.Reconciliations(&exchangeview.ReconciliationsView{Page: p, Profiles: 1})
	pages["reconciliations-unprepared"] = exchangeview.Reconciliations(&exchangeview.ReconciliationsView{
		Page: s.Page(models.Administrator, "/reconciliations", "21:15:03"),
	})
	profiles := []reconciliation.ReportProfile{
		{ID: 1, Name: "Proveedor de ejemplo", Version: 3, SetBy: "Diego Luna", SetAt: when},
		{ID: 2, Name: "Banco anterior", Version: 9, SetBy: "Diego Luna", SetAt: when, RetiredAt: &when},
	}
	pages["reconciliation-new"] = exchangeview.ReconciliationNew(&exchangeview.ReconciliationNewView{
		Page: p, Profiles: profiles, Form: exchangeview.ReportForm{ProfileID: 1, Day: "2026-11-20"},
	})
	pages["reconciliation-refused"] = exchangeview.ReconciliationNew(&exchangeview.ReconciliationNewView{
		Page: p, Profiles: profiles, Form: exchangeview.ReportForm{
			ProfileID: 1, Day: "2026-11-20", Errors: ui.Errors{"until": "report.untilFuture"}, SameAs: 7,
			Missing: &report.MissingColumns{Missing: []string{"Número de orden"}, Header: []string{"Order", "Total"}},
			Problem: &report.FileProblem{Code: "recon.unreadableFile"},
		},
	})
	pages["profiles"] = exchangeview.ReportProfiles(&exchangeview.ReportProfilesView{
		Page: s.Page(models.Administrator, "/settings/reconciliation", "12:00:00"), Profiles: profiles,
	})
	pages["profiles-empty"] = exchangeview.ReportProfiles(&exchangeview.ReportProfilesView{Page: s.Page(
		models.Administrator, "/settings/reconciliation", "12:00:00",
	)})
	pages["profile"] = exchangeview.ReportProfile(s.profile())
	wrong := s.profile()
	wrong.ID, wrong.Form.Errors, wrong.Preview.Missing = 0, ui.Errors{
		"amount": "field.required", "words": "mapping.noWords",
	}, []string{"Importe"}
	pages["profile-wrong"] = exchangeview.ReportProfile(wrong)
}

// sampleWhy is a code that goes with a kind.
var sampleWhy = map[reconciliation.ItemKind]string{
	reconciliation.ItemUnproven: "cutBefore", reconciliation.ItemContradictory: "bothWays", reconciliation.ItemOtherDay: "line",
}
