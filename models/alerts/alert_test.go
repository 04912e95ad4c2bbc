package alerts_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// TestALongTrailIsWatchedInPieces: however many entries there are, no transaction lasts,
// and each is judged once.
func TestALongTrailIsWatchedInPieces(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	a.Hurry()
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount, in.Quiet = "1", "0" })
	modelstest.SetRule(t, o, a, alerts.KindSignIns, func(in *alerts.RuleInput) { in.Count, in.Minutes = "3", "10" })
	modelstest.Requests(4)(t, o)
	signIns(3)(t, o)
	modelstest.Watch(t, o, a)
	modelstest.Watch(t, o, a)
	if got := len(modelstest.Raised(t, o, a, alerts.KindAmount)); got != 4 {
		t.Errorf("%d amounts were noticed, want 4", got)
	}
	if got := modelstest.Raised(t, o, a, alerts.KindSignIns); len(got) != 1 {
		t.Errorf("failed sign-ins were noticed as %+v, want once", got)
	}
}

// TestABatchIsCountedOnce: a transaction reads the trail and the sums of the days as often for
// many entries as for a few. PostgreSQL counts what is read, between the first and the
// last statement of it.
func TestABatchIsCountedOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `CREATE TABLE looks (first boolean, scans bigint, id bigint GENERATED ALWAYS AS IDENTITY);
		CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			INSERT INTO looks (first, scans) SELECT TG_OP = 'INSERT', sum(seq_scan + coalesce(idx_scan, 0))
				FROM pg_stat_xact_user_tables WHERE relname LIKE 'audit_entries%' OR relname = 'day_totals';
			RETURN NULL; END $$;
		CREATE TRIGGER looks BEFORE INSERT OR UPDATE ON alert_cursor FOR EACH STATEMENT EXECUTE FUNCTION look()`)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindPerson, func(in *alerts.RuleInput) { in.Count, in.Minutes = "1", "60" })
	modelstest.SetRule(t, o, a, alerts.KindSignIns, func(in *alerts.RuleInput) { in.Count, in.Minutes = "1", "60" })
	modelstest.SetRule(t, o, a, alerts.KindRate, func(in *alerts.RuleInput) { in.Count, in.Factor = "1", "200" })
	scans := func(n int) int {
		modelstest.Exec(t, o.Owner, `TRUNCATE looks`)
		for range n {
			o.StateOf(models.Confirmed)
		}
		signIns(n)(t, o)
		modelstest.Watch(t, o, a)
		return modelstest.Count(t, o.Owner, `SELECT max(scans - before) FROM (
			SELECT first, scans, lag(scans) OVER (ORDER BY id) AS before FROM looks) l WHERE NOT first`)
	}
	few := scans(2)
	// PostgreSQL may plan one read as two; ten more requests would be ten more reads.
	if many := scans(12); few == 0 || many > few+2 {
		t.Errorf("%d reads for 12 of each, %d for 2 of each", many, few)
	}
	if got := modelstest.Raised(t, o, a, alerts.KindPerson); len(got) != 1 || got[0].Read().Count != 14 {
		t.Errorf("raised %+v, want one of 14 requests", got)
	}
}

