package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
)

// asksProof are the routes that ask for a fresh proof: those whose form has the field, and
// those whose button has not and gets a form of its own.
var (
	asksProof = []string{
		"POST /cancellations/:id/resolution", "POST /sales/cancellations", "POST /users", "POST /users/:id", "POST /endpoints",
		"POST /endpoints/:id", "POST /settings/keys", "POST /settings/keys/:id/rotation", "POST /settings/rules/versions",
		"POST /settings/reasons", "POST /settings/reasons/:code",
	}
	asksProofApart = []string{
		"POST /users/:id/enabling", "POST /users/:id/link", "POST /users/:id/factors", "POST /users/factors",
		"POST /endpoints/:id/secret", "POST /endpoints/:id/body", "POST /settings/rules/:id/withdrawal",
		"POST /settings/reasons/:code/retirement", "POST /settings/reasons/:code/restoration",
		"POST /settings/sso/groups", "POST /settings/sso/groups/:id", "POST /settings/sso/groups/:id/removal",
		"POST /settings/sso/links", "POST /settings/sso/addresses", "POST /settings/sso/password",
		"POST /users/proof", // which switches it off
	}
)

// stale has it be long since the browser's person proved who they are.
func (v *visitor) stale() {
	v.h.tb.Helper()
	v.h.exec(`UPDATE sessions SET proved_at = '2000-01-01' WHERE user_id = $1`, v.id)
	v.h.exec(`DELETE FROM login_failures`)
}

// proofForm is the form to the path that asks for a proof, as its browser would send it.
func (p *page) proofForm(path string) url.Values {
	p.tb.Helper()
	forms := p.all(func(n *html.Node) bool { return n.Data == "form" && attr(n, "action") == path })
	for _, form := range forms {
		if sent := sentOf(form); sent.Has("proof") {
			sent.Del("csrf") // each browser sends its own
			return sent
		}
	}
	p.tb.Fatalf("%s has no form to %s that asks for a proof:\n%s", p.what, path, p.words())
	return nil
}

func sentOf(form *html.Node) url.Values {
	sent := url.Values{}
	for n := range form.Descendants() {
		name := attr(n, "name")
		_, checked := lookUp(n, "checked")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "select":
			sent.Add(name, chosen(n))
		case n.Data == "textarea" && n.FirstChild != nil:
			sent.Add(name, n.FirstChild.Data)
		case slices.Contains([]string{"checkbox", "radio"}, attr(n, "type")) && !checked:
		default:
			sent.Add(name, attr(n, "value"))
		}
	}
	return sent
}

// prepared does what has to be there before an act, and returns where it is sent and what
// with.
func (h *house) prepared(route string, v *visitor, on *targets) (path string, form url.Values) {
	h.tb.Helper()
	e := expectations[route]
	path = e.path(on)
	if e.form != nil {
		form = e.form(on)
	}
	switch route {
	case "POST /sales/cancellations":
		var six []*models.Sale
		for range 6 {
			six = append(six, h.Sale(hereAmount))
		}
		form = v.get(choosing(six...)).want(200).bulkForm()
		form.Set("note", "con <nota>")
	case "POST /settings/rules/versions":
		form = v.post("/settings/rules", v.typeRules(url.Values{"margin": {"17"}, "note": {"por la tarde"}})).want(200).sends("rules-confirm")
		form.Del("csrf")
	case "POST /settings/rules/:id/withdrawal":
		v.post("/settings/rules/versions", v.post("/settings/rules", v.typeRules(url.Values{"margin": {"99"}, "from": {"2026-11-23"}})).
			want(200).sends("rules-confirm")).want(303)
		path, form = fmt.Sprintf("/settings/rules/%d/withdrawal", h.count(`SELECT max(id) FROM rules`)), nil
	case "POST /settings/reasons/:code/restoration":
		h.exec(`UPDATE reasons SET retired_at = now() WHERE code = 'otherPayment'`)
		path, form = "/settings/reasons/otherPayment/restoration",
			url.Values{"version": {h.text(`SELECT version::text FROM reasons WHERE code = 'otherPayment'`)}}
	case "POST /users/:id/factors":
		h.exec(`INSERT INTO second_factors (user_id, secret, created_at, confirmed_at) VALUES ($1, 'x', now(), now())`, on.reset)
	case "POST /settings/sso/password":
		v.cameBySSO()
		form = url.Values{"off": {"on"}, "keeper": {fmt.Sprint(v.id)}}
	case "POST /users/factors":
		form = url.Values{"auditor": {"always"}}
	}
	return path, form
}

