package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// measureClicks posts "Sí, cancelar" as a browser does, one click after another on
// free terminals, and reads from the database when each first byte left for the
// service. It clicks only until 19:55, so outside the window nothing is measured and
// the numbers stay zero.
func (b *bench) measureClicks(ctx context.Context) error {
	if !b.now.Before(b.calendar.Cutoff(b.now).Add(-5 * time.Minute)) {
		b.progress("after the cut-off nothing can be clicked: no click is measured")
		return nil
	}
	b.progress("clicks and posts")
	return b.clicking(ctx, func(c *clicker, _ *lab.Process) error { return c.run(ctx) })
}

// clicking starts a sandbox and a server, and calls measure with a signed-in user.
func (b *bench) clicking(ctx context.Context, measure func(*clicker, *lab.Process) error, settings ...string) error {
	box, _, err := b.start(ctx, b.Bin, "/control/state", []string{"SANDBOX_ACCESS_TOKEN=bench"},
		"sandbox", "--addr", "ADDR", "--ledger", "", "--latency", "1ms", "--result-delay", "20ms")
	if err != nil {
		return err
	}
	defer func() { _ = box.Stop() }()
	p, _, err := b.serve(ctx, append(settings, "CANCEL_BASE_URL=http://"+box.Addr)...)
	if err != nil {
		return err
	}
	defer func() { _ = p.Stop() }()
	conn, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	person := &browser{base: "http://" + p.Addr, cookie: b.supervisor}
	page, err := person.page("/sales?store=1")
	if err != nil {
		return err
	}
	return measure(&clicker{bench: b, conn: conn, box: "http://" + box.Addr, browser: person, csrf: token(page)}, p)
}

type clicker struct {
	*bench
	*browser
	conn *pgx.Conn
	box  string
	csrf string
}

// run makes a sale on each of some terminals, then cancels it.
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
	if err := c.control(ctx, http.MethodPut, "/control/config",
		map[string]any{"responseURL": c.base + "/results/" + resultsSecret}); err != nil {
		return err
	}
	var posts, clicks []time.Duration
	for i, t := range terminals {
		if err := c.control(ctx, http.MethodPut, "/control/terminals/"+t.Serial, map[string]any{"merchantId": t.Merchant}); err != nil {
			return err
		}
		order := fmt.Sprintf("bench-%d-%s", i, rand.Text()[:8])
		begin := time.Now()
		sale := map[string]any{"serialNumber": t.Serial, "amount": "120.50", "orderId": order}
		if err := c.control(ctx, http.MethodPost, "/control/sales", sale); err != nil {
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

// click sends the form and waits until the attempt's first byte is recorded.
func (c *clicker) click(ctx context.Context, order string) (time.Duration, error) {
	var sale int64
	if err := c.conn.QueryRow(ctx, "SELECT id FROM sales WHERE order_id = $1", order).Scan(&sale); err != nil {
		return 0, fmt.Errorf("find sale %s: %w", order, err)
	}
	begin := time.Now()
	form := url.Values{"csrf": {c.csrf}, "click": {rand.Text()}, "reason": {"customerRequest"}}
	body := strings.NewReader(form.Encode())
	resp, err := c.send(http.MethodPost, fmt.Sprintf("/sales/%d/cancellation", sale), "application/x-www-form-urlencoded", body)
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

func (c *clicker) control(ctx context.Context, method, path string, body any) error {
	return lab.Control(ctx, http.DefaultClient, method, c.box, path, body, nil)
}
