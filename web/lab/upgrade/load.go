package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/web/lab"
)

// load is what people and terminals do meanwhile.
type load struct {
	house    *house
	db       *pgxpool.Pool
	stop     context.CancelFunc
	under    sync.WaitGroup
	requests atomic.Int64
	files    atomic.Int64
	clicks   atomic.Int64

	mu     sync.Mutex
	failed []string
	known  map[string]bool // files that were fetched: browsers keep them
}

func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = append(l.failed, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// work has every manager sell, look and cancel, until end.
func (h *house) work(ctx context.Context) (*load, error) {
	db, err := pgxpool.New(ctx, h.owner)
	if err != nil {
		return nil, err
	}
	work, stop := context.WithCancel(ctx)
	l := &load{house: h, db: db, stop: stop, known: map[string]bool{}}
	if err := h.control(ctx, http.MethodPut, "/control/config", map[string]any{
		"responseURL": h.proxy.URL + "/results/" + secret, "retryEvery": "200ms", "retryMax": 3000,
	}); err != nil {
		return nil, err
	}
	for i := range managers {
		merchant := map[string]any{"merchantId": fmt.Sprintf("90000%d", i)}
		if err := h.control(ctx, http.MethodPut, "/control/terminals/"+serial(i), merchant); err != nil {
			return nil, err
		}
		p := &person{load: l, number: i}
		if err := p.signIn(); err != nil {
			return nil, err
		}
		l.under.Go(func() {
			for n := 0; work.Err() == nil; n++ {
				p.sellAndCancel(ctx, n)
			}
		})
		l.under.Go(func() {
			for work.Err() == nil {
				p.look()
			}
		})
	}
	return l, nil
}

func (h *house) control(ctx context.Context, method, path string, body any) error {
	return lab.Control(ctx, http.DefaultClient, method, "http://"+h.box.Addr, path, body, nil)
}

// end ends the load. It returns what failed.
func (l *load) end() error {
	l.stop()
	l.under.Wait()
	fmt.Printf("%d requests, %d of them for static files, %d cancellations; %d pages of the release before asked for again; %d failed\n",
		l.requests.Load(), l.files.Load(), l.clicks.Load(), l.house.proxy.again.Load(), len(l.failed))
	if n := len(l.failed); n > 0 {
		return errors.New(strings.Join(l.failed[:min(n, 20)], "\n"))
	}
	return nil
}

// person is a manager at a browser.
type person struct {
	load   *load
	number int
	http   *http.Client
	csrf   string
}

var (
	csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
	asset     = regexp.MustCompile(`(?:href|src)="(/static/[^"#]+)`)
)

func (p *person) signIn() error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.http = &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: stay}
	if p.csrf = p.token("/login"); p.csrf == "" {
		return errors.New("the sign-in page has no form")
	}
	p.post("/login", url.Values{"email": {email(p.number)}, "password": {password}})
	if p.csrf = p.token("/sales"); p.csrf == "" {
		return fmt.Errorf("%s is not signed in", email(p.number))
	}
	return nil
}

func (p *person) token(path string) string {
	m := csrfField.FindStringSubmatch(p.get(path))
	if m == nil {
		return ""
	}
	return m[1]
}

// get opens a page, with its styles and scripts.
func (p *person) get(path string) string {
	text := p.read(p.http.Get(p.load.house.proxy.URL + path))
	for _, m := range asset.FindAllStringSubmatch(text, -1) {
		p.load.mu.Lock()
		known := p.load.known[m[1]]
		p.load.mu.Unlock()
		if known {
			continue
		}
		p.load.files.Add(1)
		resp, err := p.http.Get(p.load.house.proxy.URL + m[1])
		keep := err == nil && strings.Contains(resp.Header.Get("Cache-Control"), "immutable")
		if p.read(resp, err) == "" {
			p.load.fail("%s is empty", m[1])
		}
		p.load.mu.Lock()
		p.load.known[m[1]] = keep
		p.load.mu.Unlock()
	}
	return text
}

func (p *person) post(path string, form url.Values) {
	form.Set("csrf", p.csrf)
	p.read(p.http.PostForm(p.load.house.proxy.URL+path, form))
}

// read reads a response, which has to be one of success.
func (p *person) read(resp *http.Response, err error) string {
	p.load.requests.Add(1)
	if err != nil {
		p.load.fail("%v", err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		p.load.fail("%s %s: %s %v", resp.Request.Method, resp.Request.URL.Path, resp.Status, err)
	}
	if to := resp.Header.Get("Location"); strings.HasPrefix(to, "/login") {
		p.load.fail("%s %s: signed out", resp.Request.Method, resp.Request.URL.Path)
	}
	return string(text)
}

// look opens what a manager looks at, and what an open page asks for.
func (p *person) look() {
	for _, path := range []string{"/sales", "/sales/day", "/sales/pending", "/help"} {
		if path == "/help" {
			p.read(p.http.Get(p.load.house.proxy.URL + path)) // it leads to the guide
			continue
		}
		p.get(path)
	}
}

// sellAndCancel makes a sale at the person's terminal and cancels it.
func (p *person) sellAndCancel(ctx context.Context, n int) {
	order := fmt.Sprintf("order-%d-%d", p.number, n)
	err := p.load.house.control(ctx, http.MethodPost, "/control/sales", map[string]any{
		"serialNumber": serial(p.number), "amount": "120.50", "orderId": order, "async": true,
	})
	if err != nil {
		p.load.fail("sell: %v", err)
		return
	}
	id := p.await(ctx, order, "SELECT id FROM sales WHERE order_id = $1")
	if id == 0 {
		return
	}
	path := fmt.Sprintf("/sales/%d/cancellation", id)
	p.get(path + "/new")
	zone, err := time.LoadLocation(p.load.house.zone)
	if err != nil {
		p.load.fail("%v", err)
		return
	}
	p.post(path, url.Values{
		"reason": {"customerRequest"}, "click": {order}, "ticketDate": {time.Now().In(zone).Format(time.DateOnly)},
	})
	p.load.clicks.Add(1)
	p.await(ctx, order, "SELECT id FROM sales WHERE order_id = $1 AND state = 'confirmed'")
	p.get(fmt.Sprintf("/sales/%d", id))
}

// await waits until a sale is as the query says, and returns its id.
func (p *person) await(ctx context.Context, order, query string) (id int64) {
	err := lab.Eventually(ctx, time.Minute, query+" "+order, func(ctx context.Context) (bool, error) {
		return p.load.db.QueryRow(ctx, query, order).Scan(&id) == nil, nil
	})
	if err != nil {
		p.load.fail("%v", err)
	}
	return id
}

// judge looks at what the upgrade has left behind.
func (h *house) judge(ctx context.Context, l *load) error {
	defer l.db.Close()
	var all, confirmed, doubts, sent int
	err := l.db.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state = 'confirmed'),
		(SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND after->>'state' = 'unknown'),
		(SELECT count(*) FROM attempts) FROM cancellations`).Scan(&all, &confirmed, &doubts, &sent)
	if err != nil {
		return err
	}
	fmt.Printf("%d cancellations, %d confirmed, %d ever in doubt, %d attempts\n", all, confirmed, doubts, sent)
	if all == 0 || confirmed != all || doubts != 0 || sent != all {
		return errors.New("not every cancellation was sent once and confirmed without a doubt")
	}
	return nil
}
