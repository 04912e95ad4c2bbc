package entrance_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/modelstest"
)

// twoSteps is an office in which supervisors are always asked for a second step, and
// managers on a new device.
func twoSteps(t *testing.T) (*modelstest.Office, *models.User) {
	t.Helper()
	o := modelstest.NewOffice(t)
	rules := map[models.Role]factors.Ask{models.Supervisor: factors.Always, models.Manager: factors.NewDevice}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, rules); err != nil {
		t.Fatalf("SetFactorRules() = %v", err)
	}
	return o, modelstest.User(t, o.DB, o.Clock.Now(), "sofia@example.mx", models.Supervisor)
}

// password gives the password on a device, "" for an unknown one, and says that it is theirs.
func password(t *testing.T, o *modelstest.Office, email, device string) *entrance.SignedIn {
	t.Helper()
	place, err := o.Entrance.Admit(t.Context(), nobody(), device)
	if err != nil {
		t.Fatalf("Admit() = %v", err)
	}
	defer place.Leave()
	in, err := o.Entrance.SignIn(t.Context(), nobody(), place, entrance.Attempt{Email: email, Password: modelstest.Password, Own: true})
	if err != nil {
		t.Fatalf("SignIn() = %v", err)
	}
	return in
}

// app is the authenticator app of a person.
type app struct {
	o   *modelstest.Office
	key string
}

func (a app) code(t *testing.T, away time.Duration) string {
	t.Helper()
	code, err := totp.GenerateCode(strings.ReplaceAll(a.key, "-", ""), a.o.Clock.Now().Add(away))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// setUp has a person set up their app at their first sign-in.
func setUp(t *testing.T, o *modelstest.Office, u *models.User) (app, *entrance.Taken) {
	t.Helper()
	in := password(t, o, u.Email, "")
	if in.Token != "" || in.Step == "" || !in.Setup {
		t.Fatalf("SignIn() = %+v, want a step in which an app is set up", in)
	}
	step, err := o.Entrance.SecondStep(t.Context(), in.Step)
	if err != nil {
		t.Fatalf("SecondStep() = %v", err)
	}
	a := app{o, step.Secret.Key()}
	taken, err := o.Entrance.TakeStep(t.Context(), nobody(), in.Step, entrance.Given{Code: a.code(t, 0)})
	if err != nil {
		t.Fatalf("TakeStep() = %v", err)
	}
	o.Clock.Advance(time.Minute)
	return a, taken
}

func take(t *testing.T, o *modelstest.Office, u *models.User, code string) (*entrance.Taken, error) {
	t.Helper()
	return o.Entrance.TakeStep(t.Context(), nobody(), password(t, o, u.Email, "").Step, entrance.Given{Code: code})
}

const everywhere = `SELECT count(*) FROM (SELECT f::text AS row FROM second_factors f UNION ALL SELECT c::text FROM recovery_codes c
	UNION ALL SELECT p::text FROM sign_in_steps p UNION ALL SELECT e::text FROM audit_entries e UNION ALL SELECT s::text FROM sessions s
	) rows WHERE row LIKE '%' || $1 || '%'`

// A first sign-in sets up the app, and only then is there a session; nothing that is
// stored or said has the secret, a recovery code or the step's token.
func TestTheFirstSignInSetsUpAnApp(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password); err == nil {
		t.Error("a password alone opens a session")
	}
	modelstest.Wants(t, "sessions", modelstest.Count(t, o.Owner, "SELECT count(*) FROM sessions"), 0)
	in := password(t, o, u.Email, "")
	if _, _, err := o.Entrance.SessionActor(t.Context(), in.Step); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() of a half sign-in = %v, want %v", err, models.ErrNotFound)
	}
	a, taken := setUp(t, o, u)
	if _, _, err := o.Entrance.SessionActor(t.Context(), taken.Token); err != nil {
		t.Errorf("SessionActor() = %v", err)
	}
	if len(taken.Recovery) != factors.Recoveries || taken.Token == in.Step {
		t.Errorf("%d recovery codes and token %q, want %d and another token", len(taken.Recovery), taken.Token, factors.Recoveries)
	}
	for _, secret := range append(taken.Recovery, a.key, in.Step, taken.Token) {
		for _, form := range []string{secret, strings.ReplaceAll(secret, "-", "")} {
			modelstest.Wants(t, "rows with a secret", modelstest.Count(t, o.Owner, everywhere, form), 0)
		}
	}
	// Of one network and minute the first step that is asked for is an entry, the others are counted.
	if err := o.Audit.FlushRefusals(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	got := modelstest.Texts(t, o.Owner, `SELECT action || ' ' || outcome || coalesce(' ' || (after->>'more'), '') FROM audit_entries
		WHERE actor_name = $1 ORDER BY id`, u.Name)
	const want = "session.stepAsked success, session.started success, user.factorSet success, session.stepAsked success 2"
	if strings.Join(got, ", ") != want {
		t.Errorf("entries %q, want %q", got, want)
	}
}

