package modelstest

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
)

// AlertsOf returns the alerts of an office as a process has them, after a first
// check.
func AlertsOf(t *testing.T, o *Office) *alerts.Service {
	t.Helper()
	a := alerts.New(alerts.Config{
		DB: Open(t, o.URL), Clock: o.Clock, Calendar: func() models.Calendar { return o.Rules.Window().Calendar },
		Deliveries: o.Deliveries, CanMail: true, Checkpoints: o.Attest,
	})
	PageLook(t, a)
	// It begins where the oldest transaction of the whole server is, of other tests too: what
	// made this office would be news to it.
	Exec(t, o.Owner, `UPDATE alert_cursor c SET (era, txid, id) = (e.era, e.txid, e.id) FROM audit_entries e
		WHERE (e.era, e.txid, e.id) > (c.era, c.txid, c.id)
			AND NOT EXISTS (SELECT FROM audit_entries l WHERE (l.era, l.txid, l.id) > (e.era, e.txid, e.id))`)
	return a
}

func PageLook(t *testing.T, a *alerts.Service) {
	t.Helper()
	if err := a.Watch(t.Context()); err != nil {
		t.Fatalf("Watch() = %v", err)
	}
}

// Watch checks for alerts until everything in the trail was checked: transactions of
// other tests' databases delay it too.
func Watch(t *testing.T, o *Office, a *alerts.Service) {
	t.Helper()
	if err := o.Audit.FlushRefusals(t.Context(), true); err != nil { // their minute is over
		t.Fatal(err)
	}
	var last int64
	if err := o.Owner.QueryRow(`SELECT max(id) FROM audit_entries`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		PageLook(t, a)
		if Count(t, o.Owner, `SELECT count(*) FROM audit_entries e, alert_cursor c
			WHERE e.id <= $1 AND (e.era, e.txid, e.id) > (c.era, c.txid, c.id)`, last) == 0 {
			PageLook(t, a) // what only time brings
			return
		}
	}
	t.Fatal("the trail was not looked at to its end")
}

// SetRule changes a rule as an administrator.
func SetRule(t *testing.T, o *Office, a *alerts.Service, kind alerts.Kind, change func(*alerts.RuleInput)) {
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

// Raised lists the alerts of a kind by their counts.
func Raised(t *testing.T, o *Office, a *alerts.Service, kind alerts.Kind) []alerts.Alert {
	t.Helper()
	var of []alerts.Alert
	if err := o.DB.Gorm().WithContext(t.Context()).Where("kind = ?", kind).Order("raised_at DESC, id DESC").Find(&of).Error; err != nil {
		t.Fatal(err)
	}
	return of
}

func Requests(n int) func(*testing.T, *Office) {
	return func(_ *testing.T, o *Office) {
		for range n {
			o.Request(o.Sale(125000))
		}
	}
}
