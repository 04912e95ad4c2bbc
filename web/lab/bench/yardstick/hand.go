package yardstick

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/valyala/fasthttp"
)

const (
	askSession = `SELECT p.id, p.name, p.role, p.language, array(SELECT store_id FROM person_stores WHERE person_id = p.id)
		FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.token_hash = $1 AND s.expires_at > $2 AND p.disabled_at IS NULL`
	askTotals = `SELECT terminal_id, sales, amount, canceled, last_sold FROM day_totals WHERE store_id = $1 AND day = $2
		ORDER BY terminal_id`
	askRows = `SELECT id, terminal_id, order_id, amount, sold_at, last4, brand, state FROM sales WHERE store_id = $1 AND day = $2
		ORDER BY sold_at DESC, id DESC LIMIT 50`
)

// hand writes the page: fasthttp, one batch of pgx, and bytes.
type hand struct {
	pool      *pgxpool.Pool
	terminals map[int64]place
}

type place struct{ serial, label string }

type dayLine struct {
	terminal, sales, amount, canceled int64
	last                              time.Time
}

type saleLine struct {
	id, terminal, amount       int64
	order, last4, brand, state string
	sold                       time.Time
}

// ServeHand serves the page of the database at an address.
func ServeHand(addr, database string) error {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	config.MaxConns = 20
	h := &hand{terminals: map[int64]place{}}
	if h.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	rows, err := h.pool.Query(ctx, "SELECT id, serial_number, label FROM terminals")
	if err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	var id int64
	var t place
	if _, err := pgx.ForEachRow(rows, []any{&id, &t.serial, &t.label}, func() error { h.terminals[id] = t; return nil }); err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	return fasthttp.ListenAndServe(addr, h.page)
}

func (h *hand) page(c *fasthttp.RequestCtx) {
	if string(c.Path()) == "/ready" {
		return
	}
	var name string
	totals, all := make([]dayLine, 0, 4), make([]saleLine, 0, shown)
	hash := sha256.Sum256(c.Request.Header.Cookie(cookieName))
	batch := &pgx.Batch{}
	batch.Queue(askSession, hash[:], time.Now()).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id int64
			var role, language string
			var of []int64
			if err := rows.Scan(&id, &name, &role, &language, &of); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	batch.Queue(askTotals, itsStore, today).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			totals = append(totals, dayLine{})
			t := &totals[len(totals)-1]
			if err := rows.Scan(&t.terminal, &t.sales, &t.amount, &t.canceled, &t.last); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	batch.Queue(askRows, itsStore, today).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			all = append(all, saleLine{})
			r := &all[len(all)-1]
			if err := rows.Scan(&r.id, &r.terminal, &r.order, &r.amount, &r.sold, &r.last4, &r.brand, &r.state); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	switch err := h.pool.SendBatch(c, batch).Close(); {
	case err != nil:
		c.SetStatusCode(http.StatusInternalServerError)
	case name == "":
		c.SetStatusCode(http.StatusUnauthorized)
	default:
		c.SetContentType("text/html; charset=utf-8")
		c.Response.SetBodyRaw(h.write(make([]byte, 0, PageBytes+2000), name, totals, all))
	}
}

func (h *hand) write(b []byte, name string, totals []dayLine, all []saleLine) []byte {
	b = append(append(append(b, head...), name...), `</span></header><main><h1>Ventas de hoy</h1><ul class="totals">`...)
	for i := range totals {
		t := &totals[i]
		b = append(append(append(b, `<li><b>`...), h.terminals[t.terminal].label...), `</b><span>`...)
		b = append(strconv.AppendInt(b, t.sales, 10), ` ventas</span><span>`...)
		b = append(pesos(b, t.amount), `</span><span>`...)
		b = append(strconv.AppendInt(b, t.canceled, 10), ` canceladas</span><time>`...)
		b = append(t.last.UTC().AppendFormat(b, "15:04"), `</time></li>`...)
	}
	b = append(b, `</ul><ol class="sales">`...)
	for i := range all {
		b = h.writeRow(b, &all[i])
	}
	return append(b, `</ol></main><footer>Página de hoy</footer></body></html>`...)
}

func (h *hand) writeRow(b []byte, r *saleLine) []byte {
	t := h.terminals[r.terminal]
	b = strconv.AppendInt(append(b, `<li class="sale" id="sale-`...), r.id, 10)
	b = strconv.AppendInt(append(b, `"><a class="story" href="/sales/`...), r.id, 10)
	b = r.sold.UTC().AppendFormat(append(b, `"><time datetime="`...), time.RFC3339)
	b = r.sold.UTC().AppendFormat(append(b, `">`...), "15:04")
	b = pesos(append(b, `</time><b class="amount">`...), r.amount)
	b = append(append(b, `</b><span class="card">`...), r.brand...)
	b = append(append(b, ` •••• `...), r.last4...)
	b = append(append(b, `</span><span class="order">`...), r.order...)
	b = append(append(b, `</span><span class="place">`...), t.label...)
	b = append(append(b, ` · `...), t.serial...)
	b = append(append(b, `</span><em>`...), r.state...)
	b = strconv.AppendInt(append(b, `</em></a><a class="do" href="/sales/`...), r.id, 10)
	return append(b, `/cancellation">Cancelar</a></li>`...)
}
