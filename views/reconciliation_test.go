package views

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

// sampleItem is what a report says of a sample sale.
func sampleItem(tb testing.TB, id int64, kind models.ItemKind, settles models.Settles) models.ReportItem {
	tb.Helper()
	amount, sold := models.Money(125000+id*3150), at(tb, "18:40:31")
	return models.ReportItem{
		ID: id, Kind: kind, Settles: settles, Basis: models.BasisOrder, Lines: []int{int(id) + 1}, LineCount: 1,
		SerialNumber: "1234567890", OrderID: "261120184031-1234567890", Last4: "4242", AuthCode: "204913", Folio: "000123",
		Amount: &amount, At: &sold, Day: "2026-11-20", StoreID: 1, SaleID: id, Ours: models.SaleUnknown, Now: models.SaleUnknown,
	}
}

// whyOf is a code that goes with a kind.
var whyOf = map[models.ItemKind]string{models.ItemUnproven: "cutBefore", models.ItemContradictory: "bothWays", models.ItemOtherDay: "line"}

func sampleReconciliation(tb testing.TB, role models.Role) *ReconciliationView {
	tb.Helper()
	v := &ReconciliationView{
		Page: page(tb, role, "/reconciliations/7", "21:15:03"),
		Report: models.Reconciliation{
			ID: 7, ProfileID: 1, ProfileVersion: 3, ProfileName: "Proveedor de ejemplo", BusinessDay: "2026-11-20", CompleteUntil: at(tb, "21:00:00"),
			FileName: "reporte-2026-11-20.csv", FileHash: strings.Repeat("1a2b", 16), FileBytes: 88112, Rows: 1284,
			UploadedAt: at(tb, "21:12:40"), Uploader: "Sofía Méndez", Open: 16,
			Counts: map[models.ItemKind]int{models.ItemSame: 1250, models.ItemIgnored: 4},
		},
		ToSettle: map[models.Settles]int{models.SettlesConfirmed: 2, models.SettlesNotCanceled: 1, models.SettlesConflict: 1},
		Stores:   map[int64]*models.Store{1: {ID: 1, Name: "Roma Norte", TimeZone: "America/Mexico_City"}}, Terminals: map[string]int64{"1234567890": 1},
	}
	settles := map[models.ItemKind]models.Settles{
		models.ItemCanceled: models.SettlesConfirmed, models.ItemByHand: models.SettlesConfirmed,
		models.ItemCharged: models.SettlesNotCanceled, models.ItemStillCharged: models.SettlesConflict,
	}
	for n, kind := range models.ItemKinds[:len(models.ItemKinds)-2] {
		i := sampleItem(tb, int64(n+1), kind, settles[kind])
		i.Why = whyOf[kind]
		switch kind {
		case models.ItemUnreadable:
			i.Problem, i.ProblemColumn, i.ProblemValue, i.SaleID, i.Ours, i.Now = "word", "Operación", "AJUSTE", 0, "", ""
		case models.ItemUnknownSale, models.ItemUnknownTerminal:
			i.SaleID, i.Ours, i.Now = 0, "", ""
		case models.ItemProposed:
			i.Basis = models.BasisFolio
		case models.ItemReversed:
			when := at(tb, "21:14:00")
			i.ReviewedAt, i.ReviewedBy, i.Note = &when, "Sofía Méndez", "el banco lo confirmó"
		case models.ItemByHand:
			i.Ours, i.Now = models.SaleCancelable, models.SaleConfirmed
		}
		v.Report.Counts[kind] = 1
		v.List.Items = append(v.List.Items, i)
	}
	v.First = v.List.Items[:4]
	return v
}

func sampleProfile(tb testing.TB) *ReportProfileView {
	tb.Helper()
	amount, sold := models.Money(125000), at(tb, "18:40:31")
	return &ReportProfileView{
		Page: page(tb, models.Administrator, "/settings/reconciliation/1", "12:00:00"), ID: 1, SetBy: "Diego Luna",
		Form: ProfileForm{
			Name: "Proveedor de ejemplo", Version: 3, Amounts: models.AmountsPoint, Dates: models.DatesDayMonthYear, Zone: "America/Mexico_City", Cut: "21:00",
			Columns: map[models.ReportField]string{models.ReportOrderID: "Número de orden", models.ReportSerialNumber: "Terminal", models.ReportAmount: "Importe", models.ReportStatus: "Operación", models.ReportSoldAt: "Fecha"},
			Words:   []ProfileWord{{"VENTA", "sale", 1200}, {"CANCELACIÓN", "cancellation", 12}, {"AJUSTE", "", 1}},
		},
		Preview: &models.ReportPreview{
			Header: []string{"Número de orden", "Terminal", "Importe", "Operación", "Fecha"}, Lines: 1213,
			Rows: []models.ReportRow{
				{Number: 2, Meaning: models.MeansSale, OrderID: "261120184031-1234567890", SerialNumber: "1234567890", Amount: &amount, At: &sold, Last4: "4242", AuthCode: "204913"},
				{Number: 3, Problem: "word", Column: "Operación", Value: "AJUSTE", OrderID: "261120184100-1234567890", SerialNumber: "1234567890", Amount: &amount, Day: "2026-11-20"},
			},
		},
	}
}

func addReconciliationPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	v := sampleReconciliation(tb, models.Supervisor)
	pages["reconciliation"] = Reconciliation(v)
	pages["reconciliation-admin"] = Reconciliation(sampleReconciliation(tb, models.Administrator))
	old := sampleReconciliation(tb, models.Supervisor)
	old.Report.SupersededBy, old.Report.OtherDayRows, old.Errors = 8, 900, Errors{"": "report.superseded"}
	pages["reconciliation-old"] = Reconciliation(old)
	same := sampleReconciliation(tb, models.Supervisor)
	same.Report.Counts = map[models.ItemKind]int{models.ItemSame: 1250, models.ItemIgnored: 4}
	same.Report.Open, same.List.Items, same.First, same.ToSettle, same.Report.SalesLookedAt = 0, nil, nil, nil, true
	pages["reconciliation-same"] = Reconciliation(same)
	done := sampleReconciliation(tb, models.Supervisor)
	when := at(tb, "21:14:00")
	done.Report.AppliedAt, done.Report.AppliedBy, done.ToSettle, done.First, done.List.Items = &when, "Sofía Méndez", nil, nil, nil
	done.Filter.Kind = models.ItemNotInReport
	pages["reconciliation-done"] = Reconciliation(done)

	p := page(tb, models.Supervisor, "/reconciliations", "21:15:03")
	pages["reconciliations"] = Reconciliations(&ReconciliationsView{Page: p, Profiles: 1, List: models.ReconciliationPage{
		Reconciliations: []models.Reconciliation{v.Report, same.Report, old.Report}, Next: "next",
	}})
	pages["reconciliations-empty"] = Reconciliations(&ReconciliationsView{Page: p, Profiles: 1})
	pages["reconciliations-unprepared"] = Reconciliations(&ReconciliationsView{Page: page(tb, models.Administrator, "/reconciliations", "21:15:03")})
	profiles := []models.ReportProfile{{ID: 1, Name: "Proveedor de ejemplo", Version: 3, SetBy: "Diego Luna", SetAt: when}, {ID: 2, Name: "Banco anterior", Version: 9, SetBy: "Diego Luna", SetAt: when, RetiredAt: &when}}
	pages["reconciliation-new"] = ReconciliationNew(&ReconciliationNewView{Page: p, Profiles: profiles, Form: ReportForm{ProfileID: 1, Day: "2026-11-20"}})
	pages["reconciliation-refused"] = ReconciliationNew(&ReconciliationNewView{Page: p, Profiles: profiles, Form: ReportForm{
		ProfileID: 1, Day: "2026-11-20", Errors: Errors{"until": "report.untilFuture"}, SameAs: 7,
		Missing: &models.MissingColumns{Missing: []string{"Número de orden"}, Header: []string{"Order", "Total"}},
		Problem: &models.FileProblem{Code: "recon.unreadableFile"},
	}})
	pages["profiles"] = ReportProfiles(&ReportProfilesView{Page: page(tb, models.Administrator, "/settings/reconciliation", "12:00:00"), Profiles: profiles})
	pages["profiles-empty"] = ReportProfiles(&ReportProfilesView{Page: page(tb, models.Administrator, "/settings/reconciliation", "12:00:00")})
	pages["profile"] = ReportProfile(sampleProfile(tb))
	wrong := sampleProfile(tb)
	wrong.ID, wrong.Form.Errors, wrong.Preview.Missing = 0, Errors{"amount": "field.required", "words": "mapping.noWords"}, []string{"Importe"}
	pages["profile-wrong"] = ReportProfile(wrong)
}

// Whatever a report says, there are words for it.
func TestEveryValueOfAReportHasWords(t *testing.T) {
	t.Parallel()
	prefixes := map[string][]string{
		"ItemKind": {"itemKind."}, "ReportField": {"reportField."}, "ReportMeaning": {"reportMeaning.", "reportMeaningHint."},
		"AmountStyle": {"amountStyle."}, "DateStyle": {"dateStyle."},
	}
	for typ, begins := range prefixes {
		for _, value := range constants(t, typ) {
			for _, prefix := range begins {
				wantWords(t, prefix+value)
			}
		}
	}
	for _, basis := range constants(t, "Basis") {
		if basis != string(models.BasisOrder) {
			wantWords(t, "itemBasis."+basis)
		}
	}
	for _, to := range constants(t, "Settles") {
		wantWords(t, "recon.settles_"+to)
		wantWords(t, "itemSettled."+to)
	}
	for _, lang := range locale.Languages {
		ctx := locale.With(context.Background(), lang)
		v := sampleReconciliation(t, models.Supervisor)
		for n := range v.List.Items {
			if i := &v.List.Items[n]; strings.Contains(itemTitle(ctx, i), "{{") || len(itemTitle(ctx, i)) < 12 {
				t.Errorf("%s: title of %s = %q", lang, i.Kind, itemTitle(ctx, i))
			}
		}
	}
}

// A spreadsheet must not reckon what a report says.
func TestDifferencesAreSafeForSpreadsheets(t *testing.T) {
	t.Parallel()
	i := sampleItem(t, 1, models.ItemUnknownSale, "")
	i.OrderID, i.Folio, i.AuthCode, i.Note = "=cmd()", "+1", "@x", "-1"
	var b bytes.Buffer
	out := NewDifferences(locale.With(context.Background(), "es-MX"), &b, nil, time.UTC)
	if err := out.Write([]models.ReportItem{i}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ufeffTipo,", ",'=cmd(),", ",'+1,", ",'@x,", ",'-1\n", ",1281.50,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the file lacks %q:\n%s", want, b.String())
		}
	}
}

func TestWhatCannotBeSettledHereHasNoButton(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]*ReconciliationView{"an administrator": sampleReconciliation(t, models.Administrator), "a later report": sampleReconciliation(t, models.Supervisor)} {
		if name == "a later report" {
			v.Report.SupersededBy = 9
		}
		if strings.Contains(draw(t, "es-MX", Reconciliation(v)), `data-testid="settle"`) {
			t.Errorf("%s: there is a button", name)
		}
	}
	if !strings.Contains(draw(t, "es-MX", Reconciliation(sampleReconciliation(t, models.Supervisor))), `data-testid="settle"`) {
		t.Error("a supervisor has no button")
	}
}
