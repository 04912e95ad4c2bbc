package handlers_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/accounts/sso"
)

// issuer is the provider of a house.
const issuer = "https://login.veinte.test"

// provider stands in for the client of the provider, whose own tests are in web/oidc.
type provider struct {
	identity models.Identity
	err      error // of every request to it
	began    models.SSORequest
	out      error // of who asks where to sign out
}

func (p *provider) SignOut(context.Context) (string, error) { return issuer + "/out", p.out }

func (p *provider) Begin(_ context.Context, r models.SSORequest) (string, error) {
	p.began = r
	return issuer + "/authorize?" + url.Values{"state": {r.State}}.Encode(), p.err
}

func (p *provider) Finish(_ context.Context, r models.SSORequest, code, _ string) (*models.Identity, error) {
	if p.err == nil && (r.Nonce != p.began.Nonce || r.Verifier != p.began.Verifier || code != "good") {
		return nil, &models.Error{Kind: models.KindForbidden, Code: "sso.notBelieved"}
	}
	id := p.identity
	return &id, p.err
}

// Logout believes a token that is sub, sid and its own id, with commas between.
func (p *provider) Logout(_ context.Context, token string) (*models.ProviderLogout, error) {
	said := strings.Split(token, ",")
	if len(said) != 3 {
		return nil, &models.Error{Kind: models.KindForbidden, Code: "sso.notBelieved"}
	}
	return &models.ProviderLogout{
		Issuer: issuer, Subject: said[0], SessionID: said[1], TokenID: said[2], Expiry: time.Now().AddDate(10, 0, 0),
	}, nil
}

// comeBack signs in at the provider, and returns what the way back answers.
func (v *visitor) comeBack(next string) *answer {
	v.h.tb.Helper()
	path := "/login/oidc"
	if next != "" {
		path += "?" + url.Values{"next": {next}}.Encode()
	}
	v.get(path).want(303)
	return v.get("/login/oidc/callback?code=good&state=" + url.QueryEscape(v.h.provider.began.State))
}

// ssoHouse has three groups, and somebody at the provider who is in one of them.
func ssoHouse(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	for _, g := range []sso.Group{
		{Name: "gerentes", Role: models.Manager, StoreIDs: []int64{h.Store.ID}},
		{Name: "supervisores", Role: models.Supervisor, AllStores: true},
		{Name: "sistemas", Role: models.Administrator},
	} {
		h.must(h.Accounts.AddSSOGroup(t.Context(), h.Admin, g))
	}
	h.provider.identity = models.Identity{
		Issuer: issuer, Subject: "248289761001", SessionID: "s-1", Email: "Nora@veinte.test", EmailVerified: true, Name: "Nora Nueva",
		Groups: []string{"todos", "gerentes"},
	}
	return h
}

// TestSignInByTheProvider: the first time makes a person, each time gives what the groups
// give, and it leads to where they wanted to go.
func TestSignInByTheProvider(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	v := h.visitor()
	v.get("/login?next=%2Fsales%3Fstate%3Dconfirmed").want(200).saysAll("Entrar con Grupo Veinte", "O con tu contraseña")
	v.comeBack("/sales?state=confirmed").wantTo("/sales?state=confirmed")
	if v.jar["veinte_session"] == "" || v.jar["veinte_sso"] != "" || v.jar["veinte_visit"] != "" {
		t.Errorf("after the provider the cookies are %v, want a session and nothing of the way", v.jar)
	}
	v.get("/sales").want(200)
	v.get("/users").want(403)
	who := `SELECT concat_ws(' ', email, name, role, all_stores, password_hash = '', (SELECT count(*) FROM user_stores WHERE user_id = u.id))
		FROM users u WHERE email = 'nora@veinte.test'`
	if got, want := h.text(who), "nora@veinte.test Nora Nueva manager f t 1"; got != want {
		t.Errorf("the person is %q, want %q", got, want)
	}
	h.provider.identity.Groups = []string{"supervisores", "gerentes"}
	h.provider.identity.Email = "otro.correo@veinte.test" // the identity decides, not the address
	h.visitor().comeBack("").wantTo("/")
	if got, want := h.text(who), "nora@veinte.test Nora Nueva supervisor t t 0"; got != want {
		t.Errorf("with another group the person is %q, want %q", got, want)
	}
	v.get("/audit").want(200) // their other session has the new role as well
	trail := h.text(`SELECT string_agg(action || ' ' || actor_name || ' ' || actor_role, '; ' ORDER BY id) FROM audit_entries
		WHERE action IN ('user.created', 'user.changed', 'session.started') AND coalesce(on_behalf_of, '') || actor_name LIKE '%Nora%'`)
	want := "user.created single sign-on system; session.started Nora Nueva manager; " +
		"user.changed single sign-on system; session.started Nora Nueva supervisor"
	if trail != want {
		t.Errorf("the trail says %q, want %q", trail, want)
	}
}

