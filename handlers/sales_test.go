package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
)

// sell puts many sales into the day at once: one a minute from 8:00 on, every
// third at the same instant as the one before it. Amounts are 1.00, 2.00 and so
// on. It returns their order numbers, oldest first.
func (h *house) sell(n int, t *models.Terminal, store *models.Store) []string {
	h.tb.Helper()
	h.exec(`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at,
		business_day, cutoff_at, last4, card_brand, auth_code, folio)
		SELECT $1, $2, $3, 'M', $3 || '-' || lpad(i::text, 4, '0'), i * 100, 'MXN', at, at, '2026-11-20', '2026-11-21T02:00:00Z',
		lpad((i % 10000)::text, 4, '0'), 'VISA', 'AUTH', 'FOLIO' || i
		FROM (SELECT i, timestamptz '2026-11-20T14:00:00Z' + make_interval(mins => i - (i % 3) / 2) AS at FROM generate_series(1,
		$4::int) i) s`,
		store.ID, t.ID, string(t.SerialNumber), n)
	var orders []string
	for i := range n {
		orders = append(orders, fmt.Sprintf("%s-%04d", t.SerialNumber, i+1))
	}
	return orders
}

func TestSalesList(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Clock.Set(modelstest.At(t, "2026-11-20T09:15:00-06:00"))
	early := h.Sale(12345)
	h.Clock.Set(modelstest.At(t, modelstest.Noon))
	late := h.Sale(hereAmount)
	h.Request(late)
	p := h.manager().get("/sales").want(200)
	for _, tt := range []struct {
		fact      string
		got, want any
	}{
		{"own sales only, newest first", p.attrs("sale", "data-order-id"), []string{late.OrderID, early.OrderID}},
		{"each with its state", p.attrs("sale", "data-state"), []string{"requested", "cancelable"}},
		{"and its terminal", p.attrs("sale", "data-serial"), []string{string(h.Terminal.SerialNumber), string(h.Terminal.SerialNumber)}},
		{
			"what can be canceled has a way to the sheet", p.attrs("cancel", "href"),
			[]string{fmt.Sprintf("/sales/%d/cancellation/new", early.ID)},
		},
		{
			"the cut-off is 20:00 in Mexico City", instant(t, attr(p.one("cutoff"), "data-cutoff")),
			modelstest.At(t, "2026-11-20T20:00:00-06:00").UTC(),
		},
		{"beside the server's now", instant(t, attr(p.one("cutoff"), "data-now")), h.Clock.Now().UTC()},
	} {
		if fmt.Sprint(tt.got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.fact, tt.got, tt.want)
		}
	}
	p.says("2 ventas")
	p.says("$4,436.43")
	p.hides("7777777777", theirName, "$9,876.54")
}

func instant(tb testing.TB, s string) time.Time {
	tb.Helper()
	return modelstest.At(tb, s).UTC()
}

// TestSalesPages turns the pages of a long day.
func TestSalesPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	want := h.sell(130, h.Terminal, h.Store)
	slices.Reverse(want)
	for _, query := range []string{"", "q=" + string(h.Terminal.SerialNumber), "state=cancelable"} {
		v, path := h.manager2(query), "/sales?"+query
		var got []string
		sizes := []int{}
		for path != "" && len(sizes) < 10 {
			p := v.get(path).want(200)
			rows := p.attrs("sale", "data-order-id")
			got, sizes = append(got, rows...), append(sizes, len(rows))
			p.says("130 ventas")
			p.says("$8,515.00")
			path = p.next()
		}
		if fmt.Sprint(sizes) != "[50 50 30]" {
			t.Errorf("%q has pages of %v rows, want [50 50 30]", query, sizes)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q shows %v, want every sale once, newest first", query, got)
		}
	}
}

// manager2 is a manager with a name of their own.
func (h *house) manager2(name string) *visitor {
	return h.as(h.user("M "+name, models.Manager, h.Store))
}

// next is where the link to the next page leads; "" on the last.
func (p *page) next() string {
	for _, n := range p.all(func(n *html.Node) bool { return n.Data == "a" }) {
		if attr(n, "rel") == "next" {
			return attr(n, "href")
		}
	}
	return ""
}

