package models_test

import (
	"context"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
)

// alerts are those of an office as a process has them, after a first look.
func alerts(t *testing.T, o *modelstest.Office) *alerts.Service {
	t.Helper()
	a := alerts.New(alerts.Config{
		DB: modelstest.Open(t, o.URL), Clock: o.Clock, Calendar: func() models.Calendar { return o.Rules.Window().Calendar },
		Deliveries: o.Deliveries, CanMail: true,
	})
	look(t, a)
	return a
}

func look(t *testing.T, a *alerts.Service) {
	t.Helper()
	if err := a.Watch(t.Context()); err != nil {
		t.Fatalf("Watch() = %v", err)
	}
}

// watch looks until everything in the trail was looked at: transactions of other
// tests' databases hold it up too.
func watch(t *testing.T, o *modelstest.Office, a *alerts.Service) {
	t.Helper()
	var last int64
	if err := o.Owner.QueryRow(`SELECT max(id) FROM audit_entries`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		look(t, a)
		if count(t, o.Owner, `SELECT count(*) FROM audit_entries e, alert_cursor c WHERE e.id <= $1 AND (e.era, e.txid, e.id) > (c.era, c.txid, c.id)`, last) == 0 {
			look(t, a) // what only time brings
			return
		}
	}
	t.Fatal("the trail was not looked at to its end")
}

// setRule changes a rule as an administrator.
func setRule(t *testing.T, o *modelstest.Office, a *alerts.Service, kind alerts.Kind, change func(*alerts.RuleInput)) {
	t.Helper()
	r, err := a.Rule(t.Context(), o.Admin, kind)
	if err != nil {
		t.Fatal(err)
	}
	in := r.Input()
	in.Active, in.Emails = true, "gerencia@tiendas.example"
	change(&in)
	if err := a.ChangeRule(t.Context(), o.Admin, in); err != nil {
		t.Fatalf("ChangeRule(%+v) = %v", in, err)
	}
}

// raised lists the alerts of a kind by what they say of how often.
func raised(t *testing.T, o *modelstest.Office, a *alerts.Service, kind alerts.Kind) []alerts.Alert {
	t.Helper()
	page, err := a.List(t.Context(), o.Supervisor, alerts.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var of []alerts.Alert
	for _, x := range page.Alerts {
		if x.Kind == kind {
			of = append(of, x)
		}
	}
	return of
}

func asItIs(*alerts.RuleInput) {}

func count2(in *alerts.RuleInput) { in.Count, in.Minutes = "2", "60" }

func minutes(n string) func(*alerts.RuleInput) {
	return func(in *alerts.RuleInput) { in.Minutes = n }
}

func requests(n int) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		for range n {
			o.Request(o.Sale(125000))
		}
	}
}

func at(clock string, act func(*testing.T, *modelstest.Office)) func(*testing.T, *modelstest.Office) {
	return func(t *testing.T, o *modelstest.Office) {
		o.Clock.Set(modelstest.At(t, "2026-11-20T"+clock+"-06:00"))
		act(t, o)
	}
}

func doubt(old time.Duration) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		o.In(models.Unknown)
		o.Clock.Advance(old)
	}
}

func silent(old time.Duration) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		o.Sale(100)
		o.Clock.Advance(old)
	}
}

func stray(_ *testing.T, o *modelstest.Office) {
	o.Post(models.Post{Body: `{}`, Kind: models.ResultCancellation, SerialNumber: "9999999999", OrderID: "nadie", ResponseCode: "00"})
}

func signIns(n int) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		for range n {
			_, _, _ = o.Accounts.Login(context.Background(), from("192.0.2.66"), "nadie@tiendas.example", "x")
		}
	}
}

// rate cancels two of four today, after days on which so many of a hundred were.
func rate(before int) func(*testing.T, *modelstest.Office) {
	return func(t *testing.T, o *modelstest.Office) {
		exec(t, o.Owner, `INSERT INTO day_totals (store_id, business_day, terminal_id, sales, amount, canceled, canceled_amount, open_cases, revision, last_received)
			VALUES ($1, '2026-11-10', $2, 100, 100, $3, $3, 0, 1, now())`, o.Store.ID, o.Terminal.ID, before)
		for range 2 {
			o.Terminal = o.NewTerminal(o.Store)
			o.In(models.Confirmed)
			o.Sale(1)
		}
	}
}
