package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers"
	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// desk is an office whose API is asked. Every answer is held against the document.
type desk struct {
	*modelstest.Office
	tb        testing.TB
	host      string
	transport *http.Transport
	api       *api.API
	book      *book
	given     []string // secrets of keys
}

func newDesk(tb testing.TB, changes ...func(*wiring.Config)) *desk {
	tb.Helper()
	return open(tb, modelstest.NewOffice(tb, changes...))
}

// open opens the API of an office.
func open(tb testing.TB, o *modelstest.Office) *desk {
	tb.Helper()
	log := slog.New(slog.DiscardHandler)
	programs := handlers.NewAPI(o.Services, o.Clock, log, "")
	app := handlers.New(handlers.Config{
		API: programs, Services: o.Services, Clock: o.Clock, Logger: log, Ready: o.DB.Ready, Events: handlers.NewEvents(o.Services, log),
		TakeResult: func(c *fiber.Ctx) error { return c.SendStatus(http.StatusNotFound) },
	})
	d := &desk{Office: o, tb: tb, api: programs, book: theBook(tb, programs), transport: &http.Transport{}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	d.host = ln.Addr().String()
	done := make(chan error, 1)
	go func() { done <- app.Listener(ln) }()
	tb.Cleanup(func() {
		d.transport.CloseIdleConnections()
		d.must(app.Shutdown())
		_ = ln.Close() // a test that asked nothing may get here before it serves
		d.must(<-done)
	})
	return d
}

// program asks with a key, as a point of sale does.
type program struct {
	*desk
	id     int64
	secret string
	lang   string
	client *http.Client
}

// program makes a key. Without stores it is one of all stores.
func (d *desk) program(scopes []apikeys.Scope, stores ...*models.Store) *program {
	d.tb.Helper()
	in := apikeys.Input{
		Name: "Programa " + modelstest.NextSerial(), Scopes: scopes, AllStores: len(stores) == 0, Pace: apikeys.PaceNormal, Days: 90,
	}
	for _, s := range stores {
		in.StoreIDs = append(in.StoreIDs, s.ID)
	}
	return d.keyed(in)
}

func (d *desk) keyed(in apikeys.Input) *program {
	d.tb.Helper()
	key, secret, err := d.APIKeys.CreateKey(d.tb.Context(), d.Admin, in)
	d.must(err)
	d.given = append(d.given, secret)
	return d.with(key.ID, secret)
}

// with is a program that shows the secret; "" for none.
func (d *desk) with(id int64, secret string) *program {
	return &program{desk: d, id: id, secret: secret, lang: "es-MX", client: &http.Client{Transport: &checked{d}}}
}

// any may do everything everywhere.
func (d *desk) any() *program { d.tb.Helper(); return d.program(apikeys.Scopes) }

func (d *desk) must(err error) {
	d.tb.Helper()
	if err != nil {
		d.tb.Fatal(err)
	}
}

func (d *desk) count(query string, args ...any) int {
	d.tb.Helper()
	var n int
	if err := d.Owner.QueryRow(query, args...).Scan(&n); err != nil {
		d.tb.Fatalf("%s: %v", query, err)
	}
	return n
}

func (d *desk) exec(statement string, args ...any) {
	d.tb.Helper()
	if _, err := d.Owner.Exec(statement, args...); err != nil {
		d.tb.Fatalf("%s: %v", statement, err)
	}
}

// answer is what came back, read as whatever it is.
type answer struct {
	tb     testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// send asks as written. headers are names and values by turns; an empty value
// takes the header away.
func (p *program) send(method, path, body string, headers ...string) *answer {
	p.tb.Helper()
	req := &http.Request{
		Method: method, URL: &url.URL{Scheme: "http", Host: p.host, Opaque: path}, Host: "veinte.test", Header: http.Header{},
		Body: http.NoBody,
	}
	if len(body) > tooMuch {
		// The server answers and closes before it has read it all; what is still on its way then
		// could cost the client the answer. So most of it never leaves.
		req.Body, req.ContentLength = &begun{over: make(chan struct{})}, int64(len(body))
		req.Header.Set("Content-Type", "application/json")
	} else if body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept-Language", p.lang)
	if p.secret != "" {
		req.Header.Set("Authorization", "Bearer "+p.secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	res, err := p.client.Do(req)
	if err != nil {
		p.tb.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	p.must(err)
	return &answer{tb: p.tb, what: method + " " + path, status: res.StatusCode, header: res.Header, body: raw}
}

// tooMuch is more than any operation takes.
const tooMuch = 5 << 19

// begun is a body of blanks of which the first leaves, and nothing more until it is closed.
type begun struct {
	left bool
	over chan struct{}
	once sync.Once
}

func (b *begun) Read(p []byte) (int, error) {
	if !b.left {
		b.left = true
		return copy(p, " "), nil
	}
	<-b.over
	return 0, io.EOF
}

func (b *begun) Close() error {
	b.once.Do(func() { close(b.over) })
	return nil
}

func (p *program) get(path string, headers ...string) *answer {
	p.tb.Helper()
	return p.send("GET", path, "", headers...)
}

func (p *program) post(path, body string, headers ...string) *answer {
	p.tb.Helper()
	return p.send("POST", path, body, headers...)
}

// want fails unless the answer has the status.
func (a *answer) want(status int) *answer {
	a.tb.Helper()
	if a.status != status {
		a.tb.Fatalf("%s = %d, want %d\n%s", a.what, a.status, status, a.body)
	}
	return a
}

// problem fails unless the answer is that problem.
func (a *answer) problem(status int, code string) *api.Problem {
	a.tb.Helper()
	p := into[api.Problem](a.want(status))
	if p.Code != code {
		a.tb.Fatalf("%s = %s, want %s\n%s", a.what, p.Code, code, a.body)
	}
	return p
}

// into reads the answer.
func into[T any](a *answer) *T {
	a.tb.Helper()
	v := new(T)
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		a.tb.Fatalf("%s answers %s: %v", a.what, a.body, err)
	}
	return v
}

// sale is a sale of the office's terminal, as JSON. changes are names and JSON
// values by turns; an empty value takes the field away.
func (d *desk) sale(order string, changes ...string) string {
	d.tb.Helper()
	fields := map[string]json.RawMessage{
		"serialNumber": quoted(string(d.Terminal.SerialNumber)), "orderId": quoted(order), "amount": quoted("1250.00"),
		"soldAt": quoted("2026-11-20T11:59:30-06:00"), "last4": quoted("4242"), "folio": quoted("F1"),
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if fields[changes[i]] = json.RawMessage(changes[i+1]); changes[i+1] == "" {
			delete(fields, changes[i])
		}
	}
	b, err := json.Marshal(fields)
	d.must(err)
	return string(b)
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

// throughDB has an office's services ask another pool.
func throughDB(db *database.DB) func(*wiring.Config) { return func(c *wiring.Config) { c.DB = db } }