// TestSalesPagesStandStill sells while somebody turns the pages: nothing is
// missed and nothing comes twice.
func TestSalesPagesStandStill(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.sell(60, h.Terminal, h.Store)
	v := h.manager()
	first := v.get("/sales").want(200)
	h.Sale(777)
	second := v.get(first.next()).want(200)
	seen := map[string]int{}
	for _, order := range append(first.attrs("sale", "data-order-id"), second.attrs("sale", "data-order-id")...) {
		seen[order]++
	}
	if len(seen) != 60 {
		t.Errorf("two pages show %d sales, want the 60 that there were", len(seen))
	}
	if len(second.byTestID("sale")) != 10 {
		t.Errorf("the second page has %d rows, want 10", len(second.byTestID("sale")))
	}
}

// TestTodayIsLight holds what a manager's phone loads at each press: today's page with fifty
// sales as terminals post them, with frame, countdown, sums and search.
func TestTodayIsLight(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`INSERT INTO sales (id, store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at,
		business_day, cutoff_at, last4, card_brand, auth_code, folio)
		OVERRIDING SYSTEM VALUE
		SELECT 1234000 + i * 7, $1, $2, $3, 'M', to_char(at AT TIME ZONE 'America/Mexico_City', 'YYMMDDHH24MISS') || '-' || $3,
		i * 79193 % 300000, 'MXN', at, at, '2026-11-20', '2026-11-21T02:00:00Z', lpad((i * 7919 % 10000)::text, 4, '0'),
		(ARRAY['VISA', 'MASTERCARD', 'AMEX', 'CARNET'])[1 + i * 7 % 4], 'AUTH', 'FOLIO' || i
		FROM (SELECT i, timestamptz '2026-11-20T14:00:00Z' + make_interval(secs => i * 307 + i * 7919 % 60) AS at
			FROM generate_series(1, 60) i) s`,
		h.Store.ID, h.Terminal.ID, string(h.Terminal.SerialNumber))
	v := h.manager()
	h.exec("UPDATE users SET first_steps_hidden_at = now() WHERE id = $1", v.id)
	whole := v.get("/sales").want(200)
	if n := len(whole.byTestID("sale")); n != models.PageSize {
		t.Fatalf("the page has %d sales, want %d", n, models.PageSize)
	}
	small := v.get("/sales", "Accept-Encoding", "gzip, deflate, br, zstd").want(200)
	if got := small.header.Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("the page is coded %q, want gzip", got)
	}
	t.Logf("%d bytes, %d compressed", len(whole.body), len(small.body))
	if len(whole.body) > 22_000 || len(small.body) > 5_000 {
		t.Errorf("fifty sales are %d bytes, %d compressed; want at most 22,000 and 5,000", len(whole.body), len(small.body))
	}
}

func TestSalesFilters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.NewTerminal(h.Store)
	h.sell(20, h.Terminal, h.Store)
	other := h.SaleAt(second, 555000)
	confirmed, _ := h.StateOf(models.Confirmed)
	id := func(n int64) string { return fmt.Sprint(n) }
	for _, tt := range []struct {
		fact, query, sums string
		rows              int
	}{
		{"no filter", "", "22 ventas", 22},
		{"a terminal", "terminal=" + id(second.ID), "1 venta", 1},
		{"a terminal of nowhere", "terminal=99999", "0 ventas", 0},
		{"the store", "store=" + id(h.Store.ID), "22 ventas", 22},
		{"a whole order number", "q=" + other.OrderID, "1 venta", 1},
		{"its beginning", "q=" + string(h.Terminal.SerialNumber) + "-001", "10 ventas", 10},
		{"an amount", "q=5550", "1 venta", 1},
		{"an amount as it is shown", "q=%245%2C550.00", "1 venta", 1},
		{"the last four digits", "q=0017", "1 venta", 1},
		{"a folio", "q=FOLIO9", "1 venta", 1},
		{"spaces around it", "q=++FOLIO9+", "1 venta", 1},
		{"a wildcard is a letter", "q=%25", "0 ventas", 0},
		{"another wildcard", "q=_", "0 ventas", 0},
		{"an escape", "q=%5C", "0 ventas", 0},
		{"a state", "state=confirmed", "1 venta", 1},
		{"what can be canceled", "state=cancelable", "21 ventas", 21},
		{"nothing is too late yet", "state=tooLate", "0 ventas", 0},
		{"filters together", "state=cancelable&q=0017&terminal=" + id(h.Terminal.ID), "1 venta", 1},
		{"another day", "date=2026-11-19", "", 0},
		{"a day to come", "date=2999-01-01", "", 0},
		{"an unknown key", "unknown=1&utm_source=x", "22 ventas", 22},
	} {
		p := h.manager2(tt.fact).get("/sales?" + tt.query).want(200)
		if got := len(p.byTestID("sale")); got != tt.rows {
			t.Errorf("%s (%s) shows %d rows, want %d", tt.fact, tt.query, got, tt.rows)
		}
		if tt.sums != "" {
			p.says(tt.sums)
		}
	}
	h.manager2("totals").get("/sales?state=confirmed").says(moneyText(confirmed.Amount))
	h.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	if got := len(h.manager2("late").get("/sales?state=tooLate").want(200).byTestID("sale")); got != 21 {
		t.Errorf("at the cut-off %d sales are too late, want 21", got)
	}
}

