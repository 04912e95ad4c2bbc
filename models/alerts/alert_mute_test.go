package alerts_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/closings"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// tells writes an entry as another part of the product would.
func tells(t *testing.T, o *modelstest.Office, action models.Action, outcome, after string) {
	t.Helper()
	modelstest.Exec(t, o.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
		VALUES ($1, 'x', 'system', $2, $3, $4, '')`,
		o.Clock.Now(), string(action), outcome, after)
}

// TestNothingMutesTheTrail: harmless entries raise nothing, and each contradiction
// is notified at once, however many there were before.
func TestNothingMutesTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindTrail, asItIs)
	tells(t, o, models.ActionAuditVerified, "failure", `{"verificationState": "running"}`)
	tells(t, o, models.ActionAuditVerified, "failure", `{"verificationState": "failed"}`)
	tells(t, o, models.ActionAuditExported, "failure", `{"format": "csv"}`)
	tells(t, o, models.ActionAuditProved, "failure", `{}`)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "alerts of what is harmless", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 0)
	tells(t, o, models.ActionSealingStopped, "failure", `{}`)
	tells(t, o, models.ActionAuditVerified, "failure", `{"verificationState": "altered"}`)
	tells(t, o, models.ActionAuditVerified, "failure", `{"verificationState": "altered"}`)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "alerts of contradictions", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 3)
	modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails WHERE more = 0`), 3)
}

