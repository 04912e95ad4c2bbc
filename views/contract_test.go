package views

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	auditview "veinte/views/audit"
	entranceview "veinte/views/entrance"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
	"veinte/views/words"
)

// The hooks that tests and screen scripts hold on to.
func TestHooksOfTheContract(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, page string
		want       []string
	}{
		{"sales", draw(t, "es-MX", salesview.Sales(shop.Sales("19:20:03"))), []string{
			`data-testid="cutoff" data-cutoff="2026-11-20T20:00:00-06:00" ` +
				`data-closes="2026-11-21T01:59:55.000Z" data-now="2026-11-21T01:20:03.000Z"`,
			`<a href=/sales/100/cancellation/new>`,
			`hx-get="/sales?fragment=list"`, `name="q"`, `data-key="/"`,
		}},
		{"sheet", draw(t, "es-MX", salesview.SheetPage(shop.Sheet("19:52:03"))), []string{
			`action="/sales/100/cancellation" data-testid="cancel-form"`, `name="click" value="CLICK"`, `name="csrf" value="csrf-token"`,
			`name="receipt" value="on" data-testid="receipt" checked`, `name="reason" value="chargedTwice"`, `name="note"`,
			`data-close autofocus>No, conservar la venta</a>`, `data-testid="confirm"`, `>Sí, cancelar $1,250.00</button>`,
			"Monto completo, no se puede deshacer.",
		}},
		{"audit", draw(t, "es-MX", auditview.Audit(shop.Audit())), []string{
			`data-testid="audit-entry" data-action="cancellation.requested" data-outcome="success"`, `<summary>3 pasos</summary>`,
			`solicitó cancelar $1,250.00</a>`,
			`data-testid="checkpoint"`, `href="/audit/4"`, `href="/audit?cursor=older"`, `name="person"`, `name="from"`,
		}},
		{"story", draw(t, "es-MX", salesview.SaleDetail(shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown))), []string{
			`data-state="unknown"`, `hx-get="/sales/100?fragment=story"`, `action="/cancellations/5/inquiry"`,
			`action="/cancellations/5/resolution"`,
			`value="notCanceled"`, `name="authCode"`, `name="folio"`,
		}},
		{"login", draw(t, "en", entranceview.Login(entranceview.LoginView{Next: "/audit", Page: ui.Page{Window: window(t)}})), []string{
			`name="email"`, `name="password"`, `name="csrf"`, `name="next" value="/audit"`, `<html lang="en">`,
		}},
	}
	for _, tt := range tests {
		for _, want := range tt.want {
			if !strings.Contains(tt.page, want) {
				t.Errorf("%s lacks %s", tt.name, want)
			}
		}
	}
}

func TestEachStateHasItsStory(t *testing.T) {
	t.Parallel()
	for _, state := range models.SaleStates {
		for _, lang := range locale.Languages {
			v := shop.SaleDetail(models.Supervisor, detailTime(state), state)
			ctx, got := locale.With(context.Background(), lang), draw(t, lang, salesview.SaleDetail(v))
			for _, want := range []string{
				`data-state="` + string(state) + `"`, locale.In(lang, "state."+string(state)),
				words.Truth(ctx, state, "Caja 1"), v.Next(ctx),
			} {
				if !strings.Contains(got, strings.ReplaceAll(want, "'", "&#39;")) {
					t.Errorf("story of %s in %s lacks %q", state, lang, want)
				}
			}
			late := state == models.SaleTooLate || state == models.SaleExpired
			if has := strings.Contains(got, `id="refund-data"`); has != late {
				t.Errorf("story of %s has data for a refund: %t, want %t", state, has, late)
			}
			if live := strings.Contains(got, "data-live"); live != (state != models.SaleConfirmed) {
				t.Errorf("story of %s of today polls: %t", state, live)
			}
			v.Now = v.Now.AddDate(0, 0, 1)
			if live := strings.Contains(draw(t, lang, salesview.SaleDetail(v)), "data-live"); live != state.Open() {
				t.Errorf("story of %s of yesterday polls: %t, want %t", state, live, state.Open())
			}
		}
	}
}

