package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestPlannedMove plans a move in the browser, sees it, and takes it back.
func TestPlannedMove(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	move := func(version, from string) *answer {
		return v.post(
			page+"/moves", url.Values{"version": {version}, "store": {fmt.Sprint(h.there.ID)}, "merchantId": {"M2"}, "from": {from}},
		)
	}
	for _, tt := range []struct {
		fact, from string
		status     int
		words      string
	}{
		{"no date", "mañana", 422, "Escribe una fecha y una hora"},
		{"half a date", "2026-11", 422, "Escribe una fecha y una hora"},
		{"no such day", "2026-02-30T08:00", 422, "Escribe una fecha y una hora"},
		{"the last century", "1999-12-31T23:59", 422, "no es creíble"},
		{"the next one", "2126-11-21T08:00", 422, "no es creíble"},
		{"before it was anywhere there", "2026-11-19T08:00", 409, "desde el 20 nov 2026, 00:00 hora CDMX"},
	} {
		p := move("1", tt.from)
		if p.status != tt.status {
			t.Errorf("%s = %d, want %d", tt.fact, p.status, tt.status)
			continue
		}
		p.says(tt.words)
		if got := p.formTo(page + "/moves")["from"]; got != tt.from {
			t.Errorf("%s: the field now holds %q, want %q", tt.fact, got, tt.from)
		}
	}
	p := v.follow(move("1", "2026-11-21T08:00").wantTo(page)).want(200)
	if got := textOf(p.one("moved-panel")); !strings.Contains(got, "pasará a "+theirName) ||
		!strings.Contains(got, "Hasta entonces sigue en "+h.Store.Name) {
		t.Errorf("after the plan the page says %q", got)
	}
	p.says("A " + theirName + " el 21 nov 2026, 08:00 hora CDMX")
	if got := strings.Join(p.attrs("assignment", "data-tense"), " "); got != "planned present" {
		t.Errorf("the history is %q, want planned present", got)
	}
	move("2", "2026-11-22T08:00").want(409).says("Ya tiene un traslado planeado a " + theirName)
	if got := v.get("/terminals?state=planned").attrs("terminal", "data-serial"); len(got) != 1 ||
		got[0] != string(h.Terminal.SerialNumber) {
		t.Errorf("the list of planned moves is %v, want %s", got, h.Terminal.SerialNumber)
	}
	withdraw := func(version string) *answer {
		return v.post(page+"/plan/withdrawal", url.Values{"version": {version}})
	}
	withdraw("1").want(409).says("Alguien lo cambió antes")
	v.follow(withdraw("2").wantTo(page)).says("Traslado planeado retirado")
	withdraw("3").want(409).says("Ya no hay un traslado planeado")
	if got := v.get(page).attrs("assignment", "data-tense"); len(got) != 1 {
		t.Errorf("after the withdrawal the history is %v, want only the present", got)
	}
}

// TestMoveIntoThePastSaysWhichSales: how many, and since when.
func TestMoveIntoThePastSaysWhichSales(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	h.Sale(100)
	h.Clock.Advance(5 * time.Minute)
	h.Sale(200)
	h.Clock.Advance(5 * time.Minute)
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	form := url.Values{"version": {"1"}, "store": {fmt.Sprint(h.there.ID)}, "merchantId": {"M2"}, "from": {"2026-11-20T11:00"}}
	p := v.post(page+"/moves", form).want(409)
	p.says("ya hizo 2 ventas, la primera el 20 nov 2026, 12:00 hora CDMX")
	form.Set("from", "2026-11-20T12:05")
	v.post(page+"/moves", form).want(409).says("ya hizo 1 venta, el 20 nov 2026, 12:05 hora CDMX")
	form.Set("from", "2026-11-20T12:06")
	v.follow(v.post(page+"/moves", form).wantTo(page)).saysAll("ya está en "+theirName, "Desde hoy a las 12:06")
}

// TestMoveMany chooses terminals in the list and moves them together.
func TestMoveMany(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	second := h.NewTerminal(h.Store)
	list := v.get("/terminals?store=" + fmt.Sprint(h.Store.ID)).want(200)
	list.one("choose-terminals")
	v.get("/terminals/moves/new?terminal=" + fmt.Sprint(second.ID)).wantTo(fmt.Sprintf("/terminals/%d/moves/new", second.ID))
	chosen := url.Values{"terminal": {fmt.Sprint(h.Terminal.ID), fmt.Sprint(second.ID)}}
	page := v.get("/terminals/moves/new?" + chosen.Encode()).want(200)
	if got := page.attrs("moving", "data-serial"); len(got) != 2 {
		t.Fatalf("the page shows %v, want both", got)
	}
	both := []string{fmt.Sprintf("%d:1", h.Terminal.ID), fmt.Sprintf("%d:1", second.ID)}
	there := fmt.Sprint(h.there.ID)
	v.post("/terminals/moves", url.Values{"terminal": both}).want(422).says("Elige una sucursal.")
	v.post("/terminals/moves", url.Values{"store": {there}}).want(422).says("Elige al menos una terminal")
	// Who types the address has done nothing wrong yet.
	for _, path := range []string{"/terminals/moves/new", "/terminals/moves/new?terminal=abc&terminal=-1&terminal=99999999999999999999"} {
		p := v.get(path).want(200)
		p.says("Elige al menos una terminal")
		p.hides("error-summary")
	}
	v.get("/terminals/moves").want(200).hides("Ninguna terminal coincide")
	v.post("/terminals/moves", url.Values{"terminal": both, "store": {there}, "from": {"ayer"}}).want(422).says("Escribe una fecha")

	// One of them was retired meanwhile: none is moved, and the page says which.
	h.exec(`UPDATE terminals SET retired_at = now(), version = 2 WHERE id = $1`, second.ID)
	p := v.post("/terminals/moves", url.Values{"terminal": both, "store": {there}, "from": {"2026-11-21T08:00"}}).want(409)
	p.says("No se trasladó ninguna")
	p.says("Alguien lo cambió antes")
	if n := len(p.byTestID("why")); n != 1 {
		t.Errorf("%d reasons, want 1", n)
	}
	if got := p.field("store") + " " + p.field("from"); got != there+" 2026-11-21T08:00" {
		t.Errorf("the form now holds %q", got)
	}
	only := attr(p.one("movable"), "href")
	if p := v.get(only).want(200); len(p.byTestID("moving")) != 1 || p.field("store") != there || p.field("from") != "2026-11-21T08:00" {
		t.Errorf("%s shows %v", only, p.attrs("moving", "data-serial"))
	}
	if n := h.count(
		`SELECT count(*) FROM assignments WHERE store_id = $1 AND terminal_id IN ($2, $3)`, h.there.ID, h.Terminal.ID, second.ID,
	); n != 0 {
		t.Errorf("%d terminals moved although one could not", n)
	}
	h.exec(`UPDATE terminals SET retired_at = NULL WHERE id = $1`, second.ID)
	h.Clock.Advance(time.Minute)
	both[1] = fmt.Sprintf("%d:2", second.ID)
	done := v.follow(v.post("/terminals/moves", url.Values{"terminal": append(both, both[0]), "store": {there}}).want(303)).want(200)
	done.says("Traslado guardado para todas")
	if got := done.attrs("moved", "data-serial"); len(got) != 2 {
		t.Errorf("the outcome shows %v, want both", got)
	}
	if got := v.get("/terminals?store="+there).attrs("terminal", "data-serial"); len(got) != 3 {
		t.Errorf("the other store now has %v, want three", got)
	}
	v.post("/terminals/moves", url.Values{"terminal": both, "store": {there}}).want(409) // pressed twice
}
