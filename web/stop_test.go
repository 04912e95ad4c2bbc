package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/operations"
)

// balancer leads requests to servers in turn, as a proxy in front of them does: those whose
// readiness was green when it last looked. It never asks twice.
type balancer struct {
	mu      sync.Mutex
	servers []*proc
	green   map[*proc]bool
	next    int
}

// look asks each server whether it is ready, until ctx ends.
func (b *balancer) look(ctx context.Context) {
	probe := http.Client{Timeout: time.Second}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		b.mu.Lock()
		servers := append([]*proc(nil), b.servers...)
		b.mu.Unlock()
		for _, p := range servers {
			resp, err := probe.Get(p.url + "/readyz")
			ok := err == nil && resp.StatusCode == http.StatusOK
			if err == nil {
				resp.Body.Close()
			}
			b.mu.Lock()
			b.green[p] = ok
			b.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// RoundTrip sends a request to the next server.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	var to string
	for range b.servers {
		p := b.servers[b.next%len(b.servers)]
		b.next++
		if b.green[p] {
			to = strings.TrimPrefix(p.url, "http://")
			break
		}
	}
	b.mu.Unlock()
	if to == "" {
		return nil, fmt.Errorf("no server is ready")
	}
	r = r.Clone(r.Context())
	r.URL.Host, r.Host = to, "veinte.test"
	return http.DefaultTransport.RoundTrip(r)
}

// Two servers are restarted one after the other while people poll and click through what
// leads to both: every request is answered.
func TestARollingRestartLosesNoRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	serve := func() *proc { return s.serve("DRAIN_DELAY=1s") }
	b := &balancer{servers: []*proc{serve(), serve()}, green: map[*proc]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	var under sync.WaitGroup
	defer under.Wait()
	defer stop()
	under.Go(func() { b.look(ctx) })
	ana := s.signIn(b.servers[0], "ana@shop.example")
	_, id := s.sell(0, "")
	path := "/sales/" + strconv.FormatInt(id, 10) + "/cancellation"
	_, page := ana.get(path + "/new")
	token := csrfField.FindStringSubmatch(page)
	if token == nil {
		t.Fatalf("the sheet has no form:\n%s", page)
	}
	click := url.Values{
		"reason": {"customerRequest"}, "click": {"the same each time"}, "csrf": {token[1]},
		"ticketDate": {string(window(t).Calendar.Day(time.Now()))},
	}.Encode()
	eventually(t, 10*time.Second, "both are known to be ready", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.green[b.servers[0]] && b.green[b.servers[1]]
	})
	first, err := url.Parse(b.servers[0].url)
	must(t, err)
	cookies := ana.http.Jar.Cookies(first)
	var asked, lost atomic.Int64
	ask := func(method, path, body string) {
		req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), method, "http://veinte.test"+path, strings.NewReader(body))
		must(t, err)
		for _, c := range cookies {
			req.AddCookie(c)
		}
		if body != "" {
			req.GetBody = nil // which nothing may send again
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		asked.Add(1)
		resp, err := b.RoundTrip(req)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if err != nil || resp.StatusCode >= http.StatusBadRequest {
			lost.Add(1)
			t.Errorf("%s %s: %v %v", method, path, resp, err)
		}
	}
	for range 4 {
		under.Go(func() {
			for ctx.Err() == nil {
				ask(http.MethodGet, "/sales?fragment=list", "")
			}
		})
		under.Go(func() {
			for ctx.Err() == nil {
				ask(http.MethodPost, path, click)
			}
		})
	}
	for i := range 2 {
		if code := b.servers[i].end(syscall.SIGTERM); code != 0 {
			t.Errorf("a server exited %d on SIGTERM; its log:\n%s", code, b.servers[i].log())
		}
		again := serve()
		b.mu.Lock()
		b.servers[i] = again
		b.mu.Unlock()
		eventually(t, 10*time.Second, "the new one is known to be ready", func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.green[again]
		})
	}
	stop()
	under.Wait()
	t.Logf("%d requests, %d of them lost", asked.Load(), lost.Load())
	if asked.Load() < 100 {
		t.Errorf("only %d requests: that shows nothing", asked.Load())
	}
}

