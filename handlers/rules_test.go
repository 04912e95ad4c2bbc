package handlers_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/rules"
)

// sends returns what a browser would send of the form with the data-testid.
func (p *page) sends(id string) url.Values {
	p.tb.Helper()
	form := url.Values{}
	for n := range p.one(id).Descendants() {
		name := attr(n, "name")
		_, checked := lookUp(n, "checked")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "select":
			form.Set(name, chosen(n))
		case attr(n, "type") == "checkbox" && !checked:
		default:
			form.Set(name, attr(n, "value"))
		}
	}
	return form
}

// typeRules fills the form of the rules; a field without a value is emptied, or
// unticked.
func (v *visitor) typeRules(fields url.Values) url.Values {
	v.h.tb.Helper()
	form := v.get("/settings/rules").want(200).sends("rules-form")
	for name, values := range fields {
		form[name] = values
	}
	return form
}

// changeRules fills the form, looks at what changes and confirms it.
func (v *visitor) changeRules(fields url.Values) {
	v.h.tb.Helper()
	preview := v.post("/settings/rules", v.typeRules(fields)).want(200)
	v.follow(v.post("/settings/rules/versions", preview.sends("rules-confirm")).wantTo("/settings/rules")).says("Reglas cambiadas")
}

func TestRulesAreChangedByPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.administrator()
	preview := admin.post("/settings/rules", admin.typeRules(url.Values{
		"cutoff": {"19:30"}, "from": {"2026-11-23"}, "note": {"Horario de fin de año"}, "receipt.wrongAmount": {"omit"},
		"addStore": {fmt.Sprint(h.Store.ID)}, "addReceipt": {"omit"},
	})).want(200)
	preview.says("desde el inicio del 23 nov 2026")
	preview.says("Hora límite 20:00 19:30")
	preview.says("Comprobante: Monto equivocado Como en general Sin comprobante")
	if n := h.count(`SELECT count(*) FROM rules`); n != 1 {
		t.Fatalf("the preview wrote %d versions", n-1)
	}
	confirm := preview.sends("rules-confirm")
	draft := admin.post("/settings/rules/draft", confirm).want(200)
	if got := draft.field("cutoff") + draft.field("from") + draft.field("receipt.wrongAmount"); got != "19:302026-11-23omit" {
		t.Errorf("back in the form what was typed is %q", got)
	}
	for range 2 { // pressed twice
		admin.post("/settings/rules/versions", confirm).wantTo("/settings/rules")
	}
	p := admin.get("/settings/rules").want(200)
	p.says("Cambios planeados Desde 23 nov 2026")
	if n := len(p.byTestID("planned")); n != 1 {
		t.Errorf("%d planned changes, want 1", n)
	}
	history := admin.get("/settings/rules/history").want(200)
	history.says("Planeado Hora límite 20:00 pasa a ser → 19:30")
	history.says("Horario de fin de año")

	withdrawal := fmt.Sprintf("/settings/rules/%s/withdrawal", h.text(`SELECT max(id)::text FROM rules`))
	admin.follow(admin.post(withdrawal, nil).wantTo("/settings/rules")).says("Cambio retirado")
	admin.follow(admin.post(withdrawal, nil).wantTo("/settings/rules")).says("ya estaba retirado")
	admin.post("/settings/rules/999/withdrawal", nil).want(404)
	admin.get("/settings/rules/history").want(200).says("Retirado antes de entrar en vigor")
	if got := h.text(
		`SELECT string_agg(action, ' ' ORDER BY id) FROM audit_entries WHERE action LIKE 'rules.%'`,
	); got != "rules.changed rules.takenBack" {
		t.Errorf("the trail holds %q", got)
	}
	trail := admin.get(h.entryPage("rules.changed")).want(200)
	trail.says("Hora límite − 20:00 + 19:30 A partir de + 23 nov 2026")
	trail.says("Comprobante por motivo − Monto equivocado: Como en general + Monto equivocado: Sin comprobante")
}

func TestRefusedRulesKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin := h.administrator()
	typed := admin.typeRules(url.Values{"cutoff": {"21:30"}, "margin": {"diez"}, "from": {"2026-11-20"}, "note": {"a <b>c</b>"}})
	p := admin.post("/settings/rules", typed).want(422)
	for _, words := range []string{
		"Confirma la hora límite más tarde", "Escribe segundos enteros", "Elige un día desde mañana",
		"Después de las 20:00 el servicio puede rechazar",
	} {
		p.says(words)
	}
	if got := p.field("margin") + p.field("note") + p.field("from"); got != "dieza <b>c</b>2026-11-20" {
		t.Errorf("the refused form holds %q", got)
	}
	for fact, form := range map[string]url.Values{
		"no form of ours":      nil,
		"rules of no revision": {"seen": {"uno.0"}},
		"rules of no instant":  {"seen": {"1"}},
	} {
		for _, path := range []string{"/settings/rules", "/settings/rules/draft", "/settings/rules/versions"} {
			if got := admin.post(path, form).status; got != 400 {
				t.Errorf("%s: POST %s = %d, want 400", fact, path, got)
			}
		}
	}
	admin.post("/settings/rules/versions", admin.typeRules(url.Values{"margin": {"9"}})).want(422) // never previewed
	admin.post("/settings/rules", admin.typeRules(nil)).want(422).says("No cambiaste ninguna regla")
	admin.get("/settings/rules/history?after=77").want(404)
	admin.get("/settings/rules/history?after=x").want(404)
}

// Two administrators: the second sees what the first did, with what they typed
// over it.
func TestRulesChangedByTwo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, beto := h.administrator(), h.as(h.user("Beto Administra", models.Administrator))
	typed := beto.typeRules(url.Values{"quiet": {"240"}})
	preview := beto.post("/settings/rules", typed).want(200)
	h.Clock.Advance(time.Minute)
	ada.changeRules(url.Values{"margin": {"45"}})
	for _, late := range []*answer{
		beto.post("/settings/rules", typed), beto.post("/settings/rules/versions", preview.sends("rules-confirm")),
	} {
		late.want(409).says("Otra persona cambió las reglas")
		if got := late.field("margin") + " " + late.field("quiet"); got != "45 240" {
			t.Errorf("margin and quiet time are now %q, want 45 240", got)
		}
	}
	again := beto.post("/settings/rules", beto.post("/settings/rules", typed).sends("rules-form")).want(200)
	again.says("Tiempo en calma 180 s (3 min) 240 s (4 min)")
	again.hides("Margen")
}

// What people read follows the rules at once: the cut-off on every page, what can
// be canceled, and the tag of an unchanged list.
func TestPagesFollowTheCutoff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	manager, sale := h.manager(), h.Sale(hereAmount)
	tag := manager.get("/sales?fragment=list").want(200).header.Get("ETag")
	manager.get("/sales?fragment=list", "If-None-Match", tag).want(304)
	h.administrator().changeRules(url.Values{"cutoff": {"15:30"}, "margin": {"60"}})
	manager.get("/sales?fragment=list", "If-None-Match", tag).want(200)
	if got := manager.get("/sales").want(200).attrs("cutoff", "data-cutoff"); len(got) != 1 || got[0] != "2026-11-20T15:30:00-06:00" {
		t.Errorf("the page counts down to %q", got)
	}
	h.Clock.Set(modelstest.At(t, "2026-11-20T15:29:00-06:00"))
	path := fmt.Sprintf("/sales/%d/cancellation", sale.ID)
	manager.post(path, url.Values{"reason": {"wrongAmount"}, "click": {"x"}}).want(409).says("hora límite")
	h.Clock.Advance(-time.Second)
	manager.post(path, url.Values{"reason": {"wrongAmount"}, "click": {"x"}}).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
}

// The sheet's box starts with what the reason, the store or the general rule
// says, also without scripts.
func TestReceiptStartsWithTheRules(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, manager := h.administrator(), h.manager()
	sheet := fmt.Sprintf("/sales/%d/cancellation/new", h.Sale(hereAmount).ID)
	starts := func(fact, want string) {
		t.Helper()
		if got := manager.get(sheet).want(200).field("receipt"); got != want {
			t.Errorf("%s: the receipt starts with %q, want %q", fact, got, want)
		}
	}
	starts("at first", "on")
	store := fmt.Sprint(h.Store.ID)
	admin.changeRules(url.Values{"addStore": {store}, "addReceipt": {"omit"}})
	starts("the store has none", "")
	admin.changeRules(url.Values{"receipt.customerRequest": {"print"}})
	starts("a reason has one, which nobody chose yet", "")
	page := manager.get(sheet).want(200)
	page.says("Con este motivo se imprime comprobante")
	brings := page.all(func(n *html.Node) bool {
		return attr(n, "value") == "customerRequest" && attr(n, "data-receipt") == "on"
	})
	if len(brings) != 1 {
		t.Error("the reason does not bring what the receipt starts with")
	}
	admin.changeRules(url.Values{"receipt.customerRequest": {""}, "receiptStore." + store: {""}, "printReceipt": nil})
	starts("in general there is none", "")
}

