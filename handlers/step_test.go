package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"veinte/models"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
)

// askAlways has everybody asked for a second step.
func (h *house) askAlways() {
	h.tb.Helper()
	rules := map[models.Role]factors.Ask{}
	for _, role := range models.Roles {
		rules[role] = factors.Always
	}
	h.must(h.Entrance.SetFactorRules(h.tb.Context(), h.Admin, rules))
}

// setUp signs in for the first time, and returns the key of the app with the answer that
// shows the recovery codes.
func (v *visitor) setUp(email string) (key string, shown *answer) {
	v.h.tb.Helper()
	v.signIn(email).wantTo("/login/code")
	page := v.get("/login/code").want(200)
	key = page.text("factor-key")
	return key, v.post("/login/code", url.Values{"csrf": {page.field("csrf")}, "code": {v.h.code(key)}})
}

func (h *house) code(key string) string {
	h.tb.Helper()
	code, err := totp.GenerateCode(strings.ReplaceAll(key, "-", ""), h.Clock.Now())
	h.must(err)
	return code
}

// text is what stands in a place of the page.
func (a *answer) text(testid string) string {
	a.tb.Helper()
	_, rest, ok := strings.Cut(a.body, `data-testid="`+testid+`">`)
	if !ok {
		a.tb.Fatalf("%s has no %s", a.what, testid)
	}
	text, _, _ := strings.Cut(rest, "<")
	return text
}

