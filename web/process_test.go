package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

// proc is the program running as a process of its own.
type proc struct {
	t    testing.TB
	cmd  *exec.Cmd
	url  string
	mu   sync.Mutex
	logs bytes.Buffer
	done chan struct{}
}

// start runs the program; ADDR in its arguments becomes a free address. The port is free when
// it is chosen: should a connection of another test have taken it meanwhile, it is another one.
func start(t testing.TB, env []string, ready string, args ...string) *proc {
	t.Helper()
	for {
		p := spawn(t, env, args)
		if ready == "" || p.answers(ready) { // veinte seal listens to nothing
			return p
		}
		if !strings.Contains(p.log(), "address already in use") {
			t.Fatalf("%s ended before it answered; its log:\n%s", args[0], p.log())
		}
	}
}

func spawn(t testing.TB, env, args []string) *proc {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	p := &proc{t: t, cmd: exec.Command(program), url: "http://" + addr, done: make(chan struct{})}
	for _, a := range args {
		p.cmd.Args = append(p.cmd.Args, strings.ReplaceAll(a, "ADDR", addr))
	}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, env...)
	p.cmd.Stderr = p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

// Write stores what the process writes to standard error.
func (p *proc) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs.Write(b)
}

func (p *proc) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs.String()
}

// await waits until the process answers.
func (p *proc) await(path string) {
	p.t.Helper()
	if !p.answers(path) {
		p.t.Fatalf("it ended before %s answered; its log:\n%s", path, p.log())
	}
}

// answers waits until the process answers or has ended, and reports which it was.
func (p *proc) answers(path string) (answers bool) {
	p.t.Helper()
	eventually(p.t, 2*time.Minute, p.url+path+" answers", func() bool {
		select {
		case <-p.done:
			return true
		default:
		}
		resp, err := http.Get(p.url + path)
		if err != nil {
			return false
		}
		resp.Body.Close()
		answers = resp.StatusCode == http.StatusOK
		return answers
	})
	return answers
}

// end signals the process and waits until it has ended.
func (p *proc) end(signal syscall.Signal) int {
	p.t.Helper()
	_ = p.cmd.Process.Signal(signal)
	select {
	case <-p.done:
	case <-time.After(60 * time.Second):
		p.t.Errorf("the process did not end; its log:\n%s", p.log())
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	return p.cmd.ProcessState.ExitCode()
}

// eventually waits for a condition.
func eventually(t testing.TB, most time.Duration, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < most; <-tick.C {
		if f() {
			return
		}
	}
	t.Fatalf("after %s it is still not so that %s", most, what)
}

// shop is everything that a store needs: a database, the service with its
// terminals, people, and servers that can be started and killed.
type shop struct {
	t     *testing.T
	db    *database.DB
	dbURL string // as the application
	box   *proc
	sale  int

	ownerURL string // of the same database
}

const resultsPath = "/results/results-secret-0123456789"

// newShop opens a shop; more are arguments of its sandbox.
func newShop(t *testing.T, more ...string) *shop {
	t.Helper()
	s := &shop{t: t}
	s.dbURL, s.ownerURL = modelstest.URLs(t)
	s.db = modelstest.Open(t, s.dbURL)
	s.box = start(t, []string{"SANDBOX_ACCESS_TOKEN=token"}, "/control/state", append([]string{
		"sandbox", "--addr", "ADDR", "--ledger", t.TempDir() + "/ledger.jsonl", "--latency", "5ms", "--result-delay", "100ms", "--any-hour",
	}, more...)...)
	ctx := context.Background()
	services := wiring.New(wiring.Config{DB: s.db, Clock: models.ShiftedClock(0), Window: window(t)})
	admin := models.Actor{UserID: 1, Name: "Diego", Role: models.Administrator, AllStores: true}
	store, err := services.Terminals.CreateStore(ctx, admin, terminals.StoreInput{Code: "A", Name: "Roma", TimeZone: "America/Mexico_City"})
	must(t, err)
	for i := range 3 {
		_, err := services.Terminals.CreateTerminal(ctx, admin, terminals.Input{
			SerialNumber: serial(i), Label: "Caja " + strconv.Itoa(i), MerchantID: "90000" + strconv.Itoa(i), StoreID: store.ID,
		})
		must(t, err)
		s.control(http.MethodPut, "/control/terminals/"+serial(i), `{"merchantId":"90000`+strconv.Itoa(i)+`"}`)
	}
	for _, u := range []accounts.Input{
		{Email: "ana@shop.example", Name: "Ana", Role: models.Manager, StoreIDs: []int64{store.ID}, Password: "una clave de taller"},
		{Email: "sofia@shop.example", Name: "Sofía", Role: models.Supervisor, AllStores: true, Password: "una clave de taller"},
	} {
		_, err := services.Accounts.CreateUser(ctx, models.System("test", ""), u)
		must(t, err)
	}
	return s
}

func serial(i int) string { return "149000000" + strconv.Itoa(i) }

// noonZone is a zone in which it was about noon when the tests began, so that they, which
// run at any hour, are far from the day's ends and its cut-off. It stays the same when the
// hour turns meanwhile.
var noonZone = sync.OnceValue(func() string {
	west := time.Now().UTC().Hour() - 12 // POSIX counts westwards
	return fmt.Sprintf("Etc/GMT%+d", west)
})

func window(t testing.TB) models.Window {
	t.Helper()
	calendar, err := models.NewCalendar("20:00", noonZone())
	must(t, err)
	return models.Window{Calendar: calendar}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a server of the shop.
func (s *shop) serve(more ...string) *proc {
	s.t.Helper()
	env := append([]string{
		"DATABASE_URL=" + s.dbURL, "CANCEL_BASE_URL=" + s.box.url, "ACCESS_TOKEN=token", "ADMIN_ADDR=",
		"RESULTS_SECRET=results-secret-0123456789", "TEST_WAITS=on", "CANCEL_TIMEOUT=2s", "DRAIN_DELAY=0s", "CUTOFF_ZONE=" + noonZone(),
	}, more...)
	p := start(s.t, env, "/readyz", "serve", "--addr", "ADDR")
	s.control(http.MethodPut, "/control/config", `{"responseURL":"`+p.url+resultsPath+`"}`)
	return p
}

func (s *shop) control(method, path, body string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.box.url+path, strings.NewReader(body))
	must(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, text)
	}
}

