package web

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// demoAt starts a demo at an instant and waits until it has printed everything.
func demoAt(t *testing.T, at time.Time) (p *proc, printed func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "veinte-demo")
	must(t, err)
	must(t, os.Chmod(dir, 0o711)) // root runs PostgreSQL as another user, who enters it
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	out := &proc{t: t}
	p = &proc{t: t, done: make(chan struct{})}
	p.cmd = exec.Command(program, "demo", "--addr", "127.0.0.1:0", "--data", dir, "--at", at.Format(time.RFC3339))
	p.cmd.Stdout, p.cmd.Stderr = out, p
	must(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		if p.end(syscall.SIGTERM); t.Failed() {
			t.Log(p.log())
		}
	})
	ended := func() bool {
		select {
		case <-p.done:
			return true
		default:
			return false
		}
	}
	eventually(t, 2*time.Minute, "the demo has printed its lines", func() bool { return ended() || strings.Contains(out.log(), "Ctrl-C") })
	if ended() {
		t.Fatal("the demo ended")
	}
	p.url = regexp.MustCompile(`http://\S+`).FindString(out.log())
	return p, out.log
}

// TestTheDemoAtAnotherInstant has a demo days ahead take the commands of the API's
// guide, with a key that was made in it and the line that it prints, and send webhooks
// that a receiver takes which refuses what is older than five minutes.
func TestTheDemoAtAnotherInstant(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Mexico_City")
	must(t, err)
	y, m, d := time.Now().In(zone).AddDate(0, 0, 100).Date()
	noon := time.Date(y, m, d, 12, 0, 0, 0, zone)
	p, printed := demoAt(t, noon)
	line := func(name string) string {
		return regexp.MustCompile(`(?m)^  ` + name + `=(\S+)$`).FindStringSubmatch(printed())[1]
	}
	s := &shop{t: t, box: &proc{t: t, url: line("SANDBOX")}}
	diego := s.signInAs(p, "diego@tiendas.example", "terminales-2000")

	to := newMerchant(t)
	code, text := diego.post("/endpoints/new?kind=webhook", "/endpoints", url.Values{
		"kind": {"webhook"}, "name": {"Programa"}, "url": {to.url + "/events"}, "allStores": {"on"}, "events": {"cancellation.confirmed"},
	})
	secret := secretShown.FindString(strings.ReplaceAll(text, "&#43;", "+"))
	if code != http.StatusCreated || secret == "" {
		t.Fatalf("add an endpoint: %d\n%s", code, text)
	}
	code, text = diego.post("/settings/keys/new", "/settings/keys", url.Values{
		"name": {"Caja"}, "allStores": {"on"}, "pace": {"normal"}, "days": {"30"},
		"scopes": {"sales:write", "sales:read", "cancellations:write", "cancellations:read"},
	})
	key := regexp.MustCompile(`vk_live_[a-z2-7]+`).FindString(text)
	if code != http.StatusOK || key == "" {
		t.Fatalf("make a key: %d\n%s", code, text)
	}

	s.control(http.MethodPost, "/control/sales", `{"serialNumber":"1490001001","amount":"1250.00","orderId":"of-the-guide","last4":"4242"}`)
	said := strings.Split(s.typed(quickStart, "VEINTE_URL="+p.url, "VEINTE_KEY="+key, "TERMINAL=1490001001", "ORDER=of-the-guide",
		"SOLD_AT="+line("SOLD_AT")), "----")
	for i, want := range []string{"", `"status":"`, `"canceled":"no"`, `"canceled":"inProgress"`, `"canceled":"yes"`} {
		if i >= len(said) || !strings.Contains(said[i], want) {
			t.Errorf("step %d does not say %s:\n%s", i+1, want, said)
		}
	}

	eventually(t, 30*time.Second, "the webhook of the cancellation arrives", func() bool { return len(to.received("/events")) > 0 })
	got := to.received("/events")[0]
	sent, err := strconv.ParseInt(got.Header.Get("webhook-timestamp"), 10, 64)
	must(t, err)
	if off := time.Since(time.Unix(sent, 0)).Abs(); off > 5*time.Minute || !got.signed(secret) {
		t.Errorf("a receiver sees a message that is %s off and signed: %t", off, got.signed(secret))
	}
	if day := noon.Format(time.DateOnly); !strings.Contains(got.Body, `"timestamp":"`+day) {
		t.Errorf("the message is not of the demo's day %s: %s", day, got.Body)
	}
}
