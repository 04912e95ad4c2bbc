package entrance_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/sso"
	"veinte/models/apikeys"
	"veinte/models/bulk"
	"veinte/models/cancellations"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
	"veinte/models/rules"
	"veinte/models/webhooks"
)

// askProof has people asked for a fresh proof.
func askProof(t *testing.T, o *modelstest.Office) {
	t.Helper()
	if err := o.Entrance.SetAsksProof(t.Context(), o.Admin, true); err != nil {
		t.Fatalf("SetAsksProof() = %v", err)
	}
}

// sitting is somebody's session, as each of its requests finds it.
type sitting struct {
	o  *modelstest.Office
	in *entrance.SignedIn
}

func sits(t *testing.T, o *modelstest.Office, u *models.User) sitting {
	t.Helper()
	return sitting{o, mustSignIn(t, o, "", u.Email, true)}
}

func (s sitting) actor(t *testing.T) models.Actor {
	t.Helper()
	actor, _, err := s.o.Entrance.SessionActor(t.Context(), s.in.Token)
	if err != nil {
		t.Fatalf("SessionActor() = %v", err)
	}
	return actor
}

// wantFresh checks whether what asks for a fresh proof refuses the session now.
func (s sitting) wantFresh(t *testing.T, when string, want bool) {
	t.Helper()
	err := s.actor(t).Fresh()
	if want && err != nil || !want && !modelstest.IsError(err, models.ErrProofNeeded) {
		t.Errorf("Fresh() %s = %v, want it fresh: %t", when, err, want)
	}
}

// TestAProofIsFreshForFiveMinutes: a sign-in is one, and so is what is typed or signed later;
// one that is wrong is none, and is counted.
func TestAProofIsFreshForFiveMinutes(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Supervisor: factors.Never}); err != nil {
		t.Fatal(err)
	}
	askProof(t, o)
	s := sits(t, o, u)
	s.wantFresh(t, "after the sign-in", true)
	o.Clock.Advance(models.ProofLife - time.Second)
	s.wantFresh(t, "a second before it is over", true)
	o.Clock.Advance(time.Second)
	s.wantFresh(t, "five minutes later", false)

	wrong := func() int {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM login_failures WHERE email LIKE '%' || $1`, u.Email)
	}
	if err := o.Entrance.Confirm(t.Context(), s.actor(t), proof(t, o, "no es esta clave")); !modelstest.IsError(err, entrance.ErrProof) {
		t.Errorf("Confirm() with another password = %v, want %v", err, entrance.ErrProof)
	}
	s.wantFresh(t, "after a wrong proof", false)
	modelstest.Wants(t, "wrong proofs that are counted", wrong(), 1)
	o.Clock.Advance(time.Minute)
	if err := o.Entrance.Confirm(t.Context(), s.actor(t), proof(t, o, modelstest.Password)); err != nil {
		t.Errorf("Confirm() with the password = %v", err)
	}
	s.wantFresh(t, "after the password", true)
	o.Clock.Advance(models.ProofLife)
	s.wantFresh(t, "five minutes after the password", false)

	d := newDevice(o)
	d.registers(t, u)
	in, err := d.signIn(t) // a change of factors ends what else is open
	if err != nil {
		t.Fatal(err)
	}
	if s.in = in; !s.actor(t).Session.Passkey {
		t.Error("their session does not know of their passkey")
	}
	o.Clock.Advance(models.ProofLife)
	asked, err := o.Entrance.AskProof(t.Context(), s.actor(t), "session")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Entrance.Confirm(t.Context(), s.actor(t), entrance.Proof{Passkey: d.signs(t, asked), Browser: "session"}); err != nil {
		t.Errorf("Confirm() with a passkey = %v", err)
	}
	s.wantFresh(t, "after the passkey", true)
	for action, want := range map[models.Action]int{models.ActionProved: 2, models.ActionProofRefused: 1} {
		got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1 AND actor_id = $2`, string(action), u.ID)
		modelstest.Wants(t, "entries of "+string(action), got, want)
	}
}