// sell makes a sale, which its terminal posts, and returns its order number and id.
func (s *shop) sell(terminal int, fault string) (order string, id int64) {
	s.t.Helper()
	s.sale++
	order = "order-" + strconv.Itoa(s.sale)
	s.control(http.MethodPost, "/control/sales",
		`{"serialNumber":"`+serial(terminal)+`","amount":"120.50","orderId":"`+order+`","fault":"`+fault+`"}`)
	eventually(s.t, 10*time.Second, "the sale "+order+" is there", func() bool {
		return s.db.Pool().QueryRow(context.Background(), "SELECT id FROM sales WHERE order_id = $1", order).Scan(&id) == nil
	})
	return order, id
}

func (s *shop) state(saleID int64) string {
	s.t.Helper()
	var state string
	must(s.t, s.db.Pool().QueryRow(context.Background(), "SELECT state FROM sales WHERE id = $1", saleID).Scan(&state))
	return state
}

func (s *shop) becomes(saleID int64, most time.Duration, want string) {
	s.t.Helper()
	eventually(s.t, most, "sale "+strconv.FormatInt(saleID, 10)+" is "+want, func() bool { return s.state(saleID) == want })
}

// browser is a user at a server.
type browser struct {
	t    *testing.T
	http *http.Client
	url  string
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func (s *shop) signIn(p *proc, email string) *browser {
	s.t.Helper()
	return s.signInAs(p, email, "una clave de taller")
}

func (s *shop) signInAs(p *proc, email, password string) *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	b := &browser{t: s.t, http: &http.Client{Jar: jar}, url: p.url}
	if code, text := b.post("/login", "/login", url.Values{"email": {email}, "password": {password}}); code != http.StatusOK {
		s.t.Fatalf("sign in: %d\n%s", code, text)
	}
	return b
}

func (b *browser) get(path string) (int, string) {
	b.t.Helper()
	resp, err := b.http.Get(b.url + path)
	must(b.t, err)
	return read(b.t, resp)
}

// post fills in the form on a page and sends it.
func (b *browser) post(page, path string, form url.Values) (int, string) {
	b.t.Helper()
	_, text := b.get(page)
	token := csrfField.FindStringSubmatch(text)
	if token == nil {
		b.t.Fatalf("%s has no form:\n%s", page, text)
	}
	form.Set("csrf", token[1])
	resp, err := b.http.PostForm(b.url+path, form)
	must(b.t, err)
	return read(b.t, resp)
}

func read(t testing.TB, resp *http.Response) (int, string) {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(text)
}

// cancel clicks the button on a sale's sheet.
func (b *browser) cancel(saleID int64, receipt bool) {
	b.t.Helper()
	path := "/sales/" + strconv.FormatInt(saleID, 10) + "/cancellation"
	form := url.Values{"reason": {"customerRequest"}, "click": {"click-" + strconv.FormatInt(saleID, 10)}}
	form.Set("ticketDate", string(window(b.t).Calendar.Day(time.Now()))) // the order numbers of these tests hold no time
	if receipt {
		form.Set("receipt", "on")
	}
	if code, text := b.post(path+"/new", path, form); code != http.StatusOK {
		b.t.Fatalf("cancel sale %d: %d\n%s", saleID, code, text)
	}
}