// A server that is told to stop says so first, and goes on answering: what it takes in is
// sent by another. A second signal does not wait for the request that is under way.
func TestDraining(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve("DRAIN_DELAY=50s", "CANCEL_TIMEOUT=60s")
	ana := s.signIn(p, "ana@shop.example")
	slow, waiting := s.sell(0, "hang")
	_, later := s.sell(1, "")
	ana.cancel(waiting, true)
	eventually(t, 10*time.Second, "the service has the request", func() bool {
		return len(ledgerRequests(t, s.box.url, "cancel", slow)) == 1
	})
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	eventually(t, 10*time.Second, "the probe is red", func() bool {
		code, text := ana.get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "stopping")
	})
	ana.cancel(later, true)
	if got := s.state(later); got != "requested" {
		t.Errorf("what was asked while it stops is %s, want requested", got)
	}
	other := s.serve()
	s.becomes(later, 30*time.Second, "confirmed")
	if n := strings.Count(p.log(), `msg="cancellation service"`); n != 0 {
		t.Errorf("the server that stops has had %d answers of the service, want none:\n%s", n, p.log())
	}
	if !strings.Contains(other.log(), `msg="cancellation service"`) {
		t.Errorf("the other server has not sent it:\n%s", other.log())
	}
	if code, _ := ana.get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("the probe says %d although it stops", code)
	}
	begun := time.Now()
	p.end(syscall.SIGTERM)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("a second signal ended it after %s", took)
	}
}

// forwarder leads connections to the database, until they are cut.
type forwarder struct {
	ln   net.Listener
	to   string
	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

func (f *forwarder) run() {
	for {
		c, err := f.ln.Accept()
		if err != nil {
			return
		}
		d, err := net.Dial("unix", f.to)
		f.mu.Lock()
		if err != nil || f.cut {
			c.Close()
			if err == nil {
				d.Close()
			}
			f.mu.Unlock()
			continue
		}
		f.open = append(f.open, c, d)
		f.mu.Unlock()
		go func() { _, _ = io.Copy(c, d); c.Close() }()
		go func() { _, _ = io.Copy(d, c); d.Close() }()
	}
}

func (f *forwarder) set(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = cut
	for _, c := range f.open {
		c.Close()
	}
	f.open = nil
}

// Without its database a server says what is out at once, and turns requests away once that
// has lasted.
func TestWithoutADatabase(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	config, err := pgx.ParseConfig(s.dbURL)
	must(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { ln.Close() })
	f := &forwarder{ln: ln, to: filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))}
	go f.run()
	direct := s.dbURL
	s.dbURL = fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable",
		ln.Addr().(*net.TCPAddr).Port, config.User, config.Database)
	p := s.serve()
	s.dbURL = direct
	get := func(path string) (int, string) {
		resp, err := http.Get(p.url + path)
		must(t, err)
		return read(t, resp)
	}
	if code, text := get("/healthz"); code != http.StatusOK || text != `{"status":"ok"}`+"\n" {
		t.Errorf("GET /healthz = %d %s, want that all is well", code, text)
	}
	f.set(true)
	begun := time.Now()
	eventually(t, 10*time.Second, "it says what is out", func() bool {
		code, text := get("/healthz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "outage.database") && strings.Contains(text, "DATABASE_URL")
	})
	eventually(t, 30*time.Second, "the probe is red", func() bool {
		code, text := get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "outage.database")
	})
	if took := time.Since(begun); took < operations.AwayTime-2*time.Second {
		t.Errorf("the probe was red after %s without a database, want %s", took, operations.AwayTime)
	}
	f.set(false)
	eventually(t, 10*time.Second, "the probe is green", func() bool { code, _ := get("/readyz"); return code == http.StatusOK })
}

// The health check asks where the server listens, however it was told that.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	addr := strings.TrimPrefix(p.url, "http://")
	_, port, err := net.SplitHostPort(addr)
	must(t, err)
	for env, want := range map[string]int{
		"PORT=" + port: 0, "ADDR=:" + port: 0, "ADDR=" + addr: 0, "ADDR=0.0.0.0:" + port: 0, "PORT=1": 1, "PORT=none": 1,
	} {
		check := exec.Command(program, "healthcheck")
		check.Env = []string{env}
		text, _ := check.CombinedOutput()
		if got := check.ProcessState.ExitCode(); got != want {
			t.Errorf("%s veinte healthcheck = %d, want %d: %s", env, got, want, text)
		}
	}
}

// The version comes from the build.
func TestTheVersionComesFromTheBuild(t *testing.T) {
	t.Parallel()
	module := func(version string) debug.Module { return debug.Module{Version: version} }
	for want, build := range map[string]debug.BuildInfo{
		"v0.1.0":       {Main: module("v0.1.0")},
		"0123456789ab": {Main: module("(devel)"), Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}},
		"0123456789ab-dirty": {Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
		}},
		"dev": {},
	} {
		if got := builtFrom(&build, true); got != want {
			t.Errorf("the version of %+v = %q, want %q", build, got, want)
		}
	}
}