func moneyText(m models.Money) string {
	whole := fmt.Sprint(int64(m) / 100)
	if len(whole) > 3 {
		whole = whole[:len(whole)-3] + "," + whole[len(whole)-3:]
	}
	return fmt.Sprintf("$%s.%02d", whole, int64(m)%100)
}

// TestSalesAfterTheDay looks at yesterday, which no longer changes.
func TestSalesAfterTheDay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	h.Clock.Set(modelstest.At(t, "2026-11-21T00:00:00-06:00"))
	v := h.manager()
	if got := v.get("/sales").want(200).byTestID("sale"); len(got) != 0 {
		t.Errorf("after midnight today has %d sales, want none", len(got))
	}
	p := v.get("/sales?date=2026-11-20").want(200)
	if got := fmt.Sprint(
		p.attrs("sale", "data-order-id"), p.attrs("sale", "data-state"),
	); got != fmt.Sprintf("[%s] [tooLate]", sale.OrderID) {
		t.Errorf("yesterday shows %s", got)
	}
	if got := len(p.byTestID("cutoff")) + len(p.byTestID("cancel")); got != 0 {
		t.Errorf("yesterday counts down or offers to cancel: %d elements", got)
	}
}

// TestSalesPoll asks for the list again and again as the page's script does.
func TestSalesPoll(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	sale := h.Sale(hereAmount)
	v := h.manager()
	first := v.get("/sales?fragment=list").want(200)
	tag := first.header.Get("ETag")
	again := func() *answer { return v.get("/sales?fragment=list", "If-None-Match", tag) }
	if strings.Contains(first.body, "<html") || len(first.byTestID("sale")) != 1 {
		t.Errorf("the fragment is not the list alone: %s", first.words())
	}
	if a := again().want(http.StatusNotModified); a.body != "" || a.header.Get("ETag") != tag {
		t.Errorf("an unchanged list answers %q with tag %q", a.body, a.header.Get("ETag"))
	}
	h.SaleAt(h.terminal, 100)
	again().want(http.StatusNotModified) // another store's affairs change nothing here
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a new sale", func() { h.Sale(100) }},
		{"a request", func() { h.Request(sale) }},
		{"a withdrawal", func() {
			h.exec(`UPDATE sales SET state = 'cancelable' WHERE id = $1`, sale.ID)
		}},
		{"a new minute", func() { h.Clock.Advance(time.Minute) }},
		{"another language", func() { h.exec(`UPDATE users SET language = 'en' WHERE id = $1`, v.id) }},
		{"another role", func() { h.exec(`UPDATE users SET role = 'supervisor', all_stores = true WHERE id = $1`, v.id) }},
		{"before the window closes", func() { h.Clock.Set(modelstest.At(t, "2026-11-20T19:59:54-06:00")) }},
		{"the window closes", func() { h.Clock.Set(modelstest.At(t, "2026-11-20T19:59:55-06:00")) }},
	} {
		step.do()
		a := again()
		if a.status != 200 || a.header.Get("ETag") == tag {
			t.Errorf("after %s the list = %d, want 200 with a new tag", step.what, a.status)
		}
		tag = a.header.Get("ETag")
		again().want(http.StatusNotModified)
	}
	if other := h.manager2("Otra").get("/sales?fragment=list"); other.header.Get("ETag") == tag {
		t.Error("two people have the same tag: a shared cache would mix their lists")
	}
	if got := h.visitor().get("/sales?fragment=list").status; got != http.StatusUnauthorized {
		t.Errorf("the fragment without a session = %d, want 401", got)
	}
}
