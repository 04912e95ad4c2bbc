package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// cameBySSO has a browser's session be one of the provider's.
func (v *visitor) cameBySSO() {
	v.h.tb.Helper()
	v.h.exec(`INSERT INTO sso_sessions (token_hash, issuer, subject, sid) VALUES (sha256($1::bytea), $2, 'x', '') ON CONFLICT DO NOTHING`,
		v.jar["veinte_session"], issuer)
}

// passwordOff switches passwords off, but for one, and everything back afterwards.
func passwordOff(h *house, v *visitor, _ *targets) *answer {
	v.cameBySSO()
	const email = "emergencia@veinte.test"
	if h.count(`SELECT count(*) FROM users WHERE email = $1`, email) == 0 {
		h.signUp(email, models.Administrator)
	}
	defer h.exec(`UPDATE sso_rules SET password_off = false, break_glass = NULL`)
	keeper := h.text(`SELECT id::text FROM users WHERE email = $1`, email)
	return v.post("/settings/sso/password", url.Values{"off": {"on"}, "keeper": {keeper}})
}

// TestPasswordsAreOff: all are refused in the same words but one, whose use is told.
func TestPasswordsAreOff(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	h.signUp("ana@veinte.test", models.Manager)
	keeper, admin := h.signUp("emergencia@veinte.test", models.Administrator), h.administrator()
	off := url.Values{"off": {"on"}, "keeper": {models.JsonNumber(keeper.ID)}}
	admin.post("/settings/sso/password", off).want(409).says("entra tú con la cuenta de la empresa")
	admin.cameBySSO()
	without := h.user("Sin clave", models.Administrator)
	h.exec(`UPDATE users SET password_hash = '' WHERE id = $1`, without)
	for fact, person := range map[string]string{
		"nobody": "", "somebody who is not there": "987654", "an administrator without a password": models.JsonNumber(without),
	} {
		if a := admin.post("/settings/sso/password", url.Values{"off": {"on"}, "keeper": {person}}); a.status != 422 {
			t.Errorf("with %s as the one account = %d, want 422", fact, a.status)
		}
	}
	admin.follow(admin.post("/settings/sso/password", off).wantTo("/settings/sso")).says("Las contraseñas no sirven para entrar")
	refused := map[string]bool{}
	for _, tt := range [][2]string{
		{"ana@veinte.test", modelstest.Password},
		{"ana@veinte.test", "otra clave distinta"},
		{"nadie@veinte.test", "otra clave distinta"},
		{"emergencia@veinte.test", "otra clave distinta"},
	} {
		v := h.visitor()
		a := v.post("/login", url.Values{"email": {tt[0]}, "password": {tt[1]}}).want(422)
		a.says("por su botón")
		refused[strings.ReplaceAll(a.words(), tt[0], "")] = true
		if v.jar["veinte_session"] != "" {
			t.Errorf("%s comes in by password", tt[0])
		}
	}
	if len(refused) != 1 {
		t.Errorf("the refusals differ: %v", refused)
	}
	h.visitor().comeBack("").wantTo("/")
	admin.post(fmt.Sprintf("/users/%d/disabling", keeper.ID), url.Values{"version": {"1"}}).want(409).
		says("la única persona que puede entrar sin la cuenta de la empresa")
	modelstest.Watch(t, h.Office, h.Alerts)
	glass := h.visitor()
	glass.signIn("emergencia@veinte.test").wantTo("/")
	modelstest.Watch(t, h.Office, h.Alerts)
	if n := h.count(`SELECT count(*) FROM alerts WHERE kind = 'breakGlass'`); n != 1 {
		t.Errorf("%d alerts of the account's use, want 1", n)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'session.breakGlass' AND actor_id = $1`, keeper.ID); n != 1 {
		t.Errorf("%d entries of the account's use, want 1", n)
	}
	rule := glass.get("/settings/alerts/breakGlass").want(200)
	glass.post("/settings/alerts/breakGlass", url.Values{"version": {rule.field("version")}, "language": {"es-MX"}, "quiet": {"0"}}).want(303)
	if h.text(`SELECT active::text FROM alert_rules WHERE kind = 'breakGlass'`) != "true" {
		t.Error("the alert was switched off by its form")
	}
	if _, err := h.Owner.Exec(`UPDATE alert_rules SET active = false WHERE kind = 'breakGlass'`); err == nil {
		t.Error("the database lets the alert be switched off")
	}
	limited := modelstest.User(t, h.DB, h.Clock.Now(), "limitada@veinte.test", models.Supervisor, h.Store)
	if seen, _ := modelstest.Inbox(t, h.Office, limited.Actor(), review.ReviewAlert); len(seen) < 1 {
		t.Errorf("a supervisor of one store sees %v, want the alert of the account's use", seen)
	}
	glass.post("/settings/sso/password", url.Values{"off": {"off"}}).wantTo("/settings/sso")
	h.visitor().signIn("ana@veinte.test").wantTo("/")
}

// TestAddressesThatTheProviderHasNotVerified make no account and take none over, unless an
// administrator trusts the provider's addresses; and one that it denies never does.
func TestAddressesThatTheProviderHasNotVerified(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	who := &h.provider.identity
	who.EmailVerified = false
	made := func() int { return h.count(`SELECT count(*) FROM users WHERE email = 'nora@veinte.test'`) }
	v := h.visitor()
	v.comeBack("").want(403).says("no dice si comprobó tu correo")
	if n := made(); n != 0 || v.jar["veinte_session"] != "" {
		t.Errorf("an address that nobody has verified made %d accounts, with the cookies %v", n, v.jar)
	}
	admin := h.administrator()
	admin.get("/settings/sso").want(200).says("Correos sin comprobar")
	admin.post("/settings/sso/addresses", url.Values{"trust": {"on"}}).wantTo("/settings/sso")
	who.EmailDenied = true
	v.comeBack("").want(403)
	if n := made(); n != 0 {
		t.Error("an address that the provider denies made an account")
	}
	who.EmailDenied = false
	v.comeBack("").wantTo("/")
	if n := made(); n != 1 {
		t.Errorf("a trusted address made %d accounts, want 1", n)
	}
	admin.post("/settings/sso/addresses", url.Values{}).wantTo("/settings/sso")
	v.comeBack("").wantTo("/") // the account is theirs, whatever is said of the address
	other := h.signUp("otra@veinte.test", models.Manager)
	admin.post("/settings/sso/links", url.Values{"person": {models.JsonNumber(other.ID)}}).wantTo("/settings/sso")
	who.Subject, who.Email = "248289761002", other.Email
	h.visitor().comeBack("").want(403).says("no dice si comprobó tu correo")
	if n := h.count(`SELECT count(*) FROM sso_identities WHERE user_id = $1`, other.ID); n != 0 {
		t.Error("an address that nobody has verified took an account over")
	}
}
