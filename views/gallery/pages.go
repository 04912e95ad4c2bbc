package gallery

import (
	"context"
	"errors"
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
	g := samples.Shop{First: galleryFirst, Frame: around(frame)}
	pages := lists(g)
	for _, state := range models.SaleStates {
		pages = append(pages, Shown{"story-" + string(state), salesview.SaleDetail(story(g, models.Supervisor, state))})
	}
	pages = append(pages, Shown{"story-withdrawn", salesview.SaleDetail(story(g, models.Manager, samples.Withdrawn))})
	conflict := story(g, models.Supervisor, models.SaleConfirmed)
	conflict.Detail.Cancellations[0].Conflict = models.ConflictLatePositive
	refused := story(g, models.Supervisor, models.SaleUnknown)
	refused.Form = salesview.ResolutionForm{Outcome: "canceled", Note: "Vi el comprobante", Errors: ui.Errors{
		"authCode": "resolution.evidence",
	}}
	asked := story(g, models.Manager, models.SaleRequested)
	asked.Flash = &ui.Flash{Kind: ui.FlashNotice, Code: "flash.requested"}
	pages = append(
		pages,
		Shown{"story-conflict", salesview.SaleDetail(conflict)},
		Shown{"story-refused", salesview.SaleDetail(refused)},
		Shown{"story-asked", salesview.SaleDetail(asked)},
	)
	return slices.Concat(pages, sheets(g), pictures(g), papers(g), outside(g), own(g), officeGallery(frame))
}

// around is what the pages of the gallery have of the one on which they are shown:
// the forms work and the language can be switched, and nothing asks the server by
// itself.
func around(frame ui.Page) ui.Page {
	return ui.Page{CSRF: frame.CSRF, Path: frame.Path, Demo: frame.Demo}
}

// officeGallery are the pages beside the main job's, in the order of their names.
// Their forms name things that there may be, and have no token that a server takes.
func officeGallery(frame ui.Page) []Shown {
	sample := around(frame)
	sample.CSRF = samples.SampleToken
	all := samples.Shop{Frame: sample}.OfficePages()
	var pages []Shown
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "part-") {
			continue // what a page asks for again by itself
		}
		pages = append(pages, Shown{name, withToken(all[name], sample, frame)})
	}
	return pages
}

// withToken puts the reader's token into the two forms around a sample: the
// language can be switched there, and whoever looks can sign out.
func withToken(body templ.Component, sample, frame ui.Page) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		var html strings.Builder
		from, errFrom := templ.ToGoHTML(ctx, ui.Csrf(sample))
		to, errTo := templ.ToGoHTML(ctx, ui.Csrf(frame))
		if err := errors.Join(errFrom, errTo, body.Render(ctx, &html)); err != nil {
			return err
		}
		var pairs []string
		for _, form := range []string{`action="/language">`, `action="/logout">`} {
			pairs = append(pairs, form+string(from), form+string(to))
		}
		_, err := strings.NewReplacer(pairs...).WriteString(w, html.String())
		return err
	})
}

