package views

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"veinte/models"
)

// galleryPage is a page in one of its states.
type galleryPage struct {
	name string // in ?page=
	body templ.Component
}

func (p galleryPage) path() string { return "/gallery?page=" + p.name }

// GalleryPage returns a page in the state of the name. frame says to whom it is
// really shown, in whose language and with whose token it is switched.
func GalleryPage(name string, frame Page) (templ.Component, bool) {
	for _, p := range galleryPages(frame) {
		if p.name == name {
			return p.body, true
		}
	}
	return nil, false
}

// galleryPages are the pages in every state that they have, those of the main job
// first.
func galleryPages(frame Page) []galleryPage {
	g := galleryShop{sampleShop{galleryFirst}, frame}
	pages := g.lists()
	for _, state := range models.SaleStates {
		pages = append(pages, galleryPage{"story-" + string(state), Story(g.story(models.Supervisor, state))})
	}
	pages = append(pages, galleryPage{"story-withdrawn", Story(g.story(models.Manager, withdrawn))})
	conflict := g.story(models.Supervisor, models.SaleConfirmed)
	conflict.Story.Cases[0].Conflict = models.ConflictLatePositive
	refused := g.story(models.Supervisor, models.SaleUnknown)
	refused.Form = ResolutionForm{Outcome: "canceled", Note: "Vi el comprobante", Errors: Errors{"authCode": "resolution.evidence"}}
	asked := g.story(models.Manager, models.SaleRequested)
	asked.Flash = &Flash{Kind: FlashNotice, Code: "flash.requested"}
	pages = append(
		pages,
		galleryPage{"story-conflict", Story(conflict)},
		galleryPage{"story-refused", Story(refused)},
		galleryPage{"story-asked", Story(asked)},
	)
	return slices.Concat(pages, g.sheets(), g.pictures(), g.papers(), g.outside(), officeGallery(frame))
}

// officeGallery are the pages beside the main job's, in the order of their names.
// Their forms keep the token of a sample, which no server takes.
func officeGallery(frame Page) []galleryPage {
	all := officePages()
	var pages []galleryPage
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "part-") {
			continue // what a page asks for again by itself
		}
		body := all[name]
		pages = append(pages, galleryPage{name, templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			return body.Render(context.WithValue(ctx, frameKey{}, frame), w)
		})})
	}
	return pages
}

// frameKey is the key of the page that a page of the gallery stands in.
type frameKey struct{}

// inFrame is the page as its frame needs it: on the gallery it can be switched to
// another language, and nothing on it asks the server by itself.
func (p Page) inFrame(ctx context.Context) Page {
	if frame, ok := ctx.Value(frameKey{}).(Page); ok {
		p.CSRF, p.Path, p.Demo, p.Still = frame.CSRF, frame.Path, frame.Demo, true
	}
	return p
}

// still reports whether the page is only looked at.
func (p Page) still(ctx context.Context) bool { return p.inFrame(ctx).Still }

// galleryShop is the sample shop, framed for whoever looks at it.
type galleryShop struct {
	sampleShop
	frame Page
}

// framed keeps what a page shows and takes over what its frame needs to work.
func (g galleryShop) framed(p *Page) {
	p.CSRF, p.Path, p.Demo, p.Still = g.frame.CSRF, g.frame.Path, g.frame.Demo, true
}