func TestActionsFollowTheRole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		role  models.Role
		state models.SaleState
		path  string
		want  bool
	}{
		{models.Manager, models.SaleRequested, "/withdrawal", true},
		{models.Administrator, models.SaleRequested, "/withdrawal", false},
		{models.Manager, models.SaleSending, "/withdrawal", false},
		{models.Manager, models.SaleUnknown, "/inquiry", true},
		{models.Manager, models.SaleUnknown, "/resolution", false},
		{models.Supervisor, models.SaleUnknown, "/resolution", true},
		{models.Manager, models.SaleAccepted, "/resolution", false},
		{models.Supervisor, models.SaleSending, "/resolution", true},
		{models.Supervisor, models.SaleAccepted, "/resolution", true},
		{models.Supervisor, models.SaleRejected, "/resolution", true},
		{models.Supervisor, models.SaleNotCanceled, "/resolution", true},
		{models.Supervisor, models.SaleExpired, "/resolution", true},
		{models.Supervisor, models.SaleRequested, "/resolution", false},
		{models.Supervisor, models.SaleConfirmed, "/resolution", false},
		{models.Supervisor, models.SaleCancelable, "/resolution", false},
		{models.Supervisor, samples.Withdrawn, "/resolution", false},
	} {
		got := draw(t, "es-MX", salesview.SaleDetail(shop.SaleDetail(tt.role, "19:52:03", tt.state)))
		if has := strings.Contains(got, tt.path+`"`); has != tt.want {
			t.Errorf("%s sees %s of a %s case: %t, want %t", tt.role, tt.path, tt.state, has, tt.want)
		}
	}
}

var forbidden = regexp.MustCompile(`(?i)<style|\sstyle=|<script(?:\s[^>]*)?>[^<]|\son[a-z]+=|javascript:|hx-on|https?://`)

func TestPagesHoldNoInlineCodeAndNoForeignAddress(t *testing.T) {
	t.Parallel()
	for name, c := range samplePages(t) {
		// An endpoint's address is a text, never where something is loaded from.
		got := draw(t, "es-MX", c)
		for _, before := range []string{">", `value="`} {
			got = strings.ReplaceAll(got, before+samples.SampleAddress, before)
		}
		if found := forbidden.FindString(got); found != "" {
			t.Errorf("%s holds %q, which the content security policy forbids", name, found)
		}
	}
}

func TestPagesHaveOneHeadingALanguageAndUniqueIDs(t *testing.T) {
	t.Parallel()
	ids := regexp.MustCompile(`\sid="([^"]+)"`)
	for name, c := range samplePages(t) {
		got := draw(t, "en", c)
		if strings.HasPrefix(name, "part-") {
			continue
		}
		if n := strings.Count(got, "<h1"); n != 1 {
			t.Errorf("%s has %d h1, want 1", name, n)
		}
		if !strings.Contains(got, `<html lang="en">`) || !strings.Contains(got, "<main") {
			t.Errorf("%s lacks its language or its main landmark", name)
		}
		seen := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(got, -1) {
			if seen[m[1]] {
				t.Errorf("%s has two elements with the id %s", name, m[1])
			}
			seen[m[1]] = true
		}
	}
}

func TestHostileTextIsEscapedEverywhere(t *testing.T) {
	t.Parallel()
	story := shop.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown)
	s := &story.Detail
	s.Sale.OrderID, s.Sale.CardBrand, s.Store.Name, s.Terminal.Label = hostile, hostile, hostile, hostile
	s.Cancellations[0].Note, s.Cancellations[0].Requester = hostile, hostile
	s.Entries[0].ActorName, s.Entries[0].Reason, s.Results[0].ResponseCode = hostile, hostile, hostile
	audit := shop.Audit()
	audit.Filter.Query = hostile
	for i := range audit.List.Entries {
		e := &audit.List.Entries[i]
		e.ActorName, e.Reason, e.StoreName, e.OrderID, e.Address, e.Action = hostile, hostile, hostile, hostile, hostile, hostile
		e.After = []byte(`{"<script>alert(1)</script>":"<script>"}`)
	}
	results := shop.Results()
	results.List.Results[0].Body, results.List.Results[0].Note, results.List.Results[0].SerialNumber = hostile, hostile, hostile
	sheet := shop.Sheet("19:52:03")
	sheet.Form.Note, sheet.Reasons[0].LabelES, sheet.Form.Click = "</textarea>"+hostile, hostile, hostile
	for name, got := range map[string]string{
		"story": draw(t, "es-MX", salesview.SaleDetail(story)), "audit": draw(t, "es-MX", auditview.Audit(audit)),
		"results": draw(t, "es-MX", exchangeview.Results(results)), "sheet": draw(t, "es-MX", salesview.SheetPage(sheet)),
	} {
		if strings.Contains(got, "<script>") || strings.Contains(got, "</textarea><script") {
			t.Errorf("%s lets a script through", name)
		}
	}
}

func TestNobodyElsesFailureBreaksAPage(t *testing.T) {
	t.Parallel()
	v := shop.Audit()
	v.List.Entries[0].After = []byte(`{"broken`)
	v.List.Entries[0].Before = []byte(`[1,2]`)
	if err := auditview.Audit(v).Render(context.Background(), io.Discard); err != nil {
		t.Errorf("Render = %v, want nil", err)
	}
}