// TestWatchingReadsOnlyWhatIsNew: it neither sorts nor discards what it read.
func TestWatchingReadsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		SELECT timestamptz '2026-11-20 18:00Z' + n * interval '1 second', 'x', 'system', 'test.done', 'success', 'x'
		FROM generate_series(1, 30000) n`)
	for range 20 {
		tells(t, o, "test.done", "success", `{}`)
	}
	modelstest.Exec(t, o.Owner, `ANALYZE audit_entries`)
	query := alerts.WatchedSQL
	for n := 1; strings.Contains(query, "?"); n++ {
		query = strings.Replace(query, "?", fmt.Sprintf("$%d", n), 1)
	}
	var era int
	var txid string
	var id int64
	err := o.Owner.QueryRow(`SELECT era, txid::text, id FROM audit_entries
		ORDER BY era DESC, txid DESC, id DESC OFFSET 20 LIMIT 1`).Scan(&era, &txid, &id)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		conn, err := modelstest.Open(t, o.URL).Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+mode); err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(t.Context(), `EXPLAIN (ANALYZE) `+query, era, txid, id, "9223372036854775807")
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		// If anything is sorted, it is only the twenty entries.
		plan := strings.Join(all, "\n")
		many := regexp.MustCompile(`actual time=\S+ rows=\d{3}`)
		if strings.Contains(plan, "Removed by") || many.MatchString(plan) || !strings.Contains(plan, "Index Cond: ((era =") {
			t.Errorf("the plan (%s) reads more than what is new:\n%s", mode, plan)
		}
	}
}

// TestAPersonIsNoProgram: people and programs with the same number are counted
// separately.
func TestAPersonIsNoProgram(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, modelstest.Trusting)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindPerson, func(in *alerts.RuleInput) { in.Count, in.Minutes = "3", "60" })
	program := models.Actor{
		UserID: o.Manager.UserID, Name: "ERP", Role: models.Integration, AllStores: true,
		Grants: []models.Permission{models.CancelSales, models.ViewSales},
	}
	for range 4 {
		if _, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(o.Sale(1000))); err != nil {
			t.Fatal(err)
		}
	}
	o.Clock.Advance(time.Second)
	modelstest.Requests(1)(t, o)
	modelstest.Watch(t, o, a)
	got := modelstest.Raised(t, o, a, alerts.KindPerson)
	if len(got) != 1 || got[0].Read().Person != "ERP" || got[0].Read().Count != 4 || !strings.HasPrefix(got[0].Subject, "program ") {
		t.Errorf("raised %+v, want the program's four only", got)
	}
}

// TestASmallSumHidesNoGreatOne of the same store, and no silent terminal hides
// another.
func TestASmallSumHidesNoGreatOne(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount = "1" })
	modelstest.SetRule(t, o, a, alerts.KindSilent, minutes("60"))
	o.Request(o.Sale(1000000))
	o.Clock.Advance(time.Minute)
	o.Terminal = o.NewTerminal(o.Store)
	o.Request(o.Sale(90000000))
	o.Clock.Advance(2 * time.Hour)
	modelstest.Watch(t, o, a)
	amounts := modelstest.Raised(t, o, a, alerts.KindAmount)
	if len(amounts) != 2 || max(amounts[0].Read().Amount, amounts[1].Read().Amount) != 90000000 {
		t.Errorf("raised %+v, want both sums", amounts)
	}
	modelstest.Wants(t, "silent terminals", len(modelstest.Raised(t, o, a, alerts.KindSilent)), 2)
}

// TestACountOverStoresIsForWhoSeesThem: only users who see all of them get it.
func TestACountOverStoresIsForWhoSeesThem(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, modelstest.Trusting)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindPerson, func(in *alerts.RuleInput) {
		in.Count, in.Minutes, in.AllStores, in.StoreIDs = "2", "60", false, []int64{o.Store.ID, other.ID}
	})
	person := o.Manager
	person.AllStores = true
	for _, m := range []*models.Terminal{o.Terminal, o.NewTerminal(other), o.Terminal} {
		if _, err := o.Cancellations.Request(t.Context(), person, o.CancelRequest(o.SaleAt(m, 1000))); err != nil {
			t.Fatal(err)
		}
		o.Clock.Advance(time.Second)
	}
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "for who sees all", len(modelstest.Raised(t, o, a, alerts.KindPerson)), 1)
	all, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewAlert)
	modelstest.Wants(t, "in the inbox of who sees all", len(all), 1)
	some, _ := modelstest.Inbox(t, o, modelstest.Person(models.Supervisor, o.Store), review.ReviewAlert)
	modelstest.Wants(t, "for a supervisor of one of them", len(some), 0)
}

// TestAKeyThatSealsNothing: it is notified after two minutes, and checkpoints that
// are only in the database at once.
func TestAKeyThatSealsNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := alerts.New(alerts.Config{
		DB: o.DB, Clock: o.Clock, Calendar: func() models.Calendar { return o.Rules.Window().Calendar }, CanMail: true,
		Sealing: true, CheckpointsLeave: true,
	})
	modelstest.SetRule(t, o, a, alerts.KindTrail, asItIs)
	o.Clock.Advance(119 * time.Second)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "before two minutes", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 0)
	o.Clock.Advance(time.Second)
	modelstest.Watch(t, o, a)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "after two minutes", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 1)
	inside := alerts.New(alerts.Config{
		DB: o.DB, Clock: o.Clock, Calendar: func() models.Calendar { return o.Rules.Window().Calendar }, CanMail: true, Sealing: true,
	})
	modelstest.Watch(t, o, inside)
	modelstest.Watch(t, o, inside)
	stay := modelstest.Count(t, o.Owner, `SELECT count(*) FROM alerts WHERE subject = 'sealing.nowhere' AND times = 1`)
	modelstest.Wants(t, "checkpoints that stay", stay, 1)
}

// TestLettersDoNotOutliveTheirPatience: this holds without a mail server too.
func TestLettersDoNotOutliveTheirPatience(t *testing.T) {
	t.Parallel()
	o, _ := letters(t)
	mute := alerts.New(alerts.Config{DB: o.DB, Clock: o.Clock, Calendar: func() models.Calendar { return o.Rules.Window().Calendar }})
	o.Clock.Advance(24*time.Hour - time.Second)
	modelstest.Watch(t, o, mute)
	modelstest.Wants(t, "given up too early", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails WHERE state = 'givenUp'`), 0)
	o.Clock.Advance(time.Second)
	modelstest.Watch(t, o, mute)
	modelstest.Wants(t, "given up", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails WHERE state = 'givenUp'`), 1)
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'mail.givenUp'`), 1)
	modelstest.Wants(t, "sent weeks later", len(claim(t, o)), 0)
}

