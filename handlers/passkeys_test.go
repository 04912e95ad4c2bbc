package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"veinte/models"
	"veinte/models/modelstest"
)

// device is what keeps the passkey of a visitor, and signs with it.
type device struct {
	site virtualwebauthn.RelyingParty
	of   virtualwebauthn.Authenticator
	key  virtualwebauthn.Credential
}

func newDevice() *device {
	return &device{
		site: virtualwebauthn.RelyingParty{ID: "veinte.test", Name: "Veinte", Origin: "https://veinte.test"},
		of:   virtualwebauthn.NewAuthenticator(), key: newKey(),
	}
}

// newKey draws the key of a device. The library leaves out zeros at the beginning of its
// numbers, so that one in a hundred keys cannot be read: another is drawn for it.
func newKey() virtualwebauthn.Credential {
	const whole = 77 // bytes of a key whose numbers have all of theirs
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}

// makes answers as a browser that has made the passkey which the page asked for.
func (d *device) makes(asked *answer) string {
	asked.tb.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(asked.want(200).body)
	if err != nil {
		asked.tb.Fatalf("%s: %v", asked.what, err)
	}
	d.of.Options.UserHandle = []byte(options.UserID)
	return virtualwebauthn.CreateAttestationResponse(d.site, d.of, d.key, *options)
}

// signs answers as a browser that has signed what the page asked for.
func (d *device) signs(asked *answer) string {
	asked.tb.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(asked.want(200).body)
	if err != nil {
		asked.tb.Fatalf("%s: %v", asked.what, err)
	}
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.site, d.of, d.key, *options)
}

// hasAll looks for what a page has, also where nobody reads it.
func (a *answer) hasAll(parts ...string) {
	a.tb.Helper()
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			a.tb.Errorf("%s has no %q", a.what, part)
		}
	}
}

// add registers the passkey of somebody who is signed in.
func (d *device) add(v *visitor, name string) *answer {
	v.h.tb.Helper()
	return v.post("/account/factors/passkeys", url.Values{
		"name": {name}, "proof": {modelstest.Password}, "passkey": {d.makes(v.get("/account/factors/new-passkey"))},
	})
}

// ownPassword gives the browser's person the password of the tests.
func (h *house) ownPassword(v *visitor) {
	h.exec(`UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = $1) WHERE id = $2`, h.known(), v.id)
}

// withoutFactors leaves nobody with a second step.
func (h *house) withoutFactors() {
	h.exec(`DELETE FROM passkeys`)
	h.exec(`DELETE FROM second_factors`)
	h.exec(`DELETE FROM recovery_codes`)
}

func addPasskey(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	return newDevice().add(v, "Teléfono")
}

func signInWithPasskey(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	d := newDevice()
	d.add(v, "Teléfono").want(200)
	other := h.visitor()
	other.get("/login").want(200)
	return other.post("/login/passkey", url.Values{"passkey": {d.signs(other.get("/login/passkey"))}})
}

func removePasskey(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	newDevice().add(v, "Teléfono").want(200)
	path := fmt.Sprintf("/account/factors/passkeys/%d/removal", h.count(`SELECT max(id) FROM passkeys`))
	return v.post(path, url.Values{"proof": {modelstest.Password}})
}

func beginApp(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	return v.post("/account/factors/app", url.Values{"proof": {modelstest.Password}})
}

func confirmApp(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	v.post("/account/factors/app", url.Values{"proof": {modelstest.Password}}).wantTo("/account/factors#own-app")
	return v.post("/account/factors/app/code", url.Values{"code": {h.code(v.get("/account/factors").want(200).text("factor-key"))}})
}

func removeApp(h *house, v *visitor, on *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	h.exec(`INSERT INTO second_factors (user_id, secret, created_at, confirmed_at) VALUES ($1, 'x', now(), now())`, v.id)
	return v.post("/account/factors/app/removal", url.Values{"proof": {modelstest.Password}})
}

func newRecovery(h *house, v *visitor, on *targets) *answer {
	h.ownPassword(v)
	defer h.withoutFactors()
	h.exec(`INSERT INTO second_factors (user_id, secret, created_at, confirmed_at) VALUES ($1, 'x', now(), now())`, v.id)
	return v.post("/account/factors/recovery", url.Values{"proof": {modelstest.Password}})
}