// setUpStep has the browser's person set up their app.
func setUpStep(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE factor_rules SET ask = 'always'`)
	defer h.exec(`UPDATE factor_rules SET ask = 'never'`)
	h.exec(`UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = $1) WHERE id = $2`, h.known(), v.id)
	_, shown := h.visitor().setUp(h.text(`SELECT email FROM users WHERE id = $1`, v.id))
	h.exec(`DELETE FROM second_factors`)
	h.exec(`DELETE FROM recovery_codes`)
	return shown
}

func setFactorRules(h *house, v *visitor, _ *targets) *answer {
	defer h.exec(`UPDATE factor_rules SET ask = 'never'`)
	return v.post("/users/factors", url.Values{"auditor": {"always"}})
}

func setAsksProof(h *house, v *visitor, _ *targets) *answer {
	defer h.exec(`UPDATE proof_rule SET asked = false`)
	return v.post("/users/proof", url.Values{"ask": {"on"}})
}

func resetFactors(h *house, v *visitor, on *targets) *answer {
	h.exec(`INSERT INTO second_factors (user_id, secret, created_at, confirmed_at) VALUES ($1, 'x', now(), now())`, on.reset)
	return v.post(fmt.Sprintf("/users/%d/factors", on.reset), url.Values{})
}

func endTheirs(h *house, v *visitor, on *targets) *answer {
	h.session(on.reset)
	return v.post(fmt.Sprintf("/users/%d/sessions", on.reset), url.Values{"session": {"all"}})
}

func endOwn(h *house, v *visitor, _ *targets) *answer {
	h.session(v.id)
	return v.post("/account/sessions", url.Values{"session": {"all"}})
}

// knownDevice makes a browser in which somebody has signed in.
func (h *house) knownDevice(userID int64) string {
	return h.text(`WITH d AS (INSERT INTO devices (token, created_at, user_agent) VALUES ($1, now(), 'Firefox') RETURNING id)
		INSERT INTO known_devices (user_id, device_id, created_at, signed_in_at, address)
		SELECT $2, id, now(), now(), '192.0.2.7' FROM d RETURNING device_id::text`, modelstest.NextSerial(), userID)
}

func forgetOwn(h *house, v *visitor, _ *targets) *answer {
	return v.post("/account/devices", url.Values{"device": {h.knownDevice(v.id)}})
}

func forgetTheirs(h *house, v *visitor, on *targets) *answer {
	return v.post(fmt.Sprintf("/users/%d/devices", on.reset), url.Values{"device": {h.knownDevice(on.reset)}})
}

func dismissNotice(h *house, v *visitor, _ *targets) *answer {
	id := h.text(`INSERT INTO account_notices (user_id, kind, at) VALUES ($1, 'newDevice', now()) RETURNING id::text`, v.id)
	return v.post("/account/notices", url.Values{"notice": {id}, "next": {"/account"}})
}

// changeOwnPassword gives somebody a password, which they change.
func changeOwnPassword(h *house, v *visitor, _ *targets) *answer {
	h.exec(`UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2`,
		h.signUp("clave"+modelstest.NextSerial()+"@veinte.test", models.Manager).ID, v.id)
	return v.post("/account/password", url.Values{
		"current": {modelstest.Password}, "password": {"una frase que nadie espera"}, "again": {"una frase que nadie espera"},
	})
}

// TestASignInInTwoSteps: the app is set up at the first, its code is asked for at the
// next, and between the two steps nothing else opens.
func TestASignInInTwoSteps(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.askAlways()
	h.signUp("nora@veinte.test", models.Manager)
	v := h.visitor()
	form := v.get("/login?next=%2Fsales%3Fstate%3Dconfirmed").want(200)
	v.post("/login", url.Values{
		"csrf": {form.field("csrf")}, "email": {"nora@veinte.test"}, "password": {modelstest.Password}, "next": {form.field("next")},
	}).wantTo("/login/code?next=%2Fsales%3Fstate%3Dconfirmed")
	step := v.jar["veinte_step"]
	if step == "" || v.jar["veinte_session"] != "" {
		t.Fatalf("after the password the cookies are %v, want a step and no session", v.jar)
	}
	for _, path := range []string{"/", "/sales", "/audit", "/events", "/users", "/help"} {
		if a := v.get(path); a.status != 303 && a.status != 401 {
			t.Errorf("GET %s between the steps = %d, want the way to the sign-in", path, a.status)
		}
	}
	v.post("/sales/1/cancellation", url.Values{"reason": {"other"}})
	modelstest.Wants(t, "cancellations asked for between the steps", h.count(`SELECT count(*) FROM cancellations`), 0)
	page := v.get("/login/code?next=%2Fsales%3Fstate%3Dconfirmed").want(200)
	page.saysAll("Configura tu segundo paso", "nora@veinte.test")
	for _, has := range []string{`autocomplete="one-time-code"`, `inputmode="numeric"`, `data-testid="qr"`} {
		if !strings.Contains(page.body, has) {
			t.Errorf("the page has no %s", has)
		}
	}
	key := page.text("factor-key")
	v.post("/login/code", url.Values{"code": {"000000"}}).want(422).says("no es correcto")
	done := v.post("/login/code", url.Values{"code": {h.code(key)}, "next": {page.field("next")}}).want(200)
	done.says("Tus códigos de recuperación")
	if n := strings.Count(done.body, `<code class="secret">`); n != factors.Recoveries {
		t.Errorf("%d recovery codes are shown, want %d", n, factors.Recoveries)
	}
	session := v.jar["veinte_session"]
	if session == "" || session == step || v.jar["veinte_step"] != "" || v.jar["veinte_visit"] != "" {
		t.Errorf("after the code the cookies are %v, want another session and nothing else", v.jar)
	}
	v.get("/sales").want(200)
	v.get("/login/code").wantTo("/login") // the codes are shown once

	h.Clock.Advance(time.Minute)
	other := h.visitor()
	other.jar["veinte_step"] = step // somebody else's, from before
	other.get("/login/code").wantTo("/login")
	other.signIn("nora@veinte.test").wantTo("/login/code")
	page = other.get("/login/code").want(200)
	page.says("La contraseña de nora@veinte.test es correcta")
	if strings.Contains(page.body, "factor-key") {
		t.Error("who has an app is shown a key")
	}
	code := h.code(key)
	other.post("/login/code", url.Values{"code": {code}}).wantTo("/")
	third := h.visitor()
	third.language = "en"
	third.signIn("nora@veinte.test").wantTo("/login/code")
	third.post("/login/code", url.Values{"code": {code}}).want(422).says("That code has been used")
	recovery, _, _ := strings.Cut(strings.SplitN(done.body, `<code class="secret">`, 2)[1], "<")
	third.post("/login/code", url.Values{"code": {strings.ToLower(recovery)}}).wantTo("/")
	third.get("/sales").want(200).says("recovery code, which works no more")
}

// TestAnAdministratorResetsALostApp, and reads on the person's page what is there.
func TestAnAdministratorResetsALostApp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.askAlways()
	u := h.signUp("nora@veinte.test", models.Manager)
	nora, admin := h.visitor(), h.administrator()
	nora.setUp("nora@veinte.test")
	page := fmt.Sprintf("/users/%d", u.ID)
	admin.get(page).want(200).saysAll("Segundo paso", "Le quedan 10 códigos")
	admin.follow(admin.post(page+"/factors", url.Values{}).wantTo(page)).says("Segundo paso restablecido")
	nora.get("/sales").want(303)
	again := h.visitor()
	again.signIn("nora@veinte.test").wantTo("/login/code")
	again.get("/login/code").want(200).says("Configura tu segundo paso")
	admin.follow(admin.post(page+"/factors", url.Values{}).wantTo(page)).says("no tiene segundo paso")
	admin.get("/settings/access").want(200).saysAll("Segundo paso al entrar", "En un dispositivo que no es suyo")
	admin.post("/users/factors", url.Values{"manager": {"sometimes"}}).want(303)
	admin.follow(admin.post("/users/factors", url.Values{"manager": {"never"}}).wantTo("/settings/access")).says("Cambios guardados")
	h.visitor().signIn("nora@veinte.test").wantTo("/")
}

// TestGuessedCodesWait, and the page says so.
func TestGuessedCodesWait(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.askAlways()
	h.signUp("nora@veinte.test", models.Manager)
	v := h.visitor()
	v.signIn("nora@veinte.test")
	for range 5 {
		v.post("/login/code", url.Values{"code": {"000000"}}).want(422)
	}
	a := v.post("/login/code", url.Values{"code": {"000000"}}).want(429)
	a.says("Demasiados intentos")
	h.Clock.Advance(time.Hour)
	v.follow(v.post("/login/code", url.Values{"code": {"000000"}}).wantTo("/login")).says("ya no está abierto")
}