// TestWhoIsShutOutGetsNoLetter: neither disabled users nor those after their last
// day, though a rule names them.
func TestWhoIsShutOutGetsNoLetter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, name := range []string{"una", "dos", "tres"} {
		modelstest.User(t, o.DB, o.Clock.Now(), name+"@tiendas.example", models.Supervisor)
	}
	a := modelstest.AlertsOf(t, o)
	modelstest.Exec(t, o.Owner, `UPDATE users SET disabled_at = $1 WHERE email = 'una@tiendas.example'`, o.Clock.Now())
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = '2026-11-19' WHERE email = 'dos@tiendas.example'`)
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = '2026-11-20' WHERE email = 'tres@tiendas.example'`)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) {
		in.Amount, in.Emails = "1", "una@tiendas.example\ndos@tiendas.example\ntres@tiendas.example\nnadie@otra.example"
	})
	modelstest.Requests(1)(t, o)
	modelstest.Watch(t, o, a)
	var to string
	if err := o.Owner.QueryRow(`SELECT string_agg(recipient, ' ' ORDER BY recipient) FROM mails`).Scan(&to); err != nil {
		t.Fatal(err)
	}
	modelstest.Wants(t, "recipients", to, "nadie@otra.example tres@tiendas.example")
}

// TestAClockAheadClosesNoDay that is not over: a report cannot be undone.
func TestAClockAheadClosesNoDay(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{9 * time.Hour, 20 * 24 * time.Hour} {
		o := modelstest.NewOffice(t) // it is noon
		o.Sale(100)
		o.Clock.Skew(ahead)
		o.Sale(100) // its day is that of the wrong clock
		for range 3 {
			if err := o.Closings.CloseDays(t.Context()); !errors.Is(err, closings.ErrClockAhead) {
				t.Errorf("CloseDays() %s ahead = %v", ahead, err)
			}
		}
		modelstest.Wants(t, "days closed that have not been", modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings`), 0)
		o.Clock.Skew(-ahead)
		o.Clock.Advance(9 * time.Hour)
		if err := o.Closings.CloseDays(t.Context()); err != nil {
			t.Errorf("CloseDays() in the evening = %v", err)
		}
		modelstest.Wants(t, "days closed in the evening", modelstest.Count(t, o.Owner, `SELECT count(*) FROM closings`), 1)
	}
}

// TestAPersonsCountIsOfOneStore, or of all for users who see all: what a person does
// elsewhere is in no alert of a store, and does not hide one.
func TestAPersonsCountIsOfOneStore(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindPerson, func(in *alerts.RuleInput) { in.Count, in.Minutes = "2", "10" })
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	there := o.NewTerminal(other)
	both := modelstest.Person(models.Manager, o.Store, other)
	ask := func(sale *models.Sale) {
		t.Helper()
		if _, err := o.Cancellations.Request(t.Context(), both, o.CancelRequest(sale)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		ask(o.Sale(1000))
	}
	modelstest.Watch(t, o, a)
	o.Clock.Advance(20 * time.Minute)
	for range 5 {
		ask(o.SaleAt(there, 1000))
	}
	modelstest.Watch(t, o, a)
	got := map[int64]alerts.Facts{}
	for _, x := range modelstest.Raised(t, o, a, alerts.KindPerson) {
		got[*x.StoreID] = x.Read()
		if want := fmt.Sprintf("&person=%d&", both.UserID); !strings.Contains(x.Path(), want) {
			t.Errorf("it leads to %s, want %s", x.Path(), want)
		}
	}
	if here, elsewhere := got[o.Store.ID], got[other.ID]; here.Count != 3 || here.Serial != string(o.Terminal.SerialNumber) ||
		elsewhere.Count != 5 || elsewhere.Serial != string(there.SerialNumber) {
		t.Errorf("raised %+v, want 3 of one store and 5 of the other", got)
	}
	one := models.Actor{UserID: both.UserID, Name: both.Name, Role: models.Supervisor, AllStores: true}
	id := modelstest.Raised(t, o, a, alerts.KindPerson)[0].ID
	if err := a.Attend(t.Context(), one, id, ""); !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "alert.own"}) {
		t.Errorf("Attend() to the alert about oneself = %v", err)
	}
}
