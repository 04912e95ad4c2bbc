package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models/modelstest"
	"veinte/models/operations"
	"veinte/models/wiring"
	"veinte/web/cancelapi"
	"veinte/web/sandbox"
)

func TestPracticeSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  func(*settings)
		want string
	}{
		{"neither on nor off", func(s *settings) { s.Practice = "maybe" }, "PRACTICE: "},
		{"a twin of the twin", func(s *settings) { s.Practice, s.PracticeURL = "on", "https://practica.example" }, "PRACTICE_URL: "},
		{"a token from elsewhere", func(s *settings) { s.Practice, s.TokenURL = "on", "https://payments.example/token" }, "TOKEN_URL: "},
		{"a token from beside it", func(s *settings) { s.Practice, s.TokenURL = "on", "http://127.0.0.1:80210/token" }, "TOKEN_URL: "},
		{"no address", func(s *settings) { s.PracticeURL = "practica" }, "PRACTICE_URL: "},
		{"on", func(s *settings) { s.Practice = "on" }, ""},
		{"its own token", func(s *settings) { s.Practice, s.TokenURL = "on", "http://127.0.0.1:8021/oauth" }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m := &settings{CancelBaseURL: "http://127.0.0.1:8021"}, mistakes{}
			tt.set(s)
			s.checkPractice(&m, &checked{})
			if got := strings.Join(m, "\n"); tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("mistakes = %q, want %q", got, tt.want)
			}
		})
	}
}

// Practice requires our sandbox: a service that responds to everything with 200 is
// refused, and so is the target of a redirect.
func TestOnlyASandboxIsPractisedAgainst(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(sandbox.Config{Latency: time.Millisecond})
	must(t, err)
	stand := httptest.NewServer(box.Handler())
	t.Cleanup(stand.Close)
	if err := cancelapi.IsSandbox(t.Context(), stand.URL+"/"); err != nil {
		t.Errorf("the sandbox = %v, want it taken", err)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"a service that answers everything": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"code":"00"}`)) },
		"a page":                            func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a service without such a path":     http.NotFound,
		"a way to a sandbox": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stand.URL+"/control/state", http.StatusFound)
		},
	} {
		other := httptest.NewServer(answer)
		t.Cleanup(other.Close)
		if err := cancelapi.IsSandbox(t.Context(), other.URL); err == nil || !strings.Contains(err.Error(), "veinte practice") {
			t.Errorf("%s = %v, want it refused, saying what to do", name, err)
		}
	}
}

// A practice server refuses a real database, and a real server refuses one of
// practice.
func TestPracticeAndRealDaysDoNotMix(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.serve().end(syscall.SIGTERM)
	_, stderr, code := veinte(t, []string{
		"DATABASE_URL=" + s.dbURL, "CANCEL_BASE_URL=" + s.box.url, "ACCESS_TOKEN=token", "ADMIN_ADDR=", "PRACTICE=on",
		"RESULTS_SECRET=results-secret-0123456789",
	}, "serve", "--addr", "127.0.0.1:0")
	if code == 0 || !strings.Contains(stderr, "empty database of its own") {
		t.Errorf("practice on a real database = %d, %q; want it refused, saying what to do", code, stderr)
	}
}

// A practice server first checks its service. A service that is no sandbox gets only
// that one request, and the database stays free for real use.
func TestPracticeIsServedAgainstASandboxAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		_, _ = w.Write([]byte(`{"code":"00"}`))
	}))
	t.Cleanup(service.Close)
	url := modelstest.URL(t)
	_, stderr, code := veinte(t, []string{
		"DATABASE_URL=" + url, "CANCEL_BASE_URL=" + service.URL, "ACCESS_TOKEN=token", "ADMIN_ADDR=", "PRACTICE=on",
		"RESULTS_SECRET=results-secret-0123456789",
	}, "serve", "--addr", "127.0.0.1:0")
	if code == 0 || !strings.Contains(stderr, "does not answer as one") || !strings.Contains(stderr, "veinte practice") {
		t.Errorf("practice against a service = %d, %q; want it refused, saying what to do", code, stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(asked, ", "); got != "GET /control/state" {
		t.Errorf("asked of the service: %q, want whether it is a sandbox and no more", got)
	}
	if err := wiring.Over(modelstest.Open(t, url)).Operations.CheckInstallation(t.Context(), operations.RealInstallation); err != nil {
		t.Errorf("the database after the refusal = %v, want it free for a real server", err)
	}
}

// veinte practice brings everything: a sandbox, stores, accounts whose passwords it
// prints once, and sales to cancel; each page shows that it is practice.
func TestPracticeCommand(t *testing.T) {
	t.Parallel()
	url := modelstest.URL(t)
	env := []string{"DATABASE_URL=" + url, "ADMIN_ADDR="}
	p := start(t, env, "/readyz", "practice", "--addr", "ADDR", "--ledger", t.TempDir()+"/practice.jsonl")
	login, err := http.Get(p.url + "/login")
	must(t, err)
	if _, body := read(t, login); !strings.Contains(body, `data-testid="practice"`) {
		t.Errorf("the sign-in page does not say that it is practice:\n%.800s", body)
	}
	db := modelstest.Open(t, url)
	people, err := wiring.Over(db).Accounts.Users(t.Context(), practiceAdmin)
	must(t, err)
	if len(people) != len(practicePeople) {
		t.Errorf("people = %d, want one per role: %d", len(people), len(practicePeople))
	}
	sold := func() (n int) {
		must(t, db.SQL().QueryRowContext(context.Background(), `SELECT count(*) FROM sales`).Scan(&n))
		return n
	}
	eventually(t, 60*time.Second, "every terminal has sales", func() bool {
		return sold() >= salesPerTill*len(practiceShops.stores)*len(practiceTills)
	})
	p.end(syscall.SIGTERM)
	if err := wiring.Over(db).Operations.CheckInstallation(t.Context(), operations.RealInstallation); err == nil {
		t.Error("a real server may serve the practised database")
	}
	again := start(t, env, "/readyz", "practice", "--addr", "ADDR", "--ledger", t.TempDir()+"/practice.jsonl")
	again.end(syscall.SIGTERM)
	if got, _ := wiring.Over(db).Accounts.Users(t.Context(), practiceAdmin); len(got) != len(practicePeople) {
		t.Errorf("people after a second start = %d, want the same", len(got))
	}
}

// Practice with settings for another service does not start.
func TestPracticeTakesNoOtherService(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), program, "practice", "--cancel-base-url", "https://payments.example")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "brings its own sandbox") {
		t.Errorf("practice with an address = %v, %s; want it refused", err, out)
	}
}
