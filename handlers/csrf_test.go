package handlers_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/handlers/kit"
	"veinte/models"
)

const form = "application/x-www-form-urlencoded"

// TestForgedForms sends every form as another site could.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	victim, other := h.supervisor(), h.supervisor2("Otra")
	administrator, nobody := h.administrator(), h.visitor()
	nobody.csrf()
	for _, line := range handlers.Lines() {
		if line.Method != "POST" || strings.HasPrefix(line.Path, "/results/:") || line.Path == "/login/oidc/logout" { // no browser posts there
			continue
		}
		e := expectations["POST "+line.Path]
		senders := []*visitor{victim}
		switch {
		case e.may == "a":
			senders = []*visitor{administrator}
		case e.may == "*":
			senders = append(senders, nobody)
		}
		for _, v := range senders {
			good := url.Values{}
			if e.form != nil {
				good = e.form(on)
			}
			for _, tt := range []struct {
				fact, token string
				headers     []string
			}{
				{"another site, right token", v.csrf(), []string{"Sec-Fetch-Site", "cross-site"}},
				{"a sister site, right token", v.csrf(), []string{"Sec-Fetch-Site", "same-site"}},
				{"an origin that is not ours", v.csrf(), []string{"Origin", "https://evil.example"}},
				{"our name on another port", v.csrf(), []string{"Origin", "http://veinte.test:8080"}},
				{"an origin that hides", v.csrf(), []string{"Origin", "null"}},
				{"no token", "", []string{"Origin", "http://veinte.test"}},
				{"a wrong token", "nonsense", []string{"Sec-Fetch-Site", "same-origin"}},
				{"the token of another session", other.csrf(), []string{"Sec-Fetch-Site", "same-origin"}},
				{"the session itself for a token", v.jar["veinte_session"], nil},
				{"a mask alone", base64.RawURLEncoding.EncodeToString(make([]byte, 64)), nil},
			} {
				good.Set("csrf", tt.token)
				a := v.send("POST", e.path(on), good.Encode(), append([]string{"Content-Type", form}, tt.headers...)...)
				if a.status != http.StatusForbidden {
					t.Errorf("%s with %s = %d, want 403", line.Path, tt.fact, a.status)
				}
				a.says("No se envió nada: la página llevaba mucho tiempo abierta")
			}
		}
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE actor_id IN ($1, $2) AND action NOT IN ('access.denied', 'act.refused')`, victim.id,
		administrator.id,
	); n != 0 {
		t.Errorf("forged forms did %d things, want none", n)
	}
}

// TestFormTokens reads the token from the pages: every form that posts has it,
// and it opens that form and no other person's.
func TestFormTokens(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	for _, tt := range []struct {
		who   *visitor
		paths []string
	}{
		{h.visitor(), []string{"/login", "/nowhere"}},
		{
			h.supervisor(),
			[]string{"/sales", "/audit", "/results", fmt.Sprintf(
				"/sales/%d", on.sale.ID,
			), sheetPath(on.sale), "/nowhere", "/sales/abc", "/sales?store=abc", "/sales?q=%ff"},
		},
		{h.administrator(), []string{"/terminals", "/terminals/new", "/terminals/1", "/stores/1", "/users/new", "/users/1", "/nowhere"}},
	} {
		seen := map[string]bool{}
		for _, path := range tt.paths {
			p := tt.who.get(path)
			posts := 0
			for _, f := range p.all(isPost) {
				posts++
				token := ""
				for n := range f.Descendants() {
					if attr(n, "name") == "csrf" {
						token = attr(n, "value")
					}
				}
				if token == "" || opened(token) != opened(tt.who.csrf()) {
					t.Errorf("%s: the form to %s has token %q, want that of the session", path, attr(f, "action"), token)
				}
				if posts == 1 && seen[token] {
					t.Errorf("%s: a response before has had the same token", path)
				}
				seen[token] = true
			}
			if posts == 0 {
				t.Errorf("%s has no form, want the language switch at least", path)
			}
		}
	}
}

// TestOtherSitesAskForNothing: a page of a sister site loads parts with our cookies, and
// any page has people follow a link. Pages open by a link; what is exported does not, and
// nothing opens inside of another page.
func TestOtherSitesAskForNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	people := map[string]*visitor{
		"m": h.manager(), "s": h.supervisor(), "a": h.administrator(), "u": h.as(h.user("Aurora", models.Auditor)), "*": h.visitor(),
	}
	reads := []models.Action{models.ActionAuditRead, models.ActionOversightRead, models.ActionClosingRead, models.ActionAlertsRead}
	exports := 0
	for _, line := range handlers.Lines() {
		e := expectations["GET "+line.Path]
		v := people[e.may[:min(len(e.may), 1)]]
		if line.Method != "GET" || v == nil || line.Can == kit.Machine { // for programs, without a session
			continue
		}
		path := e.path(on)
		before := h.count(`SELECT count(*) FROM audit_entries WHERE action NOT LIKE '%.denied'`)
		for _, tt := range []struct{ fact, site, mode, dest string }{
			{"a part of a sister site's page", "same-site", "no-cors", "image"},
			{"a frame in a sister site's page", "same-site", "navigate", "iframe"},
			{"a script of another site", "cross-site", "cors", "empty"},
		} {
			a := v.get(path, "Sec-Fetch-Site", tt.site, "Sec-Fetch-Mode", tt.mode, "Sec-Fetch-Dest", tt.dest)
			if a.status != http.StatusForbidden {
				t.Errorf("%s as %s = %d, want 403", path, tt.fact, a.status)
			}
			a.says("Otra página pidió esto por ti y no se hizo")
		}
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action NOT LIKE '%.denied'`); n != before {
			t.Errorf("%s did %d things for other sites", path, n-before)
		}
		scenario, told := trailScenarios["GET "+line.Path]
		export := told && !slices.Contains(reads, scenario.action) || strings.HasSuffix(line.Path, ".csv") || line.Path == "/events"
		if export {
			exports++
			v.get(path, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document").want(403)
			continue
		}
		a := v.get(path, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
		if a.status == http.StatusForbidden {
			t.Errorf("%s by a link in a letter = 403", path)
		}
	}
	if exports < 14 {
		t.Errorf("%d exports were tried, want all", exports)
	}
	// The link in a letter began one, and pictures of another page none.
	if n := h.count(`SELECT count(*) FROM sso_flows`); n != 1 {
		t.Errorf("other sites began %d sign-ins at the provider, want the one of a link", n)
	}
}