func TestReasonsAreSaved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	admin, manager := h.administrator(), h.manager()
	add := url.Values{"labelEs": {"Talla equivocada"}, "labelEn": {"Wrong size"}}
	admin.follow(admin.post("/settings/reasons", add).wantTo("/settings/reasons")).says("Talla equivocada")
	p := admin.post("/settings/reasons", add).want(422) // pressed twice
	p.says("Otro motivo en uso ya se llama así")
	if p.field("labelEs") != "Talla equivocada" {
		t.Errorf("the refused form holds %q", p.field("labelEs"))
	}
	admin.post("/settings/reasons", url.Values{"labelEs": {"Otra"}, "labelEn": {"wrong SIZE"}}).want(422).says("ya se llama así")
	admin.post("/settings/reasons", url.Values{"labelEs": {" "}, "labelEn": {"x"}}).want(422).says("Llena este campo")

	sale := h.Sale(hereAmount)
	detail := fmt.Sprintf("/sales/%d", sale.ID)
	manager.post(detail+"/cancellation", url.Values{"reason": {"wrongSize"}, "click": {"1"}}).wantTo(detail)
	admin.post("/settings/reasons/wrongSize/position", url.Values{"to": {"up"}, "version": {"1"}}).wantTo("/settings/reasons")
	admin.post("/settings/reasons/wrongSize/position", url.Values{"to": {"up"}, "version": {"1"}}).want(409) // pressed twice
	admin.post("/settings/reasons/wrongSize/position", url.Values{"to": {"left"}, "version": {"2"}}).want(400)
	if got := admin.get("/settings/reasons").attrs("reason", "data-code"); got[5] != "wrongSize" || got[6] != "other" {
		t.Errorf("the order is %q, want wrongSize before other", got)
	}
	admin.post("/settings/reasons/wrongSize", url.Values{"labelEs": {"Otra talla"}, "labelEn": {"Wrong size"}, "version": {"1"}}).want(409)
	admin.post(
		"/settings/reasons/wrongSize", url.Values{"labelEs": {"Otra talla"}, "labelEn": {"Wrong size"}, "version": {"2"}},
	).wantTo("/settings/reasons")
	admin.post("/settings/reasons/wrongSize/retirement", url.Values{"version": {"3"}}).wantTo("/settings/reasons")
	manager.get(detail).says("Otra talla") // retired, and still readable
	admin.get("/audit").says("Otra talla")
	next := fmt.Sprintf("/sales/%d/cancellation", h.SaleAt(h.NewTerminal(h.Store), hereAmount).ID)
	manager.post(next, url.Values{"reason": {"wrongSize"}, "click": {"2"}}).want(422).says("Elige un motivo de la lista")
	admin.post("/settings/reasons/wrongSize/restoration", url.Values{"version": {"4"}}).wantTo("/settings/reasons")
	admin.get("/settings/reasons/nope").want(404)
	admin.post("/settings/reasons/nope/retirement", url.Values{"version": {"1"}}).want(404)
	if got := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'reasons.changed'`); got != 5 {
		t.Errorf("%d changes of reasons in the trail, want 5", got)
	}
	for _, code := range []string{"customerRequest", "wrongAmount", "chargedTwice", "wrongProduct", "otherPayment", "other"} {
		h.must(h.Rules.RetireReason(t.Context(), h.Admin, code, 1))
	}
	admin.post("/settings/reasons/wrongSize/retirement", url.Values{"version": {"5"}}).want(409).says("último motivo en uso")
	if err := h.Rules.AddReason(t.Context(), h.Manager, rules.ReasonInput{LabelES: "x", LabelEN: "y"}); err == nil {
		t.Error("a manager added a reason")
	}
}