// TestAProofByAnApp takes each code once, and says when the clock of the phone is wrong.
func TestAProofByAnApp(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	a, _ := setUpApp(t, o, u)
	askProof(t, o)
	actor := here(t, o, u)
	o.Clock.Advance(time.Hour)
	code := a.code(t, 0)
	if err := o.Entrance.Confirm(t.Context(), actor, proof(t, o, code)); err != nil {
		t.Errorf("Confirm() with a code = %v", err)
	}
	for what, tt := range map[string]struct{ text, want string }{
		"the same code":                  {code, "factor.used"},
		"a code of a phone that is slow": {a.code(t, -5*time.Minute), "factor.clockBehind"},
		"a code of a phone that is fast": {a.code(t, 5*time.Minute), "factor.clockAhead"},
	} {
		err := o.Entrance.Confirm(t.Context(), actor, proof(t, o, tt.text))
		if want := models.Invalid("proof", tt.want); !modelstest.IsError(err, want) {
			t.Errorf("Confirm() with %s = %v, want %v", what, err, want)
		}
	}
}

// TestOfWhomNoProofIsAsked: where the rule is off; of programs, jobs and the command line; and
// of people who have nothing of their own to give one with.
func TestOfWhomNoProofIsAsked(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Supervisor: factors.Never}); err != nil {
		t.Fatal(err)
	}
	s := sits(t, o, u)
	o.Clock.Advance(time.Hour)
	s.wantFresh(t, "with the rule off", true)
	askProof(t, o)
	s.wantFresh(t, "with the rule on", false)
	for who, actor := range map[string]models.Actor{
		"a program":        {UserID: 7, Role: models.Integration},
		"a job":            models.System("sweep", ""),
		"the command line": commandLine,
	} {
		if err := actor.Fresh(); err != nil {
			t.Errorf("Fresh() of %s = %v, want nil", who, err)
		}
	}
	keeper := passwordsOff(t, o)
	s.wantFresh(t, "of somebody whose password is off", true)
	modelstest.Exec(t, o.Owner, `UPDATE sso_rules SET break_glass = $1`, u.ID)
	s.wantFresh(t, "of the one whose password counts", false)
	modelstest.Exec(t, o.Owner, `UPDATE sso_rules SET break_glass = $1`, keeper.ID)
	modelstest.Exec(t, o.Owner, `INSERT INTO second_factors (user_id, secret, created_at, confirmed_at) VALUES ($1, 'x', now(), now())`, u.ID)
	s.wantFresh(t, "of somebody whose password is off and who has an app", false)
	modelstest.Exec(t, o.Owner, `DELETE FROM second_factors; UPDATE sso_rules SET password_off = false, break_glass = NULL;
		UPDATE users SET password_hash = '' WHERE email = '`+u.Email+`'`)
	s.wantFresh(t, "of somebody who never had a password", true)
	if err := o.Entrance.SetAsksProof(t.Context(), u.Actor(), false); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("SetAsksProof() by a supervisor = %v, want %v", err, models.ErrForbidden)
	}
}

