package models_test

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/oversight"
)

// spell is what somebody did on one day at one terminal.
type spell struct {
	day      string // 2026-11-20
	at       string // when it was asked; "" for 15:00:00
	store    *models.Store
	terminal *models.Terminal
	who      models.Actor
	sales    int
	asked    int // of them
	state    models.State
	amount   models.Money
	last4    string
	brand    string
	reason   string
	after    time.Duration // of the sale; 0: ten minutes
}

var spellNumber atomic.Int64

// past writes spells as their doors would have left them, but for the trail.
func past(t testing.TB, o *modelstest.Office, spells ...spell) {
	t.Helper()
	for _, s := range spells {
		if s.at == "" {
			s.at = "15:00:00"
		}
		if s.store == nil {
			s.store = o.Store
		}
		if s.terminal == nil {
			s.terminal = o.Terminal
		}
		if s.state == "" {
			s.state = models.Confirmed
		}
		if s.amount == 0 {
			s.amount = 20000
		}
		if s.reason == "" {
			s.reason = "chargedTwice"
		}
		if s.after == 0 {
			s.after = 10 * time.Minute
		}
		asked := modelstest.At(t, s.day+"T"+s.at+"-06:00")
		prefix := fmt.Sprintf("H-%d", spellNumber.Add(1))
		exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at,
				business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
			SELECT $1, $2, $3, 'M' || $3, $4 || '-' || n, $5, 'MXN', $6, $6, $7, $8, $9, $10, '', '',
				CASE WHEN n <= $11::int AND $12 = 'confirmed' THEN 'confirmed' ELSE 'cancelable' END FROM generate_series(1, $13::int) n`,
			s.store.ID, s.terminal.ID, string(s.terminal.SerialNumber), prefix, int64(s.amount), asked.Add(-s.after), s.day,
			modelstest.At(t, s.day+"T20:00:00-06:00"), s.last4, s.brand, s.asked, string(s.state), s.sales)
		var by *int64
		origin := "terminal"
		if s.who.UserID != 0 {
			by, origin = &s.who.UserID, "person"
		}
		exec(t, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin, requested_by, requester,
				requester_role, click, requested_at, cutoff_at, changed_at)
			SELECT id, store_id, terminal_id, $1, false, $2, '', $3, $4, $5, $6, order_id, $7, cutoff_at, $7
			FROM sales WHERE order_id LIKE $8 || '-%' ORDER BY id LIMIT $9`,
			string(s.state), s.reason, origin, by, s.who.Name, string(s.who.Role), asked, prefix, s.asked)
	}
}

// week repeats a spell on the day that many weeks before the office's Friday.
func (s spell) week(ago int) spell {
	day, _ := time.Parse(time.DateOnly, "2026-11-20")
	s.day = day.AddDate(0, 0, -7*ago).Format(time.DateOnly)
	return s
}

// weeks repeats a spell in each of eight weeks before the last one.
func (s spell) weeks() []spell {
	var all []spell
	for ago := range 8 {
		all = append(all, s.week(ago+1))
	}
	return all
}

func named(who models.Actor, name string) models.Actor {
	who.Name = name
	return who
}

var lastWeek = oversight.Filter{From: "2026-11-14", To: "2026-11-20"}

func report(t testing.TB, o *modelstest.Office, who models.Actor, f oversight.Filter) *oversight.Report {
	t.Helper()
	r, err := oversight.New(o.Cancellations).Report(t.Context(), who, f)
	if err != nil {
		t.Fatalf("Report(%+v) = %v", f, err)
	}
	return r
}

func rowOf(t testing.TB, r *oversight.Report, name string) oversight.Row {
	t.Helper()
	i := slices.IndexFunc(r.Rows, func(row oversight.Row) bool { return row.Name == name || row.Key == name })
	if i < 0 {
		t.Fatalf("the report has no row of %q: %+v", name, r.Rows)
	}
	return r.Rows[i]
}

