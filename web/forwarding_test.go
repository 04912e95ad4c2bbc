package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/webhooks"
	"veinte/models/wiring"
)

// relayKey encrypts stored data in these tests.
const relayKey = "RELAY_KEY=c2VhbGluZyBrZXkgb2YgdGhlIHRlc3RzLCAzMiBieXQ="

// adminEmail is the administrator who manages the endpoints.
const adminEmail = "diego@shop.example"

// forwardingShop is a shop whose results and events go to a merchant's program.
type forwardingShop struct {
	*shop
	to     *merchant
	diego  *browser
	server *proc
	admin  string // address of the metrics
	n      [3]int // posts of each terminal so far
}

func newForwarding(t *testing.T) *forwardingShop {
	t.Helper()
	f := &forwardingShop{shop: newShop(t), to: newMerchant(t)}
	_, err := wiring.Over(f.db).Accounts.CreateUser(context.Background(),
		models.System("test", ""), accounts.Input{
			Email: adminEmail, Name: "Diego", Role: models.Administrator, AllStores: true, Password: "una clave de taller",
		})
	must(t, err)
	f.serve()
	return f
}

func (f *forwardingShop) serve() {
	f.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(f.t, err)
	f.admin = ln.Addr().String()
	must(f.t, ln.Close())
	f.server = f.shop.serve(relayKey, "DELIVERY_ALLOW_PRIVATE=true", "ADMIN_ADDR="+f.admin)
	f.diego = f.signIn(f.server, adminEmail)
}

var secretShown = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// endpoint adds an endpoint by its form and returns its secret.
func (f *forwardingShop) endpoint(kind, name, path string) string {
	f.t.Helper()
	return f.endpointAt(kind, name, f.to.url+path)
}

func (f *forwardingShop) endpointAt(kind, name, address string) string {
	f.t.Helper()
	form := url.Values{"kind": {kind}, "name": {name}, "url": {address}, "allStores": {"on"}}
	for _, e := range webhooks.WebhookEvents {
		form.Add("events", string(e))
	}
	code, text := f.diego.post("/endpoints/new?kind="+kind, "/endpoints", form)
	// The page escapes the secret.
	secret := secretShown.FindString(strings.ReplaceAll(text, "&#43;", "+"))
	if code != http.StatusCreated || secret == "" {
		f.t.Fatalf("add endpoint %s: %d\n%s", name, code, text)
	}
	if kind == "relay" { // as one that was there before, which gets what came
		must(f.t, f.db.InTx(context.Background(), func(t database.Tx) error {
			if err := t.Exec(`UPDATE endpoints SET relay_body = 'original' WHERE name = ?`, name).Error; err != nil {
				return err
			}
			return audit.Record(t, models.System("test", ""), time.Now(), models.ActionEndpointChanged, models.OutcomeSuccess, audit.About{})
		}))
	}
	return secret
}

