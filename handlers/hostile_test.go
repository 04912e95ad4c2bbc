package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"veinte/handlers"
	"veinte/models/audit"
)

// hostile are values for any field, as they stand in an address or a form.
var hostile = []string{
	"", "0", "-1", "1.5", "0x10", "99999999999999999999", "9223372036854775807", "-9223372036854775808", "true",
	"%00", "a%00b", "%ff", "%c3%28", "%ed%a0%80", "%01%02%1b", "%0d%0aSet-Cookie:%20x=y", "%E2%80%AE%F0%9F%92%A9",
	"%3Cscript%3Ealert(1)%3C/script%3E", "%22%20onclick=%22alert(1)", "%27%20OR%20%271%27=%271", "%27;DROP%20TABLE%20sales;--", "%25s%25n",
	"%5C", "..%2F..%2Fetc%2Fpasswd", "0000-01-01", "0001-01-01", "9999-12-31", "2026-02-30",
	"MA", "MC4w", "LTEuLTE", "MjUzNDAyMzAwNzk5MDAwMDAwLjE", "OTk5OTk5OTk5OTk5OTk5OTk5OS4x", "MS45OTk5OTk5OTk5OTk5OTk5OTk5OQ",
	strings.Repeat("9", 3000), strings.Repeat("%C3%B1", 1000),
}

// asked are the names that a route reads from its address.
var asked = map[string][]string{
	"/sales": {"date", "store", "terminal", "state", "q", "cursor", "fragment"}, "/sales/:id": {"fragment"},
	"/audit": append([]string{"cursor"}, audit.Names...), "/audit/views/new": audit.Names,
	"/audit.csv":              {"from", "store", "q", "cursor"},
	"/sales.csv":              {"date", "from", "to", "store", "terminal", "state", "q"},
	"/sales/export":           {"date", "from", "to", "store", "terminal", "state", "q", "older", "fragment"},
	"/audit/print":            {"to", "person", "q", "after"},
	"/audit/exports":          {"from", "store", "q", "older", "fragment"},
	"/audit/exports/:id":      {"sha256"},
	"/sales/export/:id":       {"sha256"},
	"/settings/rules/history": {"after"},
	"/oversight":              {"from", "to", "by", "store"},
	"/oversight/patterns":     {"from", "to", "minutes", "times", "days"},
	"/oversight/finding":      {"to", "kind", "subject"},
	"/oversight/days":         {"unit", "day", "by"},
	"/sales/day":              {"date", "by"},
	"/results":                {"status", "cursor"}, "/terminals": {"q", "store", "state"}, "/login": {"next"},
}

// TestHostileAddresses puts every hostile value into every place of every
// address.
func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	browsers := h.powerful()
	for _, line := range handlers.Lines() {
		if line.Method != "GET" {
			continue
		}
		path, _, _ := strings.Cut(expectations["GET "+line.Path].path(on), "?")
		for i, value := range hostile {
			v := browsers[i%len(browsers)]
			for _, name := range asked[line.Path] {
				v.get(path + "?" + name + "=" + value).survives(v.language)
			}
			if variable(line.Path) {
				v.get(put(line.Path, value)).survives(v.language)
			}
		}
		// What no route reads comes all at once.
		for _, v := range browsers {
			v.get(path + "?" + strings.Join(hostile[:20], "&") + "=" + strings.Join(hostile[20:], "&x=")).survives(v.language)
		}
	}
}

func variable(route string) bool { return strings.ContainsAny(route, ":*") }

// put writes a value where a route has a parameter.
func put(route, value string) string {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if part == "*" || strings.HasPrefix(part, ":") {
			parts[i] = value
		}
	}
	return strings.Join(parts, "/")
}

// powerful are people whom guards let through, so that handlers are reached, in
// either language.
func (h *house) powerful() []*visitor {
	english := h.administrator()
	english.language = "en"
	spanish := h.supervisor()
	return []*visitor{english, spanish, h.as(english.id), h.english(spanish.id)}
}

func (h *house) english(userID int64) *visitor {
	v := h.as(userID)
	v.language = "en"
	return v
}

// extras are fields that a route reads besides those of its expectation.
var extras = map[string][]string{
	"/login": {"next"}, "/sales/:id/cancellation": {"note", "receipt"}, "/cancellations/:id/resolution": {"folio", "note"},
	"/stores": {"timeZoneOther"}, "/users": {"allStores"}, "/logout": {"nonsense"},
}

