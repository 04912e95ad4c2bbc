package web

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The main job with real processes: a terminal posts a sale, a manager cancels
// it without a receipt, the terminal confirms it, the trail has every step, and
// the service received exactly one request.
func TestMainJob(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	order, id := s.sell(0, "")
	ana := s.signIn(p, "ana@shop.example")
	if _, page := ana.get("/sales"); !strings.Contains(page, order) {
		t.Errorf("today's list does not show %s", order)
	}
	ana.cancel(id, false)
	s.becomes(id, 10*time.Second, "confirmed")
	requests := ledgerRequests(t, s.box.url, "cancel", order)
	if len(requests) != 1 {
		t.Fatalf("the service received %d requests, want 1", len(requests))
	}
	checkFields(t, requests[0])
	_, trail := s.signIn(p, "sofia@shop.example").get("/audit?q=" + order)
	for _, action := range []string{"cancellation.requested", "cancellation.moved"} {
		if !strings.Contains(trail, `data-action="`+action+`"`) {
			t.Errorf("the trail lacks %s", action)
		}
	}
	attempt, _ := requests[0]["traceability"].(map[string]any)["attemptId"].(string)
	if _, page := ana.get("/sales/1"); attempt == "" || strings.Contains(page+trail+p.log(), attempt) {
		t.Errorf("the attempt id %q is shown or logged", attempt)
	}
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("the server exited %d on SIGTERM; its log:\n%s", code, p.log())
	}
}

// A server is killed while an attempt is under way: bytes have left, so after the
// restart the cancellation is in doubt, and nothing is sent again.
func TestKilledWhileSending(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	order, id := s.sell(0, "hang")
	s.signIn(p, "ana@shop.example").cancel(id, true)
	eventually(t, 10*time.Second, "the service has the request", func() bool {
		return len(ledgerRequests(t, s.box.url, "cancel", order)) == 1
	})
	p.end(syscall.SIGKILL)
	if got := s.state(id); got != "sending" {
		t.Errorf("after kill -9 the sale is %s, want sending", got)
	}
	again := s.serve()
	s.becomes(id, 60*time.Second, "unknown")
	if n := len(ledgerRequests(t, s.box.url, "cancel", order)); n != 1 {
		t.Errorf("the service received %d requests, want 1", n)
	}
	_, page := s.signIn(again, "ana@shop.example").get("/sales/1")
	if !strings.Contains(page, "Por verificar") || strings.Contains(strings.ToLower(page), "fall") {
		t.Errorf("the page of a sale in doubt does not say so in words")
	}
}

// The service cannot be reached: this proves that nothing left, it is tried three
// times, and the sale can be canceled again.
func TestServiceUnreachable(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve("CANCEL_BASE_URL=http://127.0.0.1:1")
	order, id := s.sell(0, "")
	s.signIn(p, "ana@shop.example").cancel(id, true)
	attempts := func() (n int) {
		must(t, s.db.Pool().QueryRow(context.Background(), "SELECT count(*) FROM attempts WHERE meaning = 'notSent'").Scan(&n))
		return n
	}
	eventually(t, 30*time.Second, "three attempts are known not to have left", func() bool { return attempts() == 3 })
	s.becomes(id, 5*time.Second, "cancelable")
	if n := len(ledgerRequests(t, s.box.url, "cancel", order)); n != 0 {
		t.Errorf("the service received %d requests, want none", n)
	}
}

// The documented samples, posted as a terminal does.
func TestSamplesPostedToServer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	files, err := filepath.Glob("../handlers/results/testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("samples: %v, %v", files, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		must(t, err)
		for range 2 { // a terminal repeats itself
			resp, err := http.Post(p.url+resultsPath, "application/json", strings.NewReader(string(body)))
			must(t, err)
			if code, text := read(t, resp); code != http.StatusOK || !strings.Contains(text, `"code":"00"`) {
				t.Errorf("%s was answered %d %s, want 200 and code 00", file, code, text)
			}
		}
	}
	resp, err := http.Post(p.url+resultsPath, "multipart/form-data; boundary=x", strings.NewReader(`{"transType":"A"}`))
	must(t, err)
	if code, text := read(t, resp); code != http.StatusOK || !strings.Contains(text, `"code":"00"`) {
		t.Errorf("a post that calls itself multipart was answered %d %s, want 200 and code 00", code, text)
	}
	resp, err = http.Post(p.url+"/results/wrong-secret", "application/json", strings.NewReader("{}"))
	must(t, err)
	if code, _ := read(t, resp); code != http.StatusNotFound {
		t.Errorf("a wrong secret was answered %d, want 404", code)
	}
	var leaked int
	must(t, s.db.Pool().QueryRow(context.Background(),
		`SELECT count(*) FROM results WHERE body ~ '(415200|cardExpDate|arqc|hexSign|customerName|BB299271)'`).Scan(&leaked))
	if leaked != 0 {
		t.Errorf("%d stored results hold card data", leaked)
	}
}

// serve refuses a schema that is not up to date, and prints what to do.
func TestServeRefusesPendingMigrations(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, owner := s.dbURL, strings.Replace(s.dbURL, "user=veinte_app", "user=postgres", 1)
	_, stderr, code := veinte(t, []string{
		"DATABASE_URL=" + strings.Replace(owner, s.database(), "postgres", 1), "CANCEL_BASE_URL=" + s.box.url, "ACCESS_TOKEN=token",
		"RESULTS_SECRET=results-secret-0123456789",
	}, "serve", "--addr", "127.0.0.1:0")
	if code != 1 || !strings.Contains(stderr, "migrate up") {
		t.Errorf("serve on an empty database exited %d and said %q", code, stderr)
	}
}

func (s *shop) database() string {
	var name string
	must(s.t, s.db.Pool().QueryRow(context.Background(), "SELECT current_database()").Scan(&name))
	return name
}