// A code is taken once, and one step of drift on either side.
func TestACodeIsTakenOnce(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, _ := setUp(t, o, u)
	for _, away := range []time.Duration{0, -30 * time.Second, 30 * time.Second} {
		o.Clock.Advance(5 * time.Minute)
		code := a.code(t, away)
		if _, err := take(t, o, u, code[:3]+" "+code[3:]); err != nil {
			t.Fatalf("TakeStep() with a code of %s = %v", away, err)
		}
		if _, err := take(t, o, u, code); !modelstest.IsError(err, factors.ErrUsed) {
			t.Errorf("TakeStep() with the same code = %v, want %v", err, factors.ErrUsed)
		}
	}
	o.Clock.Advance(5 * time.Minute)
	newer, older := a.code(t, 30*time.Second), a.code(t, 0)
	if _, err := take(t, o, u, newer); err != nil {
		t.Fatal(err)
	}
	if _, err := take(t, o, u, older); !modelstest.IsError(err, factors.ErrUsed) {
		t.Errorf("TakeStep() with the code before = %v, want %v", err, factors.ErrUsed)
	}
}

// A phone with a wrong clock is told so, and its code of a time to come is not taken then.
func TestAWrongClockIsSaid(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, _ := setUp(t, o, u)
	for _, away := range []time.Duration{-15 * time.Minute, -time.Minute, time.Minute, 15 * time.Minute} {
		_, err := take(t, o, u, a.code(t, away))
		var clock *factors.WrongClock
		if !errors.As(err, &clock) || clock.By != away {
			t.Errorf("TakeStep() with a phone %s wrong = %v, want that said", away, err)
		}
		o.Clock.Advance(time.Hour)
	}
	for _, away := range []time.Duration{-21 * time.Minute, 21 * time.Minute} {
		if _, err := take(t, o, u, a.code(t, away)); !modelstest.IsError(err, factors.ErrWrong) {
			t.Errorf("TakeStep() with a phone %s wrong = %v, want %v", away, err, factors.ErrWrong)
		}
		o.Clock.Advance(time.Hour)
	}
	early := a.code(t, 5*time.Minute)
	_, _ = take(t, o, u, early)
	o.Clock.Advance(5 * time.Minute)
	if _, err := take(t, o, u, early); !modelstest.IsError(err, factors.ErrUsed) {
		t.Errorf("TakeStep() with a code that was known before its time = %v, want %v", err, factors.ErrUsed)
	}
}

