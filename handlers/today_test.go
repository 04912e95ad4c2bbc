package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// verdict is what the first page says first.
func (p *page) verdict() string { return textOf(p.one("verdict")) }

// TestTodaySaysWhetherAnythingNeedsOne: of one's own stores, and nothing of others.
func TestTodaySaysWhetherAnythingNeedsOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	other := modelstest.Store(t, h.DB, h.Clock.Now(), "AJENA-9")
	v, limited := h.supervisor(), h.as(h.user("Solo Ajena", models.Supervisor, other))
	v.get("/").wantTo("/today")
	if got := v.get("/today").want(200).verdict(); !strings.Contains(got, "Nada te espera") {
		t.Errorf("with nothing to do the page says %q", got)
	}
	doubted, _ := h.StateOf(models.Unknown)
	h.Sale(123400)
	for _, page := range []string{"/today", "/today?fragment=today"} {
		p := v.get(page).want(200)
		if got := p.verdict(); !strings.Contains(got, "Te espera 1 cosa") {
			t.Errorf("%s says %q of one doubt", page, got)
		}
		p.holds(fmt.Sprintf(`href="/sales/%d"`, doubted.ID), `data-stale hidden`)
		if got := p.attrs("waits", "data-kind"); fmt.Sprint(got) != "[doubt]" {
			t.Errorf("%s lists %v, want the doubt", page, got)
		}
		if got := p.attrs("store-day", "data-code"); len(got) != 2 || got[0] != h.Store.Code {
			t.Errorf("%s lists the stores %v, want the one in doubt first", page, got)
		}
	}
	p := limited.get("/today").want(200)
	if got := p.verdict(); !strings.Contains(got, "Nada te espera") {
		t.Errorf("to a supervisor of another store the page says %q", got)
	}
	if strings.Contains(p.body, "1,234.00") || strings.Contains(p.body, h.Store.Code) {
		t.Errorf("it shows a store that is not theirs: %s", p.words())
	}
	h.manager().get("/today").want(403)
	h.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	p = v.get("/today?fragment=today").want(200)
	p.holds(`id="today-day"`, `hx-swap-oob="true"`)
	p.says("el día cerró a las 20:00")
}

// The stores of the page are searched and turned like any list; what is asked for wrongly
// is answered in words.
func TestTodaysStores(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for n := range 30 {
		modelstest.Store(t, h.DB, h.Clock.Now(), fmt.Sprintf("NUEVA-%d", n))
	}
	v := h.supervisor()
	codes := func(path string) []string { return v.get(path).want(200).attrs("store-day", "data-code") }
	seen := map[string]bool{}
	for at := 1; at <= 3; at++ {
		for _, code := range codes(fmt.Sprint("/today?page=", at)) {
			if seen[code] {
				t.Errorf("%s stands on two pages", code)
			}
			seen[code] = true
		}
	}
	if len(seen) != 31 {
		t.Errorf("three pages list %d stores, want all 31", len(seen))
	}
	last := codes("/today?page=3")
	for _, beyond := range []string{"99999999999999999999", "99"} {
		if got := codes("/today?page=" + beyond); beyond == "99" && fmt.Sprint(got) != fmt.Sprint(last) {
			t.Errorf("a page beyond the end lists %v, want the last, %v", got, last)
		}
	}
	for _, none := range []string{"-3", "0", "x"} {
		if got := codes("/today?page=" + none); fmt.Sprint(got) != fmt.Sprint(codes("/today")) {
			t.Errorf("page %s lists %v, want the first", none, got)
		}
	}
	if got := codes("/today?q=nueva-7"); fmt.Sprint(got) != "[NUEVA-7]" {
		t.Errorf("the search lists %v, want NUEVA-7", got)
	}
	v.get("/today?q=Saltillo").want(200).says("No hay una sucursal «Saltillo».")
	v.get("/today?q=" + strings.Repeat("x", 5000)).want(200)
}

// An administrator reads what is wrong, and no inbox that they cannot act on.
func TestTodayOfAnAdministrator(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	v.get("/").wantTo("/today")
	if got := v.get("/today").want(200).attrs("wrong", "data-key"); len(got) != 0 {
		t.Fatalf("with nothing wrong the page lists %v", got)
	}
	h.strayResult("9999999999")
	v.testsConnection()
	p := v.get("/today").want(200)
	if got := p.attrs("wrong", "data-key"); fmt.Sprint(got) != "[today.connection today.terminals]" {
		t.Errorf("the page lists %v, want the connection and the terminal that nobody registered", got)
	}
	if got := p.verdict(); !strings.Contains(got, "Te esperan 2 cosas") {
		t.Errorf("the page says %q of two things", got)
	}
	p.holds(`href="/settings/connection"`, `href="/terminals/health"`, `class="button primary" href="/settings/connection">Corregir`)
}