// TestTokenOfTheQuery: what stands in an address is read by others.
func TestTokenOfTheQuery(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	query := url.Values{"csrf": {v.csrf()}, "reason": {"chargedTwice"}, "click": {"c"}}.Encode()
	v.send("POST", cancelPath(sale)+"?"+query, "").want(403)
	v.post(cancelPath(sale)+"?reason=chargedTwice&click=c&receipt=on", nil).want(422)
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("an address alone opened %d cancellations", n)
	}
}

// TestCookies looks at every cookie that is given.
func TestCookies(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		h := newHouse(t, func(c *handlers.Config) { c.SecureCookies = secure })
		h.signUp("nora@veinte.test", models.Manager)
		v := h.visitor()
		if secure { // so that no sister site and nobody on the way can set them
			v.prefix = "__Host-"
		}
		answers := []*answer{v.get("/login"), v.post("/language", url.Values{"language": {"en"}}), v.signIn("nora@veinte.test")}
		session := v.jar[v.prefix+"veinte_session"]
		v.get("/sales").want(http.StatusOK)
		if secure {
			tossed := &visitor{h: h, language: "es-MX", jar: map[string]string{"veinte_session": session, "veinte_visit": "x"}}
			tossed.get("/sales").want(http.StatusSeeOther)
		}
		answers = append(answers, v.post("/logout", nil))
		given := map[string]bool{}
		for _, a := range answers {
			for name, c := range a.cookies {
				if given[name] = true; strings.HasPrefix(name, "__Host-") != secure {
					t.Errorf("%s gives cookie %s, want a prefix behind https and none elsewhere", a.what, name)
				}
				if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != secure || c.Path != "/" || c.Domain != "" {
					t.Errorf("%s gives cookie %s, want HttpOnly, SameSite=Lax, Secure %v, Path /", a.what, c.Raw, secure)
				}
				if strings.Contains(c.Value, "nora") {
					t.Errorf("%s shows who it is: %s", a.what, c.Raw)
				}
			}
			if got := a.header.Get("Strict-Transport-Security") != ""; got != secure {
				t.Errorf("%s has Strict-Transport-Security: %v, want %v", a.what, got, secure)
			}
		}
		for _, name := range []string{"veinte_session", "veinte_visit", "veinte_language", "veinte_flash"} {
			if !given[v.prefix+name] {
				t.Errorf("cookie %s was never given: this test looks at too little", name)
			}
		}
	}
}
