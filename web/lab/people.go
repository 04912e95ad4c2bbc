package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/wiring"
)

const password = "una clave de laboratorio"

// Person is a user who signs in and posts the pages' own forms. One session is valid
// at every server, as behind a load balancer.
type Person struct {
	UserID int64
	Name   string

	lab     *Lab
	email   string
	client  *http.Client
	device  string // the cookie by which the browser is known; "" until signed in
	session string // the cookie; "" until signed in
	csrf    string // derived from the session, so it is valid for every form
}

func newPerson(ctx context.Context, l *Lab, db *database.DB, in accounts.Input) (*Person, error) {
	in.Email, in.Password = fmt.Sprintf("p%d@shop.example", time.Now().UnixNano()), password
	u, err := wiring.Over(db).Accounts.CreateUser(ctx, models.System("laboratory", ""), in)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", in.Name, err)
	}
	return &Person{UserID: u.ID, Name: in.Name, lab: l, email: in.Email, client: &http.Client{
		Timeout:       60 * time.Second,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 512},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Hire adds a person to a laboratory that runs.
func (l *Lab) Hire(ctx context.Context, in accounts.Input) (*Person, error) {
	db, err := database.Open(ctx, database.DBConfig{URL: l.pg.app, Application: "veinte lab"})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return newPerson(ctx, l, db, in)
}

// Cookies is what the person's browser sends with each request.
func (p *Person) Cookies() string { return "veinte_session=" + p.session }

// Login returns the person's credentials, for a real browser.
func (p *Person) Login() (email, secret string) { return p.email, password }

// Answer is the response that a person's browser got.
type Answer struct {
	Status   int
	Location string // of a redirect, which is not followed
	Text     string
	Err      error // no complete response

	cookies []*http.Cookie
}

// OK reports whether the response means success.
func (a Answer) OK() bool {
	return a.Err == nil && (a.Status == http.StatusOK || a.Status == http.StatusSeeOther)
}

// Problem returns an error that describes the unexpected response.
func (a Answer) Problem() error {
	if a.Err != nil {
		return a.Err
	}
	return fmt.Errorf("it was answered %d: %s", a.Status, legible(a.Text))
}

var tags = regexp.MustCompile(`<[^>]*>`)

// legible returns the beginning of the text in a page's main part.
func legible(page string) string {
	if _, main, ok := strings.Cut(page, "<main"); ok {
		page = "<main" + main
	}
	words := strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
	return words[:min(len(words), 2000)]
}

func (a Answer) cookie(name string) string {
	for _, c := range a.cookies {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// SignIn signs in all people of the laboratory, through one server.
func (l *Lab) SignIn(ctx context.Context, s *Server) error {
	for _, p := range append(append([]*Person{}, l.Managers...), l.Supervisor) {
		if err := p.SignIn(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// SignIn signs the person in with the sign-in page's form.
func (p *Person) SignIn(ctx context.Context, s *Server) error { return p.SignInAt(ctx, s, "/sales") }

// SignInAt is SignIn of somebody who goes on to a page with a form.
func (p *Person) SignInAt(ctx context.Context, s *Server, page string) error {
	form := p.do(ctx, http.MethodGet, s.URL+"/login", nil, "")
	token := csrfField.FindStringSubmatch(form.Text)
	if token == nil {
		return fmt.Errorf("sign in: the page has no form: %w", form.Problem())
	}
	in := p.do(ctx, http.MethodPost, s.URL+"/login",
		url.Values{"csrf": {token[1]}, "email": {p.email}, "password": {password}}, "veinte_visit="+form.cookie("veinte_visit")+p.device)
	if p.session = in.cookie("veinte_session"); p.session == "" {
		return fmt.Errorf("sign in %s: %w", p.Name, in.Problem())
	}
	if known := in.cookie("veinte_device"); known != "" {
		p.device = "; veinte_device=" + known
	}
	home := p.Get(ctx, s, page)
	if token = csrfField.FindStringSubmatch(home.Text); token == nil {
		return fmt.Errorf("sign in %s: %s has no form: %w", p.Name, page, home.Problem())
	}
	p.csrf = token[1]
	return nil
}

// Get opens a page.
func (p *Person) Get(ctx context.Context, s *Server, path string) Answer {
	return p.do(ctx, http.MethodGet, s.URL+path, nil, p.Cookies())
}

// Post sends a form; its csrf field is added.
func (p *Person) Post(ctx context.Context, s *Server, path string, form url.Values) Answer {
	form.Set("csrf", p.csrf)
	return p.do(ctx, http.MethodPost, s.URL+path, form, p.Cookies())
}

func (p *Person) do(ctx context.Context, method, address string, form url.Values, cookies string) Answer {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return Answer{Err: err}
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookies != "" {
		req.Header.Set("Cookie", cookies)
	}
	req.Header.Set("Accept-Language", "es-MX")
	resp, err := p.client.Do(req)
	if err != nil {
		return Answer{Err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return Answer{Status: resp.StatusCode, Location: resp.Header.Get("Location"), Text: string(text), Err: err, cookies: resp.Cookies()}
}

// Click is one click on "Sí, cancelar", and its response.
type Click struct {
	UserID int64
	SaleID int64
	Click  string
	At     time.Time // time of the response
	Status int       // 0: no response
}

// Acknowledged reports whether the person was shown that the cancellation was
// requested.
func (c Click) Acknowledged() bool {
	return c.Status == http.StatusOK || c.Status == http.StatusSeeOther
}

// Click clicks the button on a sale's sheet, at one server, and records the click
// for the judge. A repeated click id is the same request, as when a browser repeats
// it.
func (p *Person) Click(ctx context.Context, s *Server, saleID int64, click string, receipt bool) Answer {
	// The order numbers of the laboratory hold no time: the person reads the ticket.
	form := url.Values{"click": {click}, "reason": {"customerRequest"}, "ticketDate": {p.lab.Today()}}
	if receipt {
		form.Set("receipt", "on")
	}
	a := p.Post(ctx, s, "/sales/"+strconv.FormatInt(saleID, 10)+"/cancellation", form)
	c := Click{UserID: p.UserID, SaleID: saleID, Click: click, At: time.Now(), Status: a.Status}
	if a.Err != nil {
		c.Status = 0
	}
	p.lab.mu.Lock()
	p.lab.clicks = append(p.lab.clicks, c)
	p.lab.mu.Unlock()
	return a
}

// Clicks returns every click so far.
func (l *Lab) Clicks() []Click {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Click(nil), l.clicks...)
}

// Resolve sends the form that resolves a doubt: canceled, with the ticket's code, or
// not canceled, with what was seen.
func (p *Person) Resolve(ctx context.Context, s *Server, caseID int64, canceled bool) Answer {
	form := url.Values{"outcome": {"notCanceled"}, "note": {"El estado de cuenta muestra el cargo."}}
	if canceled {
		form = url.Values{"outcome": {"canceled"}, "authCode": {"A1B2C3"}}
	}
	return p.Post(ctx, s, "/cancellations/"+strconv.FormatInt(caseID, 10)+"/resolution", form)
}
