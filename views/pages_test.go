package views

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/static"
)

var out = flag.String("out", "", "a directory to write every sample page to, for looking at them")

// samplePages are the product's pages in their states, by a name that is also a
// file name.
func samplePages(tb testing.TB) map[string]templ.Component {
	tb.Helper()
	pages := map[string]templ.Component{}
	for _, state := range models.SaleStates {
		pages["story-"+string(state)] = Story(sampleStory(tb, models.Supervisor, storyTime(state), state))
	}
	conflict := sampleStory(tb, models.Supervisor, "19:52:03", models.SaleConfirmed)
	conflict.Story.Cases[0].Conflict = models.ConflictLatePositive
	refused := sampleStory(tb, models.Supervisor, "19:52:03", models.SaleUnknown)
	refused.Form = ResolutionForm{Outcome: "canceled", Note: "Vi el ticket", Errors: Errors{"authCode": "resolution.evidence"}}
	pages["story-conflict"], pages["story-refused"] = Story(conflict), Story(refused)
	thin := sampleStory(tb, models.Supervisor, "19:52:03", models.SaleRejected)
	thin.Form = ResolutionForm{Outcome: "canceled", Errors: Errors{"note": "resolution.evidence"}}
	asked := sampleStory(tb, models.Manager, "19:41:01", models.SaleRequested)
	asked.Flash = &Flash{Kind: FlashDone, Code: "flash.requested"}
	pages["story-ticket"], pages["story-asked"] = Story(thin), Story(asked)
	pages["story-withdrawn"] = Story(sampleStory(tb, models.Manager, "19:52:03", withdrawn))

	addListPages(tb, pages)
	addAuditPages(tb, pages)
	addAdministrationPages(tb, pages)
	addReviewPages(tb, pages)
	addRulesPages(tb, pages)
	addConnectionPages(tb, pages)
	addKeyPages(tb, pages)
	addImportPages(tb, pages)
	addReconciliationPages(tb, pages)
	addForwardingPages(tb, pages)
	addClosingPages(tb, pages)
	addOversightPages(tb, pages)
	pages["gallery"] = Gallery(galleryView(tb))
	for _, p := range galleryPages(galleryView(tb).Page) {
		pages["gallery-"+p.name] = p.body
	}
	addSeveralPages(tb, pages)
	addHelpPages(tb, pages)

	pages["part-list"] = SalesList(sampleSales(tb, "19:21:03"))
	pages["part-sheet"] = Sheet(sampleSheet(tb, "19:52:03"))
	pages["part-story"] = StoryBody(sampleStory(tb, models.Supervisor, "19:52:40", models.SaleUnknown))
	pages["sheet"] = SheetPage(sampleSheet(tb, "19:52:03"))
	wrong := sampleSheet(tb, "19:52:03")
	wrong.Form.Errors = Errors{"reason": "reason.required"}
	mute := sampleSheet(tb, "19:52:03")
	mute.Form.Reason, mute.Form.Errors = "other", Errors{"note": "note.required"}
	pages["sheet-note"] = SheetPage(mute)
	late := sampleSheet(tb, "20:10:00")
	late.Refusal = "error.tooLate"
	pages["sheet-wrong"], pages["sheet-late"] = SheetPage(wrong), SheetPage(late)

	pages["login"] = Login(LoginView{
		Page: Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/login", Demo: true}, Next: "/sales",
		Samples: []SampleLogin{{"ana@demo.mx", "demo-ana-2026", "manager"}, {"sofia@demo.mx", "demo-sofia-2026", "supervisor"}},
	})
	pages["login-wrong"] = Login(LoginView{Page: Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/login"}, Email: "ana@demo.mx", Error: "login.wrong"})
	pages["error-404"] = Error(ErrorView{Page: page(tb, models.Manager, "/nothing", "19:52:03"), Status: 404, Code: "error.notFound", RequestID: "01J9Z"})
	pages["error-500"] = Error(ErrorView{Page: Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/"}, Status: 500, Code: "error.internal", RequestID: "01J9Z"})
	return pages
}

func storyTime(state models.SaleState) string {
	if state == models.SaleTooLate || state == models.SaleExpired {
		return "20:10:00"
	}
	return "19:52:03"
}

func addListPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	pages["sales"] = Sales(sampleSales(tb, "19:52:03"))
	done := sampleSales(tb, "19:20:03")
	done.Flash = &Flash{Kind: FlashDone, Code: "flash.withdrawn"}
	done.Demo = true
	pages["sales-early"] = Sales(done)
	pages["sales-closed"] = Sales(sampleSales(tb, "20:00:00"))
	pages["sales-all"] = Sales(sampleShop{}.allStores("14:00:00"))
	empty := sampleSales(tb, "10:00:00")
	empty.List = models.DayPage{}
	pages["sales-empty"] = Sales(empty)
	none := sampleSales(tb, "19:52:03")
	none.Filter.Query, none.List.Sales, none.List.Next, none.List.Filtered = "9999", nil, "", models.Totals{}
	pages["sales-none"] = Sales(none)
	entry := &SaleNewView{Page: page(tb, models.Manager, "/sales/new", "19:52:03"), Terminals: []models.EntryTerminal{
		{ID: 1, SerialNumber: "1490000001", Label: "Caja 1", Store: sampleStores()[0]},
		{ID: 2, SerialNumber: "1490000002", Label: "Caja 2", Store: sampleStores()[1]},
	}}
	pages["sale-new"] = SaleNew(entry)
	odd := *entry
	odd.Form = SaleEntryForm{SaleEntry: models.SaleEntry{TerminalID: 1, OrderID: "261120113000-1490000009", Amount: "1,250.00", Date: "2026-11-20", Time: "11:30"}}
	odd.Form.Warnings, odd.Form.Similar = []string{"sale.orderSerialDiffers", "sale.similar", "sale.notToday"}, 7
	pages["sale-new-odd"] = SaleNew(&odd)
	wrong := odd
	wrong.Form.Warnings, wrong.Form.Errors = nil, Errors{"amount": "sale.differs", "terminal": "terminal.choose"}
	pages["sale-new-wrong"] = SaleNew(&wrong)
	pages["sale-new-nowhere"] = SaleNew(&SaleNewView{Page: entry.Page})
	addExportPages(tb, pages)
	addVerificationPages(tb, pages)
	pages["audit"], pages["results"] = Audit(sampleAudit(tb)), Results(sampleResults(tb))
}

func addAdministrationPages(tb testing.TB, pages map[string]templ.Component) {
	tb.Helper()
	p := page(tb, models.Administrator, "/terminals", "19:52:03")
	since, ended := at(tb, "09:00:00"), at(tb, "12:00:00")
	place := models.TerminalPlace{Terminal: sampleTerminals(tb)[1], StoreID: 1, StoreName: "Roma Norte", MerchantID: "7401922", Since: &since}
	loose := models.TerminalPlace{Terminal: sampleTerminals(tb)[3]}
	loose.RetiredAt = &ended
	addTerminalPages(tb, pages, p, place, loose)
	p.Path = "/stores"
	pages["stores"] = Stores(&StoresView{Page: p, List: models.StorePage{Stores: []models.StoreLine{{Store: sampleStores()[0], Terminals: 4}, {Store: sampleStores()[1]}}, Count: 120, Next: "CUN-01"}})
	pages["store"] = StoreEdit(&StoreFormView{Page: p, ID: 2, Form: StoreForm{Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun", Version: 1}})
	p.Path = "/users"
	users := []models.User{
		{ID: 7, Name: "Ana Torres Luna", Email: "ana@demo.mx", Role: models.Manager, StoreIDs: []int64{1}},
		{ID: 8, Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, AllStores: true, DisabledAt: &ended},
	}
	pages["users"] = Users(&UsersView{Page: p, Users: users, Stores: sampleStores()})
	pages["user-new"] = UserEdit(&UserFormView{Page: p, Stores: sampleStores(), Form: UserForm{Role: models.Manager}})
	pages["user-auditor"] = UserEdit(&UserFormView{Page: p, ID: 9, Stores: sampleStores(), Form: UserForm{
		Name: "Aurora Audita", Email: "aurora@demo.mx", Role: models.Auditor, AllStores: true, Until: "2026-12-31", Version: 1,
	}})
	pages["user"] = UserEdit(&UserFormView{Page: p, ID: 8, Stores: sampleStores(), Form: UserForm{Name: "Luis Pech", Email: "luis@demo.mx", Role: models.Supervisor, AllStores: true, Version: 2}})
}

// TestPagesForLooking draws everything; with -out it leaves the pages behind:
// go test ./views -run Looking -out /tmp/pages
func TestPagesForLooking(t *testing.T) {
	t.Parallel()
	for name, c := range samplePages(t) {
		for _, lang := range []string{"es-MX", "en"} {
			html := draw(t, lang, c)
			if *out == "" {
				continue
			}
			file := filepath.Join(*out, name+map[string]string{"en": ".en"}[lang]+".html")
			if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *out == "" {
		return
	}
	for _, name := range []string{"app.css", "office.css", "gallery.css", "app.js", "htmx.js", "icons.svg", "favicon.svg"} {
		data, _, _ := static.Open(static.URL(name))
		if err := os.WriteFile(filepath.Join(*out, static.URL(name)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
