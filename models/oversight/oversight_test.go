package oversight_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/oversight"
)

var lastWeek = oversight.Filter{From: "2026-11-14", To: "2026-11-20"}

func reportOf(t testing.TB, o *modelstest.Office, who models.Actor, f oversight.Filter) *oversight.Report {
	t.Helper()
	r, err := o.Oversight.Report(t.Context(), who, f)
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
	ana := modelstest.Named(modelstest.Person(models.Manager, o.Store), "Ana")
	beto := modelstest.Named(modelstest.Person(models.Manager, o.Store), "Beto")
	carla := modelstest.Named(modelstest.Person(models.Manager, o.Store), "Carla")
	dora := modelstest.Named(modelstest.Person(models.Manager, o.Store), "Dora")
	// Everybody cancels four a week; in the last one Ana cancels fifteen, and Dora,
	// who is new, one of the two sales of her terminal.
	modelstest.Past(t, o, modelstest.Spell{Who: ana, Sales: 400, Asked: 4}.Weeks()...)
	modelstest.Past(t, o, modelstest.Spell{Who: beto, Sales: 0, Asked: 0}.Week(1))
	for _, who := range []models.Actor{beto, carla} {
		modelstest.Past(t, o, modelstest.Spell{Who: who, Sales: 4, Asked: 4}.Weeks()...)
		modelstest.Past(t, o, modelstest.Spell{Who: who, Sales: 4, Asked: 4}.Week(0))
	}
	modelstest.Past(t, o,
		modelstest.Spell{Who: ana, Sales: 400, Asked: 15, Amount: 30000}.Week(0),
		modelstest.Spell{Who: dora, Sales: 2, Asked: 1}.Week(0),
	)

	r := reportOf(t, o, o.Supervisor, lastWeek)
	if got := r.Rows[0].Name; got != "Ana" {
		t.Errorf("first row = %q, want Ana", got)
	}
	a := rowOf(t, r, "Ana")
	if a.Canceled != 15 || a.Amount != 15*30000 || a.Requested != 15 || a.Against.Sales != 410 ||
		a.Usual.Weeks != 8 || a.Usual.Canceled != 32 {
		t.Errorf("Ana = %+v, want 15 of 15 among 410 sales, beside 32 in 8 weeks", a)
	}
	// 15 of 410 compared with 32 of 8×408.
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
	if m := r.Most; m.All != 4 || len(m.People) != 4 || m.People[0].Name != "Ana" || m.People[0].Canceled != 15 ||
		m.People[0].Amount != a.Amount || len(m.People[0].Reasons) == 0 || m.People[3].Name != "Dora" ||
		m.Reasons[0].Canceled < m.Reasons[len(m.Reasons)-1].Canceled {
		t.Errorf("most = %+v, want Ana with 15 of four people first", m)
	}
	if n := len(a.Line); n != 9 || a.Line[8] != 15.0/410 || a.Line[0] <= 0 {
		t.Errorf("the weeks of Ana = %v, want nine, the period's 15 of 410 last", a.Line)
	}
	if r.Total.Canceled != 24 || r.Total.Against.Sales != 410 ||
		len(r.Weeks) != 9 || r.Weeks[0].From != "2026-09-19" || r.Weeks[8].To != "2026-11-20" || r.Weeks[7].Canceled != 12 {
		t.Errorf("total = %+v, weeks = %+v", r.Total, r.Weeks)
	}
}

