package entrance_test

import (
	"errors"
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

const another = "una frase que nadie espera"

// change has the person of a session change their password.
func change(t *testing.T, o *modelstest.Office, in *entrance.SignedIn, current, next string) error {
	t.Helper()
	actor, _, err := o.Entrance.SessionActor(t.Context(), in.Token)
	if err != nil {
		t.Fatalf("SessionActor() = %v", err)
	}
	actor.Address = nobody().Address
	place, err := o.Entrance.Admit(t.Context(), actor, in.Device)
	if err != nil {
		t.Fatalf("Admit() = %v", err)
	}
	defer place.Leave()
	return o.Entrance.ChangePassword(t.Context(), actor, entrance.OwnPassword{Current: current, New: next, Place: place})
}

// TestPeopleChangeTheirPassword: the old one opens nothing, their other sessions end and
// their other devices are not known; the session in which they did it goes on.
func TestPeopleChangeTheirPassword(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	here, there, others := mustSignIn(t, o, "", u.Email, true), mustSignIn(t, o, "", u.Email, true), mustSignIn(t, o, "", eva.Email, true)
	if err := change(t, o, here, modelstest.Password, another); err != nil {
		t.Fatalf("ChangePassword() = %v", err)
	}
	for _, s := range []struct {
		whose string
		in    *entrance.SignedIn
		want  bool
	}{{"their session here", here, true}, {"their session there", there, false}, {"a colleague's", others, true}} {
		if got := lives(t, o, s.in); got != s.want {
			t.Errorf("%s lives: %t, want %t", s.whose, got, s.want)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM known_devices WHERE user_id = $1`, u.ID); n != 1 {
		t.Errorf("%d of their devices are known, want the one here", n)
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password); !modelstest.IsError(err, loginWrong) {
		t.Errorf("Login() with the old password = %v, want %v", err, loginWrong)
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, another); err != nil {
		t.Errorf("Login() with the new password = %v", err)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.passwordSet' AND outcome = 'success'
		AND actor_id = $1 AND after->>'email' = $2`, u.ID, u.Email); n != 1 {
		t.Errorf("the trail says it %d times, want once", n)
	}
}

// TestAChangeOfPasswordIsRefused, and changes nothing, to whoever does not have the current
// one; their guesses are counted apart from sign-ins, which nobody is locked out of.
func TestAChangeOfPasswordIsRefused(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	in := mustSignIn(t, o, "", u.Email, true)
	common := models.Invalid("password", "password.common")
	if err := change(t, o, in, modelstest.Password, "contraseña123"); !modelstest.IsError(err, common) {
		t.Errorf("ChangePassword() to a common one = %v, want %v", err, common)
	}
	wrong := models.Invalid("current", "password.currentWrong")
	for range 5 {
		if err := change(t, o, in, "no es esta clave", another); !modelstest.IsError(err, wrong) {
			t.Errorf("ChangePassword() with another current one = %v, want %v", err, wrong)
		}
	}
	for fact, current := range map[string]string{"a sixth guess": "tampoco es esta", "the right one, while it waits": modelstest.Password} {
		if err := change(t, o, in, current, another); !errors.Is(err, models.ErrTooManyLogins) {
			t.Errorf("ChangePassword() with %s = %v, want %v", fact, err, models.ErrTooManyLogins)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.passwordSet' AND outcome = 'failure'
		AND reason = 'password.currentWrong'`); n != 1 {
		t.Errorf("the trail has %d entries of the guesses in this minute, want 1", n)
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password); err != nil {
		t.Errorf("Login() with the password that stayed = %v", err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE users SET password_hash = '' WHERE id = $1`, u.ID)
	none := &models.Error{Kind: models.KindConflict, Code: "password.none"}
	if err := change(t, o, in, "", another); !modelstest.IsError(err, none) {
		t.Errorf("ChangePassword() of who comes by the provider = %v, want %v", err, none)
	}
}

// TestWhoUsedALinkIsNotLockedOut although somebody else guesses all the time: the browser in
// which they set their password is known.
func TestWhoUsedALinkIsNotLockedOut(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	old := mustSignIn(t, o, "", u.Email, false)
	l, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID)
	if err != nil {
		t.Fatalf("MakeLink() = %v", err)
	}
	device, err := o.Entrance.SetPassword(t.Context(), nobody(), l.Token, another, "")
	if err != nil {
		t.Fatalf("SetPassword() = %v", err)
	}
	for i := range 12 {
		_, _ = signIn(t, o, fmt.Sprintf("198.51.100.%d", i), "", u.Email, "una de muchas")
	}
	for fact, tt := range map[string]struct {
		cookie string
		in     bool
	}{"the browser of the link": {device, true}, "one that was known before": {old.Device, false}, "any other": {"", false}} {
		_, err := signIn(t, o, "192.0.2.7", tt.cookie, u.Email, another)
		if tt.in != (err == nil) || err != nil && !errors.Is(err, models.ErrTooManyLogins) {
			t.Errorf("SignIn() in %s = %v, want it to succeed: %t", fact, err, tt.in)
		}
	}
}
