package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/modelstest"
	"veinte/models/modelstest/roundtrips"
)

// pages reads a list to its end, and returns its items and how many pages it had.
func pages[T any](p *program, path string, page func(*answer) (items []T, next string)) (all []T, n int) {
	p.tb.Helper()
	for cursor := ""; ; {
		items, next := page(p.get(path + cursor).want(200))
		all, n = append(all, items...), n+1
		if next == "" || n > 50 {
			return all, n
		}
		cursor = "&cursor=" + next
	}
}

func ofRange(a *answer) ([]shapes.Sale, string) {
	page := into[shapes.SalesOfRange](a)
	return page.Items, page.Next
}

func ofCancellations(a *answer) ([]shapes.Cancellation, string) {
	page := into[shapes.Cancellations](a)
	return page.Items, page.Next
}

func ordersOf(sales []shapes.Sale) string {
	var orders []string
	for _, s := range sales {
		orders = append(orders, s.OrderID)
	}
	return strings.Join(orders, " ")
}

// TestSalesOfRange: of several days, newest first, each sale once, whatever the size of a
// page, and of the key's stores alone.
func TestSalesOfRange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	d.exec(`UPDATE assignments SET valid_from = '2026-01-01'`)
	for i, at := range []string{
		"2026-11-18T00:00:00-06:00", "2026-11-18T23:59:59-06:00", "2026-11-19T10:00:00-06:00", "2026-11-19T10:00:00-06:00",
		"2026-11-20T09:00:00-06:00", "2026-11-20T11:00:00-06:00",
	} {
		p.post("/api/v1/sales", d.sale(fmt.Sprint("S-", i), "soldAt", `"`+at+`"`)).want(201)
	}
	there := d.Branch(t)
	elsewhere := there.Sale(700)
	const all = "S-5 S-4 S-3 S-2 S-1 S-0"
	here := d.program([]apikeys.Scope{apikeys.ScopeSalesRead}, d.Store)
	both := d.program([]apikeys.Scope{apikeys.ScopeSalesRead}, d.Store, there.Store)
	for size := 1; size <= 7; size++ {
		listed, n := pages(here, fmt.Sprintf("/api/v1/sales?from=2026-11-18&to=2026-11-20&limit=%d", size), ofRange)
		if got := ordersOf(listed); got != all || n != (6+size-1)/size {
			t.Errorf("by %d: %s in %d pages, want %s", size, got, n, all)
		}
	}
	for query, want := range map[string]string{
		"from=2026-11-19&to=2026-11-19":                                         "S-3 S-2",
		"from=2026-11-18&to=2026-11-18":                                         "S-1 S-0",
		"from=2026-11-20":                                                       "S-5 S-4",
		"from=2026-11-18&state=tooLate":                                         "S-3 S-2 S-1 S-0",
		"from=2026-11-18&state=cancelable":                                      "S-5 S-4",
		"from=2026-11-18&state=confirmed":                                       "",
		"from=2026-11-18&terminal=" + string(d.Terminal.SerialNumber):           all,
		"from=2026-11-18&store=" + strings.ToLower(d.Store.Code) + "&limit=200": all,
		"from=2026-08-21&to=2026-11-20":                                         all, // 92 days
		"from=2026-11-21&to=2026-11-30":                                         "",
	} {
		if listed, _ := pages(here, "/api/v1/sales?"+query, ofRange); ordersOf(listed) != want {
			t.Errorf("%s lists %q, want %q", query, ordersOf(listed), want)
		}
	}
	if listed, _ := pages(both, "/api/v1/sales?from=2026-11-18&limit=2", ofRange); ordersOf(listed) != elsewhere.OrderID+" "+all {
		t.Errorf("a key of two stores lists %q", ordersOf(listed))
	}
	for query, want := range map[string]string{
		"from=2026-11-20&to=2026-11-19": "query.to:auditFilter.toBeforeFrom", "to=2026-11-19": "query.from:api.range.noFrom",
		"from=2026-08-20&to=2026-11-20": "query.from:api.range.tooLong", "from=1900-01-01&to=9999-12-31": "query.from:api.range.tooLong",
		"from=20-11-2026": "query.from:date.invalid", "from=2026-11-20&to=x": "query.to:date.invalid",
		"from=2026-11-20&date=2026-11-20": "query.date:api.range.orDate", "from=2026-11-20&limit=201": "query.limit:api.limit",
		"from=2026-11-20&state=gone": "query.state:state.invalid", "from=2026-11-20&terminal=1": "query.terminal:serial.invalid",
		"from=2026-11-20&cursor=x": "query.cursor:cursor.invalid", "from=2026-11-20&cursor=e30": "query.cursor:cursor.invalid",
		"from=2026-11-20&cursor=" + strings.Repeat("A", 3000): "query.cursor:cursor.invalid", "from=%00": "query.from:field.invalidText",
		// {"Day":"x","At":"2026-11-20T00:00:00Z","ID":1}
		"from=2026-11-20&cursor=eyJEYXkiOiJ4IiwiQXQiOiIyMDI2LTExLTIwVDAwOjAwOjAwWiIsIklEIjoxfQ": "query.cursor:cursor.invalid",
	} {
		if got := p.get("/api/v1/sales?"+query).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%.60s: %s, want %s", query, places(got.Errors), want)
		}
	}
	here.get("/api/v1/sales?from=2026-11-20&store="+there.Store.Code).problem(404, "not-found")
}