func TestOnlyConfirmedIsCanceled(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, s := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Accepted,
		models.Rejected, models.Unknown, models.Confirmed, models.NotCanceled,
	} {
		o.Terminal = o.NewTerminal(o.Store) // one push at a time
		o.StateOf(s)
	}
	sale := o.SaleAt(o.NewTerminal(o.Store), 7000)
	o.CancelByHand(sale)
	for _, by := range oversight.Bys {
		f := lastWeek
		f.By = by
		got := reportOf(t, o, o.Supervisor, f).Total.CancellationTally
		want := oversight.CancellationTally{
			Requested: 9, Canceled: 2, Amount: 125000 + 7000, InDoubt: 1, Rejected: 1, NotCanceled: 1, UnderWay: 2, Dropped: 2,
		}
		if got != want {
			t.Errorf("by %s: total = %+v, want %+v", by, got, want)
		}
	}
	r := reportOf(t, o, o.Supervisor, lastWeek)
	if got := rowOf(t, r, ""); got.Canceled != 1 || got.Requested != 1 || !got.Peers.Few {
		t.Errorf("on the terminal = %+v, want one canceled, not compared with people", got)
	}
	if m := rowOf(t, r, o.Manager.Name); m.Canceled != 1 || m.Requested != 8 || m.Against.Sales != 9 {
		t.Errorf("the manager = %+v, want 1 of 8 among 9 sales", m)
	}
	// By approver: both that were resolved.
	f := lastWeek
	f.By = oversight.ByApprover
	r = reportOf(t, o, o.Supervisor, f)
	if len(r.Rows) != 1 || r.Rows[0].Name != o.Supervisor.Name ||
		r.Rows[0].Requested != 2 || r.Rows[0].Canceled != 1 || r.Rows[0].NotCanceled != 1 {
		t.Errorf("approvers = %+v, want the supervisor with two, one of them canceled", r.Rows)
	}
}

// Requesting again after "not canceled" counts as an approval by the requester.
func TestAskingAgainIsAnApproval(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, _ := o.StateOf(models.NotCanceled)
	if _, err := o.Cancellations.Request(t.Context(), o.Supervisor, o.CancelRequest(sale)); err != nil {
		t.Fatal(err)
	}
	approver := fmt.Sprint("u", o.Supervisor.UserID)
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM approvals WHERE kind = 'again' AND approver = $1`, approver); got != 1 {
		t.Errorf("approvals by asking again = %d, want 1", got)
	}
}

func TestAReportIsOfOnesOwnStores(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	here := modelstest.Person(models.Supervisor, o.Store)
	ana := modelstest.Named(modelstest.Person(models.Manager, o.Store, there.Store), "Ana")
	zoe := modelstest.Named(modelstest.Person(models.Manager, there.Store), "Zoe")
	modelstest.Past(t, o,
		modelstest.Spell{Who: ana, Sales: 10, Asked: 2}.Week(0),
		modelstest.Spell{Who: ana, Sales: 1000, Asked: 100, Store: there.Store, Terminal: there.Terminal}.Week(0),
		modelstest.Spell{Who: zoe, Sales: 5, Asked: 5, Store: there.Store, Terminal: there.Terminal, Reason: "wrongAmount"}.Week(0),
	)
	for _, by := range oversight.Bys {
		f := lastWeek
		f.By = by
		r := reportOf(t, o, here, f)
		if r.Total.Canceled != 2 || r.Total.Against.Sales != 10 || r.Weeks[8].Canceled != 2 {
			t.Errorf("by %s: a supervisor of one store sees %+v", by, r.Total)
		}
		for _, row := range r.Rows {
			if row.Canceled != 2 || row.Against.Sales != 10 || row.Name == "Zoe" || row.Peers.Others != 0 {
				t.Errorf("by %s: a supervisor of one store sees the row %+v", by, row)
			}
		}
		if r := reportOf(t, o, o.Supervisor, f); r.Total.Canceled != 107 {
			t.Errorf("by %s: everything = %+v, want 107", by, r.Total)
		}
	}
	f := lastWeek
	f.StoreID = there.Store.ID
	if _, err := o.Oversight.Report(t.Context(), here, f); !modelstest.IsError(err, models.ErrNotFound) {
		t.Errorf("Report(another's store) = %v, want %v", err, models.ErrNotFound)
	}
	if _, err := o.Oversight.Report(t.Context(), o.Manager, lastWeek); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("Report() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestWrongFiltersAreNamed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	v := o.Oversight
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