// TestHostileForms puts every hostile value into every field of every form.
func TestHostileForms(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	browsers := h.powerful()
	for _, line := range handlers.Lines() {
		if line.Method != "POST" || strings.HasPrefix(line.Path, "/results/:") {
			continue
		}
		e := expectations["POST "+line.Path]
		good := url.Values{}
		if e.form != nil {
			good = e.form(on)
		}
		for i, value := range hostile {
			v := browsers[i%len(browsers)]
			for _, name := range append(slices.Sorted(maps.Keys(good)), extras[line.Path]...) {
				h.afresh(v)
				v.tamper(e.path(on), good, name, value).survives(v.language)
			}
			if variable(line.Path) {
				h.afresh(v)
				v.tamper(put(line.Path, value), good, "nonsense", "1").survives(v.language)
			}
		}
	}
	h.intact()
}

// afresh undoes what a form may have done to the browser that sent it.
func (h *house) afresh(v *visitor) {
	h.tb.Helper()
	if v.jar["veinte_session"] == "" {
		v.jar["veinte_session"] = h.session(v.id)
	}
	if v.jar["veinte_language"] != "" {
		delete(v.jar, "veinte_language")
		h.exec(`UPDATE users SET language = ''`)
	}
}

// tamper sends a good form with one field replaced, as it stands.
func (v *visitor) tamper(path string, good url.Values, name, value string) *answer {
	v.h.tb.Helper()
	form := url.Values{"csrf": {v.csrf()}}
	for n, values := range good {
		if n != name {
			form[n] = values
		}
	}
	return v.send("POST", path, form.Encode()+"&"+name+"="+value, "Content-Type", "application/x-www-form-urlencoded")
}

// intact fails if anything happened that nobody may do.
func (h *house) intact() {
	h.tb.Helper()
	for query, want := range map[string]int{
		`SELECT count(*) FROM sales WHERE state NOT IN ('cancelable', 'requested', 'unknown', 'confirmed', 'notCanceled')`: 0,
		`SELECT count(*) FROM stores WHERE name ~ '[[:cntrl:]]'`:                                                           0,
		`SELECT count(*) FROM users WHERE role = 'administrator' AND disabled_at IS NULL AND name LIKE 'Ada%'`:             1,
	} {
		if got := h.count(query); got != want {
			h.tb.Errorf("%s = %d, want %d", query, got, want)
		}
	}
}

// survives fails unless an answer is one that a person can do something with: no
// 5xx, in their language, with every header, and nothing in it that runs.
func (a *answer) survives(language string) {
	a.tb.Helper()
	what := a.what
	if len(what) > 200 {
		what = what[:200] + "…"
	}
	if a.status >= 500 {
		a.tb.Errorf("%s = %d", what, a.status)
	}
	a.guarded()
	if !strings.Contains(a.header.Get("Content-Type"), "text/html") {
		return
	}
	if !utf8.ValidString(a.body) || strings.Contains(a.body, "\x00") {
		a.tb.Errorf("%s is answered with bytes that are no text", what)
	}
	a.clean()
	if got := a.header.Get("Content-Language"); got != language && a.status >= 400 {
		a.tb.Errorf("%s (%d) is answered in %q, want %q", what, a.status, got, language)
	}
	if a.status >= 400 && len(a.byTestID("error"))+len(a.all(isAlert)) == 0 {
		a.tb.Errorf("%s = %d without a word why: %s", what, a.status, a.words())
	}
	for _, n := range a.byTestID("error") {
		if code := attr(n, "data-code"); strings.Contains(textOf(n), code) || len(textOf(n)) < 20 {
			a.tb.Errorf("%s (%d) has no words for %q: %s", what, a.status, code, textOf(n))
		}
	}
}

func isAlert(n *html.Node) bool { return attr(n, "role") == "alert" || attr(n, "class") == "warning" }

// showsAddress matches the acts whose answer holds own addresses of terminals.
var showsAddress = regexp.MustCompile(`^POST /terminals/(\d+/address|addresses/export)$`)

