package views

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/sales"
	"veinte/static"
	entranceview "veinte/views/entrance"
	"veinte/views/gallery"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

var out = flag.String("out", "", "a directory to write every sample page to, for looking at them")

// samplePages are the product's pages in their states, by a name that is also a
// file name.
func samplePages(tb testing.TB) map[string]templ.Component {
	tb.Helper()
	office := shop.OfficePages()
	pages := maps.Clone(office)
	for _, state := range models.SaleStates {
		pages["story-"+string(state)] = salesview.SaleDetail(shop.SaleDetail(models.Supervisor, detailTime(state), state))
	}
	conflict := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleConfirmed)
	conflict.Detail.Cancellations[0].Conflict = models.ConflictLatePositive
	refused := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown)
	refused.Form = salesview.ResolutionForm{Outcome: "canceled", Note: "Vi el ticket", Errors: ui.Errors{"authCode": "resolution.evidence"}}
	pages["story-conflict"], pages["story-refused"] = salesview.SaleDetail(conflict), salesview.SaleDetail(refused)
	thin := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleRejected)
	thin.Form = salesview.ResolutionForm{Outcome: "canceled", Errors: ui.Errors{"note": "resolution.evidence"}}
	asked := shop.SaleDetail(models.Manager, "19:41:01", models.SaleRequested)
	asked.Flash = &ui.Flash{Kind: ui.FlashNotice, Code: "flash.requested"}
	pages["story-ticket"], pages["story-asked"] = salesview.SaleDetail(thin), salesview.SaleDetail(asked)
	pages["story-withdrawn"] = salesview.SaleDetail(shop.SaleDetail(models.Manager, "19:52:03", samples.Withdrawn))

	pages["sales"] = salesview.Sales(shop.Sales("19:52:03"))
	done := shop.Sales("19:20:03")
	done.Flash = &ui.Flash{Kind: ui.FlashDone, Code: "flash.withdrawn"}
	done.Demo = true
	pages["sales-early"] = salesview.Sales(done)
	pages["sales-closed"] = salesview.Sales(shop.Sales("20:00:00"))
	pages["sales-all"] = salesview.Sales(shop.AllStores("14:00:00"))
	empty := shop.Sales("10:00:00")
	empty.List = sales.DayPage{}
	pages["sales-empty"] = salesview.Sales(empty)
	none := shop.Sales("19:52:03")
	none.Filter.Query, none.List.Sales, none.List.Next = "9999", nil, ""
	samples.Match(none)
	pages["sales-none"] = salesview.Sales(none)
	pages["gallery"] = gallery.Gallery(demoView(tb))
	for _, p := range gallery.All(demoView(tb).Page) {
		if _, beside := office[p.Name]; !beside {
			pages["gallery-"+p.Name] = p.Body
		}
	}

	pages["part-list"] = salesview.SalesList(shop.Sales("19:21:03"))
	pages["part-sheet"] = salesview.Sheet(shop.Sheet("19:52:03"))
	pages["part-story"] = salesview.SaleDetailBody(shop.SaleDetail(models.Supervisor, "19:52:40", models.SaleUnknown))
	pages["sheet"] = salesview.SheetPage(shop.Sheet("19:52:03"))
	wrong := shop.Sheet("19:52:03")
	wrong.Form.Errors = ui.Errors{"reason": "reason.required"}
	mute := shop.Sheet("19:52:03")
	mute.Form.Reason, mute.Form.Errors = "other", ui.Errors{"note": "note.required"}
	pages["sheet-note"] = salesview.SheetPage(mute)
	late := shop.Sheet("20:10:00")
	late.Refusal = "error.tooLate"
	pages["sheet-wrong"], pages["sheet-late"] = salesview.SheetPage(wrong), salesview.SheetPage(late)

	pages["login"] = entranceview.Login(entranceview.LoginView{
		Page: ui.Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/login", Demo: true}, Next: "/sales",
		Samples: []entranceview.SampleLogin{
			{Email: "ana@demo.mx", Password: "demo-ana-2026", Role: "manager"},
			{Email: "sofia@demo.mx", Password: "demo-sofia-2026", Role: "supervisor"},
		},
	})
	pages["login-wrong"] = entranceview.Login(entranceview.LoginView{
		Page: ui.Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/login"}, Email: "ana@demo.mx", Error: "login.wrong",
	})
	pages["error-404"] = ui.Error(ui.ErrorView{
		Page: page(tb, models.Manager, "/nothing", "19:52:03"), Status: 404, Code: "error.notFound", RequestID: "01J9Z",
	})
	pages["error-500"] = ui.Error(ui.ErrorView{
		Page: ui.Page{Now: at(tb, "19:52:03"), Window: window(tb), Path: "/"}, Status: 500, Code: "error.internal", RequestID: "01J9Z",
	})
	return pages
}

func detailTime(state models.SaleState) string {
	if state == models.SaleTooLate || state == models.SaleExpired {
		return "20:10:00"
	}
	return "19:52:03"
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
