package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// measureClicks presses "Sí, cancelar" as a browser does, one after another on
// terminals that are free, and reads from the database when the first byte of
// each left for the service. It clicks as late as 19:55 allows, so outside the
// window there is nothing to measure and the numbers stay zero.
func (b *bench) measureClicks(ctx context.Context) error {
	if !b.now.Before(b.calendar.Cutoff(b.now).Add(-5 * time.Minute)) {
		b.progress("after the cut-off nothing can be clicked: no click is measured")
		return nil
	}
	box, _, err := startProcess(ctx, b.Bin, "/control/state", []string{"SANDBOX_ACCESS_TOKEN=bench"},
		"sandbox", "--addr", "ADDR", "--ledger", "", "--latency", "1ms", "--result-delay", "20ms")
	if err != nil {
		return err
	}
	defer func() { _ = box.stop() }()
	p, _, err := b.serve(ctx, "CANCEL_BASE_URL=http://"+box.addr)
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }()
	conn, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	b.progress("clicks and posts")
	c := &clicker{bench: b, conn: conn, box: "http://" + box.addr, server: "http://" + p.addr}
	if err := c.signedIn(); err != nil {
		return err
	}
	return c.run(ctx)
}

type clicker struct {
	*bench
	conn        *pgx.Conn
	box, server string
	browser     *http.Client
	csrf        string
}

func (c *clicker) signedIn() error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	at, err := url.Parse(c.server)
	if err != nil {
		return err
	}
	jar.SetCookies(at, []*http.Cookie{{Name: "veinte_session", Value: c.supervisor}})
	c.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := fetch(target{c.server + "/sales?store=1", c.supervisor})
	if err != nil {
		return err
	}
	found := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindSubmatch(page)
	if found == nil {
		return errors.New("the page has no form token")
	}
	c.csrf = string(found[1])
	return nil
}

// run lets each of some terminals post a sale, then cancels it.
func (c *clicker) run(ctx context.Context) error {
	rows, err := c.conn.Query(ctx, `SELECT t.serial_number, a.merchant_id FROM terminals t JOIN assignments a ON a.terminal_id = t.id
		WHERE a.store_id BETWEEN $1 AND $2 ORDER BY t.id`, busyStore+1, busyStore+clickStores)
	if err != nil {
		return err
	}
	type terminal struct{ Serial, Merchant string }
	terminals, err := pgx.CollectRows(rows, pgx.RowToStructByPos[terminal])
	if err != nil {
		return err
	}
	if err := c.control(http.MethodPut, "/control/config", map[string]any{"responseURL": c.server + "/results/" + resultsSecret}); err != nil {
		return err
	}
	var posts, clicks []time.Duration
	for i, t := range terminals {
		if err := c.control(http.MethodPut, "/control/terminals/"+t.Serial, map[string]any{"merchantId": t.Merchant}); err != nil {
			return err
		}
		order := fmt.Sprintf("bench-%d-%s", i, rand.Text()[:8])
		begin := time.Now()
		if err := c.control(http.MethodPost, "/control/sales", map[string]any{"serialNumber": t.Serial, "amount": "120.50", "orderId": order}); err != nil {
			return err
		}
		posts = append(posts, time.Since(begin))
		took, err := c.click(ctx, order)
		if err != nil {
			return err
		}
		clicks = append(clicks, took)
	}
	c.report.ResultP99 = ms(quantile(posts, 0.99))
	c.report.ClickMedian, c.report.ClickP99 = ms(quantile(slices.Clone(clicks), 0.5)), ms(quantile(clicks, 0.99))
	return nil
}

// click sends the form and waits until the attempt's first byte is on record.
func (c *clicker) click(ctx context.Context, order string) (time.Duration, error) {
	var sale int64
	if err := c.conn.QueryRow(ctx, "SELECT id FROM sales WHERE order_id = $1", order).Scan(&sale); err != nil {
		return 0, fmt.Errorf("find sale %s: %w", order, err)
	}
	begin := time.Now()
	resp, err := c.browser.PostForm(fmt.Sprintf("%s/sales/%d/cancellation", c.server, sale),
		url.Values{"csrf": {c.csrf}, "click": {rand.Text()}, "reason": {"customerRequest"}})
	if err != nil {
		return 0, fmt.Errorf("click: %w", err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		return 0, fmt.Errorf("click: status %d", resp.StatusCode)
	}
	for time.Since(begin) < 10*time.Second {
		var left time.Time
		err := c.conn.QueryRow(ctx, `SELECT a.first_byte_at FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
			WHERE c.sale_id = $1 AND a.first_byte_at IS NOT NULL`, sale).Scan(&left)
		if err == nil {
			return left.Sub(begin), nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return 0, errors.New("click: nothing was sent")
}

func (c *clicker) control(method, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, c.box+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("sandbox %s: %s", path, resp.Status)
	}
	return nil
}
