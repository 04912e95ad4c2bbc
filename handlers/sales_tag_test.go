package handlers_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// region is the part of a page that asks for itself, with the tag that it was
// drawn with.
func (p *page) region() (asks, tag string) {
	p.tb.Helper()
	found := p.all(func(n *html.Node) bool { _, live := lookUp(n, "data-live"); return live })
	if len(found) != 1 {
		p.tb.Fatalf("%s has %d parts that ask for themselves, want 1\n%s", p.what, len(found), p.words())
	}
	if tag, has := lookUp(found[0], "data-tag"); has {
		return attr(found[0], "hx-get"), `"` + tag + `"` // as static/js/live.js asks with it
	}
	return attr(found[0], "hx-get"), ""
}

// TestAPagesStripIsNotSentAgain asks for the list as static/js/live.js does, with the
// strip that the page shows.
func TestAPagesStripIsNotSentAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	v := h.supervisor()
	p := v.get("/sales").want(200)
	asks, _ := p.region()
	strip := p.all(func(n *html.Node) bool { return attr(n, "id") == "strip" })
	if len(strip) != 1 || len(p.byTestID("store-chip")) != 2 {
		t.Fatalf("the page has %d strips with %d stores, want one of two", len(strip), len(p.byTestID("store-chip")))
	}
	tag := attr(strip[0], "data-strip")
	part := v.get(asks, "Veinte-Strip", tag).want(200)
	if len(part.byTestID("store-chip")) != 0 || part.header.Get("Vary") != "Veinte-Strip" {
		t.Errorf("a strip that is there is sent again, Vary: %s\n%s", part.header.Get("Vary"), part.body)
	}
	h.Sale(hereAmount)
	if part = v.get(asks, "Veinte-Strip", tag).want(200); len(part.byTestID("store-chip")) != 2 {
		t.Errorf("a strip that has changed is not sent: %s", part.body)
	}
}

// The first question of a page is only whether the list is still as the page drew
// it, with the tag that the page has: as static/js/live.js asks it.
func TestAPagesFirstQuestionIsOnlyWhetherItIsOld(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	sale := h.Sale(hereAmount)
	v, boss := h.manager(), h.supervisor()
	ask := func(v *visitor, asks, tag string) *answer { return v.get(asks, "If-None-Match", tag) }
	for _, path := range []string{"/sales", "/sales?state=cancelable", "/sales?q=1250", fmt.Sprintf(
		"/sales?terminal=%d", h.Terminal.ID,
	), "/sales?date=2026-11-20"} {
		for _, who := range []*visitor{v, boss} {
			asks, tag := who.get(path).want(200).region()
			if tag == "" {
				t.Errorf("%s has no tag", path)
			}
			if a := ask(who, asks, tag).want(http.StatusNotModified); a.body != "" || a.header.Get("ETag") != tag {
				t.Errorf("%s asks %s and gets %q with the tag %s, want its own %s", path, asks, a.body, a.header.Get("ETag"), tag)
			}
		}
	}

	asks, tag := v.get("/sales").want(200).region()
	if _, other := boss.get("/sales").region(); other == tag {
		t.Error("two people have the same tag")
	}
	ask(boss, asks, tag).want(200)
	ask(h.manager2("Otra"), asks, tag).want(200) // of the same store
	if _, other := v.get("/sales?state=confirmed").region(); other == tag {
		t.Error("two filters have the same tag")
	}
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a new sale", func() { h.Sale(100) }},
		{"a colleague's request", func() { h.Request(sale) }},
		{"another language", func() { h.exec(`UPDATE users SET language = 'en' WHERE id = $1`, v.id) }},
		{"a notice", func() {
			h.must(h.Cancellations.Pause(t.Context(), h.Admin, "mantenimiento"))
		}},
		{"the cut-off's margin", func() { h.Clock.Set(modelstest.At(t, "2026-11-20T19:59:55-06:00")) }},
		{"the cut-off", func() { h.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00")) }},
	} {
		step.do()
		a := ask(v, asks, tag).want(200)
		if _, again := a.region(); again != "" {
			t.Errorf("after %s the part has a tag of its own: every question after it would be for that", step.what)
		}
		asks, tag = v.get("/sales").want(200).region()
		ask(v, asks, tag).want(http.StatusNotModified)
	}

	if n := len(v.get("/sales?date=2026-11-19").want(200).all(
		func(n *html.Node) bool { _, has := lookUp(n, "data-tag"); return has },
	)); n != 0 {
		t.Error("the list of yesterday, which asks for nothing, has a tag")
	}
}

// What stops the sealing is on open pages as soon as any other notice.
func TestAPageIsOldWhenTheSealingStops(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "checkpoints")
	private, _, err := trailfile.GenerateKey("tienda.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := trailfile.ParseKeys(private)
	if err != nil {
		t.Fatal(err)
	}
	o := modelstest.NewOffice(t)
	seals := sealing.New(sealing.Config{DB: o.DB, Clock: o.Clock, Signers: keys.Signers(), Public: keys.Public(), Dir: dir})
	h := newHouseOf(t, o, func(c *handlers.Config) {
		c.Services = wiring.New(wiring.Config{
			DB: o.DB, Clock: o.Clock, Window: o.Rules.Window(), Waits: modelstest.Waits, Seals: seals,
		})
	})
	v := h.supervisor()
	asks, tag := v.get("/sales").want(200).region()
	v.get(asks, "If-None-Match", tag).want(http.StatusNotModified)
	h.must(os.WriteFile(dir, nil, 0o600)) // where the directory should be
	for begin := time.Now(); seals.Trouble() == nil; {
		_, _ = seals.Seal(t.Context())
		if time.Since(begin) > 30*time.Second {
			t.Fatal("no trouble after 30 s")
		}
	}
	for begin := time.Now(); v.get("/audit").want(200).notice("sealing") == nil; { // what every page asks for is cached for a second
		if time.Since(begin) > 30*time.Second {
			t.Fatal("no page shows the trouble after 30 s")
		}
	}
	if v.get(asks, "If-None-Match", tag).want(200).notice("sealing") == nil {
		t.Error("the polled list does not show the trouble")
	}
}

// notice is the notice of a kind; nil when there is none.
func (p *page) notice(kind string) *html.Node {
	for _, n := range p.byTestID("notice") {
		if attr(n, "data-kind") == kind {
			return n
		}
	}
	return nil
}

// A list that is open learns that the service refuses our access, also in another
// store, and that it no longer does.
func TestRefusedAccessReachesOpenLists(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	v := h.manager()
	const says = "rechaza nuestra credencial"
	send := func(c int64, reply models.Reply) {
		h.API.Then(reply)
		h.Dispatch(c)
		h.Operations.ForgetNotices()
	}
	v.get("/sales").want(200).hides(says)
	asks, tag := v.get("/sales").want(200).region()
	v.get(asks, "If-None-Match", tag).want(http.StatusNotModified)
	send(h.cancellation.ID, models.Reply{Meaning: models.MeaningUnknown, Detail: models.DetailAccessRefused, HTTPStatus: 401})
	v.get(asks, "If-None-Match", tag).want(200).says(says)
	v.get("/sales").want(200).says(says)

	asks, tag = v.get("/sales").want(200).region()
	next := h.Request(h.SaleAt(h.NewTerminal(h.Store), 5000))
	h.Clock.Advance(time.Second) // the trail of times tells the two replies apart
	send(next.ID, modelstest.NoTerminal)
	v.get(asks, "If-None-Match", tag).want(200).hides(says)
}
