package rules_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/rules"
)

// refusals returns the refused fields of an input, with the codes.
func refusals(err error) map[string]string {
	var several rules.Refusals
	if !errors.As(err, &several) {
		return nil
	}
	found := map[string]string{}
	for _, e := range several {
		found[e.Field] = e.Code
	}
	return found
}

// until waits for what another process sees within a second.
func until(tb testing.TB, fact string, is func() bool) {
	tb.Helper()
	tick, end := time.NewTicker(20*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end:
			tb.Fatalf("%s: not within 10 s", fact)
		}
	}
}

func TestRulesAreRefusedByField(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	long := strings.Repeat("x", 301)
	tests := []struct {
		fact  string
		typed func(*rules.Input)
		field string
		code  string // "": accepted
	}{
		{"nothing changed", func(in *rules.Input) {}, "", "rules.nothing"},
		{"only a note", func(in *rules.Input) { in.Note = "por si acaso" }, "", "rules.nothing"},
		{"no cut-off", func(in *rules.Input) { in.Cutoff = "" }, "cutoff", "rules.timeInvalid"},
		{"a cut-off in words", func(in *rules.Input) { in.Cutoff = "8 pm" }, "cutoff", "rules.timeInvalid"},
		{"24:00 is no time", func(in *rules.Input) { in.Cutoff = "24:00" }, "cutoff", "rules.timeInvalid"},
		{"just past midnight", func(in *rules.Input) { in.Cutoff, in.From = "00:29", "2026-11-21" }, "cutoff", "rules.cutoffBounds"},
		{"the earliest", func(in *rules.Input) { in.Cutoff, in.From = "00:30", "2026-11-21" }, "", ""},
		{"the latest, confirmed", func(in *rules.Input) { in.Cutoff, in.From, in.LaterCutoff = "23:59", "2026-11-21", true }, "", ""},
		{"later than the service, unconfirmed", func(in *rules.Input) {
			in.Cutoff, in.From = "20:01", "2026-11-21"
		}, "laterCutoff", "rules.confirmLater"},
		{"later for the day that has begun", func(in *rules.Input) {
			in.Cutoff, in.LaterCutoff = "20:01", true
		}, "from", "rules.laterFromTomorrow"},
		{"earlier for the day that has begun", func(in *rules.Input) { in.Cutoff = "19:00" }, "", ""},
		{"earlier, in five minutes", func(in *rules.Input) { in.Cutoff = "12:05" }, "", ""},
		{"earlier, in four minutes", func(in *rules.Input) { in.Cutoff = "12:04" }, "cutoff", "rules.cutoffTooSoon"},
		{"earlier, already past", func(in *rules.Input) { in.Cutoff = "11:00" }, "cutoff", "rules.cutoffTooSoon"},
		{"no margin", func(in *rules.Input) { in.Margin = " " }, "margin", "field.required"},
		{"a margin of nothing", func(in *rules.Input) { in.Margin = "0" }, "margin", "rules.marginBounds"},
		{"a negative margin", func(in *rules.Input) { in.Margin = "-5" }, "margin", "rules.marginBounds"},
		{"half a second", func(in *rules.Input) { in.Margin = "1.5" }, "margin", "rules.wholeSeconds"},
		{"in words", func(in *rules.Input) { in.Margin = "diez" }, "margin", "rules.wholeSeconds"},
		{"with a unit", func(in *rules.Input) { in.Margin = "1m" }, "margin", "rules.wholeSeconds"},
		{"more than anybody counts", func(in *rules.Input) { in.Margin = "99999999999999999999" }, "margin", "rules.wholeSeconds"},
		{"ten minutes", func(in *rules.Input) { in.Margin = "600" }, "", ""},
		{"more", func(in *rules.Input) { in.Margin = "601" }, "margin", "rules.marginBounds"},
		{"an answer in 4 s", func(in *rules.Input) { in.Answer = "4" }, "answer", "rules.answerBounds"},
		{"an answer in 5 s", func(in *rules.Input) { in.Answer = "5" }, "", ""},
		{"an answer in 60 s", func(in *rules.Input) { in.Answer = "60" }, "", ""},
		{"an answer in 61 s", func(in *rules.Input) { in.Answer = "61" }, "answer", "rules.answerBounds"},
		{"a result in 29 s", func(in *rules.Input) { in.Result = "29" }, "result", "rules.waitBounds"},
		{"a result in 15 min", func(in *rules.Input) { in.Result = "900" }, "", ""},
		{"a result in more", func(in *rules.Input) { in.Result = "901" }, "result", "rules.waitBounds"},
		{"quiet for 30 s", func(in *rules.Input) { in.Quiet = "30" }, "", ""},
		{"quiet for 29 s", func(in *rules.Input) { in.Quiet = "29" }, "quiet", "rules.waitBounds"},
		{"from no day", func(in *rules.Input) { in.Margin, in.From = "6", "mañana" }, "from", "date.invalid"},
		{"from today", func(in *rules.Input) { in.Margin, in.From = "6", "2026-11-20" }, "from", "rules.fromPast"},
		{"from yesterday", func(in *rules.Input) { in.Margin, in.From = "6", "2026-11-19" }, "from", "rules.fromPast"},
		{"from tomorrow", func(in *rules.Input) { in.Margin, in.From = "6", "2026-11-21" }, "", ""},
		{"from the next century", func(in *rules.Input) { in.Margin, in.From = "6", "2126-11-21" }, "from", "rules.fromFar"},
		{"a long note", func(in *rules.Input) { in.Margin, in.Note = "6", long }, "note", "field.tooLong"},
		{"an invisible note", func(in *rules.Input) { in.Margin, in.Note = "6", "a\u202eb" }, "note", "field.invalidText"},
		{"a receipt of no kind", func(in *rules.Input) {
			in.Receipts = []rules.ReceiptInput{{Reason: "other", Print: "maybe"}}
		}, "receipt.other", "rules.receiptInvalid"},
		{"a receipt twice", func(in *rules.Input) {
			in.Receipts = []rules.ReceiptInput{{StoreID: 1, Print: "omit"}, {StoreID: 1, Print: "print"}}
		}, "receiptStore.1", "rules.receiptTwice"},
		{"a receipt that was as it is", func(in *rules.Input) { in.Receipts = []rules.ReceiptInput{{Reason: "other"}} }, "", "rules.nothing"},
	}
	for _, tt := range tests {
		_, err := office.Rules.PlanRules(t.Context(), office.Admin, office.RulesInput(tt.typed))
		got, found := refusals(err)[tt.field]
		if tt.code == "" && err != nil || tt.code != "" && (!found || got != tt.code || len(refusals(err)) != 1) {
			t.Errorf("%s: PlanRules() = %v, want %s: %q and nothing else", tt.fact, err, tt.field, tt.code)
		}
	}
	_, err := office.Rules.PlanRules(t.Context(), office.Admin, office.RulesInput(func(in *rules.Input) {
		in.Cutoff, in.Margin, in.Quiet, in.From = "x", "x", "1", "x"
	}))
	if got := refusals(err); len(got) != 4 {
		t.Errorf("four wrong fields: PlanRules() = %v, want all of them named", err)
	}
	if n := modelstest.Count(t, office.Owner, `SELECT count(*) FROM rules`); n != 1 {
		t.Errorf("planning wrote %d versions", n-1)
	}
	for _, r := range []rules.ReceiptInput{{StoreID: 987654, Print: "omit"}, {Reason: "none", Print: "omit"}} {
		in := office.RulesInput(func(in *rules.Input) { in.Receipts = []rules.ReceiptInput{r} })
		var refused *models.Error
		if err := office.Rules.Change(t.Context(), office.Admin, in); !errors.As(err, &refused) || refused.Kind != models.KindInvalid {
			t.Errorf("ChangeRules(%+v) = %v, want a refused field", r, err)
		}
	}
}

