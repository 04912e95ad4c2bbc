package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// An administrator sets the template of a store, or the bare form; what is refused
// stays as it was typed, and a manager sees none of it.
func TestTraceabilityOfAStore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, page := h.administrator(), fmt.Sprintf("/stores/%d", h.Store.ID)
	form := func(template, bare string) url.Values {
		p := admin.get(page + "/edit").want(200)
		v := url.Values{
			"code": {p.field("code")}, "name": {p.field("name")}, "timeZone": {"America/Mexico_City"}, "version": {p.field("version")},
			"traceability": {template},
		}
		if bare != "" {
			v.Set("bareTraceability", bare)
		}
		return v
	}
	const typed = `{"ticket": "{reference}", "idTienda": 987}`
	admin.post(page, form(typed, "")).wantTo(page)
	p := admin.get(page + "/edit").want(200)
	p.says(`{"ticket":"{reference}","idTienda":987}`)
	p.says("{orderId}")
	for _, tt := range []struct{ template, bare, says string }{
		{`{"attemptId": 1}`, "", "es el nombre de nuestro identificador"},
		{typed, "on", "O una plantilla o {}"},
		{`[1]`, "", "Escribe un objeto JSON"},
		{`{"a":"4012888888881881"}`, "", "tarjeta"},
	} {
		again := admin.post(page, form(tt.template, tt.bare)).want(422)
		again.says(tt.says)
		if !strings.Contains(tt.template, "4012") {
			again.says(tt.template)
		}
	}
	admin.post(page, form("", "on")).wantTo(page)
	if p := admin.get(page + "/edit").want(200); len(p.byTestID("bare")) != 1 {
		t.Error("the form has no switch for the bare form")
	} else if _, on := lookUp(p.one("bare"), "checked"); !on {
		t.Error("the switch for the bare form is off after it was switched on")
	}
	h.manager().get(page).want(403)
}
