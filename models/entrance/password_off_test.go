package entrance_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
)

var (
	errPasswordOff = models.Invalid("email", "login.passwordOff")
	errNoPassword  = &models.Error{Kind: models.KindConflict, Code: "password.none"}
	errLinkOff     = &models.Error{Kind: models.KindConflict, Code: "link.off"}
	errNoLink      = &models.Error{Kind: models.KindConflict, Code: "user.passwordOff"}
)

// passwordsOff has people come in by the provider alone, but for one administrator, whom it
// returns.
func passwordsOff(t *testing.T, o *modelstest.Office) *models.User {
	t.Helper()
	keeper := modelstest.User(t, o.DB, o.Clock.Now(), "emergencia@example.mx", models.Administrator)
	admin := modelstest.User(t, o.DB, o.Clock.Now(), "ada@example.mx", models.Administrator)
	actor := here(t, o, admin)
	modelstest.Exec(t, o.Owner, fmt.Sprintf(`INSERT INTO sso_sessions (token_hash, issuer, subject, sid)
		SELECT token_hash, 'https://login.example.com', 'ada', '' FROM sessions WHERE id = %d`, actor.Session.ID))
	if err := o.Accounts.SetPasswordRule(t.Context(), actor, keeper.ID); err != nil {
		t.Fatalf("SetPasswordRule() = %v", err)
	}
	return keeper
}

func uses(t *testing.T, o *modelstest.Office) int {
	t.Helper()
	return modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'session.breakGlass'`)
}

// TestAPasskeyIsNoWayAroundTheProvider: that of the one account is, and its use is told.
func TestAPasskeyIsNoWayAroundTheProvider(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	setUp(t, o, u)
	d := newDevice(o)
	d.registers(t, u)
	keeper := passwordsOff(t, o)
	if in, err := d.signIn(t); !modelstest.IsError(err, errPasswordOff) {
		t.Errorf("PasskeySignIn() while passwords are off = %v, %v, want %v", in, err, errPasswordOff)
	}
	if n := uses(t, o); n != 0 {
		t.Errorf("%d uses of the one account, want none yet", n)
	}
	glass := newDevice(o)
	glass.registers(t, keeper)
	if in, err := glass.signIn(t); err != nil || in.Token == "" {
		t.Errorf("PasskeySignIn() of the one account = %v, %v, want a session", in, err)
	}
	if n := uses(t, o); n != 1 {
		t.Errorf("%d uses of the one account, want 1", n)
	}
}

// TestASecondStepEndsWithPasswords: whoever has given the password and waits was let in by
// the rule of before. One that begins at that very moment is over as well.
func TestASecondStepEndsWithPasswords(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, _ := setUp(t, o, u)
	in := password(t, o, u.Email, "")
	keeper := passwordsOff(t, o)
	if _, err := o.Entrance.SecondStep(t.Context(), in.Step); !errors.Is(err, entrance.ErrStepOver) {
		t.Errorf("SecondStep() = %v, want %v", err, entrance.ErrStepOver)
	}
	modelstest.Exec(t, o.Owner, fmt.Sprintf(`INSERT INTO sign_in_steps
			(token_hash, user_id, counted_by, known, device, own, created_at, expires_at)
		VALUES (sha256('late'), %d, '', false, '', false, now(), now() + interval '9 years')`, u.ID))
	_, err := o.Entrance.TakeStep(t.Context(), nobody(), "late", entrance.Given{Code: a.code(t, 0)})
	if !errors.Is(err, entrance.ErrStepOver) {
		t.Errorf("TakeStep() of a step that began at that moment = %v, want %v", err, entrance.ErrStepOver)
	}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Administrator: factors.Always}); err != nil {
		t.Fatal(err)
	}
	if in := password(t, o, keeper.Email, ""); in.Step == "" || uses(t, o) != 1 {
		t.Errorf("the one account has step %q and %d uses, want a second step and one use, before a session", in.Step, uses(t, o))
	}
}

// TestAPasswordThatIsOff is no proof either, cannot be changed, and gets no link.
func TestAPasswordThatIsOff(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	link, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	keeper := passwordsOff(t, o)
	actor := here(t, o, u)
	if own, err := o.Entrance.OwnFactors(t.Context(), actor); err != nil || own.Sure {
		t.Errorf("OwnFactors() = %+v, %v, want nothing to prove with", own, err)
	}
	if err := o.Entrance.BeginApp(t.Context(), actor, proof(t, o, modelstest.Password)); !modelstest.IsError(err, entrance.ErrProof) {
		t.Errorf("BeginApp() with the password = %v, want %v", err, entrance.ErrProof)
	}
	place := proof(t, o, "").Place
	change := entrance.OwnPassword{Current: modelstest.Password, New: "otra frase bien distinta", Place: place}
	if err := o.Entrance.ChangePassword(t.Context(), actor, change); !modelstest.IsError(err, errNoPassword) {
		t.Errorf("ChangePassword() = %v, want %v", err, errNoPassword)
	}
	if has, err := o.Entrance.HasPassword(t.Context(), actor); has || err != nil {
		t.Errorf("HasPassword() = %t, %v, want false", has, err)
	}
	if _, err := o.Accounts.OpenLink(t.Context(), models.Actor{}, link.Token); !modelstest.IsError(err, errLinkOff) {
		t.Errorf("OpenLink() = %v, want %v", err, errLinkOff)
	}
	err = o.Accounts.SetPassword(t.Context(), models.Actor{}, link.Token, "otra frase bien distinta")
	if !modelstest.IsError(err, errLinkOff) {
		t.Errorf("SetPassword() = %v, want %v", err, errLinkOff)
	}
	if _, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID); !modelstest.IsError(err, errNoLink) {
		t.Errorf("MakeLink() = %v, want %v", err, errNoLink)
	}
	in := accounts.Input{Email: "nueva@example.mx", Name: "Nueva", Role: models.Supervisor, AllStores: true}
	if _, _, err := o.Accounts.Invite(t.Context(), o.Admin, in); !modelstest.IsError(err, errNoLink) {
		t.Errorf("Invite() = %v, want %v", err, errNoLink)
	}
	if _, err := o.Accounts.MakeLink(t.Context(), o.Admin, keeper.ID); err != nil {
		t.Errorf("MakeLink() of the one account = %v, want nil", err)
	}
	if err := o.Entrance.BeginApp(t.Context(), here(t, o, keeper), proof(t, o, modelstest.Password)); err != nil {
		t.Errorf("BeginApp() of the one account with its password = %v, want nil", err)
	}
	if err := o.Accounts.SetPasswordRule(t.Context(), o.Admin, 0); err != nil {
		t.Fatal(err)
	}
	if err := o.Accounts.SetPassword(t.Context(), models.Actor{}, link.Token, "otra frase bien distinta"); err != nil {
		t.Errorf("SetPassword() once passwords count again = %v, want nil", err)
	}
}

// TestNoProofIsAskedOfWhoHasNoneThatCounts: whose password is off could not give one.
func TestNoProofIsAskedOfWhoHasNoneThatCounts(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	never := map[models.Role]factors.Ask{models.Supervisor: factors.Never, models.Administrator: factors.Never}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, never); err != nil {
		t.Fatal(err)
	}
	askProof(t, o)
	s := sits(t, o, modelstest.User(t, o.DB, o.Clock.Now(), "sofia@example.mx", models.Supervisor))
	glass := sits(t, o, passwordsOff(t, o))
	o.Clock.Advance(time.Hour)
	s.wantFresh(t, "of somebody whose password is off", true)
	glass.wantFresh(t, "of the one account", false)
}
