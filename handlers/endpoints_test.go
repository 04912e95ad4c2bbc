package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

var whsec = regexp.MustCompile(`whsec_[A-Za-z0-9+/=&#;]+`)

func TestCreateEndpoint(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	v.post("/endpoints", url.Values{"kind": {"relay"}, "name": {"Otro"}, "url": {"https://pos.example/"}}).want(201)
	good := url.Values{
		"kind": {"webhook"}, "name": {"ERP <b>"}, "url": {"https://erp.example/veinte?key=hidden"}, "events": {"cancellation.confirmed"},
		"stores": {fmt.Sprint(h.there.ID)},
	}
	for _, tt := range []struct{ field, value, words string }{
		{"name", "", "Llena este campo."},
		{"name", strings.Repeat("x", 61), "Es demasiado largo."},
		{"name", "otro", "Ya hay un destino con ese nombre."},
		{"url", "", "Llena este campo."},
		{"url", "erp", "dirección completa"},
		{"url", "https://a:b@erp.example/", "usuario y la contraseña"},
		{"url", "https://169.254.169.254/", "privada o reservada"},
		{"events", "", "Elige al menos un paso."},
		{"events", "cancellation.nonsense", "filtro"},
		{"stores", "", "Elige al menos una sucursal"},
		{"stores", "99999", "sucursal no existe"},
		{"stores", "abc", "sucursal no existe"},
	} {
		form := url.Values{}
		for name, values := range good {
			form[name] = values
		}
		form.Set(tt.field, tt.value)
		if tt.value == "" && (tt.field == "events" || tt.field == "stores") {
			form.Del(tt.field)
		}
		p := v.post("/endpoints", form)
		if p.status != 422 {
			t.Errorf("%s %q = %d, want 422", tt.field, tt.value, p.status)
			continue
		}
		if tt.words != "filtro" {
			p.says(tt.words)
		}
		for _, name := range []string{"name", "url"} {
			if got := p.field(name); got != form.Get(name) {
				t.Errorf("%s %q: %s is now %q, want %q", tt.field, tt.value, name, got, form.Get(name))
			}
		}
	}
	if n := h.count(`SELECT count(*) FROM endpoints`); n != 1 {
		t.Fatalf("%d endpoints, want only the one there was", n)
	}
	p := v.post("/endpoints", good).want(201)
	p.says("ERP <b>")
	secret := whsec.FindString(p.body)
	if secret == "" {
		t.Fatal("the secret is not shown")
	}
	v.post("/endpoints", good).want(422).says("Ya hay un destino con ese nombre.") // sent again
	path := fmt.Sprintf("/endpoints/%d", h.count(`SELECT max(id) FROM endpoints`))
	v.get(path).want(200).says("AJENA-9")
	for _, path := range []string{"/endpoints", path, path + "/edit", "/audit"} {
		v.get(path).want(200).hides(secret, "key=hidden", "whsec")
	}
	v.get("/endpoints/new?kind=nonsense").want(404)
	v.get("/endpoints/new").want(404)
	v.post("/endpoints", url.Values{"kind": {"nonsense"}, "name": {"x"}, "url": {"https://erp.example/"}}).want(400)
}

func TestEndpointsWithoutAKey(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	h := newHouseOf(t, o, func(c *handlers.Config) {
		c.Webhooks = webhooks.New(webhooks.Config{DB: o.DB, Clock: o.Clock})
	})
	v := h.administrator()
	v.get("/endpoints").want(200).says("RELAY_KEY")
	v.post("/endpoints", url.Values{"kind": {"relay"}, "name": {"x"}, "url": {"https://pos.example/"}}).want(409).says("Falta la llave")
	if n := h.count(`SELECT count(*) FROM endpoints`); n != 0 {
		t.Errorf("%d endpoints without a key", n)
	}
}

// What was seen long ago, what is not there, what is over: refused in words, and
// what was typed stays.
func TestActsOnEndpoints(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	on := h.targets()
	id := on.endpoints["show"]
	page := fmt.Sprintf("/endpoints/%d", id)
	for _, act := range []string{"/pause", "/resumption", "/retirement", "/secret"} {
		v.post(page+act, url.Values{"version": {"7"}}).want(409).says("Alguien lo cambió antes")
		v.post(page+act, url.Values{"version": {"x"}}).want(400)
		v.post("/endpoints/999999"+act, url.Values{"version": {"1"}}).want(404)
	}
	v.post(
		page, url.Values{"version": {"7"}, "name": {"Tarde"}, "url": {"https://pos.example/"}},
	).want(409).says("Alguien lo cambió antes")
	for _, since := range []string{"", "ayer", "2026-11-31", "2026-01-01", "2027-01-01"} {
		p := v.post(page+"/redelivery", url.Values{"since": {since}})
		if p.status != 422 {
			t.Errorf("since %q = %d, want 422", since, p.status)
		}
	}
	v.follow(v.post(page+"/redelivery", url.Values{"since": {"2026-11-20"}}).wantTo(page)).says("no falló ninguna entrega")
	v.get(page + "?state=nonsense").want(422)
	v.get(page + "?cursor=-1").want(422)
	v.get(page + "?state=waiting&cursor=99999999").want(200)

	delivery := fmt.Sprintf("/deliveries/%d", on.waiting)
	v.follow(v.post(delivery+"/setting-aside", nil).wantTo(delivery)).says("Apartada")
	v.post(delivery+"/setting-aside", nil).wantTo(delivery) // pressed twice
	v.post(fmt.Sprintf("/deliveries/%d/setting-aside", on.delivered), nil).want(409).says("ya terminó")
	v.follow(v.post(page+"/redelivery", url.Values{"since": {"2026-11-20"}}).wantTo(page + "?state=waiting")).want(200)
	if state := h.text(`SELECT state FROM deliveries WHERE id = $1`, on.waiting); state != "waiting" {
		t.Errorf("what was set aside is %s", state)
	}
	v.follow(v.post(page+"/retirement", url.Values{"version": {"1"}}).wantTo(page)).says("Quitado")
	v.post(page+"/test", nil).want(409)
	v.post(delivery+"/redelivery", nil).want(409)
	v.get(page + "/edit").wantTo(page)
	v.post(page, url.Values{"version": {"2"}, "name": {"Otra"}, "url": {"https://pos.example/"}}).want(409)
	for _, path := range []string{
		"/endpoints/0", "/endpoints/x", "/endpoints/99999999999999999999", "/deliveries/0", "/deliveries/x", "/deliveries/424242",
	} {
		v.get(path).want(404)
	}
}
