package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/web/lab"
)

// BenchmarkClicks posts "Sí, cancelar" as a browser does, one click after another on
// free terminals, and reads from the database when each first byte left for the
// service: first-byte-median-ms should be under 5, first-byte-p99-ms under 20, and the
// first ten clicks of a new process, in fresh-max-ms, under 50. A terminal's post of a
// sale waits for its answer.
func BenchmarkClicks(b *testing.B) {
	setup(b).measure(b, func(ctx context.Context, p *build) error {
		return p.clicking(ctx, func(c *clicker, _ *lab.Process) error {
			var clicks, posts []time.Duration
			for n := range 1 + *turns {
				some, of, err := c.click(ctx)
				if err != nil {
					return err
				}
				if n == 0 {
					p.record("fresh-max-ms", ms(slices.Max(some[:10])))
					continue
				}
				clicks, posts = append(clicks, some...), append(posts, of...)
			}
			p.recordTimes("first-byte-", clicks)
			p.recordTimes("post-", posts)
			return nil
		})
	})
}

// clicking starts a sandbox and a server, and calls measure with a signed-in user.
func (p *build) clicking(ctx context.Context, measure func(*clicker, *lab.Process) error, settings ...string) error {
	box, _, err := p.startProcess(ctx, p.bin, "/control/state", []string{"SANDBOX_ACCESS_TOKEN=bench"},
		"sandbox", "--addr", "ADDR", "--ledger", "", "--any-hour", "--latency", "1ms", "--result-delay", "20ms")
	if err != nil {
		return err
	}
	defer func() { _ = box.Stop() }()
	return p.serving(ctx, func(server *lab.Process) error {
		c := &clicker{bench: p.bench, user: user{"http://" + server.Addr, p.supervisor}, box: "http://" + box.Addr}
		page, err := c.get(ctx, "/sales?store=1")
		if err != nil {
			return err
		}
		c.csrf = csrf(page)
		responses := map[string]any{"responseURL": c.base + "/results/" + resultsSecret}
		if err := c.control(ctx, http.MethodPut, "/control/config", responses); err != nil {
			return err
		}
		return measure(c, server)
	}, append(settings, p.withKey(), "CANCEL_BASE_URL=http://"+box.Addr)...)
}

type clicker struct {
	*bench
	user
	box, csrf string
}

// click makes a sale on each of some terminals, then cancels it.
func (c *clicker) click(ctx context.Context) (clicks, posts []time.Duration, err error) {
	all, err := c.terminals(ctx, busyStore+1, busyStore+clickStores)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		begin := time.Now()
		sale, err := c.sell(ctx, t, "")
		if err != nil {
			return nil, nil, err
		}
		posts = append(posts, time.Since(begin))
		took, err := c.cancel(ctx, sale)
		if err != nil {
			return nil, nil, fmt.Errorf("click: %w", err)
		}
		clicks = append(clicks, took)
	}
	// The next run needs the terminals free.
	return clicks, posts, c.untilConfirmed(ctx)
}

func (s *bench) untilConfirmed(ctx context.Context) error {
	return lab.Eventually(ctx, time.Minute, "every click has its end", func(ctx context.Context) (ended bool, err error) {
		const all = `SELECT NOT EXISTS (SELECT FROM cancellations WHERE state <> 'confirmed')`
		err = s.db.Pool().QueryRow(ctx, all).Scan(&ended)
		return ended, err
	})
}

// sell makes a sale on a terminal, whose cancellation meets with the fault, if any.
func (c *clicker) sell(ctx context.Context, t terminal, fault string) (sale int64, err error) {
	if err := c.control(ctx, http.MethodPut, "/control/terminals/"+t.Serial, map[string]any{"merchantId": t.Merchant}); err != nil {
		return 0, err
	}
	// As a terminal numbers it: the day of a sale is proven by it, also at night.
	order := fmt.Sprintf("%s-%s-%s", time.Now().In(c.calendar.Zone()).Format("060102150405"), t.Serial, rand.Text()[:8])
	sold := map[string]any{"serialNumber": t.Serial, "amount": "120.50", "orderId": order, "fault": fault}
	if err := c.control(ctx, http.MethodPost, "/control/sales", sold); err != nil {
		return 0, err
	}
	if err := c.db.Pool().QueryRow(ctx, "SELECT id FROM sales WHERE order_id = $1", order).Scan(&sale); err != nil {
		return 0, fmt.Errorf("find sale %s: %w", order, err)
	}
	return sale, nil
}

// press sends the form.
func (u *user) press(ctx context.Context, sale int64, csrf string) error {
	form := url.Values{"csrf": {csrf}, "click": {rand.Text()}, "reason": {"customerRequest"}}
	return u.postForm(ctx, fmt.Sprintf("/sales/%d/cancellation", sale), form)
}

// cancel sends the form and waits until the attempt's first byte is recorded.
func (c *clicker) cancel(ctx context.Context, sale int64) (time.Duration, error) {
	begin := time.Now()
	if err := c.press(ctx, sale, c.csrf); err != nil {
		return 0, err
	}
	for time.Since(begin) < time.Minute {
		var left time.Time
		err := c.db.Pool().QueryRow(ctx, `SELECT a.first_byte_at FROM attempts a JOIN cancellations c ON c.id = a.cancellation_id
			WHERE c.sale_id = $1 AND a.first_byte_at IS NOT NULL`, sale).Scan(&left)
		if err == nil {
			return left.Sub(begin), nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return 0, err
		}
		pause()
	}
	return 0, errors.New("nothing was sent")
}

func (c *clicker) control(ctx context.Context, method, path string, body any) error {
	return lab.Control(ctx, client, method, c.box, path, body, nil)
}
