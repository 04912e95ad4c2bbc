package audit_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
)

// fillTrail writes entries of eight months: many kinds alone, of which some never
// come together, dense days and empty weeks.
func fillTrail(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	for m := range 9 {
		if _, err := db.Exec(`SELECT trail.make_month(('2026-03-01'::date + make_interval(months => $1))::date)`, m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, store_id, store_name,
			serial_number, order_id, attempt_number, amount, before, after, reason, address, canonical)
		SELECT timestamptz '2026-11-20T18:00Z' - make_interval(secs => power(n::float / $1, 3) * 86400 * 240), n % 40, 'Persona ' || n % 40,
			(ARRAY['manager','system','terminal','supervisor'])[1 + n % 4],
			CASE WHEN n % 113 = 0 THEN (ARRAY['terminal.moved','terminal.movePlanned'])[1 + n % 2]
				WHEN n % 23 = 0 OR n % 40 = 13 THEN 'oversight.read'
				ELSE (ARRAY['sales.recorded','cancellation.moved','access.denied'])[1 + n % 3] END,
			(ARRAY['success','denied'])[1 + (n % 3 = 2 AND n % 7 = 0)::int], n % 11, 'Cancún ' || n % 11, (1490000000 + n % 50)::text, 'O-' || n,
			1 + (n % 97 = 0)::int, n * 137 % 500000,
			CASE WHEN n % 113 = 0 THEN jsonb_build_object('store', CASE WHEN n % 3 = 0 THEN 'OTRA' ELSE (SELECT min(name) FROM stores) END) END,
			jsonb_build_object('state', (ARRAY['confirmed','rejected'])[1 + n % 2]),
			CASE WHEN n % 500 = 3 THEN 'other: zanahoria única' WHEN n % 5 = 0 THEN 'chargedTwice' ELSE '' END, '10.0.0.' || n % 20, 'x'
		FROM generate_series(1, $1::int) n`, n); err != nil {
		t.Fatal(err)
	}
}

// plainly is the filter in plain SQL; words as whole words or their beginnings.
func plainly(f *audit.Filter) string {
	where := []string{"true"}
	add := func(when bool, format string, args ...any) {
		if when {
			where = append(where, fmt.Sprintf(format, args...))
		}
	}
	add(f.StoreID != 0, `(store_id = %d OR action IN ('terminal.moved', 'terminal.movePlanned')
		AND before->>'store' = (SELECT name FROM stores WHERE id = %[1]d))`, f.StoreID)
	add(f.ActorID != 0, "actor_id = %d", f.ActorID)
	add(f.Role != "", "actor_role = '%s'", f.Role)
	add(f.Action != "", "action = '%s'", f.Action)
	add(f.Outcome != "", "outcome = '%s'", f.Outcome)
	add(f.Reads == audit.ReadsOut, "action <> 'oversight.read'")
	add(f.Serial != "", "serial_number = '%s'", f.Serial)
	add(f.Address != "", "address = '%s'", f.Address)
	add(f.Attempt != 0, "attempt_number = %d", f.Attempt)
	add(f.Reason != "", "split_part(reason, ': ', 1) = '%s'", f.Reason)
	if f.Min != nil {
		add(true, "amount >= %d", *f.Min)
	}
	if f.Max != nil {
		add(true, "amount <= %d", *f.Max)
	}
	add(f.From != "", "at >= timestamp '%s' AT TIME ZONE 'America/Mexico_City'", f.From)
	add(f.To != "", "at < (timestamp '%s' + interval '1 day') AT TIME ZONE 'America/Mexico_City'", f.To)
	for _, w := range strings.Fields(f.Query) {
		end := ""
		if len(w) < 3 {
			end = `\M` // matched as a whole
		}
		add(true, `translate(lower(concat_ws(' ', actor_name, store_name, serial_number, order_id, reason, after->>'state')),
			'úí', 'ui') ~ '\m%s%s'`, w, end)
	}
	return strings.Join(where, " AND ")
}

func drawFilter(rt *rapid.T) audit.Filter {
	var f audit.Filter
	use := func(name string) bool { return rapid.IntRange(0, 3).Draw(rt, name) == 0 }
	if use("store") {
		f.StoreID = int64(rapid.IntRange(1, 12).Draw(rt, "storeID"))
	}
	if use("person") {
		f.ActorID = int64(rapid.IntRange(1, 41).Draw(rt, "actorID"))
	}
	if use("role") {
		f.Role = rapid.SampledFrom([]models.Role{"manager", "system", "terminal", "administrator"}).Draw(rt, "roleName")
	}
	if use("action") {
		f.Action = rapid.SampledFrom([]models.Action{
			"sales.recorded", "cancellation.moved", "access.denied", "oversight.read",
			"rules.changed", "terminal.moved",
		}).Draw(rt, "actionName")
	}
	if use("outcome") {
		f.Outcome = rapid.SampledFrom([]models.Outcome{"success", "denied", "unknown"}).Draw(rt, "outcomeName")
	}
	if use("reason") {
		f.Reason = rapid.SampledFrom([]string{"other", "chargedTwice", "none", "a reason of words"}).Draw(rt, "reasonCode")
	}
	if use("amounts") {
		lo, hi := models.Money(rapid.IntRange(0, 600000).Draw(rt, "min")), models.Money(0)
		f.Min = &lo
		if use("max") {
			hi = lo + models.Money(rapid.SampledFrom([]int{0, 5, 1000, 40000, 9_000_000}).Draw(rt, "span"))
			f.Max = &hi
		}
	}
	if rapid.Bool().Draw(rt, "reads") {
		f.Reads = audit.ReadsOut
	}
	if use("address") {
		f.Address = fmt.Sprint("10.0.0.", rapid.IntRange(0, 20).Draw(rt, "addressN"))
	}
	if use("attempt") {
		f.Attempt = rapid.IntRange(1, 3).Draw(rt, "attemptN")
	}
	if use("words") {
		f.Query = rapid.SampledFrom([]string{"zanah", "cancun", "confirmed", "rejec zanahoria", "persona 7", "nada", "149000000"}).Draw(rt, "q")
	}
	if use("period") {
		f.From, f.To = "2026-08-03", rapid.SampledFrom([]models.Day{"2026-08-03", "2026-10-31", "2026-11-20"}).Draw(rt, "to")
	}
	return f
}

// TestASearchFindsWhatThereIs pages through any filter to the end and back, and
// compares with what plain SQL finds; with a search budget, and with none, where
// each page states how far it searched.
func TestASearchFindsWhatThereIs(t *testing.T) {
	t.Parallel()
	for fact, starved := range map[string]bool{"with time": false, "without": true} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			fillTrail(t, o.Owner, 8_000)
			if starved {
				o.Audit.Starve()
			}
			reader := o.Supervisor
			seed, filters, stopped := int(time.Now().UnixNano()%1e9), rapid.Custom(drawFilter), false
			for i := range 20 { // each reads up to two hundred pages
				f := filters.Example(seed + i)
				want := idsOf(t, o.Owner, plainly(&f))
				turned, partial := turnPages(t, o, reader, f)
				if !slices.Equal(turned, want) {
					t.Fatalf("seed %d: %s: pages hold %d entries, plain SQL finds %d\n%v\n%v", seed+i, plainly(&f), len(turned), len(want), turned, want)
				}
				stopped = stopped || partial
			}
			if starved && !stopped {
				t.Errorf("seed %d: without time no page said that it searched part of the way", seed)
			}
		})
	}
}

// TestSixDigitsOfAnOrderNumberAreFound: a ticket shows the time in its order number apart
// from the day before and the terminal behind it, and six digits are what people read out.
func TestSixDigitsOfAnOrderNumberAreFound(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	fillTrail(t, o.Owner, 2_000)
	orders := []string{"261118192752-1490000009", "261119192752-1490000009", "260401192752-1490000009", "192752-x"}
	for i, order := range orders {
		if _, err := o.Owner.Exec(`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, store_id, store_name,
				serial_number, order_id, after, reason, address, canonical)
			VALUES (timestamptz '2026-11-18T19:27Z' + make_interval(hours => $1), 7, 'Ana', 'manager', 'cancellation.moved', 'success', 1,
				'Roma', '1490000009', $2, '{}', '', '', 'x')`, i, order); err != nil {
			t.Fatal(err)
		}
	}
	now := modelstest.At(t, "2026-11-24T19:40:00-06:00")
	for query, want := range map[string][]string{
		"q=192752":                               {orders[3], orders[1], orders[0]}, // the third is too long ago
		"q=192752+ana&to=2026-11-18":             {orders[3], orders[1], orders[0]}, // a clock may be ahead
		"q=192752&from=2026-03-31&to=2026-04-02": nil,                               // another day's entry
		"q=192751":                               nil,
		"q=999999":                               nil, // no time
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		f, wrong := audit.ParseFilter(values.Get, now)
		if len(wrong) > 0 {
			t.Fatalf("%s: %v", query, wrong)
		}
		var got []string
		for more := true; more; more = f.Cursor != "" { // a page may have searched part of the way
			page, err := o.Audit.Audit(t.Context(), o.Supervisor, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Entries {
				if e.Action != models.ActionAuditRead { // a search is found by its words too
					got = append(got, e.OrderID)
				}
			}
			f.Cursor = page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// turnPages reads all pages, then the way back from the last, which must be the
// same.
func turnPages(t *testing.T, o *modelstest.Office, reader models.Actor, f audit.Filter) (ids []int64, partial bool) {
	t.Helper()
	ask := func() *audit.Page {
		page, err := o.Audit.Audit(t.Context(), reader, f)
		if err != nil {
			t.Fatalf("Audit(%+v) = %v", f, err)
		}
		partial = partial || !page.SearchedTo.IsZero()
		if !page.SearchedTo.IsZero() && len(page.Entries) == models.PageSize {
			t.Fatalf("a full page says that it looked part of the way")
		}
		return page
	}
	page := ask()
	for turns := 0; ; turns++ {
		ids = append(ids, idsIn(page)...)
		if page.Next == "" {
			break
		}
		if turns > 2000 {
			t.Fatalf("pages without end at %v", page.SearchedTo)
		}
		f.Cursor = page.Next
		page = ask()
	}
	back := idsIn(page)
	for turns := 0; page.Newer != "" && turns < 2000; turns++ {
		f.Cursor = page.Newer
		page = ask()
		back = append(idsIn(page), back...)
	}
	// What was written meanwhile is newer than the first page.
	if n := len(back) - len(ids); n > 0 {
		back = back[n:]
	}
	if !slices.Equal(back, ids) {
		t.Fatalf("%s: the way back holds %v, the way there %v", plainly(&f), back, ids)
	}
	return ids, partial
}

func idsIn(p *audit.Page) []int64 {
	var ids []int64
	for _, e := range p.Entries {
		if e.Action != models.ActionAuditRead {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func idsOf(t *testing.T, db *sql.DB, where string) []int64 {
	t.Helper()
	rows, err := db.Query(`SELECT id FROM audit_entries WHERE action <> 'audit.read' AND ` + where + ` ORDER BY at DESC, id DESC`)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// TestTurningPagesIsOneReading: ten pages of one list within a minute are one
// entry of the trail; another list, another minute or another person is another.
func TestTurningPagesIsOneReading(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	fillTrail(t, o.Owner, 600)
	read := func() int {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'audit.read'`)
	}
	f := audit.Filter{Action: models.ActionSalesRecorded}
	turn := func(pages int) {
		t.Helper()
		for range pages {
			page, err := o.Audit.Audit(t.Context(), o.Supervisor, f)
			if err != nil {
				t.Fatal(err)
			}
			f.Cursor = page.Next
		}
	}
	if turn(4); read() != 1 {
		t.Errorf("four pages left %d entries, want 1", read())
	}
	o.Clock.Advance(61 * time.Second)
	f.Cursor = ""
	turn(1)
	o.Clock.Advance(61 * time.Second)
	if turn(1); read() != 3 {
		t.Errorf("after two minutes there are %d entries, want 3", read())
	}
	f.Action = models.ActionCancellationMoved
	f.Cursor = ""
	if turn(2); read() != 4 {
		t.Errorf("another list leaves %d entries in all, want 4", read())
	}
}