// TestWhatRaisesAlerts tries each rule on both sides of its threshold.
func TestWhatRaisesAlerts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact string
		kind alerts.Kind
		rule func(*alerts.RuleInput)
		act  func(*testing.T, *modelstest.Office)
		want int
	}{
		{"three of one person, two are allowed", alerts.KindPerson, count2, modelstest.Requests(3), 1},
		{"two of one person, two are allowed", alerts.KindPerson, count2, modelstest.Requests(2), 0},
		{"as much as the amount", alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount = "1,250.00" }, modelstest.Requests(1), 1},
		{"a centavo less", alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount = "1250.01" }, modelstest.Requests(1), 0},
		{"ten minutes before the cut-off", alerts.KindLate, minutes("10"), at("19:50:00", modelstest.Requests(1)), 1},
		{"eleven minutes before the cut-off", alerts.KindLate, minutes("10"), at("19:49:00", modelstest.Requests(1)), 0},
		{"a doubt for an hour", alerts.AlertDoubt, minutes("60"), modelstest.Doubt(time.Hour), 1},
		{"a doubt for a minute less", alerts.AlertDoubt, minutes("60"), modelstest.Doubt(59 * time.Minute), 0},
		{"a terminal of nowhere", alerts.KindConflict, asItIs, stray, 1},
		{"a closed day", alerts.KindClosing, asItIs, func(t *testing.T, o *modelstest.Office) { modelstest.CloseDay(t, o, 0) }, 1},
		{"a terminal that is silent", alerts.KindSilent, minutes("60"), silent(61 * time.Minute), 1},
		{"a terminal that just posted", alerts.KindSilent, minutes("60"), silent(59 * time.Minute), 0},
		{"many refused sign-ins", alerts.KindSignIns, func(in *alerts.RuleInput) { in.Count, in.Minutes = "3", "10" }, signIns(3), 1},
		{"few refused sign-ins", alerts.KindSignIns, func(in *alerts.RuleInput) { in.Count, in.Minutes = "3", "10" }, signIns(2), 0},
		{"another store's", alerts.KindAmount, func(in *alerts.RuleInput) {
			in.Amount, in.AllStores, in.StoreIDs = "1", false, []int64{2}
		}, modelstest.Requests(1), 0},
		{"a rule that is off", alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount, in.Active = "1", false }, modelstest.Requests(1), 0},
		{"a store that cancels far more than it did", alerts.KindRate, func(in *alerts.RuleInput) {
			in.Count, in.Factor = "2", "200"
		}, rate(5), 1},
		{"a store that cancels as it did", alerts.KindRate, func(in *alerts.RuleInput) { in.Count, in.Factor = "2", "200" }, rate(90), 0},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
			a := modelstest.AlertsOf(t, o)
			modelstest.SetRule(t, o, a, tt.kind, tt.rule)
			tt.act(t, o)
			modelstest.Watch(t, o, a)
			modelstest.Watch(t, o, a)
			if got := modelstest.Raised(t, o, a, tt.kind); len(got) != tt.want {
				t.Errorf("raised %+v, want %d", got, tt.want)
			}
			modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), tt.want)
			entries := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
				WHERE action = 'alert.raised' AND after->>'rule' = $1`, string(tt.kind))
			modelstest.Wants(t, "entries", entries, tt.want)
		})
	}
}

// TestOneCauseIsOneLetter: what happens again within the quiet period is counted,
// and notified once it is over.
func TestOneCauseIsOneLetter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindPerson, func(in *alerts.RuleInput) { in.Count, in.Minutes, in.Quiet = "1", "120", "60" })
	for range 16 {
		o.Clock.Advance(time.Second)
		modelstest.Requests(1)(t, o)
	}
	modelstest.Watch(t, o, a)
	got := modelstest.Raised(t, o, a, alerts.KindPerson)
	if len(got) != 1 || got[0].Times != 15 {
		t.Fatalf("raised %+v, want one that happened 15 times", got)
	}
	modelstest.Wants(t, "the greatest count", got[0].Read().Count, int64(16))
	modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), 1)
	o.Clock.Advance(time.Hour)
	modelstest.Watch(t, o, a)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "letters after the quiet period", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), 2)
	modelstest.Wants(t, "and so many more", modelstest.Count(t, o.Owner, `SELECT more FROM mails WHERE more > 0`), 14)
	modelstest.Requests(1)(t, o)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "alerts after the quiet period", len(modelstest.Raised(t, o, a, alerts.KindPerson)), 2)
}

// TestEachCauseIsRaisedOnce by any number of processes at once, also when one fails
// in the middle.
func TestEachCauseIsRaisedOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount, in.Quiet = "1", "0" })
	processes := []*alerts.Service{a, modelstest.AlertsOf(t, o), modelstest.AlertsOf(t, o)}
	const sales = 10
	done := make(chan struct{})
	var all sync.WaitGroup
	for _, p := range processes {
		all.Go(func() {
			for {
				broken, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
				_ = p.Watch(broken) // it breaks off wherever it is
				cancel()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	modelstest.Requests(sales)(t, o)
	close(done)
	all.Wait()
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "alerts", modelstest.Count(t, o.Owner, `SELECT count(*) FROM alerts WHERE kind = 'amount'`), sales)
	modelstest.Wants(t, "letters", modelstest.Count(t, o.Owner, `SELECT count(*) FROM mails`), sales)
}

// TestALateCommitIsSeen: an entry whose transaction began before others and ends
// after them is not skipped.
func TestALateCommitIsSeen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindTrail, asItIs)
	slow, err := o.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = slow.Exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		VALUES ($1, 'x', 'system', 'sealing.stopped', 'failure', '')`, o.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Requests(2)(t, o)
	modelstest.PageLook(t, a)
	modelstest.Wants(t, "alerts before it is committed", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 0)
	if err := slow.Commit(); err != nil {
		t.Fatal(err)
	}
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "alerts", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 1)
}

// TestSealingThatStandsStill is noticed although nobody signs in.
func TestSealingThatStandsStill(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	modelstest.Exec(t, o.Owner, `INSERT INTO checkpoints (size, root, sealed_at, era, txid, entry_id, note)
		SELECT 1, sha256('x'), now(), era, txid, id, 'n' FROM audit_entries ORDER BY id LIMIT 1`)
	modelstest.Watch(t, o, a)
	modelstest.Wants(t, "while it is young", len(modelstest.Raised(t, o, a, alerts.KindTrail)), 0)
	o.Clock.Advance(6 * time.Minute)
	modelstest.Watch(t, o, a)
	modelstest.Watch(t, o, a)
	// Held up by a transaction or not: those of other tests hold it up too, so it may be both.
	var of string
	err := o.Owner.QueryRow(`SELECT string_agg(subject, ' ' ORDER BY subject) FROM alerts WHERE kind = $1`, alerts.KindTrail).Scan(&of)
	if err != nil {
		t.Fatal(err)
	}
	if of != "sealing.still" && of != "sealing.held" && of != "sealing.held sealing.still" {
		t.Errorf("alerts of %q, want one of each at most", of)
	}
}