// TestAPasskeyOpensTheDoor: registered on the own page, it signs in without a password and
// is the second step after one; without scripts, and refused, the page says what to do and
// keeps what was typed.
func TestAPasskeyOpensTheDoor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("nora@veinte.test", models.Manager)
	v, d := h.visitor(), newDevice()
	v.signIn("nora@veinte.test").wantTo("/")
	page := v.get("/account/factors").want(200)
	page.saysAll("No tienes llaves de acceso", "No tienes una aplicación de códigos")
	v.post("/account/factors/passkeys", url.Values{"name": {"Mi <tablet>"}, "proof": {modelstest.Password}}).want(422).
		hasAll("necesitan JavaScript", `value="Mi &lt;tablet&gt;"`)
	asked := d.makes(v.get("/account/factors/new-passkey"))
	v.post("/account/factors/passkeys", url.Values{"name": {"Tablet"}, "proof": {"otra otra otra"}, "passkey": {asked}}).want(422).
		hasAll("No es tu contraseña", `value="Tablet"`)
	shown := v.post("/account/factors/passkeys", url.Values{"name": {"Tablet"}, "proof": {modelstest.Password}, "passkey": {asked}}).want(200)
	shown.saysAll("Tus códigos de recuperación", "nora@veinte.test")
	v.get("/account/factors").want(200).saysAll("Tablet", "Te quedan 10 códigos", "Sin usar")
	d.add(v, "Otra").want(422).says("ya está registrada")

	other := h.visitor()
	form := other.get("/login?next=%2Fsales%3Fstate%3Dconfirmed").want(200)
	form.hasAll("Entrar con llave de acceso", "username webauthn")
	other.post("/login/passkey", url.Values{"next": {"/sales?state=confirmed"}}).want(422).
		hasAll("necesitan JavaScript", "/sales?state=confirmed")
	answer := d.signs(other.get("/login/passkey"))
	other.post("/login/passkey", url.Values{"passkey": {answer}, "next": {"/sales?state=confirmed"}}).wantTo("/sales?state=confirmed")
	other.get("/sales").want(200)

	thief := h.visitor()
	thief.get("/login").want(200)
	thief.post("/login/passkey", url.Values{"passkey": {answer}}).want(422).says("ya se había usado")
	if thief.jar["veinte_session"] != "" {
		t.Error("what was signed in another browser opens a session")
	}
	d.key.Counter -= 2
	thief.post("/login/passkey", url.Values{"passkey": {d.signs(thief.get("/login/passkey"))}}).want(422).says("una copia de esa llave")
	v.get("/account/factors").want(200).says("No se acepta desde")

	h.askAlways()
	later := h.visitor()
	later.signIn("nora@veinte.test").wantTo("/login/code")
	later.get("/login/code").want(200).says("Confirma con tu llave de acceso")
	recovery, _, _ := strings.Cut(strings.SplitN(shown.body, `<code class="secret">`, 2)[1], "<")
	later.post("/login/code", url.Values{"code": {recovery}}).wantTo("/")
}

// TestThePageSaysWherePasskeysWork: at another address than that of the server they do not.
func TestThePageSaysWherePasskeysWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor()
	v.get("/login", "Host", "127.0.0.1").want(200).hasAll("no funcionan en esta dirección", "https://veinte.test/login")
	v.get("/login").want(200).says("Entrar con llave de acceso")
}

// TestAnAppIsChangedInTheAccount, with the old one in use until the new one has proved.
func TestAnAppIsChangedInTheAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.askAlways()
	h.signUp("nora@veinte.test", models.Manager)
	v := h.visitor()
	old, _ := v.setUp("nora@veinte.test")
	v.post("/account/factors/app/removal", url.Values{"proof": {modelstest.Password}}).want(409).says("este es el último")
	h.Clock.Advance(time.Minute)
	v.post("/account/factors/app", url.Values{"proof": {h.code(old)}}).wantTo("/account/factors#own-app")
	key := v.get("/account/factors").want(200).text("factor-key")
	if key == old {
		t.Fatal("the next app has the secret of the old one")
	}
	v.post("/account/factors/app/code", url.Values{"code": {"000000"}}).want(422).says("no es correcto")
	v.follow(v.post("/account/factors/app/code", url.Values{"code": {h.code(key)}}).wantTo("/account/factors")).says("Aplicación configurada")
	v.follow(v.post("/account/factors/app/code", url.Values{"code": {h.code(key)}}).wantTo("/account/factors")).says("Empieza de nuevo")
	shown := v.post("/account/factors/recovery", url.Values{"proof": {modelstest.Password}}).want(200)
	shown.says("Los códigos de antes ya no sirven")
}
