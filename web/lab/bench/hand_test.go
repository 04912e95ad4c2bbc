package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/valyala/fasthttp"
)

// handler is what the product is compared with: it shows what a page would cost if only speed mattered: fasthttp, one pgx
// batch with the page's own queries, and bytes appended directly. It learns the
// page's layout once from ours, and then fills in the rows.
type handler struct {
	pool   *pgxpool.Pool
	labels map[int64]string
	head   []byte
	tail   []byte
	row    []part
	zone   *time.Location
}

// serveHand serves the handler, which learns the layout from the page in a file.
func serveHand(addr, file, day, store string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	storeID, err := strconv.ParseInt(store, 10, 64)
	if err != nil {
		return err
	}
	h, err := newHandler(context.Background(), os.Getenv("DATABASE_URL"), page, storeID, day)
	if err != nil {
		return err
	}
	return fasthttp.ListenAndServe(addr, h.handle(storeID, day))
}

// part is a piece of a row: constant bytes, then a field.
type part struct {
	text  []byte
	field string
}

// handSale is a row as the handler reads it.
type handSale struct {
	id, store, terminal, amount                       int64
	serial, merchant, order, currency                 string
	sold, received, cutoff, asked, day                time.Time
	last4, brand, auth, folio, state, detail, request string
}

const handSession = `SELECT u.id, u.name, u.role, u.all_stores, u.language,
	array(SELECT store_id FROM user_stores WHERE user_id = u.id ORDER BY store_id)
	FROM sessions s JOIN users u ON u.id = s.user_id
	WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL`

const handSales = `SELECT s.id, s.store_id, s.terminal_id, s.serial_number, s.merchant_id, s.order_id, s.amount, s.currency,
	s.sold_at, s.received_at, s.business_day, s.cutoff_at, s.last4, s.card_brand, s.auth_code, s.folio, s.state,
	coalesce(c.detail, ''), coalesce(c.requester, ''), coalesce(c.requested_at, s.received_at)
	FROM sales s
	LEFT JOIN LATERAL (
		SELECT detail, requester, requested_at FROM cancellations
		WHERE sale_id = s.id AND s.state <> 'cancelable' ORDER BY id DESC LIMIT 1
	) c ON true
	WHERE s.business_day = $1 AND s.store_id = $2
	ORDER BY s.sold_at DESC, s.id DESC LIMIT 51`

const handTotals = `SELECT store_id, terminal_id, sales, amount, canceled, canceled_amount, open_cases, last_received
	FROM day_totals WHERE store_id = ANY($1) AND business_day = $2 ORDER BY store_id, terminal_id`

// newHandler connects, and learns the layout from our page of the same store.
func newHandler(ctx context.Context, url string, page []byte, storeID int64, day string) (*handler, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		return nil, err
	}
	h := &handler{pool: pool, labels: map[int64]string{}, zone: zone}
	rows, err := pool.Query(ctx, "SELECT id, label FROM terminals")
	if err != nil {
		return nil, err
	}
	var id int64
	var label string
	if _, err := pgx.ForEachRow(rows, []any{&id, &label}, func() error { h.labels[id] = label; return nil }); err != nil {
		return nil, err
	}
	_, sales, err := h.ask(ctx, "", storeID, day)
	if err != nil {
		return nil, err
	}
	return h, h.learn(page, sales)
}

// learn splits the page into the text around the rows, and a row into parts.
func (h *handler) learn(page []byte, sales []handSale) error {
	begin := bytes.Index(page, []byte("<tr role=\"row\" id=\"sale-"))
	end := bytes.LastIndex(page, []byte("</tr>\n"))
	if begin < 0 || end < begin || len(sales) == 0 {
		return fmt.Errorf("the page holds no rows")
	}
	end += len("</tr>\n")
	h.head, h.tail = page[:begin], page[end:]
	first := string(page[begin : begin+bytes.Index(page[begin:], []byte("</tr>\n"))+len("</tr>\n")])
	s := &sales[0]
	for first != "" {
		at, name, length := len(first), "", 0
		for _, f := range handFields {
			v := string(h.append(nil, s, f))
			if i := strings.Index(first, v); i >= 0 && i < at {
				at, name, length = i, f, len(v)
			}
		}
		h.row = append(h.row, part{text: []byte(first[:at]), field: name})
		first = first[at+length:]
	}
	var again []byte
	for i := range sales[:min(len(sales), 50)] {
		again = h.appendRow(again, &sales[i])
	}
	if !bytes.Equal(again, page[begin:end]) {
		return fmt.Errorf("the hand-written rows are not the page's")
	}
	return nil
}