// A recovery code works once; the trail says how many are left.
func TestARecoveryCodeIsTakenOnce(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	_, first := setUp(t, o, u)
	code := strings.ToLower(strings.ReplaceAll(first.Recovery[3], "-", " "))
	taken, err := take(t, o, u, code)
	if err != nil || taken.Left != factors.Recoveries-1 || !taken.Used {
		t.Fatalf("TakeStep() with a recovery code = %+v, %v, want nine left", taken, err)
	}
	if _, err := take(t, o, u, code); !modelstest.IsError(err, factors.ErrRecoverUsed) {
		t.Errorf("TakeStep() with it once more = %v, want %v", err, factors.ErrRecoverUsed)
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM audit_entries WHERE action = 'user.recoveryUsed' AND after->>'codesLeft' = '9'`), 1)
	if _, err := take(t, o, u, "AAAA-BBBB-CCCC-DDDD"); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("TakeStep() with another = %v, want %v", err, factors.ErrWrong)
	}
}

// Of several uses of one code at the same time one wins, of the app's and of a recovery
// code, in one step or in several.
func TestOfTwoUsesOfACodeOneWins(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, first := setUp(t, o, u)
	for name, code := range map[string]string{"the app's": a.code(t, 0), "a recovery code": first.Recovery[0]} {
		shared := password(t, o, u.Email, "").Step
		steps := []string{shared, shared, password(t, o, u.Email, "").Step, password(t, o, u.Email, "").Step}
		var won atomic.Int64
		modelstest.AtOnce(len(steps), func(i int) {
			if _, err := o.Entrance.TakeStep(t.Context(), nobody(), steps[i], entrance.Given{Code: code}); err == nil {
				won.Add(1)
			}
		})
		if won.Load() != 1 {
			t.Errorf("%d of %d uses of %s at once begin a session, want one", won.Load(), len(steps), name)
		}
	}
}

// Of a thousand guessed codes ten an hour are heard, and the person on their own device
// comes in meanwhile.
func TestAThousandCodesAreLimited(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, taken := setUp(t, o, u)
	step := password(t, o, u.Email, "").Step
	heard, late := 0, 0
	for i := range 1000 {
		from := modelstest.From(fmt.Sprintf("198.51.100.%d", i%250))
		_, err := o.Entrance.TakeStep(t.Context(), from, step, entrance.Given{Code: fmt.Sprintf("%06d", i*997)})
		switch {
		case errors.Is(err, models.ErrTooManyLogins):
			late++
		case err == nil:
			t.Fatal("a guess is taken")
		default:
			heard++
		}
	}
	if heard > 10 || heard+late != 1000 {
		t.Errorf("%d of 1,000 guesses are heard and %d have to wait, want at most 10", heard, late)
	}
	var wait *entrance.TooManyLogins
	if _, err := take(t, o, u, a.code(t, 0)); !errors.As(err, &wait) || wait.Wait <= 0 {
		t.Errorf("TakeStep() with the right code from there = %v, want that it waits", err)
	}
	own := password(t, o, u.Email, taken.Device)
	if _, err := o.Entrance.TakeStep(t.Context(), nobody(), own.Step, entrance.Given{Code: a.code(t, 0)}); err != nil {
		t.Errorf("TakeStep() on the person's own device = %v", err)
	}
}

// What ends a person's sessions ends a half sign-in too, and so does its time.
func TestAHalfSignInEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*modelstest.Office, *models.User) error{
		"time": func(o *modelstest.Office, _ *models.User) error { o.Clock.Advance(entrance.StepLife); return nil },
		"disabling": func(o *modelstest.Office, u *models.User) error {
			return o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1)
		},
		"a password": func(o *modelstest.Office, u *models.User) error {
			return o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "la clave que Nora elige")
		},
		"a reset": func(o *modelstest.Office, u *models.User) error {
			return o.Entrance.ResetFactors(t.Context(), o.Admin, u.ID)
		},
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, u := twoSteps(t)
			a, _ := setUp(t, o, u)
			step := password(t, o, u.Email, "").Step
			if err := end(o, u); err != nil {
				t.Fatal(err)
			}
			_, err := o.Entrance.TakeStep(t.Context(), nobody(), step, entrance.Given{Code: a.code(t, 0)})
			if !errors.Is(err, entrance.ErrStepOver) {
				t.Errorf("TakeStep() afterwards = %v, want %v", err, entrance.ErrStepOver)
			}
		})
	}
}

// A lost app is reset by somebody else, and set up anew at the next sign-in.
func TestALostAppIsReset(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, taken := setUp(t, o, u)
	for name, actor := range map[string]models.Actor{"themselves": u.Actor(), "a supervisor": o.Supervisor, "a manager": o.Manager} {
		if err := o.Entrance.ResetFactors(t.Context(), actor, u.ID); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("ResetFactors() by %s = %v, want %v", name, err, models.ErrForbidden)
		}
	}
	own := o.Admin
	own.UserID = u.ID
	if err := o.Entrance.ResetFactors(t.Context(), own, u.ID); err == nil || errors.Is(err, models.ErrForbidden) {
		t.Errorf("ResetFactors() of an administrator's own = %v, want it refused with a reason", err)
	}
	if err := o.Entrance.ResetFactors(t.Context(), commandLine, u.ID); err != nil {
		t.Fatalf("ResetFactors() = %v", err)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), taken.Token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a session of before = %v, want it ended", err)
	}
	b, _ := setUp(t, o, u)
	if a.key == b.key {
		t.Error("the new app has the old secret")
	}
	if _, err := take(t, o, u, taken.Recovery[0]); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("TakeStep() with an old recovery code = %v, want %v", err, factors.ErrWrong)
	}
}

// A manager's own device needs no second step, a new one does; who has an app is asked
// for it on a new device also when no rule asks.
func TestTheRuleOfARole(t *testing.T) {
	t.Parallel()
	o, _ := twoSteps(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	_, taken := setUp(t, o, ana)
	if in := password(t, o, ana.Email, taken.Device); in.Step != "" {
		t.Error("a manager's own device is asked for a code")
	}
	never := map[models.Role]factors.Ask{models.Manager: factors.Never}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, never); err != nil {
		t.Fatal(err)
	}
	if in := password(t, o, ana.Email, ""); in.Step == "" || in.Setup {
		t.Errorf("a new device of who has an app = %+v, want that a code is asked", in)
	}
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	if in := password(t, o, eva.Email, ""); in.Step != "" {
		t.Error("who has no app is asked for one without a rule")
	}
	for _, wrong := range []map[models.Role]factors.Ask{{models.Manager: "sometimes"}, {models.SystemRole: factors.Always}} {
		if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, wrong); err == nil {
			t.Errorf("SetFactorRules(%v) = nil, want it refused", wrong)
		}
	}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Supervisor, never); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("SetFactorRules() by a supervisor = %v, want %v", err, models.ErrForbidden)
	}
	modelstest.Wants(t, "entries", modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.factorRules'
		AND before->>'manager' = 'newDevice' AND after->>'manager' = 'never'`), 1)
}

