package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
)

// target is an address that sqlmap tries, with what makes it an honest request. An
// asterisk in it, or in the body, is a place to try besides the query.
type target struct {
	name, address, body string
	headers             []string
}

// open is an error unless the address answers as it is: what leads to the sign-in is not
// tried at all.
func (t target) open(ctx context.Context) error {
	method := http.MethodGet
	if t.body != "" {
		method = http.MethodPost
	}
	plain := strings.NewReplacer("*", "")
	req, err := http.NewRequestWithContext(ctx, method, plain.Replace(t.address), strings.NewReader(plain.Replace(t.body)))
	if err != nil {
		return err
	}
	for _, h := range t.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s is answered %d, so it would not be tried", t.address, resp.StatusCode)
	}
	return nil
}

func (t target) args() []string {
	args := []string{"-u", t.address}
	if t.body != "" {
		args = append(args, "--data", t.body)
	}
	for _, h := range t.headers {
		args = append(args, "-H", h)
	}
	return args
}

// inject has sqlmap try the filters of the pages and the operations of the API.
func (s *shop) inject(ctx context.Context) error {
	if _, err := exec.LookPath("sqlmap"); err != nil {
		fmt.Println("sqlmap: *not run*, because it is not installed (Debian: apt install sqlmap)")
		return nil
	}
	dir, err := os.MkdirTemp("", "veinte-sqlmap-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	canary, err := s.injectable(ctx)
	if err != nil {
		return err
	}
	hit, _, err := sqlmap(ctx, dir, target{address: canary + "/find?q=pedido-0100"})
	if err != nil || !hit {
		return errors.Join(errors.New("sqlmap did not find the injection that is there on purpose: this is no proof of anything"), err)
	}
	fmt.Println("sqlmap: canary found")
	for _, t := range s.targets() {
		if only := flag.Args(); len(only) > 0 && !slices.Contains(only, t.name) {
			continue
		}
		if err := t.open(ctx); err != nil {
			return err
		}
		began := time.Now()
		hit, refused, err := sqlmap(ctx, dir, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if hit {
			return fmt.Errorf("%s can be injected", t.name)
		}
		fmt.Printf("sqlmap: %-40s not injectable (%d s; refused: %s)\n", t.name, int(time.Since(began).Seconds()), refused)
	}
	return nil
}

// targets are the filters of the lists, as the supervisor of all, and the API.
func (s *shop) targets() (list []target) {
	today, sale := s.Today(), s.sales[0][0]
	var cookie string
	for _, p := range s.people {
		if p.role == models.Supervisor && p.store < 0 {
			cookie = p.Cookies()
		}
	}
	pages := map[string]string{
		"sales":              "/sales?date=" + today + "&state=confirmed&q=pedido",
		"sales of a store":   "/sales?store=1&terminal=" + sale.Serial,
		"the trail":          "/audit?from=" + today + "&to=" + today + "&action=cancellation.requested&q=pedido&reason=x",
		"the trail, of whom": "/audit?person=1&role=manager&outcome=success&terminal=" + sale.Serial + "&sale=1&order=pedido",
		"patterns":           "/oversight/patterns?kind=person&from=" + today + "&to=" + today,
		"results":            "/results?show=all&q=pedido&serial=" + sale.Serial,
		"pending":            "/sales/pending?date=" + today,
		"a sale":             "/sales/" + strconv.FormatInt(sale.ID, 10) + "*",
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		list = append(list, target{name: name, address: s.at.URL + pages[name], headers: []string{"Cookie: " + cookie}})
	}
	api := s.at.URL + "/api/v1/sales"
	body := fmt.Sprintf(`{"serialNumber":"%s*","orderId":"a*","amount":"1.00*","soldAt":"%s*","folio":"f*"}`,
		sale.Serial, time.Now().Format(time.RFC3339))
	for _, t := range []target{
		{name: "API, a list", address: api + "?date=" + today + "&store=S0&state=confirmed"},
		{name: "API, an order", address: api + "/" + sale.OrderID + "*"},
		{name: "API, an order of a terminal", address: api + "/" + sale.OrderID + "?serialNumber=" + sale.Serial},
		{name: "API, a body", address: api, body: body},
	} {
		t.headers = []string{"Authorization: Bearer " + s.keys[0].secret, "Content-Type: application/json"}
		list = append(list, t)
	}
	return list
}

// sqlmap tries one target, without techniques that go by the time of answers: on a busy
// machine these find what is not there. It reports whether it found a way in, and what
// was refused: a target that refuses everything was not tried.
func sqlmap(ctx context.Context, dir string, t target) (found bool, refused string, err error) {
	args := append([]string{
		"--batch", "--flush-session", "--output-dir", dir, "--disable-coloring", "--technique", "BEU", "--dbms", "PostgreSQL", "--level", "1",
		"--threads", "2", "--timeout", "30", "--skip-waf", "--ignore-code", "*", "--answers", "crack=N,dict=N,process=Y",
	}, t.args()...)
	out, err := exec.CommandContext(ctx, "sqlmap", args...).CombinedOutput()
	text := string(out)
	refused = "nothing"
	if _, codes, ok := strings.Cut(text, "error codes detected during run:\n"); ok {
		refused, _, _ = strings.Cut(codes, "\n")
	}
	switch {
	case strings.Contains(text, "identified the following injection point"):
		return true, refused, nil
	case strings.Contains(text, "do not appear to be injectable"):
		return false, refused, nil
	}
	return false, "", fmt.Errorf("sqlmap did not judge (%w): %s", err, text[max(0, len(text)-1500):])
}

// injectable serves a page that puts its query into SQL as it comes: what sqlmap must find.
func (s *shop) injectable(ctx context.Context) (address string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	page := http.NewServeMux()
	page.HandleFunc("/find", func(w http.ResponseWriter, r *http.Request) {
		var n int
		err := s.Pool.QueryRow(ctx, "SELECT count(*) FROM sales WHERE order_id = '"+r.URL.Query().Get("q")+"'").Scan(&n)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "sales:", n)
	})
	server := &http.Server{Handler: page, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return "http://" + ln.Addr().String(), nil
}
