package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/wiring"
)

// jam is a table that nobody may read until the test ends: whoever reads it holds a
// connection to the database.
type jam struct {
	shop  *shop
	owner *pgx.Conn
	table string
}

// jam locks a table.
func (s *shop) jam(table string) *jam {
	s.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.ownerURL)
	must(s.t, err)
	tx, err := conn.Begin(ctx)
	must(s.t, err)
	_, err = tx.Exec(ctx, "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE")
	must(s.t, err)
	return &jam{s, conn, table}
}

// open lets everybody read it.
func (j *jam) open() { _ = j.owner.Close(context.Background()) }

// held counts the connections that wait for the table.
func (j *jam) held() (n int) {
	j.shop.t.Helper()
	must(j.shop.t, j.shop.db.Pool().QueryRow(context.Background(), `SELECT count(*) FROM pg_locks
		WHERE relation = $1::regclass AND NOT granted`, j.table).Scan(&n))
	return n
}

// patient is the shop's database, whose connections wait longer for a lock than any of
// these tests takes.
func (s *shop) patient() string {
	if strings.Contains(s.dbURL, "://") {
		return "DATABASE_URL=" + s.dbURL + "&lock_timeout=120000&statement_timeout=120000"
	}
	return "DATABASE_URL=" + s.dbURL + " lock_timeout=120000 statement_timeout=120000"
}

// ask asks for a page n times at once, and does not wait.
func (b *browser) ask(ctx context.Context, n int, path string) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
			if err != nil {
				return
			}
			if resp, err := b.http.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	return func() { stop(); all.Wait() }
}

// TestPagesTakeNoConnectionOfAClick: forty pages hold every connection that pages can
// have, and a result is stored, a sale canceled and sent, and the probe green all the same.
func TestPagesTakeNoConnectionOfAClick(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve(s.patient())
	ana, sofia := s.signIn(p, "ana@shop.example"), s.signIn(p, "sofia@shop.example")
	_, first := s.sell(0, "")
	j := s.jam("saved_views")
	defer sofia.ask(context.Background(), 40, "/audit/views")()
	defer j.open()
	eventually(t, 20*time.Second, "the pages hold all that they can", func() bool { return j.held() == int(connections.Pages) })

	begun := time.Now()
	_, second := s.sell(1, "")
	t.Logf("a result of a sale was stored after %s", time.Since(begun))
	quick := *ana.http // which follows to no page
	quick.Timeout = 10 * time.Second
	quick.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ana.http = &quick
	begun = time.Now()
	code, text := ana.get("/readyz")
	t.Logf("the probe answered %d after %s", code, time.Since(begun))
	if code != http.StatusOK {
		t.Errorf("GET /readyz = %d %q while pages hold their connections", code, text)
	}
	for _, sale := range []int64{first, second} {
		begun = time.Now()
		path := fmt.Sprintf("/sales/%d/cancellation", sale)
		code, text := ana.post(path+"/new", path, url.Values{
			"reason": {"customerRequest"}, "click": {fmt.Sprintf("click-%d", sale)}, "receipt": {"on"},
			"ticketDate": {string(window(t).Calendar.Day(time.Now()))},
		})
		t.Logf("a click was answered after %s", time.Since(begun))
		if code != http.StatusSeeOther {
			t.Errorf("POST %s = %d, want %d\n%s", path, code, http.StatusSeeOther, text)
		}
		s.becomes(sale, 10*time.Second, "confirmed")
		t.Logf("its sale was canceled after %s", time.Since(begun))
	}
}

// TestWhoHangsUpFreesTheirConnection: the database stops working for somebody who left.
func TestWhoHangsUpFreesTheirConnection(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve(s.patient())
	sofia := s.signIn(p, "sofia@shop.example")
	j := s.jam("saved_views")
	defer j.open()
	end := sofia.ask(context.Background(), 3, "/audit/views")
	eventually(t, 10*time.Second, "three pages wait for the table", func() bool { return j.held() == 3 })
	end()
	eventually(t, 10*time.Second, "nobody waits for it", func() bool { return j.held() == 0 })
	if text := p.log(); strings.Contains(text, "request failed") {
		t.Errorf("whoever left is logged as a failure:\n%s", text)
	}
}

// TestAPersonHasTwoHeavyRequests: two files of a person are made, a third and one that is
// uploaded wait in words, and neither a page nor a click waits with them.
func TestAPersonHasTwoHeavyRequests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, err := wiring.Over(s.db).Accounts.CreateUser(t.Context(), models.System("test", ""), accounts.Input{
		Email: "diego@shop.example", Name: "Diego", Role: models.Administrator, AllStores: true, Password: "una clave de taller",
	})
	must(t, err)
	p := s.serve(s.patient())
	ana, diego := s.signIn(p, "ana@shop.example"), s.signIn(p, "diego@shop.example")
	const file = "/closings/2026-01-02/report.csv"
	j := s.jam("closings")
	defer diego.ask(context.Background(), 2, file)()
	defer j.open()
	eventually(t, 20*time.Second, "two files are being made", func() bool { return j.held() >= 2 })
	before := j.held()

	var uploading sync.WaitGroup
	uploading.Go(func() {
		code, text := diego.tryUpload("/imports/new", "/imports", strings.Repeat("a;b;c\n", 3<<20), "kind", "sales")
		says := strings.Contains(text, "Tu archivo esperó su turno") && strings.Contains(text, `name="file"`)
		if code != http.StatusTooManyRequests || !says {
			t.Errorf("an upload beside two files = %d, want %d and the form, which says why:\n%s", code, http.StatusTooManyRequests, text)
		}
	})
	resp, err := diego.http.Get(p.url + file)
	must(t, err)
	code, text := read(t, resp)
	uploading.Wait()
	if code != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" || resp.Header.Get("Refresh") == "" {
		t.Errorf("the third file = %d, Retry-After %q, Refresh %q, want %d and when to ask again",
			code, resp.Header.Get("Retry-After"), resp.Header.Get("Refresh"), http.StatusTooManyRequests)
	}
	if !strings.Contains(text, "Tu archivo espera su turno") || !strings.Contains(text, "hasta dos a la vez") {
		t.Errorf("the third file says:\n%s", text)
	}
	if now := j.held(); now > before+1 { // the closing of days looks at them too
		t.Errorf("%d connections are held, want those of two files", now)
	}
	for _, b := range []*browser{ana, diego} {
		if code, _ := b.get("/sales"); code != http.StatusOK {
			t.Errorf("GET /sales = %d while files are being made", code)
		}
	}
	if code, text := ana.get("/readyz"); code != http.StatusOK {
		t.Errorf("GET /readyz = %d %q while files are being made", code, text)
	}
}
