package views

import (
	"flag"
	"maps"
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
	office := officePages()
	pages := maps.Clone(office)
	for _, state := range models.SaleStates {
		pages["story-"+string(state)] = Story(sampleStory(models.Supervisor, storyTime(state), state))
	}
	conflict := sampleStory(models.Supervisor, "19:52:03", models.SaleConfirmed)
	conflict.Story.Cases[0].Conflict = models.ConflictLatePositive
	refused := sampleStory(models.Supervisor, "19:52:03", models.SaleUnknown)
	refused.Form = ResolutionForm{Outcome: "canceled", Note: "Vi el ticket", Errors: Errors{"authCode": "resolution.evidence"}}
	pages["story-conflict"], pages["story-refused"] = Story(conflict), Story(refused)
	thin := sampleStory(models.Supervisor, "19:52:03", models.SaleRejected)
	thin.Form = ResolutionForm{Outcome: "canceled", Errors: Errors{"note": "resolution.evidence"}}
	asked := sampleStory(models.Manager, "19:41:01", models.SaleRequested)
	asked.Flash = &Flash{Kind: FlashNotice, Code: "flash.requested"}
	pages["story-ticket"], pages["story-asked"] = Story(thin), Story(asked)
	pages["story-withdrawn"] = Story(sampleStory(models.Manager, "19:52:03", withdrawn))

	pages["sales"] = Sales(sampleSales("19:52:03"))
	done := sampleSales("19:20:03")
	done.Flash = &Flash{Kind: FlashDone, Code: "flash.withdrawn"}
	done.Demo = true
	pages["sales-early"] = Sales(done)
	pages["sales-closed"] = Sales(sampleSales("20:00:00"))
	pages["sales-all"] = Sales(sampleShop{}.allStores("14:00:00"))
	empty := sampleSales("10:00:00")
	empty.List = models.DayPage{}
	pages["sales-empty"] = Sales(empty)
	none := sampleSales("19:52:03")
	none.Filter.Query, none.List.Sales, none.List.Next = "9999", nil, ""
	none.matches()
	pages["sales-none"] = Sales(none)
	pages["gallery"] = Gallery(galleryView(tb))
	for _, p := range galleryPages(galleryView(tb).Page) {
		if _, beside := office[p.name]; !beside {
			pages["gallery-"+p.name] = p.body
		}
	}

	pages["part-list"] = SalesList(sampleSales("19:21:03"))
	pages["part-sheet"] = Sheet(sampleSheet("19:52:03"))
	pages["part-story"] = StoryBody(sampleStory(models.Supervisor, "19:52:40", models.SaleUnknown))
	pages["sheet"] = SheetPage(sampleSheet("19:52:03"))
	wrong := sampleSheet("19:52:03")
	wrong.Form.Errors = Errors{"reason": "reason.required"}
	mute := sampleSheet("19:52:03")
	mute.Form.Reason, mute.Form.Errors = "other", Errors{"note": "note.required"}
	pages["sheet-note"] = SheetPage(mute)
	late := sampleSheet("20:10:00")
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
