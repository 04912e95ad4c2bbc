package web

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
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
)

// receiverVariable makes this test program a receiver instead: a program of the
// merchant's, as a process of its own, written with the standard library alone.
const receiverVariable = "VEINTE_TEST_RECEIVER"

// received is a message that the receiver got, and its response.
type received struct {
	Path   string
	Status int // 0: no response
	Header http.Header
	Body   string
}

// runReceiver serves until it is killed. POST /mode sets how it responds from now
// on; GET /received returns all messages so far; it prints its address.
func runReceiver() {
	var mu sync.Mutex
	mode, all := "ok", []received{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mode", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		mode = string(text)
	})
	mux.HandleFunc("GET /received", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(w).Encode(all)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		now := mode
		status := map[string]int{"ok": http.StatusOK, "fail": http.StatusInternalServerError, "gone": http.StatusGone}[now]
		all = append(all, received{r.URL.RequestURI(), status, r.Header, string(body)})
		mu.Unlock()
		switch now {
		case "stall":
			<-r.Context().Done()
		case "cut":
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}
		default:
			w.WriteHeader(status)
		}
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("http://" + ln.Addr().String() + "\n")
	_ = http.Serve(ln, mux)
}

// merchant is the receiver as a test sees it.
type merchant struct {
	t   testing.TB
	url string
}

func newMerchant(t testing.TB) *merchant {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), receiverVariable+"=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return &merchant{t: t, url: strings.TrimSpace(line)}
}

func (m *merchant) mode(mode string) {
	m.t.Helper()
	resp, err := http.Post(m.url+"/mode", "text/plain", strings.NewReader(mode))
	must(m.t, err)
	resp.Body.Close()
}

// received returns the messages at a path.
func (m *merchant) received(path string) []received {
	m.t.Helper()
	resp, err := http.Get(m.url + "/received")
	must(m.t, err)
	defer resp.Body.Close()
	var all, here []received
	must(m.t, json.NewDecoder(resp.Body).Decode(&all))
	for _, r := range all {
		if strings.HasPrefix(r.Path, path) {
			here = append(here, r)
		}
	}
	return here
}

// signed verifies a message according to the text of Standard Webhooks, independent
// of our implementation.
func (r received) signed(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, r.Header.Get("webhook-id")+"."+r.Header.Get("webhook-timestamp")+"."+r.Body)
	for _, s := range strings.Fields(r.Header.Get("webhook-signature")) {
		version, given, _ := strings.Cut(s, ",")
		raw, err := base64.StdEncoding.DecodeString(given)
		if version == "v1" && err == nil && hmac.Equal(raw, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// Forged signatures must be detected, or the tests that use signed prove nothing.
func TestSignedFindsOutForgeries(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // with what follows, of the specification's libraries
	good := received{Body: `{"test": 2432232314}`, Header: http.Header{}}
	good.Header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	good.Header.Set("webhook-timestamp", "1614265330")
	good.Header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	if !good.signed(secret) {
		t.Error("the example of the specification is not signed")
	}
	forged := good
	forged.Body += " "
	if forged.signed(secret) || good.signed("whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 32))) {
		t.Error("a forgery is signed")
	}
}