// TestActsThatAskForAFreshProof: each service refuses on its own, whoever calls it.
func TestActsThatAskForAFreshProof(t *testing.T) {
	t.Parallel()
	o, supervisor := withKeys(t)
	askProof(t, o)
	administrator := modelstest.User(t, o.DB, o.Clock.Now(), "ada@example.mx", models.Administrator)
	modelstest.Exec(t, o.Owner, `UPDATE factor_rules SET ask = 'never'`)
	as := map[models.Role]sitting{
		models.Supervisor: sits(t, o, supervisor), models.Administrator: sits(t, o, administrator),
	}
	sales := func(n int) (all []bulk.Sale) {
		for i := range n {
			all = append(all, bulk.Sale{SaleID: int64(1000 + i)})
		}
		return all
	}
	cancels := func(n int) func(context.Context, models.Actor) error {
		return func(ctx context.Context, actor models.Actor) error {
			reason := "customer"
			if all, err := o.Rules.Reasons(ctx); err == nil {
				reason = all[0].Code
			}
			_, err := o.Bulk.Request(ctx, actor, bulk.Request{Sales: sales(n), Reason: reason, Note: "por el cliente", Click: "click"})
			return err
		}
	}
	for _, tt := range []struct {
		what string
		by   models.Role
		asks bool
		do   func(ctx context.Context, actor models.Actor) error
	}{
		{"Resolve", models.Supervisor, true, func(ctx context.Context, actor models.Actor) error {
			return o.Cancellations.Resolve(ctx, actor, 1, cancellations.Resolution{})
		}},
		{"Request of six sales", models.Supervisor, true, cancels(6)},
		{"Request of five sales", models.Supervisor, false, cancels(5)},
		{"Request of one sale", models.Supervisor, false, func(ctx context.Context, actor models.Actor) error {
			_, err := o.Cancellations.Request(ctx, actor, cancellations.CancelRequest{SaleID: 1})
			return err
		}},
		{"ApplyReconciliation", models.Supervisor, true, func(ctx context.Context, actor models.Actor) error {
			_, err := o.Reconciliation.ApplyReconciliation(ctx, actor, 1, "")
			return err
		}},
		{"Change of the rules", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.Change(ctx, actor, rules.Input{Click: "click"})
		}},
		{"WithdrawChange", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.WithdrawChange(ctx, actor, 99)
		}},
		{"AddReason", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.AddReason(ctx, actor, rules.ReasonInput{})
		}},
		{"RenameReason", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.RenameReason(ctx, actor, "x", 1, rules.ReasonInput{LabelES: "Uno", LabelEN: "One"})
		}},
		{"RetireReason", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.RetireReason(ctx, actor, "x", 1)
		}},
		{"RestoreReason", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Rules.RestoreReason(ctx, actor, "x", 1)
		}},
		{"CreateKey", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, _, err := o.APIKeys.CreateKey(ctx, actor, apikeys.Input{})
			return err
		}},
		{"RotateKey", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, err := o.APIKeys.RotateKey(ctx, actor, 99, 1, 365, 24)
			return err
		}},
		{"RevokeKey", models.Administrator, false, func(ctx context.Context, actor models.Actor) error {
			return o.APIKeys.RevokeKey(ctx, actor, 99, 1)
		}},
		{"CreateEndpoint", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, _, err := o.Webhooks.CreateEndpoint(ctx, actor, webhooks.Input{})
			return err
		}},
		{"ChangeEndpoint", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Webhooks.ChangeEndpoint(ctx, actor, 99, 1, webhooks.Input{})
		}},
		{"RotateSecret", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, err := o.Webhooks.RotateSecret(ctx, actor, 99, 1)
			return err
		}},
		{"SetRelayBody", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Webhooks.SetRelayBody(ctx, actor, 99, 1, webhooks.BodyOriginalAsked)
		}},
		{"PauseEndpoint", models.Administrator, false, func(ctx context.Context, actor models.Actor) error {
			return o.Webhooks.PauseEndpoint(ctx, actor, 99, 1)
		}},
		{"Invite", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, _, err := o.Accounts.Invite(ctx, actor, accounts.Input{})
			return err
		}},
		{"MakeLink", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			_, err := o.Accounts.MakeLink(ctx, actor, 99)
			return err
		}},
		{"ChangeUser", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.ChangeUser(ctx, actor, 99, 1, accounts.Input{})
		}},
		{"EnableUser", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.EnableUser(ctx, actor, 99, 1)
		}},
		{"DisableUser", models.Administrator, false, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.DisableUser(ctx, actor, 99, 1)
		}},
		{"ResetFactors", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Entrance.ResetFactors(ctx, actor, 99)
		}},
		{"SetFactorRules", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Entrance.SetFactorRules(ctx, actor, nil)
		}},
		{"AddSSOGroup", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.AddSSOGroup(ctx, actor, sso.Group{Name: "sistemas", Role: models.Administrator})
		}},
		{"AllowSSOLink", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.AllowSSOLink(ctx, actor, 99, "https://login.example.com")
		}},
		{"SetPasswordRule", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.SetPasswordRule(ctx, actor, 99)
		}},
		{"TrustAddresses", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Accounts.TrustAddresses(ctx, actor, true)
		}},
		{"SetAsksProof", models.Administrator, true, func(ctx context.Context, actor models.Actor) error {
			return o.Entrance.SetAsksProof(ctx, actor, true)
		}},
	} {
		fresh := as[tt.by].actor(t)
		o.Clock.Advance(models.ProofLife)
		stale := as[tt.by].actor(t)
		o.Clock.Advance(-models.ProofLife)
		before := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries`)
		if err := tt.do(t.Context(), stale); errors.Is(err, models.ErrProofNeeded) != tt.asks {
			t.Errorf("%s after five minutes = %v, want it to ask for a proof: %t", tt.what, err, tt.asks)
		}
		if after := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries`); tt.asks && after != before {
			t.Errorf("%s left %d entries before its person has proved who they are, want none", tt.what, after-before)
		}
		if err := tt.do(t.Context(), fresh); errors.Is(err, models.ErrProofNeeded) {
			t.Errorf("%s after a sign-in = %v, want no proof to be asked for", tt.what, err)
		}
	}
}