// post posts the next sale of a terminal, and returns the body.
func (f *forwardingShop) post(terminal int) string {
	f.t.Helper()
	f.n[terminal]++
	// As terminals write: with spaces, fields that are not stored, a card number.
	body := fmt.Sprintf("{ \"transType\":\"A\",\"responseCode\" : \"00\", \"n\":%d,\r\n\"terminalId\":%q, "+
		"\"storeId\":\"90000%d\",\"amount\":\"12.50\",\"orderId\":\"r%d-%d\","+
		"\"customerName\":\"JUANA PÉREZ\",\"cardNumber\":\"411111******1111\",\"bin\":\"411111\"}",
		f.n[terminal], serial(terminal), terminal, terminal, f.n[terminal])
	began := time.Now()
	resp, err := http.Post(f.server.url+resultsPath, "application/json; charset=utf-8", strings.NewReader(body))
	must(f.t, err)
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"00"`) {
		f.t.Errorf("the terminal was answered %s: %s", resp.Status, text)
	}
	if took := time.Since(began); took > 10*time.Second {
		f.t.Errorf("the terminal waited %s", took)
	}
	return body
}

// round posts a few times from every terminal, all of them concurrently.
func (f *forwardingShop) round(times int, sent *[3][]string) {
	f.t.Helper()
	var all sync.WaitGroup
	for terminal := range 3 {
		all.Go(func() {
			for range times {
				sent[terminal] = append(sent[terminal], f.post(terminal))
			}
		})
	}
	all.Wait()
}

// measures waits for a line of the metrics.
func (f *forwardingShop) measures(line string) {
	f.t.Helper()
	eventually(f.t, 20*time.Second, "the metrics say "+line, func() bool {
		resp, err := http.Get("http://" + f.admin + "/metrics")
		must(f.t, err)
		_, text := read(f.t, resp)
		return strings.Contains(text, "\n"+line+"\n")
	})
}

// seen waits until the receiver has new messages at a path.
func (f *forwardingShop) seen(path string, more int) {
	f.t.Helper()
	before := len(f.to.received(path))
	eventually(f.t, 60*time.Second, "the receiver hears of "+path, func() bool { return len(f.to.received(path)) >= before+more })
}

// The receiver fails, stalls, cuts connections, and recovers; the server is killed
// meanwhile. Nothing is lost, each terminal's order is preserved, and no terminal
// waits for the receiver.
func TestForwardingSurvives(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	secret := f.endpoint("relay", "Punto de venta", "/pos?key=hidden")
	var sent [3][]string
	f.round(2, &sent)
	eventually(t, 20*time.Second, "what came is forwarded", func() bool { return len(f.to.received("/pos")) == 6 })
	f.to.mode("fail")
	f.round(3, &sent)
	f.seen("/pos", 3)
	f.measures(`veinte_deliveries_waiting{endpoint="Punto de venta",kind="relay",state="active"} 9`)
	f.measures(`veinte_deliveries_failed{endpoint="Punto de venta",kind="relay",state="active"} 0`)
	f.to.mode("cut")
	f.round(3, &sent)
	f.seen("/pos", 3)
	f.to.mode("stall")
	f.round(3, &sent)
	f.seen("/pos", 1)
	f.server.end(syscall.SIGKILL)
	f.serve()
	f.round(3, &sent)
	f.to.mode("ok")
	arrived := func() (bodies [3][]string) {
		for _, r := range f.to.received("/pos") {
			if r.Status == http.StatusOK {
				terminal := slices.IndexFunc([]int{0, 1, 2}, func(i int) bool { return strings.Contains(r.Body, serial(i)) })
				bodies[terminal] = append(bodies[terminal], r.Body)
			}
		}
		return bodies
	}
	eventually(t, 2*time.Minute, "everything has arrived", func() bool {
		got := arrived()
		return slices.Equal(slices.Compact(got[0]), sent[0]) && slices.Equal(slices.Compact(got[1]), sent[1]) &&
			slices.Equal(slices.Compact(got[2]), sent[2])
	})
	f.checkHeard(secret)
	f.checkKept()
}

// A relay to our own results endpoint ends after one round, and nobody hides a post from
// the merchant by saying that it was forwarded.
func TestForwardingToItself(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	f.endpoint("relay", "Punto de venta", "/pos")
	f.endpointAt("relay", "Nosotros", f.server.url+resultsPath)
	body := f.post(0)
	all := func() int { return f.count(`SELECT count(*) FROM deliveries`) }
	eventually(t, 30*time.Second, "both relays have it, and it has come back", func() bool {
		return f.count(`SELECT count(*) FROM deliveries WHERE state = 'delivered'`) == 2 && f.count(`SELECT count(*) FROM results`) == 2
	})
	if got := all(); got != 2 {
		t.Errorf("%d deliveries of one post, want one to each relay", got)
	}

	forged := strings.Replace(body, `r0-1`, `r0-2`, 1)
	req, err := http.NewRequest(http.MethodPost, f.server.url+resultsPath, strings.NewReader(forged))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Veinte-Delivery", "1")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	resp.Body.Close()
	eventually(t, 30*time.Second, "the merchant has it too", func() bool {
		return len(f.to.received("/pos")) == 2 && f.count(`SELECT count(*) FROM results`) == 4
	})
	if got := f.to.received("/pos")[1].Body; got != forged {
		t.Errorf("the merchant has %q, want %q", got, forged)
	}
	if got := all(); got != 4 {
		t.Errorf("%d deliveries of two posts, want one of each to each relay", got)
	}
}

// checkHeard checks every message, also those without a response.
func (f *forwardingShop) checkHeard(secret string) {
	f.t.Helper()
	last, ids := map[string]int{}, map[string]string{}
	for _, r := range f.to.received("/pos") {
		var body struct {
			N          int    `json:"n"`
			TerminalID string `json:"terminalId"`
		}
		must(f.t, json.Unmarshal([]byte(r.Body), &body))
		if body.N < last[body.TerminalID] || body.N > last[body.TerminalID]+1 {
			f.t.Errorf("terminal %s: message %d after %d", body.TerminalID, body.N, last[body.TerminalID])
		}
		last[body.TerminalID] = body.N
		if !r.signed(secret) {
			f.t.Errorf("message %s is not signed: %v", r.Body, r.Header)
		}
		id := r.Header.Get("webhook-id")
		if was, known := ids[id]; known && was != r.Body || r.Header.Get("X-Veinte-Body") != "original" || r.Path != "/pos?key=hidden" {
			f.t.Errorf("message %s at %s: %v", r.Body, r.Path, r.Header)
		}
		ids[id] = r.Body
		if got := r.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
			f.t.Errorf("content type %q", got)
		}
	}
	if want := f.n[0] + f.n[1] + f.n[2]; len(ids) != want {
		f.t.Errorf("%d different messages, want %d", len(ids), want)
	}
}

// checkKept searches everything for data that must not be stored.
func (f *forwardingShop) checkKept() {
	f.t.Helper()
	ctx := context.Background()
	eventually(f.t, 20*time.Second, "nothing waits", func() bool {
		var waiting int
		must(f.t, f.db.Pool().QueryRow(ctx, `SELECT count(*) FROM deliveries
			WHERE state <> 'delivered' OR sealed_body IS NOT NULL`).Scan(&waiting))
		return waiting == 0
	})
	for _, table := range []string{"results", "deliveries", "delivery_tries", "endpoints", "audit_entries"} {
		var found int
		must(f.t, f.db.Pool().QueryRow(ctx, `SELECT count(*) FROM `+table+` t
			WHERE t::text LIKE ANY ('{%JUANA%,%key=hidden%,%whsec%,%411111%}')`).Scan(&found))
		if found > 0 {
			f.t.Errorf("%d rows of %s hold what they must not", found, table)
		}
	}
	if log := f.server.log(); strings.Contains(log, "JUANA") || strings.Contains(log, "key=hidden") || strings.Contains(log, "whsec") {
		f.t.Errorf("the log holds what it must not:\n%s", log)
	}
	if _, page := f.diego.get("/endpoints/1"); strings.Contains(page, "key=hidden") || strings.Contains(page, "whsec") ||
		!strings.Contains(page, f.to.url+"/…/***") {
		f.t.Error("the page of the endpoint shows what it must not, or not where it is")
	}
}

// Each step of a cancellation is published, and its terminal's result is forwarded
// without the id of our attempt.
func TestCancellationIsTold(t *testing.T) {
	t.Parallel()
	f := newForwarding(t)
	secret := f.endpoint("webhook", "ERP", "/erp")
	f.endpoint("relay", "Punto de venta", "/pos")
	order, id := f.sell(0, "")
	ana := f.signIn(f.server, "ana@shop.example")
	ana.cancel(id, true)
	f.becomes(id, 30*time.Second, "confirmed")
	type event struct {
		Type string         `json:"type"`
		Data map[string]any `json:"data"`
	}
	var events []event
	eventually(t, 20*time.Second, "the last step is published", func() bool {
		events = nil
		for _, r := range f.to.received("/erp") {
			var e event
			must(t, json.Unmarshal([]byte(r.Body), &e))
			events = append(events, e)
			if !r.signed(secret) {
				t.Errorf("not signed: %v", r.Header)
			}
		}
		return len(events) > 0 && events[len(events)-1].Type == "cancellation.confirmed"
	})
	var types []string
	for i, e := range events {
		types = append(types, e.Type)
		if e.Data["orderId"] != order || e.Data["sequence"] != float64(i+1) || e.Data["amount"] != "120.50" || e.Data["store"] != "A" ||
			e.Data["serialNumber"] != serial(0) || e.Data["merchantId"] != "900000" || "cancellation."+fmt.Sprint(e.Data["state"]) != e.Type {
			t.Errorf("event %d = %+v", i, e)
		}
	}
	if want := []string{
		"cancellation.requested", "cancellation.sending", "cancellation.accepted",
		"cancellation.confirmed",
	}; !slices.Equal(types, want) {
		t.Errorf("events = %v, want %v", types, want)
	}

	eventually(t, 20*time.Second, "both results are forwarded", func() bool { return len(f.to.received("/pos")) == 2 })
	attempt, _ := ledgerRequests(t, f.box.url, "cancel", order)[0]["traceability"].(map[string]any)["attemptId"].(string)
	result := f.to.received("/pos")[1]
	if attempt == "" || strings.Contains(result.Body, "attemptId") || !strings.Contains(result.Body, `"traceability":{}`) {
		t.Errorf("the merchant's own object, which is empty, does not come back in %s", result.Body)
	}
	for _, r := range append(f.to.received("/erp"), f.to.received("/pos")...) {
		if strings.Contains(r.Body+fmt.Sprint(r.Header), attempt) {
			t.Errorf("the attempt id %q left: %+v", attempt, r)
		}
	}
}
