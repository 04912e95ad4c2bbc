package gallery

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/sales"
	entranceview "veinte/views/entrance"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

// Shown is a page in one of its states.
type Shown struct {
	Name string // in ?page=
	Body templ.Component
}

func (p Shown) path() string { return "/gallery?page=" + p.Name }

// GalleryPage returns a page in the state of the name, or every component for "".
// frame says to whom it is really shown, in whose language and with whose token it is
// switched.
func GalleryPage(name string, frame ui.Page) (templ.Component, bool) {
	if name == "" {
		return Gallery(&GalleryView{Page: frame}), true
	}
	for _, p := range All(frame) {
		if p.Name == name {
			return p.Body, true
		}
	}
	return nil, false
}

// All are the pages in every state that they have, those of the main job
// first.
func All(frame ui.Page) []Shown {
	g := galleryShop{samples.Shop{First: galleryFirst}, frame}
	pages := g.lists()
	for _, state := range models.SaleStates {
		pages = append(pages, Shown{"story-" + string(state), salesview.Story(g.story(models.Supervisor, state))})
	}
	pages = append(pages, Shown{"story-withdrawn", salesview.Story(g.story(models.Manager, samples.Withdrawn))})
	conflict := g.story(models.Supervisor, models.SaleConfirmed)
	conflict.Story.Cancellations[0].Conflict = models.ConflictLatePositive
	refused := g.story(models.Supervisor, models.SaleUnknown)
	refused.Form = salesview.ResolutionForm{Outcome: "canceled", Note: "Vi el comprobante", Errors: ui.Errors{"authCode": "resolution.evidence"}}
	asked := g.story(models.Manager, models.SaleRequested)
	asked.Flash = &ui.Flash{Kind: ui.FlashNotice, Code: "flash.requested"}
	pages = append(
		pages,
		Shown{"story-conflict", salesview.Story(conflict)},
		Shown{"story-refused", salesview.Story(refused)},
		Shown{"story-asked", salesview.Story(asked)},
	)
	return slices.Concat(pages, g.sheets(), g.pictures(), g.papers(), g.outside(), officeGallery(frame))
}

// officeGallery are the pages beside the main job's, in the order of their names.
// Their forms keep the token of a sample, which no server takes.
func officeGallery(frame ui.Page) []Shown {
	all := samples.OfficePages()
	var pages []Shown
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "part-") {
			continue // what a page asks for again by itself
		}
		body := all[name]
		pages = append(pages, Shown{name, templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			return body.Render(context.WithValue(ctx, ui.FrameKey{}, frame), w)
		})})
	}
	return pages
}

// galleryShop is the sample shop, framed for whoever looks at it.
type galleryShop struct {
	samples.Shop
	frame ui.Page
}

// framed keeps what a page shows and takes over what its frame needs to work.
func (g galleryShop) framed(p *ui.Page) {
	p.CSRF, p.Path, p.Demo, p.Still = g.frame.CSRF, g.frame.Path, g.frame.Demo, true
}