// Without a key of the operator's the secret is encrypted all the same, and one of a key
// that is gone is said to be unreadable.
func TestASecretNeedsAKey(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	a, taken := setUp(t, o, u)
	o.Entrance.EncryptFactors(nil)
	if _, err := take(t, o, u, a.code(t, 0)); !errors.Is(err, factors.ErrUnreadable) {
		t.Errorf("TakeStep() without the key = %v, want %v", err, factors.ErrUnreadable)
	}
	if _, err := take(t, o, u, taken.Recovery[0]); err != nil {
		t.Errorf("TakeStep() with a recovery code = %v", err)
	}
	if err := o.Entrance.ResetFactors(t.Context(), o.Admin, u.ID); err != nil {
		t.Fatal(err)
	}
	b, _ := setUp(t, o, u)
	o.Entrance.EncryptFactors(modelstest.SecretBox(t))
	if _, err := take(t, o, u, b.code(t, 0)); err != nil {
		t.Errorf("TakeStep() after the operator has set a key = %v", err)
	}
}

// The demo and practice ask nobody, unless somebody has set another rule there.
func TestTheDemoAsksNobody(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, own := range []factors.Ask{"", factors.Always} {
		rules := factors.Defaults()
		if own != "" {
			rules[models.Manager] = own
		}
		if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, rules); err != nil {
			t.Fatal(err)
		}
		if err := o.Entrance.AskNobody(t.Context(), commandLine); err != nil {
			t.Fatalf("AskNobody() = %v", err)
		}
		got, err := o.Entrance.FactorRules(t.Context())
		if err != nil || (got[models.Auditor] == factors.Never) != (own == "") {
			t.Errorf("with the rule %q for managers nobody is asked: %v, %v", own, got, err)
		}
	}
}

// Two who know a password never see the same secret: whoever has seen one before the person
// set up their app would have all its codes.
func TestASecretIsOfOneSignIn(t *testing.T) {
	t.Parallel()
	o, u := twoSteps(t)
	theirs := password(t, o, u.Email, "")
	seen, err := o.Entrance.SecondStep(t.Context(), theirs.Step)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := setUp(t, o, u)
	if seen.Secret.Key() == a.key {
		t.Error("a sign-in before saw the secret of the app")
	}
	_, err = o.Entrance.SecondStep(t.Context(), theirs.Step)
	modelstest.Wants(t, "the step before", err, entrance.ErrStepOver)
	_, err = o.Entrance.TakeStep(t.Context(), nobody(), theirs.Step, entrance.Given{Code: app{o, seen.Secret.Key()}.code(t, 0)})
	modelstest.Wants(t, "a code of the secret before", err, entrance.ErrStepOver)
}

// A sign-in that waits while its password is replaced opens nothing.
func TestAPasswordReplacedMeanwhileOpensNothing(t *testing.T) {
	t.Parallel()
	o, sofia := twoSteps(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, map[models.Role]factors.Ask{models.Manager: factors.Never}); err != nil {
		t.Fatal(err)
	}
	for _, u := range []*models.User{sofia, ana} {
		place, err := o.Entrance.Admit(t.Context(), nobody(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer place.Leave()
		replace := func() bool {
			if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "otra contraseña larga"); err != nil {
				t.Error(err)
			}
			return false
		}
		old := entrance.Attempt{Email: u.Email, Password: modelstest.Password, Gone: replace}
		in, err := o.Entrance.SignIn(t.Context(), nobody(), place, old)
		if !modelstest.IsError(err, loginWrong) {
			t.Errorf("SignIn(%s) = %+v, %v, want %v", u.Email, in, err, loginWrong)
		}
	}
	const open = `SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM sign_in_steps)`
	modelstest.Wants(t, "sessions and steps", modelstest.Count(t, o.Owner, open), 0)
}
