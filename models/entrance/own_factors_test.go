package entrance_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
	"veinte/models/modelstest"
)

// TestAChangeOfFactorsEndsWhatElseIsOpen: other sessions, sign-ins that wait for their
// second step, and that other devices are known, as after a change of the password.
func TestAChangeOfFactorsEndsWhatElseIsOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(t *testing.T, o *modelstest.Office, u *models.User) error
		ends bool
	}{
		"a passkey is added": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			newDevice(o).registers(t, u)
			return nil
		}, true},
		"a passkey is removed": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			never := map[models.Role]factors.Ask{models.Supervisor: factors.Never}
			if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, never); err != nil {
				return err
			}
			own, err := o.Entrance.OwnFactors(t.Context(), here(t, o, u))
			if err != nil {
				return err
			}
			return o.Entrance.RemovePasskey(t.Context(), here(t, o, u), proof(t, o, modelstest.Password), own.Keys[0].ID)
		}, true},
		"an app is set up": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			setUpApp(t, o, u)
			return nil
		}, true},
		"recovery codes are made": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			_, err := o.Entrance.NewRecovery(t.Context(), here(t, o, u), proof(t, o, modelstest.Password))
			return err
		}, true},
		"an app is begun": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			return o.Entrance.BeginApp(t.Context(), here(t, o, u), proof(t, o, modelstest.Password))
		}, false},
		"the proof is wrong": {func(t *testing.T, o *modelstest.Office, u *models.User) error {
			if _, err := o.Entrance.NewRecovery(t.Context(), here(t, o, u), proof(t, o, "no es esta clave")); err == nil {
				t.Error("NewRecovery() with another password = nil, want it refused")
			}
			return nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, u := withKeys(t)
			d := newDevice(o)
			d.registers(t, u)
			there, err := d.signIn(t)
			if err != nil {
				t.Fatal(err)
			}
			step := password(t, o, u.Email, "").Step
			if err := tt.do(t, o, u); err != nil {
				t.Fatal(err)
			}
			if got := lives(t, o, there); got == tt.ends {
				t.Errorf("their session elsewhere lives: %t, want %t", got, !tt.ends)
			}
			if _, err := o.Entrance.SecondStep(t.Context(), step); errors.Is(err, entrance.ErrStepOver) != tt.ends {
				t.Errorf("SecondStep() of a sign-in that waits = %v, want it over: %t", err, tt.ends)
			}
			known := modelstest.Count(t, o.Owner, `SELECT count(*) FROM known_devices WHERE user_id = $1`, u.ID)
			if (known == 0) != tt.ends {
				t.Errorf("%d of their other devices are known, want none: %t", known, tt.ends)
			}
		})
	}
}

// TestAProofMakesTheSessionFresh, and needs one: of a session that has ended nothing is
// changed, and a sign-in that waits for its second step is none.
func TestAProofMakesTheSessionFresh(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	newDevice(o).registers(t, u)
	fresh := `SELECT count(*) FROM sessions WHERE user_agent = 'here' AND proved_at = $1`
	if n := modelstest.Count(t, o.Owner, fresh, o.Clock.Now()); n != 1 {
		t.Errorf("%d sessions are fresh after a proof, want 1", n)
	}
	ended := here(t, o, u)
	modelstest.Exec(t, o.Owner, "DELETE FROM sessions")
	for what, err := range map[string]error{
		"NewRecovery": func() error {
			_, err := o.Entrance.NewRecovery(t.Context(), ended, proof(t, o, modelstest.Password))
			return err
		}(),
		"BeginApp": o.Entrance.BeginApp(t.Context(), u.Actor(), proof(t, o, modelstest.Password)),
	} {
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s() without a session = %v, want %v", what, err, models.ErrNotFound)
		}
	}
	modelstest.Wants(t, "acts without a session", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM audit_entries WHERE action IN ('user.recoveryMade', 'user.factorBegun')`), 0)

	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Supervisor)
	half := password(t, o, eva.Email, "")
	asked, err := o.Entrance.AskStep(t.Context(), half.Step)
	if err != nil || !half.Setup {
		t.Fatalf("AskStep() of who sets one up = %v", err)
	}
	made := newDevice(o).makes(t, asked)
	_, err = o.Entrance.AddPasskey(t.Context(), here(t, o, eva), proof(t, o, modelstest.Password), "Mía", made)
	if !modelstest.IsError(err, passkeys.ErrOver) {
		t.Errorf("AddPasskey() of what a half sign-in was asked = %v, want %v", err, passkeys.ErrOver)
	}
	setUpApp(t, o, eva) // meanwhile, in their account
	given := entrance.Given{Passkey: made, Name: "Mía"}
	if _, err := o.Entrance.TakeStep(t.Context(), nobody(), half.Step, given); !errors.Is(err, entrance.ErrStepOver) {
		t.Errorf("TakeStep() that sets one up beside it = %v, want %v", err, entrance.ErrStepOver)
	}
}

// TestTheNextAppIsShownWhereItWasBegun alone, and its codes are not guessed.
func TestTheNextAppIsShownWhereItWasBegun(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	old, _ := setUp(t, o, u)
	if err := o.Entrance.BeginApp(t.Context(), here(t, o, u), proof(t, o, modelstest.Password)); err != nil {
		t.Fatal(err)
	}
	elsewhere := here(t, o, u)
	elsewhere.Session.ID++
	if own, err := o.Entrance.OwnFactors(t.Context(), elsewhere); err != nil || own.Next != nil {
		t.Errorf("OwnFactors() in another session = %v, %v, want no secret", own.Next, err)
	}
	own, err := o.Entrance.OwnFactors(t.Context(), here(t, o, u))
	if err != nil || own.Next == nil {
		t.Fatalf("OwnFactors() = %v, want the secret", err)
	}
	next := app{o, own.Next.Key()}
	if _, err := o.Entrance.ConfirmApp(t.Context(), elsewhere, next.code(t, 0)); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ConfirmApp() in another session = %v, want %v", err, models.ErrNotFound)
	}
	confirm := func(code string) error {
		_, err := o.Entrance.ConfirmApp(t.Context(), here(t, o, u), code)
		return err
	}
	behind := models.Invalid("code", "factor.clockBehind")
	if err := confirm(next.code(t, -5*time.Minute)); !modelstest.IsError(err, behind) {
		t.Errorf("ConfirmApp() with the code of a clock that is behind = %v, want %v", err, behind)
	}
	wrong := "000000"
	if strings.HasPrefix(next.code(t, 0), "0") {
		wrong = "111111"
	}
	for range 4 {
		if err := confirm(wrong); !modelstest.IsError(err, factors.ErrWrong) {
			t.Errorf("ConfirmApp() with a wrong code = %v, want %v", err, factors.ErrWrong)
		}
	}
	if err := confirm(next.code(t, 0)); !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("ConfirmApp() after five wrong ones = %v, want %v", err, models.ErrTooManyLogins)
	}
	if _, err := take(t, o, u, old.code(t, 30*time.Second)); err != nil {
		t.Errorf("TakeStep() with the app that stays = %v", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.factorSet' AND outcome = 'failure'
		AND actor_id = $1`, u.ID); n != 1 {
		t.Errorf("the trail has %d entries of the wrong codes of this minute, want 1", n)
	}
}
