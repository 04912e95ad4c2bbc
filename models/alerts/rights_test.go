package alerts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/alerts"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/review"
	"veinte/models/wiring"
)

// TestRightsThatMoveMoneyAreTold: each act that gives them is one alert at once, and no other
// change of a person or a key is.
func TestRightsThatMoveMoneyAreTold(t *testing.T) {
	t.Parallel()
	invite := func(in accounts.Input) func(*modelstest.Office, *models.Store) error {
		return func(o *modelstest.Office, _ *models.Store) error {
			if in.Role == models.Manager {
				in.StoreIDs = []int64{o.Store.ID}
			}
			_, _, err := o.Accounts.Invite(context.Background(), o.Admin, in)
			return err
		}
	}
	change := func(from models.Role, all bool, in accounts.Input, stores ...int) func(*modelstest.Office, *models.Store) error {
		return func(o *modelstest.Office, other *models.Store) error {
			of := []int64{o.Store.ID, other.ID}
			was := accounts.Input{Email: "x@example.mx", Name: "Equis", Role: from, AllStores: all, AccessUntil: "2026-12-31"}
			if !all {
				was.StoreIDs = of[:1]
			}
			u, _, err := o.Accounts.Invite(context.Background(), o.Admin, was)
			if err != nil {
				return err
			}
			modelstest.Watch(t, o, modelstest.AlertsOf(t, o))
			modelstest.Exec(t, o.Owner, `DELETE FROM mails; DELETE FROM alert_repeats; DELETE FROM alerts`)
			in.Email, in.AccessUntil = was.Email, was.AccessUntil
			for _, i := range stores {
				in.StoreIDs = append(in.StoreIDs, of[i])
			}
			return o.Accounts.ChangeUser(context.Background(), o.Admin, u.ID, 1, in)
		}
	}
	key := func(scopes ...apikeys.Scope) func(*modelstest.Office, *models.Store) error {
		return func(o *modelstest.Office, _ *models.Store) error {
			_, _, err := o.APIKeys.CreateKey(context.Background(), o.Admin, apikeys.Input{
				Name: "Punto de venta", Scopes: scopes, AllStores: true, Pace: apikeys.PaceNormal, Days: 30,
			})
			return err
		}
	}
	fresh := accounts.Input{Email: "x@example.mx", Name: "Equis"}
	of := func(role models.Role, all bool) accounts.Input {
		in := fresh
		if in.Role, in.AllStores = role, all; role == models.Auditor {
			in.AccessUntil = "2026-12-31"
		}
		return in
	}
	for _, tt := range []struct {
		fact string
		act  func(*modelstest.Office, *models.Store) error
		want int
	}{
		{"a new manager", invite(of(models.Manager, false)), 1},
		{"a new supervisor", invite(of(models.Supervisor, true)), 1},
		{"a new administrator", invite(of(models.Administrator, true)), 1},
		{"a new auditor", invite(of(models.Auditor, true)), 0},
		{"an administrator by the command line", func(o *modelstest.Office, _ *models.Store) error {
			in := of(models.Administrator, true)
			in.Password = modelstest.Password
			_, err := o.Accounts.CreateUser(context.Background(), models.System("commands", ""), in)
			return err
		}, 1},
		{"a manager with another name", change(models.Manager, false, accounts.Input{Name: "Zeta", Role: models.Manager}, 0), 0},
		{"a manager with one store more", change(models.Manager, false, accounts.Input{Name: "Equis", Role: models.Manager}, 0, 1), 1},
		{"a manager in another store", change(models.Manager, false, accounts.Input{Name: "Equis", Role: models.Manager}, 1), 1},
		{"a manager made supervisor", change(models.Manager, false, accounts.Input{Name: "Equis", Role: models.Supervisor}, 0), 1},
		{"a supervisor made manager", change(models.Supervisor, true, accounts.Input{Name: "Equis", Role: models.Manager}, 0), 0},
		{"a supervisor of fewer stores", change(models.Supervisor, true, accounts.Input{Name: "Equis", Role: models.Supervisor}, 0), 0},
		{
			"a supervisor of all stores",
			change(models.Supervisor, false, accounts.Input{Name: "Equis", Role: models.Supervisor, AllStores: true}), 1,
		},
		{"a supervisor made administrator", change(models.Supervisor, true, accounts.Input{Name: "Equis", Role: models.Administrator}), 1},
		{"an auditor made manager", change(models.Auditor, false, accounts.Input{Name: "Equis", Role: models.Manager}, 0), 1},
		{"a manager made auditor", change(models.Manager, false, accounts.Input{Name: "Equis", Role: models.Auditor, AllStores: true}), 0},
		{"a key that cancels", key(apikeys.ScopeSalesRead, apikeys.ScopeCancellationsWrite), 1},
		{"a key that reads", key(apikeys.ScopeSalesRead, apikeys.ScopeCancellationsRead), 0},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			a := modelstest.AlertsOf(t, o)
			if err := tt.act(o, modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")); err != nil {
				t.Fatalf("%s: %v", tt.fact, err)
			}
			modelstest.Watch(t, o, a)
			if got := modelstest.Raised(t, o, a, alerts.KindRights); len(got) != tt.want {
				t.Errorf("%s raised %+v, want %d", tt.fact, got, tt.want)
			}
		})
	}
}