// TestAProofIsAskedForInTheForm: each form that asks for one says so in place, with all that
// was typed, whether none came or a wrong one, and does what it says in the request that
// brings the right one. It works without a script, and without a redirect.
func TestAProofIsAskedForInTheForm(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	on := h.withNeighbours().targets()
	people := map[string]*visitor{"a": h.administrator(), "s": h.supervisor()}
	for _, v := range people {
		h.ownPassword(v)
	}
	h.exec(`UPDATE proof_rule SET asked = true`)
	for _, route := range slices.Concat(asksProof, asksProofApart) {
		v := people[trailScenarios[route].who]
		h.exec(`UPDATE sessions SET proved_at = '2999-01-01' WHERE user_id = $1`, v.id)
		path, form := h.prepared(route, v, on)
		v.stale()
		mark := h.lastEntry()
		asked := v.post(path, form).want(422)
		asked.says("Confirma que eres tú")
		if apart := len(asked.byTestID("ask-proof")) == 1; apart != slices.Contains(asksProofApart, route) {
			t.Errorf("%s asks in a form of its own: %t", route, apart)
		}
		kept := asked.proofForm(path)
		for name, values := range form {
			if name != "version" && !slices.Equal(slices.Sorted(slices.Values(kept[name])), slices.Sorted(slices.Values(values))) {
				t.Errorf("%s has %s %q in the form that asks for a proof, want %q", route, name, kept[name], values)
			}
		}
		if got := h.recordedSince(mark); got != "nothing" {
			t.Errorf("%s left %s before there was a proof, want nothing", route, got)
		}

		kept.Set("proof", "no es esta clave")
		wrong := v.post(path, kept).want(422)
		wrong.says("No es tu contraseña ni el código")
		again := wrong.proofForm(path)
		if again.Get("proof") != "" {
			t.Errorf("%s shows the proof that was typed", route)
		}
		if kept.Set("proof", ""); again.Encode() != kept.Encode() {
			t.Errorf("%s after a wrong proof holds %s, want %s", route, again.Encode(), kept.Encode())
		}

		again.Set("proof", modelstest.Password)
		done := v.post(path, again)
		if done.status >= 400 {
			t.Errorf("%s with the proof = %d, want it done: %s", route, done.status, done.words())
		}
		action := trailScenarios[route].action
		if h.entriesSince(mark, v.id, action, models.OutcomeSuccess) == 0 {
			t.Errorf("%s with the proof left no entry of %s; the trail says %q", route, action, h.recordedSince(mark))
		}
	}
}

// TestAReportIsSettledWithAProof, as a form that says what it does on a page of its own.
func TestAReportIsSettledWithAProof(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doubted, _ := h.StateOf(models.Unknown)
	h.Clock.Set(modelstest.At(t, "2026-11-21T09:00:00-06:00"))
	h.compare(h.reportProfile("Proveedor"), "2026-11-20", "", reportLine(doubted, "VENTA")+reportLine(doubted, "CANCELADA"))
	v := h.supervisor()
	h.ownPassword(v)
	h.exec(`UPDATE proof_rule SET asked = true`)
	v.stale()
	page, to := v.get("/reconciliations/1").want(200), "/reconciliations/1/settlement"
	form := page.proofForm(to)
	v.post(to, form).want(422).says("lo demás se conserva")
	if n := h.count(`SELECT count(*) FROM cancellations WHERE state <> 'unknown'`); n != 0 {
		t.Errorf("%d cancellations moved without a proof, want none", n)
	}
	form.Set("proof", modelstest.Password)
	v.follow(v.post(to, form).wantTo("/reconciliations/1")).says("quedaron resueltos")

	v.stale()
	to = "/reconciliations/1/discarding"
	form = v.get("/reconciliations/1").want(200).proofForm(to)
	form.Set("note", "era de otro día")
	v.post(to, form).want(422).says("lo demás se conserva")
	if n := h.count(`SELECT count(*) FROM reconciliations WHERE discarded_at IS NOT NULL`); n != 0 {
		t.Errorf("%d reports were discarded without a proof, want none", n)
	}
	form.Set("proof", modelstest.Password)
	v.follow(v.post(to, form).wantTo("/reconciliations/1")).says("ya no cuenta")
}

// TestNoProofIsAskedFor of up to five sales, at 19:58 least of all, nor where a field is wrong
// and the proof was right: it is asked for once in five minutes.
func TestNoProofIsAskedFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`UPDATE proof_rule SET asked = true`)
	v, admin := h.supervisor(), h.administrator()
	h.ownPassword(v)
	h.ownPassword(admin)
	var sales []*models.Sale
	for range 6 {
		sales = append(sales, h.Sale(hereAmount))
	}
	v.stale()
	sheet := v.get(fmt.Sprintf("/sales/%d/cancellation/new", sales[5].ID)).want(200)
	sheet.hides(`name="proof"`)
	five := v.get(choosing(sales[:5]...)).want(200)
	five.hides(`name="proof"`)
	v.post("/sales/cancellations", five.bulkForm()).want(303)
	form := sheet.sends("cancel-form")
	form.Set("reason", "chargedTwice")
	v.post(fmt.Sprintf("/sales/%d/cancellation", sales[5].ID), form).want(303)

	admin.stale()
	key := url.Values{
		"name": {""}, "scopes": {"sales:read"}, "allStores": {"on"}, "pace": {"normal"}, "days": {"90"},
		"proof": {modelstest.Password},
	}
	refused := admin.post("/settings/keys", key).want(422)
	refused.hides(`name="proof"`)
	refused.says("Nombre")
	key.Set("name", "Caja")
	key.Del("proof")
	admin.post("/settings/keys", key).want(200)
}

// TestAProofWithAPasskey is what the script puts into the form. On a page of somebody who has
// one there is the script and the button.
func TestAProofWithAPasskey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`UPDATE proof_rule SET asked = true`)
	v := h.administrator()
	h.ownPassword(v)
	d := newDevice()
	d.add(v, "Teléfono").want(200)
	v.stale()
	page := v.get("/settings/reasons").want(200)
	page.hasAll("data-sign", "data-proof=", "passkey")
	if n := strings.Count(page.body, "/passkey"); n != 1 {
		t.Errorf("the page has the script of passkeys %d times, want once", n)
	}
	form := page.proofForm("/settings/reasons")
	form.Set("labelEs", "Se arrepintió")
	form.Set("labelEn", "Changed their mind")
	form.Set("passkey", "nothing that was signed")
	again := v.post("/settings/reasons", form).want(422)
	again.says("No se pudo comprobar la llave de acceso")
	form = again.proofForm("/settings/reasons")
	form.Set("passkey", d.signs(v.get("/account/factors/proof")))
	v.post("/settings/reasons", form).wantTo("/settings/reasons")
	if v.stale(); v.get("/account/factors").want(200) == nil {
		t.Error("no page of factors")
	}
}
