package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
)

func TestStores(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	for _, tt := range []struct {
		fact, code, name, zone, other, words string
	}{
		{"no code", "", "Centro", "America/Cancun", "", "mayúsculas"},
		{"a hostile code", "<script>", "Centro", "America/Cancun", "", "mayúsculas"},
		{"a code that is taken", strings.ToLower(h.Store.Code), "Centro", "America/Cancun", "", "Ya hay una sucursal"},
		{"no name", "NORTE-1", " ", "America/Cancun", "", "Llena este campo."},
		{"a long name", "NORTE-1", strings.Repeat("ñ", 81), "America/Cancun", "", "Es demasiado largo."},
		{"no zone", "NORTE-1", "Centro", "", "", "zona horaria"},
		{"a zone of no place", "NORTE-1", "Centro", "Mars/Olympus", "", "zona horaria"},
		{"a zone that is a file", "NORTE-1", "Centro", "../../etc/passwd", "", "zona horaria"},
		{"the server's own zone", "NORTE-1", "Centro", "Local", "", "zona horaria"},
		{"a typed zone of no place", "NORTE-1", "Centro", "America/Cancun", "Mars/Olympus", "zona horaria"},
	} {
		p := v.post("/stores", url.Values{"code": {tt.code}, "name": {tt.name}, "timeZone": {tt.zone}, "timeZoneOther": {tt.other}})
		if p.status != 422 {
			t.Errorf("%s = %d, want 422", tt.fact, p.status)
			continue
		}
		if !strings.Contains(strings.ToLower(p.words()), strings.ToLower(tt.words)) {
			t.Errorf("%s does not say %q: %s", tt.fact, tt.words, p.words())
		}
		if got := p.field("code") + "|" + p.field("name"); got != tt.code+"|"+tt.name {
			t.Errorf("%s: the form now holds %q", tt.fact, got)
		}
	}
	v.follow(v.post(
		"/stores",
		url.Values{
			"code": {"norte-1"}, "name": {`Norte "1" & hijos`}, "timeZone": {"America/Cancun"}, "timeZoneOther": {"America/Bogota"},
		},
	).wantTo("/stores")).says(`Norte "1" & hijos`)
	id := h.count(`SELECT id FROM stores WHERE code = 'NORTE-1' AND time_zone = 'America/Bogota'`)
	page := fmt.Sprintf("/stores/%d", id)
	form := url.Values{
		"version": {v.get(page + "/edit").want(200).field("version")},
		"code":    {"NORTE-2"}, "name": {"Norte 2"}, "timeZone": {"America/Cancun"},
	}
	v.follow(v.post(page, form).wantTo(page)).says("Norte 2")
	p := v.post(page, form).want(409) // another tab
	p.says("Alguien lo cambió antes")
	if got := p.field("name"); got != "Norte 2" {
		t.Errorf("after a stale change the name is %q", got)
	}
	for _, path := range []string{"/stores/999999", "/stores/0", "/stores/abc"} {
		v.get(path).want(404)
		v.post(path, form).want(404)
	}
}

// TestAStoreIsAPlace shows a store with its day, its terminals and its people.
func TestAStoreIsAPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	h.StateOf(models.Unknown)
	h.user("Marta Gerente", models.Manager, h.Store)
	p := h.administrator().get(fmt.Sprintf("/stores/%d", h.Store.ID)).want(200)
	p.saysAll(h.Store.Code, "Vendido hoy", "Por verificar", "Última comunicación", "Marta Gerente", "hora")
	if got := p.attrs("store-terminal", "data-serial"); len(got) != 1 || got[0] != string(h.Terminal.SerialNumber) {
		t.Errorf("the store has the terminals %q, want %s", got, h.Terminal.SerialNumber)
	}
	if got := strings.Join(strings.Fields(textOf(p.one("store-day"))), ""); !strings.Contains(got, "Porverificar1") {
		t.Errorf("the store's day is %q", got)
	}
	p.hides(theirName, "7777777777")
}