func (g galleryShop) lists() []Shown {
	at := func(hhmmss string) *salesview.SalesView {
		v := g.Sales(hhmmss)
		g.framed(&v.Page)
		return v
	}
	all := g.AllStores("14:00:00")
	g.framed(&all.Page)
	early := at("14:00:00")
	early.Flash = &ui.Flash{Kind: ui.FlashDone, Code: "flash.withdrawn"}
	empty, none := at("10:00:00"), at("19:52:03")
	empty.List = sales.DayPage{}
	none.Filter.Query, none.List.Sales, none.List.Next = "9999", nil, ""
	none.Matches()
	odd := at("19:20:03")
	odd.List.Sales[0].Amount, odd.List.Sales[0].OrderID = 9999999999, noSpaces
	odd.List.Sales[1].Requester, odd.List.Sales[2].Source = longName, models.SourceManual
	odd.List.Sales[3].Last4, odd.List.Sales[3].CardBrand = "", ""
	found, elsewhere := at("19:52:03"), at("19:52:03")
	found.Filter.Query, found.Saved = "4242", samples.SampleSaved()
	found.List.Sales, found.List.Next = found.List.Sales[:1], ""
	found.Matches(models.Sum{Count: 1, Amount: 125000})
	elsewhere.Filter = sales.Filter{Day: samples.SampleDay, Query: "261119184031", TerminalID: 2, State: models.SaleCancelable}
	elsewhere.List.Sales, elsewhere.List.Next = nil, ""
	elsewhere.Matches()
	elsewhere.Elsewhere = []sales.FoundOn{{Day: samples.SampleDay, Sales: 2}, {Day: "2026-11-19", Sales: 1}}
	first := at("14:00:00")
	first.First = &salesview.FirstSteps{PracticeURL: "/help/manager#about-practice"} // a sample leads nowhere else
	firstAll := g.AllStores("14:00:00")
	g.framed(&firstAll.Page)
	firstAll.First = &salesview.FirstSteps{}
	trouble := at("19:52:03")
	trouble.Notices = galleryNotes(0).Notices
	return []Shown{
		{"sales-early", salesview.Sales(early)},
		{"sales-soon", salesview.Sales(at("19:52:03"))},
		{"sales-closed", salesview.Sales(at("20:00:00"))},
		{"sales-all-stores", salesview.Sales(all)},
		{"sales-odd", salesview.Sales(odd)},
		{"sales-first", salesview.Sales(first)},
		{"sales-first-supervisor", salesview.Sales(firstAll)},
		{"sales-trouble", salesview.Sales(trouble)},
		{"sales-empty", salesview.Sales(empty)},
		{"sales-none", salesview.Sales(none)},
		{"sales-found", salesview.Sales(found)},
		{"sales-elsewhere", salesview.Sales(elsewhere)},
	}
}

func (g galleryShop) story(role models.Role, state models.SaleState) *salesview.StoryView {
	at := "19:52:03"
	if state == models.SaleTooLate || state == models.SaleExpired {
		at = "20:10:00"
	}
	v := g.Shop.Story(role, at, state)
	g.framed(&v.Page)
	return v
}

func (g galleryShop) sheets() []Shown {
	at := func(hhmmss string) *salesview.SheetView {
		v := g.Sheet(hhmmss)
		g.framed(&v.Page)
		return v
	}
	wrong, mute, late, taken, odd := at("19:52:03"), at("19:52:03"), at("20:10:00"), at("19:52:03"), at("19:20:03")
	wrong.Form.Errors = ui.Errors{"reason": "reason.required"}
	mute.Form.Reason, mute.Form.Errors = models.ReasonOther, ui.Errors{"note": "note.required"}
	late.Refusal, taken.Refusal = "error.tooLate", "error.caseOpen"
	odd.Sale.Amount, odd.Sale.OrderID, odd.Terminal.Label = 9999999999, noSpaces, longName
	return []Shown{
		{"sheet", salesview.SheetPage(at("19:52:03"))},
		{"sheet-without-reason", salesview.SheetPage(wrong)},
		{"sheet-without-note", salesview.SheetPage(mute)},
		{"sheet-odd", salesview.SheetPage(odd)},
		{"sheet-late", salesview.SheetPage(late)},
		{"sheet-taken", salesview.SheetPage(taken)},
	}
}

// outside are the pages that nobody needs to be signed in for.
func (g galleryShop) outside() []Shown {
	p := ui.Page{Now: g.At("19:52:03"), Window: g.Window()}
	g.framed(&p)
	return []Shown{
		{"login-wrong", entranceview.Login(entranceview.LoginView{Page: p, Email: "ana@tiendas.example", Error: "login.wrong"})},
		{"error-403", ui.Error(ui.ErrorView{Page: p, Status: 403, Code: "error.forbidden", RequestID: "01J9Z"})},
		{"error-404", ui.Error(ui.ErrorView{Page: p, Status: 404, Code: "error.notFound", RequestID: "01J9Z"})},
		{"error-500", ui.Error(ui.ErrorView{Page: p, Status: 500, Code: "error.internal", RequestID: "01J9Z"})},
	}
}

func (v *GalleryView) heading(ctx context.Context) string {
	return galleryPart{Name: "title"}.title(ctx)
}