func TestAChangeOfRulesIsToldAndTakesEffect(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	twin := o.SecondServer()
	o.ChangeRules(func(in *rules.Input) {
		in.Margin, in.PrintReceipt, in.Note = "30", false, "los relojes difieren"
		in.Receipts = []rules.ReceiptInput{{StoreID: o.Store.ID, Print: "print"}, {Reason: "wrongAmount", Print: "omit"}}
	})
	o.ChangeRules(func(in *rules.Input) { in.Cutoff, in.Result, in.From = "19:00", "240", "2026-11-23" })
	o.ChangeRules(func(in *rules.Input) { in.Quiet = "200" })

	now := o.Clock.Now()
	monday := modelstest.At(t, "2026-11-23T00:00:00-06:00")
	s := o.Rules.Schedule()
	before, at := s.At(now), s.At(monday)
	if before.Cutoff.String() != "20:00" || before.Margin != 30*time.Second ||
		before.Result != 180*time.Second || before.Quiet != 200*time.Second {
		t.Errorf("rules now are %+v", before)
	}
	if at.Cutoff.String() != "19:00" || at.Result != 240*time.Second ||
		at.Quiet != 200*time.Second || s.At(monday.Add(-1)).Result != 180*time.Second {
		t.Errorf("rules on Monday are %+v: what changed meanwhile must not be undone, what is planned must not come early", at)
	}
	for _, tt := range []struct {
		store  int64
		reason string
		want   bool
	}{{o.Store.ID, "other", true}, {o.Store.ID, "wrongAmount", false}, {99, "other", false}} {
		if got := before.Receipt(tt.store, tt.reason); got != tt.want {
			t.Errorf("Receipt(%d, %s) = %t, want %t", tt.store, tt.reason, got, tt.want)
		}
	}
	until(t, "another process knows", func() bool { return twin.Rules.Schedule().Revision() == s.Revision() })

	var told string
	err := o.Owner.QueryRow(`SELECT reason || ' ' || before::text || ' ' || after::text
		FROM audit_entries WHERE action = 'rules.changed' ORDER BY id LIMIT 1`).Scan(&told)
	for _, want := range []string{
		"los relojes difieren",
		`"marginSeconds": 5`, `"marginSeconds": 30`,
		`"printReceipt": true`, `"printReceipt": false`,
		o.Store.Code + `": null`, o.Store.Code + `": true`,
		`"wrongAmount": false`,
	} {
		if err != nil || !strings.Contains(told, want) {
			t.Errorf("the trail tells %s (%v), want %s", told, err, want)
		}
	}
	history := s.History()
	if h := history[0]; h.EffectiveAt != monday.UTC() && !h.EffectiveAt.Equal(monday) ||
		h.Before.Cutoff.String() != "20:00" || h.After.Cutoff.String() != "19:00" || h.SetBy != o.Admin.Name {
		t.Errorf("the history begins with %+v, want what is planned for Monday", h)
	}
}

func TestTwoAdministratorsAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	first := o.RulesInput(func(in *rules.Input) { in.Margin = "10" })
	second := o.RulesInput(func(in *rules.Input) { in.Quiet = "300" })
	if err := o.Rules.Change(t.Context(), o.Admin, first); err != nil {
		t.Fatal(err)
	}
	if err := o.Rules.Change(t.Context(), o.Admin, first); err != nil {
		t.Errorf("the same click again = %v, want nil", err)
	}
	for range 2 {
		if err := o.SecondServer().Rules.Change(t.Context(), o.Admin, second); !modelstest.IsError(err, models.ErrStale) {
			t.Errorf("ChangeRules() over rules that were changed since = %v, want %v", err, models.ErrStale)
		}
	}
	future := o.RulesInput(func(in *rules.Input) { in.Margin, in.Seen.At = "11", o.Clock.Now().Add(time.Hour) })
	if err := o.Rules.Change(t.Context(), o.Admin, future); !modelstest.IsError(err, models.ErrStale) {
		t.Errorf("ChangeRules() over the rules of tomorrow = %v, want %v", err, models.ErrStale)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'rules.changed'`); n != 1 {
		t.Errorf("%d changes in the trail, want 1", n)
	}
}

// A form that was open while a planned change took effect changes only the fields
// that were typed into.
func TestAFormOpenOverAPlannedChange(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.ChangeRules(func(in *rules.Input) { in.Margin, in.From = "60", "2026-11-21" })
	in := o.RulesInput(func(in *rules.Input) { in.Quiet = "300" })
	o.Clock.Set(modelstest.At(t, "2026-11-21T00:00:01-06:00"))
	if err := o.Rules.Change(t.Context(), o.Admin, in); err != nil {
		t.Fatal(err)
	}
	if got := o.Rules.Waits(); got.Quiet != 300*time.Second || o.Rules.Window().Margin != time.Minute {
		t.Errorf("margin %s, quiet %s; want 1m0s, 5m0s", o.Rules.Window().Margin, got.Quiet)
	}
}

func TestPlannedRulesAreTakenBack(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	plan := func() int64 {
		o.ChangeRules(func(in *rules.Input) { in.Cutoff, in.From = "18:00", "2026-11-21" })
		return o.Rules.Schedule().History()[0].ID
	}
	refused := func(fact string, id int64, want *models.Error) {
		t.Helper()
		if err := o.Rules.WithdrawChange(t.Context(), o.Admin, id); !modelstest.IsError(err, want) {
			t.Errorf("%s: TakeBackRules() = %v, want %v", fact, err, want)
		}
	}
	id := plan()
	again := o.RulesInput(func(in *rules.Input) { in.Cutoff, in.From = "18:00", "2026-11-22" })
	if err := o.Rules.Change(t.Context(), o.Admin, again); refusals(err)["from"] != "rules.plannedAlready" {
		t.Errorf("what holds by then already = %v, want rules.plannedAlready", err)
	}
	if err := o.Rules.WithdrawChange(t.Context(), o.Supervisor, id); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("TakeBackRules() by a supervisor = %v, want %v", err, models.ErrForbidden)
	}
	if err := o.Rules.WithdrawChange(t.Context(), o.Admin, id); err != nil {
		t.Fatal(err)
	}
	refused("twice", id, &models.Error{Kind: models.KindConflict, Code: "rules.alreadyTakenBack"})
	refused("no such version", 9999, models.ErrNotFound)
	tomorrow := modelstest.At(t, "2026-11-21T12:00:00-06:00")
	if got := o.Rules.Schedule().At(tomorrow).Cutoff.String(); got != "20:00" {
		t.Errorf("tomorrow's cut-off is %s, want 20:00", got)
	}
	second := plan()
	o.Clock.Set(tomorrow.Add(-12 * time.Hour)) // exactly midnight
	refused("as it takes effect", second, &models.Error{Kind: models.KindConflict, Code: "rules.alreadyInForce"})
	if _, err := o.Owner.Exec(`UPDATE rules SET taken_back_at = NULL, taken_back_by = '' WHERE id = $1`, id); err == nil {
		t.Error("the database let a version come back")
	}
	if _, err := o.DB.Pool().Exec(context.Background(), `UPDATE rules SET margin_s = 1 WHERE id = $1`, second); err == nil {
		t.Error("the application may rewrite a version")
	}
}

// An immediate change by a process whose clock is behind comes after the previous
// one.
func TestClocksOfTwoProcesses(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.ChangeRules(func(in *rules.Input) { in.Margin = "20" })
	in := o.RulesInput(func(in *rules.Input) { in.Margin, in.Seen.At = "40", in.Seen.At.Add(-time.Second) })
	o.Clock.Advance(-time.Second)
	if err := o.Rules.Change(t.Context(), o.Admin, in); err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Second)
	if got := o.Rules.Window().Margin; got != 40*time.Second {
		t.Errorf("the margin is %s, want that of the later change, 40s", got)
	}
}