func TestTheReportNamesWhoIsFarOut(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana, beto := named(modelstest.Person(models.Manager, o.Store), "Ana"), named(modelstest.Person(models.Manager, o.Store), "Beto")
	carla, dora := named(modelstest.Person(models.Manager, o.Store), "Carla"), named(modelstest.Person(models.Manager, o.Store), "Dora")
	// Everybody cancels four a week; in the last one Ana cancels fifteen, and Dora,
	// who is new, one of the two sales of her terminal.
	past(t, o, spell{who: ana, sales: 400, asked: 4}.weeks()...)
	past(t, o, spell{who: beto, sales: 0, asked: 0}.week(1))
	for _, who := range []models.Actor{beto, carla} {
		past(t, o, spell{who: who, sales: 4, asked: 4}.weeks()...)
		past(t, o, spell{who: who, sales: 4, asked: 4}.week(0))
	}
	past(t, o, spell{who: ana, sales: 400, asked: 15, amount: 30000}.week(0), spell{who: dora, sales: 2, asked: 1}.week(0))

	r := report(t, o, o.Supervisor, lastWeek)
	if got := r.Rows[0].Name; got != "Ana" {
		t.Errorf("first row = %q, want Ana", got)
	}
	a := rowOf(t, r, "Ana")
	if a.Canceled != 15 || a.Amount != 15*30000 || a.Requested != 15 || a.Against.Sales != 410 || a.Usual.Weeks != 8 || a.Usual.Canceled != 32 {
		t.Errorf("Ana = %+v, want 15 of 15 among 410 sales, beside 32 in 8 weeks", a)
	}
	// 15 of 410 beside 32 of 8×408.
	if want := (15.0 / 410) / (32.0 / 3264); math.Abs(a.Own.Times-want) > 0.001 || !a.Own.Out() || a.Own.AtLeast >= a.Own.Times {
		t.Errorf("Ana against her own = %+v, want %.2f times, out", a.Own, want)
	}
	if want := 15 / (9.0 / 3); a.Peers.Others != 3 || math.Abs(a.Peers.Times-want) > 0.001 || !a.Peers.Out() {
		t.Errorf("Ana against the others = %+v, want %.1f times three others, out", a.Peers, want)
	}
	if b := rowOf(t, r, "Beto"); b.Out() || b.Own.Few || b.Own.Out() {
		t.Errorf("Beto, as ever = %+v, want judged and not out", b)
	}
	if d := rowOf(t, r, "Dora"); d.Out() || !d.Own.Few || !d.Peers.Few {
		t.Errorf("Dora, one of two = %+v, want too few to judge", d)
	}
	if r.Total.Canceled != 24 || r.Total.Against.Sales != 410 || len(r.Weeks) != 9 || r.Weeks[0].From != "2026-09-19" || r.Weeks[8].To != "2026-11-20" || r.Weeks[7].Canceled != 12 {
		t.Errorf("total = %+v, weeks = %+v", r.Total, r.Weeks)
	}
}

func TestOnlyConfirmedIsCanceled(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, s := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Accepted, models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled,
	} {
		o.Terminal = o.NewTerminal(o.Store) // one push at a time
		o.In(s)
	}
	sale := o.SaleAt(o.NewTerminal(o.Store), 7000)
	o.Post(modelstest.CancelPost(sale, "")) // by hand, on the terminal
	for _, by := range oversight.Bys {
		f := lastWeek
		f.By = by
		got := report(t, o, o.Supervisor, f).Total.CancellationTally
		want := oversight.CancellationTally{Requested: 9, Canceled: 2, Amount: 125000 + 7000, InDoubt: 1, Rejected: 1, NotCanceled: 1, UnderWay: 2, Dropped: 2}
		if got != want {
			t.Errorf("by %s: total = %+v, want %+v", by, got, want)
		}
	}
	r := report(t, o, o.Supervisor, lastWeek)
	if got := rowOf(t, r, ""); got.Canceled != 1 || got.Requested != 1 || !got.Peers.Few {
		t.Errorf("on the terminal = %+v, want one canceled, not compared with people", got)
	}
	if m := rowOf(t, r, o.Manager.Name); m.Canceled != 1 || m.Requested != 8 || m.Against.Sales != 9 {
		t.Errorf("the manager = %+v, want 1 of 8 among 9 sales", m)
	}
	// Whose word it was: both that were settled.
	f := lastWeek
	f.By = oversight.ByApprover
	r = report(t, o, o.Supervisor, f)
	if len(r.Rows) != 1 || r.Rows[0].Name != o.Supervisor.Name || r.Rows[0].Requested != 2 || r.Rows[0].Canceled != 1 || r.Rows[0].NotCanceled != 1 {
		t.Errorf("approvers = %+v, want the supervisor with two, one of them canceled", r.Rows)
	}
}