// TestWhoTheProviderDoesNotBringIn: each refusal has its words and an entry, gives no
// session and makes nobody.
func TestWhoTheProviderDoesNotBringIn(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	h.signUp("ana@veinte.test", models.Manager)
	people := h.count(`SELECT count(*) FROM users`)
	for _, tt := range []struct {
		code   string
		status int
		words  string
		change func(*provider)
	}{
		{"sso.noGroup", 403, "ninguno de tus grupos", func(p *provider) { p.identity.Groups = []string{"Gerentes", "gerentes "} }},
		{"sso.noAddress", 403, "no dio tu correo", func(p *provider) { p.identity.Email = "" }},
		{"sso.notLinked", 403, "ya hay una cuenta con tu correo", func(p *provider) { p.identity.Email = "ana@veinte.test" }},
		{"sso.unreachable", 409, "no responde", func(p *provider) {
			p.err = &models.Error{Kind: models.KindConflict, Code: "sso.unreachable"}
		}},
	} {
		before := h.provider.identity
		v := h.visitor()
		v.get("/login/oidc?next=%2Fsales").want(303)
		tt.change(h.provider)
		a := v.get("/login/oidc/callback?code=good&state=" + h.provider.began.State)
		if a.status != tt.status || v.jar["veinte_session"] != "" {
			t.Errorf("%s = %d with the cookies %v, want %d and no session", tt.code, a.status, v.jar, tt.status)
		}
		a.saysAll("No entraste", tt.words)
		if !strings.Contains(a.body, `href="/login/oidc?next=%2Fsales"`) {
			t.Errorf("%s leads nowhere: %s", tt.code, a.words())
		}
		h.provider.identity, h.provider.err = before, nil
		n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'session.started' AND outcome = 'denied' AND reason = $1`, tt.code)
		if n != 1 {
			t.Errorf("%d entries of %s, want 1", n, tt.code)
		}
	}
	if n := h.count(`SELECT count(*) FROM users`); n != people {
		t.Errorf("%d people, want the %d from before", n, people)
	}
	h.provider.err = &models.Error{Kind: models.KindConflict, Code: "sso.unreachable"}
	h.visitor().get("/login/oidc").want(409).says("entra con ella")
	h.visitor().get("/login").want(200).says("Contraseña") // which goes on
}

// TestTheWayBackIsOfOneBrowser, once, and for ten minutes.
func TestTheWayBackIsOfOneBrowser(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	v, thief := h.visitor(), h.visitor()
	v.get("/login/oidc").want(303)
	back := "/login/oidc/callback?code=good&state=" + url.QueryEscape(h.provider.began.State)
	thief.get(back).want(409).says("empezó en otro navegador")
	thief.get("/login/oidc").want(303) // a way of their own does not open this one
	thief.get(back).want(409)
	h.provider.began = models.SSORequest{}
	v.get("/login/oidc").want(303)
	back = "/login/oidc/callback?code=good&state=" + url.QueryEscape(h.provider.began.State)
	cookie := v.jar["veinte_sso"]
	v.get(back).wantTo("/")
	other := h.visitor()
	other.jar["veinte_sso"] = cookie
	other.get(back).want(409) // used
	v.get(back).wantTo("/")   // whoever goes back is in
	other.get("/login/oidc").want(303)
	h.Clock.Advance(sso.FlowLife + time.Second)
	other.get("/login/oidc/callback?code=good&state=" + h.provider.began.State).want(409)
	late := h.visitor()
	late.get("/login/oidc").want(303)
	late.get("/login/oidc/callback?error=access_denied&state=" + h.provider.began.State).want(403).says("no te dejó entrar")
	late.get("/login/oidc").want(303)
	late.get("/login/oidc/callback?error=%3Cscript%3E&state=" + h.provider.began.State).want(409).says("respondió con un error")
	late.get("/login/oidc?next=https://evil.example").want(303)
	late.get("/login/oidc/callback?code=good&state=" + h.provider.began.State).wantTo("/")
	for _, secret := range []string{h.provider.began.State, cookie} {
		if n := h.count(`SELECT count(*) FROM sso_flows f WHERE f::text LIKE '%' || $1 || '%'`, secret); n != 0 {
			t.Error("the database holds what opens a way back")
		}
	}
}

// TestOneNetworkFillsNoTable: ways that nobody comes back from are limited, and who fills
// the network of a shop shuts nobody out who has come in there before.
func TestOneNetworkFillsNoTable(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	counter := h.visitor()
	counter.comeBack("").wantTo("/")
	v := h.visitor()
	for range 60 {
		v.get("/login/oidc").want(303)
	}
	a := v.get("/login/oidc").want(429)
	a.says("Demasiadas personas de tu red")
	if a.header.Get("Retry-After") != "600" {
		t.Errorf("Retry-After is %q, want ten minutes", a.header.Get("Retry-After"))
	}
	known := h.visitor()
	known.jar["veinte_device"] = counter.jar["veinte_device"]
	known.comeBack("").wantTo("/")
	forged := h.visitor()
	forged.jar["veinte_device"] = "AAAAAAAAAAAAAAAA." + strings.SplitN(counter.jar["veinte_device"], ".", 2)[1]
	forged.get("/login/oidc").want(429)
	h.Clock.Advance(sso.FlowLife)
	v.get("/login/oidc").want(303)
}

// TestNobodyComesInUnderAnothersName: at many providers people choose theirs themselves.
func TestNobodyComesInUnderAnothersName(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	h.visitor().comeBack("").wantTo("/")
	h.provider.identity.Subject, h.provider.identity.Email = "248289761002", "otra@veinte.test"
	for _, name := range []string{" nora nueva ", "Nora Nueva"} {
		h.provider.identity.Name = name
		h.visitor().comeBack("").wantTo("/")
		if got, want := h.text(`SELECT name FROM users WHERE email = 'otra@veinte.test'`), "otra@veinte.test"; got != want {
			t.Errorf("somebody else whom the provider calls %q is called %q here, want %q", name, got, want)
		}
	}
}

// TestDisabledPeopleStayOut, whatever the provider says.
func TestDisabledPeopleStayOut(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	h.visitor().comeBack("").wantTo("/")
	h.exec(`UPDATE users SET disabled_at = now() WHERE email = 'nora@veinte.test'`)
	h.provider.identity.Groups = []string{"sistemas"}
	v := h.visitor()
	v.comeBack("").want(403).says("está desactivada")
	if got := h.text(`SELECT role FROM users WHERE email = 'nora@veinte.test'`); got != "manager" || v.jar["veinte_session"] != "" {
		t.Errorf("a disabled person got the role %s and the cookies %v", got, v.jar)
	}
}

// TestAnAccountIsLinkedOnceItIsAllowed, and by a verified address alone.
func TestAnAccountIsLinkedOnceItIsAllowed(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	u := h.signUp("nora@veinte.test", models.Manager)
	admin := h.administrator()
	h.visitor().comeBack("").want(403)
	page := admin.get("/settings/sso").want(200)
	page.says("Cuentas que ya existían")
	admin.follow(admin.post("/settings/sso/links", url.Values{"person": {models.JsonNumber(u.ID)}}).wantTo("/settings/sso")).
		says("se enlaza la próxima vez")
	h.provider.identity.EmailVerified = false
	h.visitor().comeBack("").want(403).says("no dice si comprobó tu correo")
	h.provider.identity.EmailVerified = true
	h.visitor().comeBack("").wantTo("/")
	if n := h.count(`SELECT count(*) FROM sso_identities WHERE user_id = $1`, u.ID); n != 1 {
		t.Errorf("the account has %d identities, want 1", n)
	}
	h.provider.identity.Subject = "somebody else with the address"
	h.visitor().comeBack("").want(403)
	admin.post("/settings/sso/links", url.Values{"person": {models.JsonNumber(u.ID)}}).want(422).says("ya está enlazada")
	admin.post("/settings/sso/links", url.Values{"person": {""}}).want(404)
}

// TestGroupsAreEdited by an administrator, with what was typed kept when it is refused.
func TestGroupsAreEdited(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	admin := h.administrator()
	store := models.JsonNumber(h.Store.ID)
	add := url.Values{"name": {"tiendas-norte"}, "role": {"manager"}, "stores": {store}}
	admin.follow(admin.post("/settings/sso/groups", add).wantTo("/settings/sso")).says("tiendas-norte")
	admin.post("/settings/sso/groups", add).want(422).says("ya está en la lista")
	p := admin.post("/settings/sso/groups", url.Values{"name": {"sin tiendas"}, "role": {"manager"}, "allStores": {"on"}}).want(422)
	if got := p.field("name"); got != "sin tiendas" {
		t.Errorf("the name is now %q", got)
	}
	admin.post("/settings/sso/groups", url.Values{"name": {"x"}, "role": {"auditor"}, "allStores": {"on"}}).want(422).
		says("uno de los puestos")
	id := models.JsonNumber(int64(h.count(`SELECT id FROM sso_groups WHERE name = 'tiendas-norte'`)))
	form := admin.get("/settings/sso/groups/" + id).want(200)
	version := form.field("version")
	change := url.Values{"name": {"tiendas-norte"}, "role": {"supervisor"}, "allStores": {"on"}, "version": {version}}
	admin.post("/settings/sso/groups/"+id, change).wantTo("/settings/sso")
	admin.post("/settings/sso/groups/"+id, change).want(409) // pressed twice
	admin.post("/settings/sso/groups/"+id+"/removal", url.Values{"version": {"1"}}).want(409)
	admin.follow(admin.post("/settings/sso/groups/"+id+"/removal", url.Values{"version": {"2"}}).wantTo("/settings/sso")).
		hides("tiendas-norte")
	admin.get("/settings/sso/groups/" + id).want(404)
	admin.language = "en"
	admin.get("/settings/sso").want(200)
}

// TestWithoutAProvider there is no button, and the page of the rules says how one is had.
func TestWithoutAProvider(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { c.SSO, c.SSOSetup = nil, nil })
	h.visitor().get("/login").want(200).hides("Grupo Veinte", "/login/oidc")
	h.visitor().get("/login/oidc").want(404)
	h.visitor().get("/login/oidc/callback?state=x").want(404)
	h.administrator().get("/settings/sso").want(200).says("OIDC_ISSUER")
}

// TestSignOutAtTheProvider is offered to whoever came by it, once they are signed out here,
// and to nobody else.
func TestSignOutAtTheProvider(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	v := h.visitor()
	v.comeBack("").wantTo("/")
	left := v.follow(v.post("/logout", nil).wantTo("/login?left=on"))
	left.saysAll("Cerraste sesión.", "puede seguir abierta", "Cerrarla también en Grupo Veinte")
	if v.jar["veinte_session"] != "" || !strings.Contains(left.body, `href="/login/oidc/end"`) {
		t.Errorf("after the sign-out the cookies are %v, and the page is %s", v.jar, left.body)
	}
	v.get("/login/oidc/end").wantTo(issuer + "/out")
	h.provider.out = &models.Error{Kind: models.KindConflict, Code: "sso.noSignOut"}
	v.follow(v.get("/login/oidc/end").wantTo("/login")).says("cierra todas las ventanas del navegador")
	v.comeBack("").wantTo("/")
	v.follow(v.post("/logout", nil).wantTo("/login")).hides("puede seguir abierta")
	h.provider.out = nil
	byPassword := h.manager()
	byPassword.follow(byPassword.post("/logout", nil).wantTo("/login")).hides("puede seguir abierta")
	without := newHouse(t, func(c *handlers.Config) { c.SSO, c.SSOSetup = nil, nil }).visitor()
	without.get("/login/oidc/end").want(404)
	without.get("/login?left=on").want(200).hides("puede seguir abierta")
}

// TestTheProviderEndsSessions: that of one of its own, or all of a person; nobody else's,
// and no word of it counts twice.
func TestTheProviderEndsSessions(t *testing.T) {
	t.Parallel()
	h := ssoHouse(t)
	word := func(token string) *answer {
		return h.visitor().send("POST", "/login/oidc/logout", url.Values{"logout_token": {token}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded")
	}
	desk, phone, other := h.visitor(), h.visitor(), h.manager()
	desk.comeBack("").wantTo("/")
	h.provider.identity.SessionID = "s-2"
	phone.comeBack("").wantTo("/")
	subject := h.provider.identity.Subject
	word("248289761002,s-1,a").want(200) // somebody else's
	desk.get("/sales").want(200)
	word(subject + ",s-1,b").want(200)
	desk.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
	phone.get("/sales").want(200)
	word(subject + ",s-1,b").want(400)
	desk.comeBack("").wantTo("/")
	word(subject + ",,b").want(400) // the same word
	desk.get("/sales").want(200)
	a := word(subject + ",,c").want(200)
	if got := a.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		t.Errorf("Cache-Control is %q, want no-store", got)
	}
	desk.get("/sales").want(303)
	phone.get("/sales").want(303)
	other.get("/sales").want(200)
	word("nonsense").want(400)
	word("").want(400)
	trail := h.text(`SELECT string_agg(concat_ws(' ', actor_name, nullif(on_behalf_of, ''), outcome, reason), '; ' ORDER BY id)
		FROM audit_entries
		WHERE action = 'session.ended'`)
	want := "single sign-on Nora Nueva success session.byProvider; ? denied sso.logoutUsed; " +
		"single sign-on Nora Nueva success session.byProvider; single sign-on Nora Nueva success session.byProvider; ? denied sso.notBelieved"
	if trail != want {
		t.Errorf("the trail says %q, want %q", trail, want)
	}
	for range 120 {
		word("nonsense")
	}
	if a := word("nonsense").want(429); a.header.Get("Retry-After") == "" {
		t.Error("a flood of words is not told when to come again")
	}
	newHouse(t, func(c *handlers.Config) { c.SSO, c.SSOSetup = nil, nil }).visitor().
		send("POST", "/login/oidc/logout", "logout_token=x", "Content-Type", "application/x-www-form-urlencoded").want(404)
}