// TestTheAlertOfRightsCannotBeSwitchedOff, neither by its form nor in the database.
func TestTheAlertOfRightsCannotBeSwitchedOff(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindRights, func(in *alerts.RuleInput) { in.Active = false })
	if r, err := a.Rule(t.Context(), o.Admin, alerts.KindRights); err != nil || !r.Active {
		t.Errorf("the rule after its form was sent without its mark = %+v, %v, want it active", r, err)
	}
	if _, err := o.Owner.Exec(`UPDATE alert_rules SET active = false WHERE kind = 'rights'`); err == nil {
		t.Error("the database lets the rule be switched off")
	}
	if _, _, err := o.Accounts.Invite(t.Context(), o.Admin, accounts.Input{
		Email: "x@example.mx", Name: "Equis", Role: models.Manager, StoreIDs: []int64{o.Store.ID},
	}); err != nil {
		t.Fatal(err)
	}
	modelstest.Watch(t, o, a)
	got := modelstest.Raised(t, o, a, alerts.KindRights)
	if len(got) != 1 || got[0].Read().Of != "Equis" || got[0].Read().Role != models.Manager {
		t.Errorf("raised %+v, want one of Equis, a manager", got)
	}
}

// TestRightsAreToldToAllWhoOversee: to every supervisor and auditor who has access, those of
// other stores too, on the page and by mail; whoever got the rights does not attend to it.
func TestRightsAreToldToAllWhoOversee(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now, other := o.Clock.Now(), modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	limited := modelstest.User(t, o.DB, now, "limitada@example.mx", models.Supervisor, other)
	modelstest.User(t, o.DB, now, "auditora@example.mx", models.Auditor)
	gone := modelstest.User(t, o.DB, now, "sefue@example.mx", models.Supervisor)
	modelstest.User(t, o.DB, now, "encargada@example.mx", models.Manager, o.Store)
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, gone.ID, 1); err != nil {
		t.Fatal(err)
	}
	a := modelstest.AlertsOf(t, o)
	nuevo := modelstest.User(t, o.DB, now, "nuevo@example.mx", models.Supervisor)
	modelstest.Watch(t, o, a)
	var to []string
	rows, err := o.Owner.Query(`SELECT recipient FROM mails ORDER BY recipient`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var email string
		if err := rows.Scan(&email); err != nil {
			t.Fatal(err)
		}
		to = append(to, email)
	}
	if got := fmt.Sprint(to); got != "[auditora@example.mx limitada@example.mx nuevo@example.mx]" || rows.Err() != nil {
		t.Errorf("letters to %s, %v, want to the two who oversee and the new one", got, rows.Err())
	}
	_, page := modelstest.Inbox(t, o, limited.Actor(), review.ReviewAlert)
	if len(page.Items) != 1 || page.Count() != 1 {
		t.Fatalf("the inbox of a supervisor of another store = %+v, want the one alert", page)
	}
	own := &models.Error{Kind: models.KindConflict, Code: "alert.own"}
	if err := a.Attend(t.Context(), nuevo.Actor(), page.Items[0].ID, ""); !modelstest.IsError(err, own) {
		t.Errorf("Attend() by who got the rights = %v, want %v", err, own)
	}
	if err := a.Attend(t.Context(), limited.Actor(), page.Items[0].ID, ""); err != nil {
		t.Errorf("Attend() by a supervisor of another store = %v, want nil", err)
	}
}

// TestRightsWithoutAMailServer are told on the page alone.
func TestRightsWithoutAMailServer(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.CanMail = false })
	modelstest.User(t, o.DB, o.Clock.Now(), "sofia@example.mx", models.Supervisor)
	if err := o.Alerts.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	modelstest.User(t, o.DB, o.Clock.Now(), "beto@example.mx", models.Supervisor)
	modelstest.Watch(t, o, o.Alerts)
	got := modelstest.Raised(t, o, o.Alerts, alerts.KindRights) // Sofía's too, where a transaction elsewhere held the first look back
	if !slices.ContainsFunc(got, func(al alerts.Alert) bool { return al.Subject == "rights beto@example.mx" }) {
		t.Errorf("raised %+v, want one of Beto", got)
	}
	modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), 0)
}

// TestACopiedPasskeyIsTold: to all who oversee, each time, and nobody switches it off.
func TestACopiedPasskeyIsTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	modelstest.User(t, o.DB, o.Clock.Now(), "auditora@example.mx", models.Auditor)
	modelstest.SetRule(t, o, a, alerts.KindCopied, func(in *alerts.RuleInput) { in.Active = false })
	for range 2 {
		err := o.DB.InTx(t.Context(), func(tx database.Tx) error {
			about := audit.About{After: map[string]any{"email": ana.Email, "passkey": "Teléfono de Ana"}}
			return audit.Record(tx, ana.Actor(), o.Clock.Now(), models.ActionPasskeyCloned, models.OutcomeDenied, about)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Watch(t, o, a)
	got := modelstest.Raised(t, o, a, alerts.KindCopied)
	if len(got) != 2 || got[0].Read().Person != ana.Name {
		t.Errorf("raised %+v, want one of each copy of Ana's", got)
	}
	modelstest.Wants(t, "letters to the auditor", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM mails JOIN alerts a ON a.id = alert_id WHERE recipient = 'auditora@example.mx' AND a.kind = 'copiedPasskey'`), 2)
	if _, err := o.Owner.Exec(`UPDATE alert_rules SET active = false WHERE kind = 'copiedPasskey'`); err == nil {
		t.Error("the database lets the rule be switched off")
	}
}