func lists(g samples.Shop) []Shown {
	at := g.Sales
	all := g.AllStores("14:00:00")
	early := at("14:00:00")
	early.Flash = &ui.Flash{Kind: ui.FlashDone, Code: "flash.withdrawn"}
	empty, none := at("10:00:00"), at("19:52:03")
	empty.List = sales.DayPage{}
	none.Filter.Query, none.List.Sales, none.List.Next = "9999", nil, ""
	samples.Match(none)
	odd := at("19:20:03")
	odd.List.Sales[0].Amount, odd.List.Sales[0].OrderID = 9999999999, noSpaces
	odd.List.Sales[1].Requester, odd.List.Sales[2].Source = longName, models.SourceManual
	odd.List.Sales[3].Last4, odd.List.Sales[3].CardBrand = "", ""
	found, elsewhere := at("19:52:03"), at("19:52:03")
	found.Filter.Query, found.Saved = "4242", g.SavedViews()
	found.List.Sales, found.List.Next = found.List.Sales[:1], ""
	samples.Match(found, models.Sum{Count: 1, Amount: 125000})
	elsewhere.Filter = sales.Filter{Day: samples.SampleDay, Query: "261119184031", TerminalID: 2, State: models.SaleCancelable}
	elsewhere.List.Sales, elsewhere.List.Next = nil, ""
	samples.Match(elsewhere)
	elsewhere.Elsewhere.On = []sales.FoundOn{{Day: samples.SampleDay, Sales: 2}, {Day: "2026-11-19", Sales: 1}}
	first := at("14:00:00")
	first.First = &salesview.Onboarding{PracticeURL: "/help/manager#about-practice"} // a sample leads nowhere else
	firstAll := g.AllStores("14:00:00")
	firstAll.First = &salesview.Onboarding{}
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

func story(g samples.Shop, role models.Role, state models.SaleState) *salesview.SaleDetailView {
	at := "19:52:03"
	if state == models.SaleTooLate || state == models.SaleExpired {
		at = "20:10:00"
	}
	return g.SaleDetail(role, at, state)
}

func sheets(g samples.Shop) []Shown {
	at := g.Sheet
	wrong, mute, late, taken, odd := at("19:52:03"), at("19:52:03"), at("20:10:00"), at("19:52:03"), at("19:20:03")
	wrong.Form.Errors = ui.Errors{"reason": "reason.required"}
	mute.Form.Reason, mute.Form.Errors = models.ReasonOther, ui.Errors{"note": "note.required"}
	late.Refusal, taken.Refusal = "error.tooLate", "error.caseOpen"
	odd.Sale.Amount, odd.Sale.OrderID, odd.Terminal.Label = 9999999999, noSpaces, longName
	changed, seen := at("19:52:03"), models.Money(12500)
	changed.Form.AmountChanged, changed.Form.Seen = true, &seen
	unproven := at("19:52:03")
	unproven.Sale.DayUnproven, unproven.Sale.OrderID = true, "0004127"
	unasked := at("19:52:03")
	unasked.Sale, unasked.Form.Errors = unproven.Sale, ui.Errors{"ticketDate": "ticketDate.required"}
	otherDay, before := at("19:52:03"), models.Day("2026-11-19")
	otherDay.Sale = unproven.Sale
	otherDay.Sale.TicketDate, otherDay.Refusal = &before, models.ErrOtherDay.Code
	twice := at("19:52:03")
	twice.Refusal, twice.Other = "error.severalSales", &salesview.OtherSale{
		Sale: g.Sale(101, "19:33:07", 125000, models.SaleAccepted), Store: twice.Store, Terminal: g.Terminals()[2],
	}
	return []Shown{
		{"sheet", salesview.SheetPage(at("19:52:03"))},
		{"sheet-without-reason", salesview.SheetPage(wrong)},
		{"sheet-without-note", salesview.SheetPage(mute)},
		{"sheet-amount-changed", salesview.SheetPage(changed)},
		{"sheet-day-not-proven", salesview.SheetPage(unproven)},
		{"sheet-without-date", salesview.SheetPage(unasked)},
		{"sheet-other-day", salesview.SheetPage(otherDay)},
		{"sheet-odd", salesview.SheetPage(odd)},
		{"sheet-one-charge", salesview.SheetPage(twice)},
		{"sheet-late", salesview.SheetPage(late)},
		{"sheet-taken", salesview.SheetPage(taken)},
	}
}

// outside are the pages that nobody needs to be signed in for.
func outside(g samples.Shop) []Shown {
	p := g.Outside("/", "19:52:03")
	return []Shown{
		{"password", entranceview.Password(&entranceview.PasswordView{Page: p, Link: g.Link()})},
		{"password-wrong", entranceview.Password(&entranceview.PasswordView{
			Page: p, Link: g.Link(), Errors: ui.Errors{"password": "password.tooShort", "again": "password.differs"},
		})},
		{"link-unknown", entranceview.PasswordRefused(&entranceview.PasswordView{Page: p, Refused: "link.unknown"})},
		{"link-used", entranceview.PasswordRefused(&entranceview.PasswordView{Page: p, Link: g.Link(), Refused: "link.used"})},
		{"link-expired", entranceview.PasswordRefused(&entranceview.PasswordView{Page: p, Link: g.Link(), Refused: "link.expired"})},
		{"link-of-other", entranceview.PasswordRefused(&entranceview.PasswordView{
			Page: g.Page(models.Administrator, "/", "19:52:03"), Link: g.Link(), Refused: "link.ofOther",
		})},
		{"step", entranceview.Step(&entranceview.StepView{
			Page: p, Email: "luis@demo.mx", App: true, Errors: ui.Errors{"code": "factor.clockBehind"},
		})},
		{"step-passkey", entranceview.Step(&entranceview.StepView{
			Page: p, Email: "luis@demo.mx", Passkeys: entranceview.Passkeys{Here: true, Has: true},
			Errors: ui.Errors{"passkey": "passkey.cloned"},
		})},
		{"step-new", entranceview.Step(&entranceview.StepView{
			Page: p, Email: "luis@demo.mx", Key: "JBSW-Y3DP-EHPK-3PXP", Passkeys: entranceview.Passkeys{Here: true},
			URL: "otpauth://totp/Veinte:luis@demo.mx?secret=JBSWY3DPEHPK3PXP&issuer=Veinte",
		})},
		{"recovery-codes", entranceview.Recovery(&entranceview.RecoveryView{
			Page: p, Email: "luis@demo.mx", Next: "/sales", Codes: []string{"QJ3W-6T5R-4E3W-2Q7A", "ZSXD-CFVG-BH2J-KMN5"},
			Lead: "factor.recoveryLead",
		})},
		{"login-sso", entranceview.Login(entranceview.LoginView{
			Page: p, Next: "/sales", SSO: &entranceview.SSOButton{Name: "Grupo Comercial"}, Passkeys: entranceview.Passkeys{Here: true},
		})},
		{"login-left", entranceview.Login(entranceview.LoginView{
			Page: p, Left: true, SSO: &entranceview.SSOButton{Name: "Grupo Comercial"},
		})},
		{"sso-refused", entranceview.SSORefused(&entranceview.SSOView{Page: p, Next: "/sales", Code: "sso.noGroup"})},
		{"login-wrong", entranceview.Login(entranceview.LoginView{Page: p, Email: "ana@tiendas.example", Error: "login.wrong"})},
		{"error-403", ui.Error(ui.ErrorView{Page: p, Status: 403, Code: "error.forbidden", RequestID: "01J9Z"})},
		{"error-404", ui.Error(ui.ErrorView{Page: p, Status: 404, Code: "error.notFound", RequestID: "01J9Z"})},
		{"error-500", ui.Error(ui.ErrorView{Page: p, Status: 500, Code: "error.internal", RequestID: "01J9Z"})},
	}
}

func (v *GalleryView) heading(ctx context.Context) string {
	return galleryPart{Name: "title"}.title(ctx)
}