// The pages about the trail lead back to its list, and have no tabs beside the navigation's.
func TestPagesOfTheTrailLeadBack(t *testing.T) {
	t.Parallel()
	back, tabs := regexp.MustCompile(`<nav class="crumbs"[^>]*><a href="/audit">`), regexp.MustCompile(`<nav class="tabs"`)
	office := shop.OfficePages()
	for _, name := range []string{"audit-views", "exports", "verification"} {
		if got := draw(t, "en", office[name]); !back.MatchString(got) || tabs.MatchString(got) {
			t.Errorf("%s does not lead back to the trail, or has tabs of its own", name)
		}
	}
	if got := ui.PlacesFor(models.Actor{Role: models.Manager}, ui.AuditPages); len(got) != 0 {
		t.Errorf("a manager is led to %v", got)
	}
}

func TestNavigationShowsWhatTheRoleMay(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`(?s)<a\s+href="([^"]+)"`)
	for role, want := range map[models.Role][]string{
		models.Manager:       {"/sales"},
		models.Supervisor:    {"/today", "/sales", "/review", "/oversight"},
		models.Administrator: {"/today", "/sales", "/stores", "/oversight", "/settings"},
		models.Auditor:       {"/today", "/sales", "/oversight"},
	} {
		header := draw(t, "es-MX", ui.Header(page(t, role, "/sales?q=1", "12:00:00")))
		_, nav, _ := strings.Cut(header, "<nav")
		nav, _, _ = strings.Cut(nav, "</nav>")
		var got []string
		for _, m := range link.FindAllStringSubmatch(nav, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is led to %v, want %v", role, got, want)
		}
		if !strings.Contains(nav, `href="/sales" aria-current="page"`) {
			t.Errorf("%s: the current place is not marked", role)
		}
	}
}

// A page stands among those of its group, which is the current place; pages without a
// link of their own belong to the one that leads there.
func TestAPageStandsAmongThoseOfItsGroup(t *testing.T) {
	t.Parallel()
	current := regexp.MustCompile(`href="([^"]+)" aria-current="(page|true)"`)
	control := []string{"/oversight", "/oversight/patterns", "/audit", "/reconciliations", "/closings"}
	for _, test := range []struct {
		role        models.Role
		path        string
		place, page string
		how         string
		group       []string
	}{
		{models.Supervisor, "/oversight?from=2026-11-01", "/oversight", "/oversight", "page", control},
		{models.Supervisor, "/oversight/days", "/oversight", "/oversight", "true", control},
		{models.Supervisor, "/oversight/finding?kind=late", "/oversight", "/oversight/patterns", "true", control},
		{models.Supervisor, "/audit/verification", "/oversight", "/audit", "true", control},
		{models.Administrator, "/results", "/oversight", "/audit", "true", control},
		{models.Administrator, "/closings/2026-11-19", "/oversight", "/closings", "true", control},
		{models.Administrator, "/terminals/7", "/stores", "/terminals", "true", []string{"/stores", "/terminals", "/users"}},
		{models.Administrator, "/endpoints/new", "/settings", "", "", nil},
		{models.Auditor, "/audit", "/oversight", "/audit", "page", []string{"/oversight", "/oversight/patterns", "/audit", "/closings"}},
		{models.Manager, "/sales/7", "/sales", "", "", nil},
	} {
		html := draw(t, "es-MX", ui.Layout(page(t, test.role, test.path, "12:00:00"), "x"))
		_, nav, _ := strings.Cut(html, `<nav id="nav"`)
		nav, rest, _ := strings.Cut(nav, "</nav>")
		if got := current.FindAllStringSubmatch(nav, -1); len(got) != 1 || got[0][1] != test.place {
			t.Errorf("%s: the current place is %v, want %s", test.path, got, test.place)
		}
		_, group, has := strings.Cut(rest, `<nav class="subnav"`)
		if has != (test.group != nil) {
			t.Errorf("%s: stands in a group: %t", test.path, has)
		}
		if !has {
			continue
		}
		group, _, _ = strings.Cut(group, "</nav>")
		var led []string
		for _, m := range regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(group, -1) {
			led = append(led, m[1])
		}
		if !slices.Equal(led, test.group) {
			t.Errorf("%s: the group of %s leads to %v, want %v", test.path, test.role, led, test.group)
		}
		if got := current.FindAllStringSubmatch(group, -1); len(got) != 1 || got[0][1] != test.page || got[0][2] != test.how {
			t.Errorf("%s: the current page is %v, want %s as %s", test.path, got, test.page, test.how)
		}
	}
}