func (g galleryShop) lists() []galleryPage {
	at := func(hhmmss string) *SalesView {
		v := g.sales(hhmmss)
		g.framed(&v.Page)
		return v
	}
	all := g.allStores("14:00:00")
	g.framed(&all.Page)
	early := at("14:00:00")
	early.Flash = &Flash{Kind: FlashDone, Code: "flash.withdrawn"}
	empty, none := at("10:00:00"), at("19:52:03")
	empty.List = models.DayPage{}
	none.Filter.Query, none.List.Sales, none.List.Next = "9999", nil, ""
	none.matches()
	odd := at("19:20:03")
	odd.List.Sales[0].Amount, odd.List.Sales[0].OrderID = 9999999999, noSpaces
	odd.List.Sales[1].Requester, odd.List.Sales[2].Source = longName, models.SourceHand
	odd.List.Sales[3].Last4, odd.List.Sales[3].CardBrand = "", ""
	found, elsewhere := at("19:52:03"), at("19:52:03")
	found.Filter.Query, found.Saved = "4242", sampleSaved()
	found.List.Sales, found.List.Next = found.List.Sales[:1], ""
	found.matches(models.Totals{Sales: 1, Amount: 125000})
	elsewhere.Filter = models.SaleFilter{Day: sampleDay, Query: "261119184031", TerminalID: 2, State: models.SaleCancelable}
	elsewhere.List.Sales, elsewhere.List.Next = nil, ""
	elsewhere.matches()
	elsewhere.Elsewhere = []models.FoundOn{{Day: sampleDay, Sales: 2}, {Day: "2026-11-19", Sales: 1}}
	first := at("14:00:00")
	first.First = &FirstSteps{PracticeURL: "/help/manager#about-practice"} // a sample leads nowhere else
	firstAll := g.allStores("14:00:00")
	g.framed(&firstAll.Page)
	firstAll.First = &FirstSteps{}
	trouble := at("19:52:03")
	trouble.Notices = galleryNotes(0).Notices
	return []galleryPage{
		{"sales-early", Sales(early)},
		{"sales-soon", Sales(at("19:52:03"))},
		{"sales-closed", Sales(at("20:00:00"))},
		{"sales-all-stores", Sales(all)},
		{"sales-odd", Sales(odd)},
		{"sales-first", Sales(first)},
		{"sales-first-supervisor", Sales(firstAll)},
		{"sales-trouble", Sales(trouble)},
		{"sales-empty", Sales(empty)},
		{"sales-none", Sales(none)},
		{"sales-found", Sales(found)},
		{"sales-elsewhere", Sales(elsewhere)},
	}
}

func (g galleryShop) story(role models.Role, state models.SaleState) *StoryView {
	at := "19:52:03"
	if state == models.SaleTooLate || state == models.SaleExpired {
		at = "20:10:00"
	}
	v := g.sampleShop.story(role, at, state)
	g.framed(&v.Page)
	return v
}

func (g galleryShop) sheets() []galleryPage {
	at := func(hhmmss string) *SheetView {
		v := g.sheet(hhmmss)
		g.framed(&v.Page)
		return v
	}
	wrong, mute, late, taken, odd := at("19:52:03"), at("19:52:03"), at("20:10:00"), at("19:52:03"), at("19:20:03")
	wrong.Form.Errors = Errors{"reason": "reason.required"}
	mute.Form.Reason, mute.Form.Errors = models.ReasonOther, Errors{"note": "note.required"}
	late.Refusal, taken.Refusal = "error.tooLate", "error.caseOpen"
	odd.Sale.Amount, odd.Sale.OrderID, odd.Terminal.Label = 9999999999, noSpaces, longName
	return []galleryPage{
		{"sheet", SheetPage(at("19:52:03"))},
		{"sheet-without-reason", SheetPage(wrong)},
		{"sheet-without-note", SheetPage(mute)},
		{"sheet-odd", SheetPage(odd)},
		{"sheet-late", SheetPage(late)},
		{"sheet-taken", SheetPage(taken)},
	}
}

// outside are the pages that nobody needs to be signed in for.
func (g galleryShop) outside() []galleryPage {
	p := Page{Now: g.at("19:52:03"), Window: g.window()}
	g.framed(&p)
	return []galleryPage{
		{"login-wrong", Login(LoginView{Page: p, Email: "ana@tiendas.example", Error: "login.wrong"})},
		{"error-403", Error(ErrorView{Page: p, Status: 403, Code: "error.forbidden", RequestID: "01J9Z"})},
		{"error-404", Error(ErrorView{Page: p, Status: 404, Code: "error.notFound", RequestID: "01J9Z"})},
		{"error-500", Error(ErrorView{Page: p, Status: 500, Code: "error.internal", RequestID: "01J9Z"})},
	}
}

func (v *GalleryView) heading(ctx context.Context) string {
	return galleryPart{name: "title"}.title(ctx)
}
