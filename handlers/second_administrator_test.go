package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// secondAdministrator is one who comes in as people do, so that what others give waits.
func (h *house) secondAdministrator(email string) *visitor {
	h.tb.Helper()
	u, err := h.Accounts.CreateUser(h.tb.Context(), models.System("test", ""), accounts.Input{
		Email: email, Name: "Segunda " + email, Role: models.Administrator, AllStores: true, Password: modelstest.Password,
	})
	h.must(err)
	v := h.visitor()
	v.id = u.ID
	v.signIn(email).want(303)
	return v
}

// answer sends what somebody says to what waits on a page of theirs.
func (v *visitor) answer(page, says string) *answer {
	v.h.tb.Helper()
	form := v.get(page).want(200)
	return v.post(page+"/proposal", url.Values{"proposal": {form.field("proposal")}, "version": {form.field("version")}, "answer": {says}})
}

// TestTwoAdministratorsMakeASupervisor, by forms alone: one asks, the other is told and
// confirms, and until then the link does not open.
func TestTwoAdministratorsMakeASupervisor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.administrator()
	ada.get("/users/new").want(200).says("no hay otra persona de administración que ya haya entrado")
	beto := h.secondAdministrator("beto@veinte.test")
	ada.get("/users/new").want(200).says("espera hasta 7 días a que otra persona de administración lo confirme")
	shown := ada.post("/users", url.Values{
		"name": {"Sofía"}, "email": {"sofia@veinte.test"}, "role": {"supervisor"}, "allStores": {"on"},
	}).want(200)
	shown.says("hasta que confirme sus derechos, el enlace no abre")
	link := regexp.MustCompile(accounts.LinkPath + `[A-Z0-9]{26}`).FindString(shown.body)
	h.visitor().get(link).want(410).saysAll("Este enlace todavía no abre", "vuelve a abrirlo más tarde")

	page := fmt.Sprintf("/users/%d", h.count(`SELECT id FROM users WHERE email = 'sofia@veinte.test'`))
	ada.get("/users").want(200).says("Por confirmar")
	own := ada.get(page).want(200)
	own.saysAll("Espera a otra persona de administración", "Sin acceso", "Supervisión · Todas las sucursales", "Ada Administra", "Retirar")
	own.hides("Rechazar", "Activar acceso")
	ada.answer(page, "confirm").want(409).says("Lo pediste tú")

	told := beto.get("/users").want(200)
	told.says("Espera tu confirmación: derechos sobre el dinero para Sofía")
	beto.language = "en"
	beto.get(page).want(200).saysAll("Waits for another administrator", "No access", "Confirm", "Refuse")
	beto.language = "es-MX"
	beto.follow(beto.answer(page, "confirm").wantTo(page)).says("los derechos ya valen")
	beto.get(page).want(200).hides("Espera a otra persona de administración")
	h.visitor().get(link).want(200).says("sofia@veinte.test")
	beto.post(page+"/proposal", url.Values{"proposal": {"1"}, "version": {"1"}, "answer": {"refuse"}}).want(409).says("ya no espera")
	beto.post(page+"/proposal", url.Values{"proposal": {"1"}, "version": {"1"}, "answer": {"maybe"}}).want(404)
}

// TestWhatOneAsksForCanBeWithdrawn, and letting somebody in again waits too.
func TestWhatOneAsksForCanBeWithdrawn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada := h.administrator()
	h.secondAdministrator("beto@veinte.test")
	id := h.user("Sofía Supervisa", models.Supervisor)
	page := "/users/" + strconv.FormatInt(id, 10)
	ada.post(page+"/disabling", url.Values{"version": {"1"}}).want(303)
	ada.follow(ada.post(page+"/enabling", url.Values{"version": {"2"}}).wantTo(page)).says("esperan a otra persona de administración")
	ada.follow(ada.answer(page, "withdraw").wantTo(page)).says("todo sigue como estaba")
	ada.get(page).want(200).says("Activar acceso")
}

// TestTwoAdministratorsMakeAKeyThatCancels, by forms alone.
func TestTwoAdministratorsMakeAKeyThatCancels(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, beto := h.administrator(), h.secondAdministrator("beto@veinte.test")
	ada.get("/settings/keys/new").want(200).says("otra persona de administración lo confirme")
	shown := ada.post("/settings/keys", keyFields("scopes", "sales:read,cancellations:write")).want(200)
	shown.says("la llave hace todo lo demás, pero no cancela")
	cancels := func() bool {
		program, _, err := h.APIKeys.Authenticate(t.Context(), models.Actor{}, shownSecret.FindString(shown.body))
		h.must(err)
		return program.May(models.CancelSales)
	}
	list := beto.get("/settings/keys").want(200)
	list.says("Por confirmar")
	page := regexp.MustCompile(`/settings/keys/\d+`).FindString(list.body)
	beto.get(page).want(200).saysAll("Espera a otra persona de administración", "todavía no abre nada", "Solicitar cancelaciones")
	ada.answer(page, "confirm").want(409).says("Lo pediste tú")
	if cancels() {
		t.Error("a key that waits cancels")
	}
	beto.follow(beto.answer(page, "confirm").wantTo(page)).says("los derechos ya valen")
	if !cancels() {
		t.Error("a key that was confirmed does not cancel")
	}
	beto.post(page+"/proposal", url.Values{"proposal": {"1"}, "version": {"2"}, "answer": {"confirm"}}).want(409).says("ya no espera")
}
