package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const sessionCookie = "veinte_session"

// person is a user signed in without a browser: to prepare what a test needs, and
// for requests that no page would send.
type person struct {
	server *server
	client *http.Client
}

// sessions stores one session per role: signing in is slow on purpose.
type sessions struct {
	mu     sync.Mutex
	byRole map[string]*person
}

// as returns the role's person, signed in.
func (s *server) as(t testing.TB, role string) *person {
	t.Helper()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if p := s.sessions.byRole[role]; p != nil {
		return p
	}
	p := s.signIn(t, s.logins[role])
	if s.sessions.byRole == nil {
		s.sessions.byRole = map[string]*person{}
	}
	s.sessions.byRole[role] = p
	return p
}

// stranger is somebody who is not signed in.
func (s *server) stranger(t testing.TB) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &person{server: s, client: &http.Client{Jar: jar, Timeout: plain.Timeout, CheckRedirect: stay}}
}

// signIn starts a new session.
func (s *server) signIn(t testing.TB, who login) *person {
	t.Helper()
	p := s.stranger(t)
	status, _ := p.post(t, "/login", "/login", url.Values{"email": {who.email}, "password": {who.password}})
	if status != http.StatusSeeOther || p.session() == "" {
		t.Fatalf("sign in as %s = %d, want 303 and a session", who.email, status)
	}
	return p
}

// session is the cookie that a browser needs to be this person.
func (p *person) session() string {
	u, _ := url.Parse(p.server.url)
	for _, c := range p.client.Jar.Cookies(u) {
		if c.Name == sessionCookie {
			return c.Value
		}
	}
	return ""
}

// get returns a page's status and text.
func (p *person) get(t testing.TB, path string) (int, string) {
	t.Helper()
	resp, err := p.client.Get(p.server.url + path)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, resp)
}

func readAll(t testing.TB, resp *http.Response) (int, string) {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// csrf is the token that the forms of a page carry.
func (p *person) csrf(t testing.TB, path string) string {
	t.Helper()
	_, text := p.get(t, path)
	m := csrfField.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no form with a csrf token: %.300s", path, text)
	}
	return m[1]
}

// post sends a form directly, with the token of the given page.
func (p *person) post(t testing.TB, from, path string, form url.Values) (int, string) {
	t.Helper()
	if form.Get("csrf") == "" {
		form.Set("csrf", p.csrf(t, from))
	}
	resp, err := p.client.PostForm(p.server.url+path, form)
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, resp)
}

// Stores of the demo by their code, as its form lists them.
const (
	romaNorte = "CDMX-01" // the manager's
	tijuana   = "TIJ-01"
)

// storeID is a store's number, from the list that an administrator sees.
func (s *server) storeID(t testing.TB, code string) string {
	t.Helper()
	_, text := s.as(t, administrator).get(t, "/stores")
	m := regexp.MustCompile(`data-code="` + code + `".*?/stores/(\d+)`).FindStringSubmatch(strings.ReplaceAll(text, "\n", " "))
	if m == nil {
		t.Fatalf("store %s is not in the list of stores", code)
	}
	return m[1]
}

var made atomic.Int64 // things with names of their own

// newStore makes a store for one test alone, and returns its code.
func (s *server) newStore(t testing.TB) (code string) {
	t.Helper()
	code = fmt.Sprintf("PRUEBA-%d", made.Add(1))
	status, text := s.as(t, administrator).post(t, "/stores/new", "/stores",
		url.Values{"code": {code}, "name": {"Tienda " + code}, "timeZone": {"America/Mexico_City"}})
	if status != http.StatusSeeOther {
		t.Fatalf("add store %s = %d, want 303: %s", code, status, firstError(text))
	}
	return code
}

// terminal is a terminal for one test alone, because a push in flight on a terminal
// delays other pushes to it.
type terminal struct{ serial, label, id string }

// newTerminal registers a terminal with the product and with the service.
func (s *server) newTerminal(t testing.TB, store string) terminal {
	t.Helper()
	n := made.Add(1)
	place := terminal{serial: fmt.Sprintf("15%08d", n), label: fmt.Sprintf("Caja P%d", n)}
	merchant := fmt.Sprintf("95%04d", n)
	s.box.do(t, http.MethodPut, "/control/terminals/"+place.serial, map[string]any{"merchantId": merchant}, nil)
	admin := s.as(t, administrator)
	status, text := admin.post(t, "/terminals/new", "/terminals", url.Values{
		"serialNumber": {place.serial}, "label": {place.label}, "merchantId": {merchant}, "store": {s.storeID(t, store)},
	})
	if status != http.StatusSeeOther {
		t.Fatalf("register terminal %s = %d, want 303: %s", place.serial, status, text)
	}
	_, text = admin.get(t, "/terminals?q="+place.serial)
	m := regexp.MustCompile(`/terminals/(\d+)"`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("terminal %s is not in the list of terminals", place.serial)
	}
	place.id = m[1]
	return place
}

// newEndpoint forwards results to an address without a listener, and returns the
// endpoint's number and that of a delivery to it.
func (s *server) newEndpoint(t testing.TB) (id, delivery string) {
	t.Helper()
	admin := s.as(t, administrator)
	name := fmt.Sprintf("Punto de venta %d", made.Add(1))
	status, text := admin.post(t, "/endpoints/new?kind=relay", "/endpoints",
		url.Values{"kind": {"relay"}, "name": {name}, "url": {"http://127.0.0.1:9/pos?key=none"}})
	m := regexp.MustCompile(`/endpoints/(\d+)"`).FindStringSubmatch(text)
	if status != http.StatusCreated || m == nil {
		t.Fatalf("add endpoint = %d, want 201: %s", status, text)
	}
	path := "/endpoints/" + m[1]
	if status, text = admin.post(t, path, path+"/test", url.Values{}); status != http.StatusSeeOther {
		t.Fatalf("send test = %d, want 303: %s", status, text)
	}
	_, text = admin.get(t, path)
	d := regexp.MustCompile(`/deliveries/(\d+)"`).FindStringSubmatch(text)
	if d == nil {
		t.Fatalf("the log of endpoint %s is empty", m[1])
	}
	return m[1], d[1]
}

var saleRow = regexp.MustCompile(`<tr id=sale-(\d+)[ >]`)

// saleID is a sale's number, from the list that a supervisor sees.
func (s *server) saleID(t testing.TB, order string) string {
	t.Helper()
	sofia := s.as(t, supervisor)
	_, text := sofia.get(t, "/sales?q="+url.QueryEscape(order))
	for _, m := range saleRow.FindAllStringSubmatch(text, -1) {
		if _, page := sofia.get(t, "/sales/"+m[1]); strings.Contains(page, `data-order-id="`+order+`"`) {
			return m[1]
		}
	}
	t.Fatalf("sale %s is not in the list of sales", order)
	return ""
}

// typedSale has a manager type a sale of a terminal that posted nothing, and returns its
// number.
func (s *server) typedSale(t testing.TB) string {
	t.Helper()
	place := s.newTerminal(t, romaNorte)
	order := "T-" + place.serial
	form := url.Values{
		"terminal": {place.id}, "orderId": {order}, "amount": {"1250.00"}, "date": {"2026-11-20"}, "time": {"08:05"},
		"reviewed": {"sale.orderUnlike,sale.similar,sale.muchMore,sale.notToday,sale.orderOdd"},
	}
	if status, text := s.as(t, manager).post(t, "/sales/new", "/sales", form); status != http.StatusSeeOther {
		t.Fatalf("type a sale = %d, want 303: %.500s", status, text)
	}
	return s.saleID(t, order)
}