// Asking again after "not canceled" is a word of the one who asks.
func TestAskingAgainIsAnApproval(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, _ := o.In(models.NotCanceled)
	if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, o.CancelRequest(sale)); err != nil {
		t.Fatal(err)
	}
	if got := count(t, o.Owner, `SELECT count(*) FROM approvals WHERE kind = 'again' AND approver = $1`, fmt.Sprint("u", o.Supervisor.UserID)); got != 1 {
		t.Errorf("approvals by asking again = %d, want 1", got)
	}
}

func TestAReportIsOfOnesOwnStores(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	here := modelstest.Person(models.Supervisor, o.Store)
	ana := named(modelstest.Person(models.Manager, o.Store, there.Store), "Ana")
	past(t, o,
		spell{who: ana, sales: 10, asked: 2}.week(0),
		spell{who: ana, sales: 1000, asked: 100, store: there.Store, terminal: there.Terminal}.week(0),
		spell{who: named(modelstest.Person(models.Manager, there.Store), "Zoe"), sales: 5, asked: 5, store: there.Store, terminal: there.Terminal, reason: "wrongAmount"}.week(0),
	)
	for _, by := range oversight.Bys {
		f := lastWeek
		f.By = by
		r := report(t, o, here, f)
		if r.Total.Canceled != 2 || r.Total.Against.Sales != 10 || r.Weeks[8].Canceled != 2 {
			t.Errorf("by %s: a supervisor of one store sees %+v", by, r.Total)
		}
		for _, row := range r.Rows {
			if row.Canceled != 2 || row.Against.Sales != 10 || row.Name == "Zoe" || row.Peers.Others != 0 {
				t.Errorf("by %s: a supervisor of one store sees the row %+v", by, row)
			}
		}
		if r := report(t, o, o.Supervisor, f); r.Total.Canceled != 107 {
			t.Errorf("by %s: everything = %+v, want 107", by, r.Total)
		}
	}
	f := lastWeek
	f.StoreID = there.Store.ID
	if _, err := oversight.New(o.Cancellations).Report(t.Context(), here, f); !isError(err, models.ErrNotFound) {
		t.Errorf("Report(another's store) = %v, want %v", err, models.ErrNotFound)
	}
	if _, err := oversight.New(o.Cancellations).Report(t.Context(), o.Manager, lastWeek); !isError(err, models.ErrForbidden) {
		t.Errorf("Report() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestWrongFiltersAreNamed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := oversight.New(o.Cancellations)
	for _, tt := range []struct {
		f    oversight.Filter
		want *models.Error
	}{
		{oversight.Filter{From: "2026-11-20", To: "2026-11-19"}, models.Invalid("to", "oversight.reversed")},
		{oversight.Filter{From: "2026-08-19", To: "2026-11-20"}, models.Invalid("to", "oversight.tooLong")},
		{oversight.Filter{By: "mood"}, models.Invalid("by", "filter.invalid")},
		{oversight.Filter{Kind: "mood"}, models.Invalid("kind", "filter.invalid")},
		{oversight.Filter{Minutes: 7}, models.Invalid("minutes", "filter.invalid")},
		{oversight.Filter{Times: -1}, models.Invalid("times", "filter.invalid")},
		{oversight.Filter{Days: 400}, models.Invalid("days", "filter.invalid")},
	} {
		_, err := v.Report(t.Context(), o.Supervisor, tt.f)
		if got, ok := err.(*models.Error); !ok || *got != *tt.want {
			t.Errorf("Report(%+v) = %v, want %v", tt.f, err, tt.want)
		}
	}
	if f := v.Fill(oversight.Filter{}); f.From != "2026-10-24" || f.To != "2026-11-20" {
		t.Errorf("the default period = %s to %s, want the four weeks to today", f.From, f.To)
	}
	// 23:30 on the 20th in Mexico City is the 21st in UTC.
	o.Clock.Set(modelstest.At(t, "2026-11-20T23:30:00-06:00"))
	if f := v.Fill(oversight.Filter{}); f.To != "2026-11-20" {
		t.Errorf("late in the evening the period ends on %s, want 2026-11-20", f.To)
	}
}