// TestRulesOfAlertsAreJudged: every field with every error, stale versions, and
// missing permissions.
func TestRulesOfAlertsAreJudged(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	a := modelstest.AlertsOf(t, o)
	base, err := a.Rule(t.Context(), o.Admin, alerts.KindPerson)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fact, field, code string
		change            func(*alerts.RuleInput)
	}{
		{"no count", "count", "alert.countInvalid", func(in *alerts.RuleInput) { in.Count = "" }},
		{"a count of none", "count", "alert.countInvalid", func(in *alerts.RuleInput) { in.Count = "0" }},
		{"words for minutes", "minutes", "alert.minutesInvalid", minutes("diez")},
		{"endless minutes", "minutes", "alert.minutesInvalid", minutes("99999999999999999999")},
		{"a quiet year", "quiet", "alert.quietInvalid", func(in *alerts.RuleInput) { in.Quiet = "525600" }},
		{"a header in an address", "emails", "alert.emailInvalid", func(in *alerts.RuleInput) { in.Emails = "a@b.mx bcc:c@d.mx" }},
		{"a name before the address", "emails", "alert.emailInvalid", func(in *alerts.RuleInput) { in.Emails = "ana<a@b.mx>" }},
		{"no address", "emails", "alert.emailInvalid", func(in *alerts.RuleInput) { in.Emails = "ana" }},
		{"a tab in an address", "emails", "alert.emailInvalid", func(in *alerts.RuleInput) { in.Emails = "a@b\tx.mx" }},
		{"too many addresses", "emails", "alert.tooMany", func(in *alerts.RuleInput) {
			in.Emails = strings.Repeat("x", 0)
			for _, c := range "abcdefghijk" {
				in.Emails += string(c) + "@b.mx\n"
			}
		}},
		{"no store", "stores", "endpoint.storesRequired", func(in *alerts.RuleInput) { in.AllStores, in.StoreIDs = false, nil }},
		{"a store that is none", "stores", "store.unknown", func(in *alerts.RuleInput) { in.AllStores, in.StoreIDs = false, []int64{-1} }},
		{"another language", "language", "filter.invalid", func(in *alerts.RuleInput) { in.Language = "fr" }},
		{"an old version", "", "error.stale", func(in *alerts.RuleInput) { in.Version = 7 }},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			in := base.Input()
			tt.change(&in)
			err := a.ChangeRule(t.Context(), o.Admin, in)
			var got *models.Error
			if !errors.As(err, &got) || got.Code != tt.code || got.Field != tt.field {
				t.Errorf("ChangeRule() = %v, want %s at %q", err, tt.code, tt.field)
			}
		})
	}
	if err := a.ChangeRule(t.Context(), o.Supervisor, base.Input()); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("ChangeRule() by a supervisor = %v", err)
	}
	mute := alerts.New(alerts.Config{DB: o.DB, Clock: o.Clock})
	in := base.Input()
	in.Emails = "a@b.mx"
	if err := mute.ChangeRule(t.Context(), o.Admin, in); !modelstest.IsError(err, models.Invalid("emails", "alert.noMail")) {
		t.Errorf("ChangeRule() with addresses and no mail server = %v", err)
	}
	if _, err := a.Rule(t.Context(), o.Admin, "x' OR 1=1"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Rule() of no kind = %v", err)
	}
}

// TestAlertsAreAttendedTo once, within the scope, by users with the permission.
func TestAlertsAreAttendedTo(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	a := modelstest.AlertsOf(t, o)
	modelstest.SetRule(t, o, a, alerts.KindAmount, func(in *alerts.RuleInput) { in.Amount, in.Language = "1", "en" })
	modelstest.Requests(1)(t, o)
	modelstest.Watch(t, o, a)
	id := modelstest.Raised(t, o, a, alerts.KindAmount)[0].ID
	if err := a.Attend(t.Context(), modelstest.Person(models.Supervisor, other), id, ""); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Attend() by another store's supervisor = %v", err)
	}
	for _, who := range []models.Actor{o.Manager, o.Admin} {
		if err := a.Attend(t.Context(), who, id, ""); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("Attend() by %s = %v", who.Role, err)
		}
	}
	long := strings.Repeat("x", 301)
	if err := a.Attend(t.Context(), o.Supervisor, id, long); !modelstest.IsError(err, models.Invalid("note", "field.tooLong")) {
		t.Errorf("Attend() with a long note = %v", err)
	}
	if err := a.Attend(t.Context(), o.Supervisor, id, " Hablé con Ana "); err != nil {
		t.Errorf("Attend() = %v", err)
	}
	attended := &models.Error{Kind: models.KindConflict, Code: "alert.attended"}
	if err := a.Attend(t.Context(), o.Supervisor, id, ""); !modelstest.IsError(err, attended) {
		t.Errorf("Attend() twice = %v", err)
	}
	if left, _ := modelstest.Inbox(t, o, o.Supervisor, review.ReviewAlert); len(left) != 0 {
		t.Errorf("the inbox still holds %v", left)
	}
}
