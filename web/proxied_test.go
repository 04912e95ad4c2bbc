package web

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// proxyVariable makes this test program an HTTP proxy instead, at the address that it
// names: a process of its own, of the standard library alone.
const proxyVariable = "VEINTE_TEST_PROXY"

// proxyCredentials are what the proxy asks for.
const proxyCredentials = "tienda:s3cret-proxy"

// runProxy serves until it is killed. POST /mode sets how CONNECT is answered from now on,
// GET /targets lists what was asked for.
//   - ok: it connects, if the credentials are right
//   - refuse: 403
//   - swallow: it says 200, reads what comes and hangs up, without a connection to anybody
//   - cut: it connects and hangs up as soon as the target answers
func runProxy() {
	var mu sync.Mutex
	mode, targets := "ok", []string{}
	asked := func(target string) string {
		mu.Lock()
		defer mu.Unlock()
		targets = append(targets, mode+" "+target)
		return mode
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mode", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		mode = string(text)
	})
	mux.HandleFunc("GET /targets", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(w).Encode(targets)
	})
	ln, err := net.Listen("tcp", os.Getenv(proxyVariable))
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("http://" + ln.Addr().String() + "\n")
	_ = http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			mux.ServeHTTP(w, r)
			return
		}
		now := asked(r.Host)
		switch {
		case r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(proxyCredentials)):
			w.WriteHeader(http.StatusProxyAuthRequired)
		case now == "refuse":
			w.WriteHeader(http.StatusForbidden)
		case now == "swallow":
			client := hijacked(w)
			_, _ = client.Read(make([]byte, 64<<10))
			_ = client.Close()
		default:
			target, err := net.Dial("tcp", r.Host)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			pass(hijacked(w), target, now == "cut")
		}
	}))
}

func hijacked(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		os.Exit(1)
	}
	_, _ = conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
	return conn
}

// pass passes bytes on in both directions, or none of the target's.
func pass(client, target net.Conn, cut bool) {
	go func() {
		_, _ = io.Copy(target, client)
		_ = target.Close()
	}()
	if cut {
		_, _ = target.Read(make([]byte, 1))
	} else {
		_, _ = io.Copy(client, target)
	}
	_ = client.Close()
	_ = target.Close()
}

// forwardProxy is the proxy as a test sees it.
type forwardProxy struct {
	t    testing.TB
	url  string
	kill func()
}

func newProxy(t testing.TB, addr string) *forwardProxy {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), proxyVariable+"="+addr)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return &forwardProxy{t, strings.TrimSpace(line), kill}
}

// setting is the proxy as the settings have it.
func (p *forwardProxy) setting(credentials string) string {
	return strings.Replace(p.url, "http://", "http://"+credentials+"@", 1)
}

func (p *forwardProxy) mode(mode string) {
	p.t.Helper()
	resp, err := http.Post(p.url+"/mode", "text/plain", strings.NewReader(mode))
	must(p.t, err)
	resp.Body.Close()
}

// targets returns what was asked of it in a mode.
func (p *forwardProxy) targets(mode string) (list []string) {
	p.t.Helper()
	resp, err := http.Get(p.url + "/targets")
	must(p.t, err)
	defer resp.Body.Close()
	var all []string
	must(p.t, json.NewDecoder(resp.Body).Decode(&all))
	for _, line := range all {
		if target, ok := strings.CutPrefix(line, mode+" "); ok {
			list = append(list, target)
		}
	}
	return list
}

// attempts returns what came of each attempt at a sale's cancellation, in order.
func (s *shop) attempts(saleID int64) (all []string) {
	s.t.Helper()
	rows, err := s.db.Pool().Query(context.Background(), `SELECT a.meaning || '/' || a.detail FROM attempts a
		JOIN cancellations c ON c.id = a.cancellation_id WHERE c.sale_id = $1 AND a.finished_at IS NOT NULL ORDER BY a.number`, saleID)
	must(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var one string
		must(s.t, rows.Scan(&one))
		all = append(all, one)
	}
	must(s.t, rows.Err())
	return all
}

