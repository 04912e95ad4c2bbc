package closings_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/closings"
	"veinte/models/modelstest"
	"veinte/models/rules"
	"veinte/models/wiring"
)

// TestEverySaleIsInOneColumn: each sale has one status, and the sums of terminals,
// stores and the whole agree.
func TestEverySaleIsInOneColumn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	want := map[closings.ClosedAs]int64{
		closings.ClosedCharged: 2, closings.ClosedCanceled: 1, closings.ClosedDoubt: 1, closings.ClosedPending: 3,
		closings.ClosedRejected: 1, closings.ClosedNotCanceled: 1, closings.ClosedNotSent: 2, closings.ClosedTooLate: 1,
	}
	for _, s := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Rejected,
		models.Unknown, models.Confirmed, models.NotCanceled, models.Accepted,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		o.StateOf(s)
	}
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	o.SaleAt(o.NewTerminal(other), 7700)
	o.Sale(100)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	o.Sale(5)
	r := modelstest.CloseDay(t, o, 37*time.Minute)
	var sales int64
	for _, s := range closings.ClosedAll {
		modelstest.Wants(t, string(s), r.Sums.Of(s).Count, want[s])
		sales += r.Sums.Of(s).Count
	}
	modelstest.Wants(t, "sales", int(sales), modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE business_day = '2026-11-20'`))
	modelstest.Wants(t, "sum of all", r.Sums.All(), models.Sum{Count: r.Sales, Amount: r.Amount})
	modelstest.Wants(t, "amount", int(r.Amount), modelstest.Count(t, o.Owner, `SELECT sum(amount)::bigint FROM sales`))
	listed := modelstest.Count(t, o.Owner, `SELECT count(DISTINCT id) FROM closing_terminals, unnest(sale_ids) id`)
	modelstest.Wants(t, "sales in the list of each", listed, int(sales))
	modelstest.Wants(t, "made late", r.Late(), true)
	var total closings.Sums
	add := func(to *closings.Sums, sums closings.Sums) {
		for i := range sums {
			to[i].Count, to[i].Amount = to[i].Count+sums[i].Count, to[i].Amount+sums[i].Amount
		}
	}
	for _, s := range r.Stores {
		var store closings.Sums
		for _, x := range s.Terminals {
			add(&store, x.Sums)
		}
		modelstest.Wants(t, "sums of "+s.Code, store, s.Sums)
		add(&total, store)
	}
	modelstest.Wants(t, "sums of the stores", total, r.Sums)
	modelstest.Wants(t, "amendments at once", len(r.Amendments), 0)
	modelstest.Wants(t, "left open", len(r.Doubts), 4)
	o.CheckInvariants(t)
}

// TestAClosingIsFrozen: its hash is that of its bytes and is in the trail, and
// nobody can rewrite it, not even the database's owner.
func TestAClosingIsFrozen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	r := modelstest.CloseDay(t, o, 0)
	j, err := o.Closings.ClosingReport(t.Context(), o.Supervisor, modelstest.ClosingDay, closings.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(j.Canonical); string(sum[:]) != string(r.Hash) || !json.Valid(j.Canonical) {
		t.Errorf("the bytes are not those of the hash: %s", j.Canonical)
	}
	var told string
	entry := o.Owner.QueryRow(`SELECT after->>'sha256' FROM audit_entries WHERE action = 'day.closed'`)
	if err := entry.Scan(&told); err != nil || told != r.HashText() {
		t.Errorf("the trail says %q (%v), want %q", told, err, r.HashText())
	}
	lines := sha256.Sum256(fmt.Appendf(nil, "%d 125000 k\n", sale.ID))
	modelstest.Wants(t, "hash of the sales", string(r.Stores[0].Terminals[0].SalesHash), string(lines[:]))
	modelstest.Wants(t, "late", r.Late(), false)
	for _, sql := range []string{
		`UPDATE closings SET sales = 0`, `DELETE FROM closings`, `TRUNCATE closings CASCADE`, `DELETE FROM closings WHERE false`,
		`UPDATE closing_terminals SET standings = 'c'`, `DELETE FROM closing_terminals`, `TRUNCATE closing_terminals`,
		`INSERT INTO closing_terminals
			SELECT day, 99, 99, 'X', 'X', '1', 1, counts, sums, sales_hash, sale_ids, amounts, standings FROM closing_terminals`,
	} {
		if _, err := o.Owner.Exec(sql); err == nil || !strings.Contains(err.Error(), "frozen") {
			t.Errorf("the owner's %s = %v, want it refused", sql, err)
		}
		if _, err := o.DB.Pool().Exec(t.Context(), sql); err == nil {
			t.Errorf("the application's %s was not refused", sql)
		}
	}
}

// TestADayIsClosedOnce by any number of processes, including empty days on which
// none was running, and not before its cut-off.
func TestADayIsClosedOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	o.Clock.Set(modelstest.At(t, "2026-11-20T19:59:59.999-06:00"))
	if err := o.Closings.CloseDays(t.Context()); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "closed before the cut-off", modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings`), 0)
	o.Clock.Set(modelstest.At(t, "2026-11-23T19:00:00-06:00"))
	o.Sale(100) // so that it is that day, whatever the database's clock
	o.Clock.Set(modelstest.At(t, "2026-11-23T20:01:00-06:00"))
	processes := []*wiring.Services{o.Services, o.SecondServer(), o.SecondServer()}
	var all sync.WaitGroup
	for range 4 {
		for _, p := range processes {
			all.Go(func() {
				if err := p.Closings.CloseDays(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if err := o.Closings.CloseDays(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed := modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings WHERE day BETWEEN '2026-11-20' AND '2026-11-23'`)
	modelstest.Wants(t, "closed days", closed, 4)
	modelstest.Wants(t, "days in all", modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings`), 4)
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'day.closed'`), 4)
	ofEmpty := modelstest.Count(t, o.Owner, `SELECT sum(sales)::int FROM closings WHERE day IN ('2026-11-21', '2026-11-22')`)
	modelstest.Wants(t, "sales of the empty ones", ofEmpty, 0)
}

// TestACutoffThatWasChanged closes the day by the rules of the day.
func TestACutoffThatWasChanged(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	o.ChangeRules(func(in *rules.Input) { in.Cutoff = "18:00" })
	o.Clock.Set(modelstest.At(t, "2026-11-20T18:30:00-06:00"))
	late := o.Sale(200)
	if err := o.Closings.CloseDays(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := modelstest.Closing(t, o, o.Supervisor)
	modelstest.Wants(t, "cut-off", r.CutoffAt.UTC(), modelstest.At(t, "2026-11-20T18:00:00-06:00").UTC())
	modelstest.Wants(t, "made too late", r.Sums.Of(closings.ClosedTooLate), models.Sum{Count: 1, Amount: late.Amount})
}

// TestAmendments: later changes are listed separately; the frozen figures stay.
func TestAmendments(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	quiet := o.NewTerminal(o.Store)
	o.SaleAt(quiet, 900)
	settled, c := o.StateOf(models.Unknown)
	o.Terminal = o.NewTerminal(o.Store) // the other one is still quiet
	pending, _ := o.StateOf(models.Accepted)
	imported := modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "UNDONE")), false)
	before := modelstest.CloseDay(t, o, time.Second)
	o.Clock.Advance(time.Hour)
	modelstest.Confirm(t, o, modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "ARRIVED")), false) // made before the cut-off
	o.SaleAt(quiet, 333)
	opened := modelstest.Store(t, o.DB, o.Clock.Now(), "NUEVA")
	o.SaleAt(o.NewTerminal(opened), 444)
	confirmed := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "778899"}
	if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, confirmed); err != nil {
		t.Fatal(err)
	}
	o.Post(modelstest.CancelPost(pending, o.LastOrder().Key.Hash()))
	if _, err := o.Imports.UndoImport(t.Context(), o.Admin, imported.ID, imported.Version); err != nil {
		t.Fatal(err)
	}
	r := modelstest.Closing(t, o, o.Supervisor)
	modelstest.Wants(t, "frozen sums", r.Sums, before.Sums)
	modelstest.Wants(t, "hash", r.HashText(), before.HashText())
	type change struct{ was, now closings.ClosedAs }
	got := map[string]change{}
	for _, a := range r.Amendments {
		got[a.OrderID] = change{a.Was, a.Now}
		if a.StoreName != o.Store.Name {
			t.Errorf("amendment of %s is of %q, want %q", a.OrderID, a.StoreName, o.Store.Name)
		}
		if a.At == nil || a.At.Before(before.ClosedAt) {
			t.Errorf("amendment of %s at %v, want a time after the closing", a.OrderID, a.At)
		}
	}
	modelstest.Wants(t, "amendments", got, map[string]change{
		"ARRIVED":       {"", closings.ClosedCharged},
		settled.OrderID: {closings.ClosedDoubt, closings.ClosedCanceled},
		pending.OrderID: {closings.ClosedPending, closings.ClosedCanceled},
		"UNDONE":        {closings.ClosedCharged, ""},
	})
	modelstest.Wants(t, "counted", len(r.Amendments), 4)
	// Sales after the cut-off could never be in the report: they are no amendments.
	modelstest.Wants(t, "sold after", r.After, []closings.After{
		{Name: opened.Name, Sum: models.Sum{Count: 1, Amount: 444}}, {Name: o.Store.Name, Sum: models.Sum{Count: 1, Amount: 333}},
	})
	list, err := o.Closings.Closings(t.Context(), o.Supervisor, "")
	if err != nil || len(list.Lines) != 1 {
		t.Fatalf("Closings() = %+v, %v, want a day", list, err)
	}
	modelstest.Equal(t, "changes of the day", list.Lines[0].Since, closings.Changes{
		closings.ChangeArrived: 1, closings.ChangeResolved: 1, closings.ChangeOutcome: 1, closings.ChangeUndone: 1,
	})
}

// TestAClosingWithinTheScope: a supervisor of one store sees its rows and sums
// only, and none of the bytes of the others.
func TestAClosingWithinTheScope(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	terminal := o.NewTerminal(other)
	o.SaleAt(terminal, 7700)
	whole := modelstest.CloseDay(t, o, 0)
	o.SaleAt(terminal, 50)
	some := modelstest.Person(models.Supervisor, o.Store)
	r := modelstest.Closing(t, o, some)
	modelstest.Wants(t, "stores", len(r.Stores), 1)
	modelstest.Wants(t, "sums", r.Sums.All(), models.Sum{Count: 1, Amount: 100})
	modelstest.Wants(t, "amendments", len(r.Amendments), 0)
	modelstest.Wants(t, "hash", r.HashText(), whole.HashText())
	modelstest.Wants(t, "said who sees all", [2]bool{r.Whole, whole.Whole}, [2]bool{false, true})
	if _, err := o.Closings.ClosingReport(t.Context(), some, modelstest.ClosingDay, closings.JSON); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("the bytes of all stores = %v, want them refused", err)
	}
	for _, actor := range []models.Actor{o.Manager, {}} {
		if _, err := o.Closings.ClosingReport(t.Context(), actor, modelstest.ClosingDay, closings.Shown); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("ClosingReport() by %s = %v, want it refused", actor.Role, err)
		}
	}
	for _, day := range []string{"2026-11-19", "hoy", "", "2026-13-40", "\x00"} {
		if _, err := o.Closings.ClosingReport(t.Context(), o.Supervisor, day, closings.Shown); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("ClosingReport(%q) = %v, want none", day, err)
		}
	}
	if _, err := o.Closings.Closings(t.Context(), o.Supervisor, "ayer"); !modelstest.IsError(err, models.Invalid("date", "date.invalid")) {
		t.Errorf("Closings(before ayer) = %v", err)
	}
	readings := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'closing.read'`)
	modelstest.Wants(t, "readings in the trail", readings, 2)
}

// The sums of what was frozen are kept for who reads every store, and shown to nobody
// else; what changed since is found each time.
func TestTheListIsReadAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	terminal := o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA"))
	o.SaleAt(terminal, 7700)
	modelstest.CloseDay(t, o, 0)
	some := modelstest.Person(models.Supervisor, o.Store)
	all := models.Sum{Count: 2, Amount: 7800}
	for i, step := range []struct {
		actor models.Actor
		want  models.Sum
		since int64
	}{{o.Supervisor, all, 0}, {o.Supervisor, all, 0}, {some, models.Sum{Count: 1, Amount: 100}, 0}, {o.Supervisor, all, 1}} {
		if step.since > 0 {
			imported := modelstest.Give(t, o, modelstest.CSVHeader+modelstest.CSVSale(o, "LATER")) // made before the cut-off
			modelstest.Confirm(t, o, imported, false)
		}
		list, err := o.Closings.Closings(t.Context(), step.actor, "")
		if err != nil || len(list.Lines) != 1 {
			t.Fatalf("list %d = %v, %v", i, list, err)
		}
		line := &list.Lines[0]
		modelstest.Wants(t, "sums", line.Sums.All(), step.want)
		modelstest.Wants(t, "added since", line.Since[closings.ChangeArrived], step.since)
	}
}