// handFields are searched in this order; longer values come first where one may
// contain another.
var handFields = []string{"order", "sold", "clock", "amount", "serial", "label", "link", "row", "brand", "last4"}

func (h *handler) append(b []byte, s *handSale, field string) []byte {
	switch field {
	case "order":
		return append(b, s.order...)
	case "sold":
		return s.sold.UTC().AppendFormat(b, time.RFC3339)
	case "clock":
		return append(s.sold.In(h.zone).AppendFormat(append(b, '>'), "15:04"), '<')
	case "amount":
		return appendPesos(b, s.amount)
	case "serial":
		return append(b, s.serial...)
	case "label":
		return append(b, h.labels[s.terminal]...)
	case "link":
		return strconv.AppendInt(append(b, "/sales/"...), s.id, 10)
	case "row":
		return strconv.AppendInt(append(b, "sale-"...), s.id, 10)
	case "brand":
		return append(b, s.brand...)
	case "last4":
		return append(append(b, "> "...), s.last4...)
	}
	return b
}

func (h *handler) appendRow(b []byte, s *handSale) []byte {
	for i := range h.row {
		b = append(b, h.row[i].text...)
		b = h.append(b, s, h.row[i].field)
	}
	return b
}

// appendPesos writes $1,250.00.
func appendPesos(b []byte, centavos int64) []byte {
	whole := strconv.FormatInt(centavos/100, 10)
	b = append(b, '$')
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, whole[i])
	}
	return append(b, '.', byte('0'+centavos/10%10), byte('0'+centavos%10))
}

// ask sends the page's three queries in one batch.
func (h *handler) ask(ctx context.Context, cookie string, storeID int64, day string) (person string, sales []handSale, err error) {
	hash := sha256.Sum256([]byte(cookie))
	sales = make([]handSale, 0, 51)
	batch := &pgx.Batch{}
	batch.Queue(handSession, hash[:], time.Now()).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id int64
			var role, language string
			var all bool
			var ids []int64
			if err := rows.Scan(&id, &person, &role, &all, &language, &ids); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	batch.Queue(handSales, day, storeID).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			sales = append(sales, handSale{})
			s := &sales[len(sales)-1]
			err := rows.Scan(&s.id, &s.store, &s.terminal, &s.serial, &s.merchant, &s.order, &s.amount, &s.currency, &s.sold, &s.received,
				&s.day, &s.cutoff, &s.last4, &s.brand, &s.auth, &s.folio, &s.state, &s.detail, &s.request, &s.asked)
			if err != nil {
				return err
			}
		}
		return rows.Err()
	})
	batch.Queue(handTotals, []int64{storeID}, day).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var store, terminal, n, amount, canceled, canceledAmount, open int64
			var last time.Time
			if err := rows.Scan(&store, &terminal, &n, &amount, &canceled, &canceledAmount, &open, &last); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return person, sales, h.pool.SendBatch(ctx, batch).Close()
}

// handle responds to every request with the store's page.
func (h *handler) handle(storeID int64, day string) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		person, sales, err := h.ask(c, string(c.Request.Header.Cookie("veinte_session")), storeID, day)
		switch {
		case err != nil:
			c.SetStatusCode(fasthttp.StatusInternalServerError)
			return
		case person == "":
			c.SetStatusCode(fasthttp.StatusUnauthorized)
			return
		}
		c.SetContentType("text/html; charset=utf-8")
		body := c.Response.BodyWriter()
		_, _ = body.Write(h.head)
		rows := make([]byte, 0, 32<<10)
		for i := range sales[:min(len(sales), 50)] {
			rows = h.appendRow(rows, &sales[i])
		}
		_, _ = body.Write(rows)
		_, _ = body.Write(h.tail)
	}
}