// TestTheServiceBehindAProxy: what a proxy refuses was not sent, and is sent once it allows
// it. What a proxy lost after the connection was made is a doubt, and is not sent again.
// The service's ledger says what truly came.
func TestTheServiceBehindAProxy(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t, "127.0.0.1:0")
	s := newShop(t)
	server := s.serve("CANCEL_PROXY=" + proxy.setting(proxyCredentials))
	ana := s.signIn(server, "ana@shop.example")
	sent := func(order string) int { return len(ledgerRequests(t, s.box.url, "cancel", order)) }

	order, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 30*time.Second, "confirmed")
	service := strings.TrimPrefix(s.box.url, "http://")
	if got := proxy.targets("ok"); sent(order) != 1 || len(got) == 0 || got[0] != service {
		t.Fatalf("%d requests, the proxy was asked for %v, want one by way of it to %s", sent(order), got, service)
	}

	proxy.mode("refuse")
	order, id = s.sell(1, "")
	ana.cancel(id, true)
	eventually(t, 30*time.Second, "an attempt has ended", func() bool { return len(s.attempts(id)) > 0 })
	for _, a := range s.attempts(id) {
		if a != "notSent/dialFailed" || sent(order) != 0 {
			t.Errorf("refused by the proxy: %s with %d requests at the service, want notSent and none", a, sent(order))
		}
	}
	proxy.mode("ok")
	s.becomes(id, 60*time.Second, "confirmed")
	if got := sent(order); got != 1 {
		t.Errorf("after the proxy allows it: %d requests, want 1", got)
	}

	proxy.kill()
	order, id = s.sell(2, "")
	ana.cancel(id, true)
	eventually(t, 30*time.Second, "an attempt has ended", func() bool { return len(s.attempts(id)) > 0 })
	if got := s.attempts(id)[0]; got != "notSent/dialFailed" {
		t.Errorf("without a proxy: %s, want notSent", got)
	}
	proxy = newProxy(t, strings.TrimPrefix(proxy.url, "http://"))
	s.becomes(id, 60*time.Second, "confirmed")
	if got := sent(order); got != 1 {
		t.Errorf("with the proxy back: %d requests, want 1", got)
	}

	for i, mode := range []string{"cut", "swallow"} {
		proxy.mode(mode)
		order, id = s.sell(i, "")
		ana.cancel(id, true)
		eventually(t, 30*time.Second, mode+": the attempt has ended", func() bool { return len(s.attempts(id)) > 0 })
		if got := s.attempts(id); len(got) != 1 || got[0] != "unknown/connectionLost" {
			t.Errorf("%s: %v, want a doubt", mode, got)
		}
	}
	s.becomes(id, 30*time.Second, "unknown") // of "swallow", which no terminal ever reports
	if got := len(proxy.targets("cut")); got == 0 || sent("order-4") != 1 || sent(order) != 0 {
		t.Errorf("after the doubts: %d and %d requests, want 1 that came and 0 that did not", sent("order-4"), sent(order))
	}
	if got := s.attempts(id); len(got) != 1 {
		t.Errorf("a doubt was sent again: %v", got)
	}
	if log := server.log(); strings.Contains(log, "s3cret") || !strings.Contains(log, "the proxy answered 403 to CONNECT") {
		t.Errorf("the log has the password, or lacks what the proxy answered:\n%s", log)
	}
}

// TestAProxyThatWantsAnotherPassword: nothing is sent, and the connection page says why.
func TestAProxyThatWantsAnotherPassword(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t, "127.0.0.1:0")
	s := newShop(t)
	file := t.TempDir() + "/proxy"
	must(t, os.WriteFile(file, []byte(proxy.setting("tienda:s3cret-other")+"\n"), 0o600))
	server := s.serve("CANCEL_PROXY_FILE=" + file)
	ana := s.signIn(server, "ana@shop.example")
	order, id := s.sell(0, "")
	ana.cancel(id, true)
	eventually(t, 30*time.Second, "an attempt has ended", func() bool { return len(s.attempts(id)) > 0 })
	if got := s.attempts(id)[0]; got != "notSent/dialFailed" || len(ledgerRequests(t, s.box.url, "cancel", order)) != 0 {
		t.Errorf("%s, want notSent", got)
	}
	if log := server.log(); strings.Contains(log, "s3cret") || !strings.Contains(log, "407") {
		t.Errorf("the log has the password, or lacks 407:\n%s", log)
	}
}

// TestDeliveriesBehindAProxy: a delivery goes by way of the proxy, waits while that refuses,
// and arrives when it allows it.
func TestDeliveriesBehindAProxy(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t, "127.0.0.1:0")
	f := newForwarding(t)
	f.server.end(syscall.SIGTERM)
	f.server = f.shop.serve(relayKey, "DELIVERY_ALLOW_PRIVATE=true", "DELIVERY_PROXY="+proxy.setting(proxyCredentials))
	f.diego = f.signIn(f.server, adminEmail)
	proxy.mode("refuse")
	secret := f.endpoint("relay", "caja", "/proxied")
	body := f.post(0)
	eventually(t, 30*time.Second, "the proxy has refused a delivery", func() bool { return len(proxy.targets("refuse")) > 0 })
	if got := f.to.received("/proxied"); len(got) != 0 {
		t.Errorf("%d arrived although the proxy refused them", len(got))
	}
	proxy.mode("ok")
	eventually(t, 60*time.Second, "it has arrived", func() bool { return len(f.to.received("/proxied")) > 0 })
	got := f.to.received("/proxied")[0]
	if got.Body != body || !got.signed(secret) {
		t.Errorf("%q arrived, want what was posted, signed", got.Body)
	}
	if target := strings.TrimPrefix(f.to.url, "http://"); proxy.targets("ok")[0] != target {
		t.Errorf("the proxy was asked for %v, want %s", proxy.targets("ok"), target)
	}
	if strings.Contains(f.server.log(), "s3cret") {
		t.Error("the log has the proxy's password")
	}
}