// TestCancellationsOfRange: by the day of their sales, each once, and of the key's stores.
func TestCancellationsOfRange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var ids []int64
	for _, state := range []models.State{models.Confirmed, models.Rejected, models.Withdrawn, models.Unknown} {
		_, c := d.StateOf(state)
		ids = append(ids, c.ID)
	}
	slices.Reverse(ids)
	there := d.Branch(t)
	there.Request(there.Sale(700))
	since := d.Clock.Now().Add(time.Second)
	d.Clock.Advance(time.Hour)
	changed := d.Request(d.SaleAt(d.NewTerminal(d.Store), 8800))
	ids = append([]int64{changed.ID}, ids...)
	p := d.program([]apikeys.Scope{apikeys.ScopeCancellationsRead}, d.Store)
	idsOf := func(path string) string {
		t.Helper()
		listed, _ := pages(p, path, ofCancellations)
		var got []int64
		for _, c := range listed {
			got = append(got, c.ID)
			if one := into[shapes.Cancellation](p.get(fmt.Sprintf("/api/v1/cancellations/%d", c.ID)).want(200)); *one != c {
				t.Errorf("listed as %+v, by itself %+v", c, one)
			}
		}
		return fmt.Sprint(got)
	}
	for size := 1; size <= 6; size++ {
		if got := idsOf(fmt.Sprintf("/api/v1/cancellations?limit=%d", size)); got != fmt.Sprint(ids) {
			t.Errorf("by %d: %s, want %v", size, got, ids)
		}
	}
	for query, want := range map[string]string{
		"from=2026-11-20&to=2026-11-20": fmt.Sprint(ids), "from=2026-11-01&to=2026-11-19": "[]", "from=2026-11-21&to=2026-11-21": "[]",
		"state=requested": fmt.Sprint(ids[:1]), "state=confirmed": fmt.Sprint(ids[4:]),
		"changedSince=" + since.UTC().Format(time.RFC3339):                  fmt.Sprint(ids[:1]),
		"changedSince=" + since.Add(3*time.Hour).UTC().Format(time.RFC3339): "[]",
		"store=" + d.Store.Code: fmt.Sprint(ids),
	} {
		if got := idsOf("/api/v1/cancellations?" + query); got != want {
			t.Errorf("%s lists %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"changedSince=yesterday": "query.changedSince:soldAt.invalid", "state=cancelable": "query.state:state.invalid",
		"from=2026-01-01": "query.from:api.range.tooLong", "cursor=x": "query.cursor:cursor.invalid", "limit=0": "query.limit:api.limit",
		"date=2026-11-20": "query.date:api.query.unknown",
	} {
		if got := p.get("/api/v1/cancellations?"+query).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", query, places(got.Errors), want)
		}
	}
	p.get("/api/v1/cancellations?store="+there.Store.Code).problem(404, "not-found")
}

