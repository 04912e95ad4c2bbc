package operations_test

import (
	"context"
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/operations"
	"veinte/models/rules"
)

// begun is the state of onboarding, which an administrator may always see.
func begun(t *testing.T, o *modelstest.Office) operations.Onboarding {
	t.Helper()
	b, err := o.Operations.Onboarding(t.Context(), o.Admin)
	if err != nil {
		t.Fatalf("Beginnings() = %v", err)
	}
	return *b
}

// Onboarding counts only what is in force: not what was retired, nor people who may
// not sign in any more, nor a withdrawn rule.
func TestBeginningsCountWhatHolds(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	before := begun(t, o)

	modelstest.Store(t, o.DB, now, "OTRA")
	modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	gone := modelstest.User(t, o.DB, now, "eva@example.mx", models.Manager, o.Store)
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, gone.ID, 1); err != nil {
		t.Fatalf("DisableUser() = %v", err)
	}
	ended := modelstest.User(t, o.DB, now, "luz@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = $1::date - 1 WHERE id = $2`, string(models.AccessDay(now)), ended.ID)
	lastDay := modelstest.User(t, o.DB, now, "sol@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `UPDATE users SET access_until = $1::date WHERE id = $2`, string(models.AccessDay(now)), lastDay.ID)
	modelstest.Exec(t, o.Owner, `UPDATE terminals SET retired_at = now() WHERE id = (SELECT min(id) FROM terminals)`)
	want := before
	want.Stores++
	want.Terminals--
	want.People += 2 // Ana, and Sol on her last day
	modelstest.Equal(t, "what is set up", begun(t, o), want)

	o.ChangeRules(func(in *rules.Input) { in.Cutoff, in.From = "18:00", "2026-11-21" })
	want.RuleChanges++
	modelstest.Equal(t, "with a rule that is planned", begun(t, o), want)
	if err := o.Rules.WithdrawChange(t.Context(), o.Admin, o.Rules.Schedule().History()[0].ID); err != nil {
		t.Fatalf("TakeBackRules() = %v", err)
	}
	want.RuleChanges--
	modelstest.Equal(t, "with the rule taken back", begun(t, o), want)

	for _, actor := range []models.Actor{o.Manager, o.Supervisor} {
		if _, err := o.Operations.Onboarding(t.Context(), actor); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("Beginnings() by a %s = %v, want ErrForbidden", actor.Role, err)
		}
	}
}

// A test of the connection is good when there was one and every step succeeded.
func TestAGoodConnectionTest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact  string
		steps []operations.ProbeStep
		want  bool
	}{
		{"none was made", nil, false},
		{"all went well", []operations.ProbeStep{{OK: true}, {OK: true}}, true},
		{"the last did not", []operations.ProbeStep{{OK: true}, {OK: false}}, false},
	} {
		o := modelstest.NewOffice(t)
		if tt.steps != nil {
			probe := func(context.Context) []operations.ProbeStep { return tt.steps }
			if err := o.Operations.TestConnection(t.Context(), o.Admin, probe); err != nil {
				t.Fatalf("%s: TestConnection() = %v", tt.fact, err)
			}
		}
		if b := begun(t, o); b.Test.Good() != tt.want {
			t.Errorf("%s: Good() = %t, want %t", tt.fact, b.Test.Good(), tt.want)
		}
	}
}

// Dismissing onboarding is recorded once, with the state before; a second time
// changes nothing.
func TestFirstStepsArePutAwayOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Members(t, o, o.Manager, o.Supervisor)
	hidden := func(a models.Actor) int {
		return int(modelstest.Count(t, o.Owner, `SELECT count(*) FROM users WHERE first_steps_hidden_at IS NOT NULL AND id = $1`, a.UserID))
	}
	for _, tt := range []struct {
		shown   bool
		hidden  int
		entries int
	}{{true, 0, 0}, {false, 1, 1}, {false, 1, 1}, {true, 0, 2}} {
		if err := o.Operations.SetOnboarding(t.Context(), o.Manager, tt.shown); err != nil {
			t.Fatalf("ShowFirstSteps(%t) = %v", tt.shown, err)
		}
		modelstest.Equal(t, "hidden from the manager", hidden(o.Manager), tt.hidden)
		modelstest.Equal(t, "hidden from somebody else", hidden(o.Supervisor), 0)
		modelstest.Equal(t, "entries", int(modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
			WHERE action = $1 AND before->>'shown' <> after->>'shown'`, string(models.ActionOnboarding))), tt.entries)
	}
}