// guarded fails unless the answer has the headers that every answer has.
func (a *answer) guarded() {
	a.tb.Helper()
	csp := a.header.Get("Content-Security-Policy")
	for _, directive := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
	} {
		if !strings.Contains(csp, directive) {
			a.tb.Errorf("%s (%d) has Content-Security-Policy %q, want %s in it", a.what, a.status, csp, directive)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || strings.Contains(csp, "data:") {
		a.tb.Errorf("%s has Content-Security-Policy %q", a.what, csp)
	}
	referrer := "same-origin"
	if a.status == http.StatusOK && showsAddress.MatchString(a.what) {
		referrer = "no-referrer" // what shows the own address of a terminal says even less
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": referrer, "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := a.header.Get(name); got != want {
			a.tb.Errorf("%s (%d) has %s %q, want %q", a.what, a.status, name, got, want)
		}
	}
	if a.header.Get("Permissions-Policy") == "" {
		a.tb.Errorf("%s (%d) has no Permissions-Policy", a.what, a.status)
	}
	cache := a.header.Get("Cache-Control")
	if cache != "no-store" && !strings.HasPrefix(a.what, "GET /static/") {
		a.tb.Errorf("%s (%d) has Cache-Control %q, want no-store", a.what, a.status, cache)
	}
	for _, name := range []string{"Server", "X-Powered-By", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"} {
		if got := a.header.Get(name); got != "" {
			a.tb.Errorf("%s says what it is made of, or lets other sites read: %s: %s", a.what, name, got)
		}
	}
	if a.header.Get("Set-Cookie") != "" && strings.Contains(strings.Join(a.header.Values("Set-Cookie"), "\n"), "x=y") {
		a.tb.Errorf("%s gives a cookie of somebody else: %v", a.what, a.header.Values("Set-Cookie"))
	}
}

// clean fails if the page holds anything that the policy would refuse: scripts
// and styles written into it, handlers, foreign addresses. A file to save is none.
func (a *answer) clean() {
	a.tb.Helper()
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return
	}
	for n := range a.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if (n.Data == "script" || n.Data == "style") && (n.FirstChild != nil || attr(n, "src") == "") {
			a.tb.Errorf("%s has a %s written into it: %q", a.what, n.Data, textOf(n))
		}
		for _, at := range n.Attr {
			value := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(at.Val)), "https://veinte.test") // its own address
			switch {
			case at.Key == "style", strings.HasPrefix(at.Key, "on"), strings.HasPrefix(at.Key, "hx-on"):
				a.tb.Errorf("%s has %s=%q on a %s", a.what, at.Key, at.Val, n.Data)
			case slices.Contains([]string{"href", "src", "action", "formaction", "hx-get", "hx-post"}, at.Key):
				if value != "" && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "#") || strings.HasPrefix(value, "//") {
					a.tb.Errorf("%s has %s=%q on a %s", a.what, at.Key, at.Val, n.Data)
				}
			}
		}
	}
}

// TestEveryPage looks at each page as those see it who may.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	for _, v := range append(h.powerful(), h.visitor(), h.manager()) {
		for _, line := range handlers.Lines() {
			if line.Method == "GET" {
				a := v.get(expectations["GET "+line.Path].path(on))
				a.guarded()
				a.clean()
			}
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS"} {
			if a := v.send(method, "/sales", ""); a.status < 400 || a.status >= 500 {
				t.Errorf("%s /sales = %d, want a refusal", method, a.status)
			} else {
				a.guarded()
			}
		}
		v.send("POST", "/audit", "", "Origin", "https://evil.example").want(http.StatusMethodNotAllowed).guarded()
	}
}

// TestTheHostOfARequestIsNotBelieved: whoever sends it may make a page show an address of
// their own, for somebody to copy.
func TestTheHostOfARequestIsNotBelieved(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	on := h.targets()
	administrator := h.administrator()
	browsers := map[string]*visitor{"m": h.manager(), "s": h.supervisor(), "a": administrator, "*": administrator}
	for _, line := range handlers.Lines() {
		e := expectations[line.Method+" "+line.Path]
		v := browsers[e.may[:min(len(e.may), 1)]]
		if line.Method != "GET" || v == nil {
			continue
		}
		a := v.get(e.path(on), "Host", "evil.example")
		a.hides("evil.example")
		if strings.Contains(a.header.Get("Location"), "evil.example") {
			t.Errorf("%s leads to %s", a.what, a.header.Get("Location"))
		}
	}
	form := url.Values{
		"csrf": {administrator.csrf()}, "name": {"Punto de venta"}, "scopes": {"sales:read"}, "allStores": {"on"},
		"pace": {"slow"}, "days": {"30"},
	}
	a := administrator.send("POST", "/settings/keys", form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Host", "evil.example", "Sec-Fetch-Site", "same-origin")
	a.want(200).says("http://veinte.test/api/v1")
	a.hides("evil.example")
}