// TestPlacesAreListed: the key's stores and their terminals, and the reasons.
func TestPlacesAreListed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	second := d.NewTerminal(d.Store)
	stores := func(a *answer) ([]shapes.Store, string) {
		page := into[shapes.Stores](a)
		return page.Items, page.Next
	}
	terminals := func(a *answer) ([]shapes.Terminal, string) {
		page := into[shapes.Terminals](a)
		return page.Items, page.Next
	}
	all, here := d.any(), d.program([]apikeys.Scope{apikeys.ScopeStoresRead}, d.Store)
	one, _ := pages(here, "/api/v1/stores?limit=1", stores)
	if len(one) != 1 || one[0].Store != d.Store.Code || one[0].StoreNumber != d.Store.ID || one[0].TimeZone != d.Store.TimeZone {
		t.Errorf("a key of one store sees %+v", one)
	}
	if every, n := pages(all, "/api/v1/stores?limit=1", stores); len(every) < 2 || n != len(every) {
		t.Errorf("a key of all stores sees %+v in %d pages", every, n)
	}
	listed, n := pages(here, "/api/v1/terminals?limit=1", terminals)
	if len(listed) != 2 || n != 2 || listed[0].SerialNumber != string(d.Terminal.SerialNumber) ||
		listed[1].SerialNumber != string(second.SerialNumber) || listed[0].Store != d.Store.Code || listed[0].StoreID == "" {
		t.Errorf("terminals of the store = %+v", listed)
	}
	d.exec(`UPDATE terminals SET retired_at = $1 WHERE id = $2`, d.Clock.Now(), second.ID)
	for query, want := range map[string]int{"state=active": 1, "state=retired": 1, "store=" + d.Store.Code: 2} {
		if listed, _ := pages(here, "/api/v1/terminals?"+query, terminals); len(listed) != want {
			t.Errorf("%s lists %+v, want %d", query, listed, want)
		}
	}
	here.get("/api/v1/terminals?store="+there.Store.Code).problem(404, "not-found")
	for path, want := range map[string]string{
		"stores?cursor=x": "query.cursor:cursor.invalid", "stores?limit=0": "query.limit:api.limit", "stores?q=1": "query.q:api.query.unknown",
		"terminals?cursor=e30": "query.cursor:cursor.invalid", "terminals?cursor=IngiCg": "query.cursor:cursor.invalid",
		"terminals?state=planned": "query.state:state.invalid", "reasons?limit=1": "query.limit:api.query.unknown",
	} {
		if got := all.get("/api/v1/"+path).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", path, places(got.Errors), want)
		}
	}
	reasons := into[shapes.Reasons](all.get("/api/v1/reasons").want(200)).Items
	if len(reasons) != 6 || reasons[0].Code != "customerRequest" || !reasons[5].NeedsNote || !reasons[0].InUse {
		t.Errorf("reasons = %+v", reasons)
	}
}

// TestListsAskTheDatabaseLittle counts round trips: the key, and a statement or two.
func TestListsAskTheDatabaseLittle(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	counter, err := roundtrips.New(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = counter.Close() })
	d := open(t, o.Branch(t, throughDB(modelstest.Open(t, counter.URL))))
	d.StateOf(models.Confirmed)
	d.Sale(500)
	p := d.any()
	for path, most := range map[string]int64{
		"/api/v1/stores": 1, "/api/v1/reasons": 2, "/api/v1/terminals": 2, "/api/v1/cancellations": 2,
		"/api/v1/sales?from=2026-11-01": 3,
	} {
		least := int64(-1)
		for n := 0; n < 6 || n < 40 && least > most; n++ {
			before := counter.Trips()
			p.get(path).want(200)
			if got := counter.Trips() - before; n > 1 && (least < 0 || got < least) {
				least = got
			}
		}
		t.Logf("%s: %d", path, least)
		if least < 1 || least > most {
			t.Errorf("%s asks the database %d times, want at most %d", path, least, most)
		}
	}
}
