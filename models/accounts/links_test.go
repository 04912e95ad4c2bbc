package accounts_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// loginWrong is what every refused sign-in gets.
var loginWrong = models.Invalid("email", "login.wrong")

const chosen = "la clave que Nora elige"

// guessable are passwords that are refused wherever one is set, with why.
var guessable = map[string]string{
	"corta": "password.tooShort", "Password2026!": "password.common", "123456789012": "password.simple",
	"mostrador-2000": "password.context", "Sucursal CDMX-01": "password.context", "example.mx/2026": "password.context",
}

// invited is a person who was invited, with their link.
func invited(t *testing.T, o *modelstest.Office) (*models.User, *accounts.Link) {
	t.Helper()
	u, l, err := o.Accounts.Invite(t.Context(), o.Admin, accounts.Input{
		Email: "nora@example.mx", Name: "Nora", Role: models.Manager, StoreIDs: []int64{o.Store.ID},
	})
	if err != nil {
		t.Fatalf("Invite() = %v", err)
	}
	return u, l
}

func nobody() models.Actor { return modelstest.From("192.0.2.1") }

// An invited person sets their password once, and nothing that is stored opens the link.
func TestAnInvitationIsUsedOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, l := invited(t, o)
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, ""); !modelstest.IsError(err, loginWrong) {
		t.Errorf("Login() of who has no password yet = %v, want %v", err, loginWrong)
	}
	stored := `SELECT count(*) FROM account_links l WHERE l::text LIKE '%' || $1 || '%'`
	modelstest.Wants(t, "rows with the token", modelstest.Count(t, o.Owner, stored, l.Token), 0)
	got, err := o.Accounts.OpenLink(t.Context(), nobody(), l.Token)
	if err != nil || got.Kind != accounts.Invitation || got.Email != u.Email {
		t.Fatalf("OpenLink() = %+v, %v, want the invitation of %s", got, err, u.Email)
	}
	var done, used atomic.Int64
	modelstest.AtOnce(2, func(int) {
		switch err := o.Accounts.SetPassword(t.Context(), nobody(), l.Token, chosen); {
		case err == nil:
			done.Add(1)
		case errors.Is(err, accounts.ErrLinkUsed):
			used.Add(1)
		default:
			t.Errorf("SetPassword() = %v", err)
		}
	})
	if done.Load() != 1 || used.Load() != 1 {
		t.Errorf("of two at once %d set the password and %d were late, want one of each", done.Load(), used.Load())
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, chosen); err != nil {
		t.Errorf("Login() with the password that was chosen = %v", err)
	}
	entries := modelstest.Texts(t, o.Owner, `SELECT actor_name || ' ' || action FROM audit_entries
		WHERE action LIKE 'user.%' AND after->>'email' = $1 ORDER BY id`, u.Email)
	want := []string{o.Admin.Name + " user.created", "Nora user.passwordSet"}
	modelstest.Wants(t, "entries", len(entries), len(want))
	for i := range want {
		modelstest.Wants(t, "an entry", entries[i], want[i])
	}
}

// Each link that does not open says why, and sets no password.
func TestALinkSaysWhyItDoesNotOpen(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	another := func(t *testing.T, o *modelstest.Office, u *models.User) {
		if _, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		fact   string
		change func(*testing.T, *modelstest.Office, *models.User)
		token  string // "" is the link's own
		want   error
	}{
		{"a stranger's", nil, "QJ3W6T5R4E3W2Q1AZSXDCFVGBH", accounts.ErrLinkUnknown},
		{"half of it", nil, "QJ3W6T5R", accounts.ErrLinkUnknown},
		{"a newer one was made", another, "", accounts.ErrLinkReplaced},
		{
			"a day has passed", func(_ *testing.T, o *modelstest.Office, _ *models.User) { o.Clock.Advance(accounts.LinkLife) }, "",
			accounts.ErrLinkExpired,
		},
		{"the person was disabled", func(t *testing.T, o *modelstest.Office, u *models.User) {
			if err := o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1); err != nil {
				t.Fatal(err)
			}
		}, "", accounts.ErrLinkTaken},
		{"their address is another", func(t *testing.T, o *modelstest.Office, u *models.User) {
			in := accounts.Input{Email: "nora.2@example.mx", Name: u.Name, Role: u.Role, StoreIDs: u.StoreIDs}
			if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 1, in); err != nil {
				t.Fatal(err)
			}
		}, "", accounts.ErrLinkTaken},
		{"the command line set a password", func(t *testing.T, o *modelstest.Office, u *models.User) {
			if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, modelstest.Password); err != nil {
				t.Fatal(err)
			}
		}, "", accounts.ErrLinkReplaced},
	}
	for i, tt := range tests {
		o := office
		if i > 0 {
			o = office.Branch(t)
		}
		modelstest.Exec(t, o.Owner, `UPDATE users SET email = id || '.' || email`)
		u, l := invited(t, o)
		token := l.Token
		if tt.token != "" {
			token = tt.token
		}
		if tt.change != nil {
			tt.change(t, o, u)
		}
		if _, err := o.Accounts.OpenLink(t.Context(), nobody(), token); !errors.Is(err, tt.want) {
			t.Errorf("%s: OpenLink() = %v, want %v", tt.fact, err, tt.want)
		}
		if err := o.Accounts.SetPassword(t.Context(), nobody(), token, chosen); !errors.Is(err, tt.want) {
			t.Errorf("%s: SetPassword() = %v, want %v", tt.fact, err, tt.want)
		}
	}
	modelstest.Wants(t, "passwords chosen", modelstest.Count(t, office.Owner,
		`SELECT count(*) FROM audit_entries WHERE action = 'user.passwordSet'`), 0)
}

// Who is signed in as somebody else sets nobody's password: an administrator neither.
func TestALinkIsItsPersonsAlone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, l := invited(t, o)
	if err := o.Accounts.SetPassword(t.Context(), o.Admin, l.Token, chosen); !errors.Is(err, accounts.ErrLinkOfOther) {
		t.Errorf("SetPassword() by the administrator = %v, want %v", err, accounts.ErrLinkOfOther)
	}
	if err := o.Accounts.SetPassword(t.Context(), u.Actor(), l.Token, chosen); err != nil {
		t.Errorf("SetPassword() by the person = %v", err)
	}
}

// A reset changes nothing until it is used; then the sessions and the old password end.
func TestAResetEndsWhatWasOpen(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	token, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID)
	if err != nil || l.Kind != accounts.PasswordReset {
		t.Fatalf("MakeLink() = %+v, %v, want a reset", l, err)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), token); err != nil {
		t.Errorf("a session before the link was used = %v, want it open", err)
	}
	for password, problem := range guessable {
		why := models.Invalid("password", problem)
		if err := o.Accounts.SetPassword(t.Context(), nobody(), l.Token, password); !modelstest.IsError(err, why) {
			t.Errorf("SetPassword() of %q = %v, want %v", password, err, why)
		}
	}
	if err := o.Accounts.SetPassword(t.Context(), nobody(), l.Token, chosen); err != nil {
		t.Fatalf("SetPassword() after a refused one = %v", err)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a session of the old password = %v, want it ended", err)
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password); !modelstest.IsError(err, loginWrong) {
		t.Errorf("Login() with the old password = %v, want %v", err, loginWrong)
	}
	last, err := o.Accounts.LastLink(t.Context(), o.Admin, u.ID)
	if err != nil || last.EndedBy != accounts.LinkUsed || last.Open(o.Clock.Now()) {
		t.Errorf("LastLink() = %+v, %v, want that it was used", last, err)
	}
}

// Nobody gets a link who may not sign in.
func TestNoLinkForWhoIsShutOut(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, _ := invited(t, o)
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID); !modelstest.IsError(err,
		&models.Error{Kind: models.KindConflict, Code: "link.disabled"}) {
		t.Errorf("MakeLink() for who is disabled = %v, want link.disabled", err)
	}
}

// A letter brings a token of its own, made when it leaves; a second try another one, and
// each uses up the one link.
func TestALetterHasATokenOfItsOwn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, l := invited(t, o)
	if !l.Mailed {
		t.Fatal("no letter was queued where mail is set up")
	}
	first, err := o.Alerts.ClaimMails(t.Context(), 10)
	if err != nil || len(first) != 1 || first[0].Link == nil || first[0].Recipient != u.Email {
		t.Fatalf("ClaimMails() = %+v, %v, want the letter of the link", first, err)
	}
	o.Clock.Advance(time.Hour) // the process that sent it died
	again, err := o.Alerts.ClaimMails(t.Context(), 10)
	if err != nil || len(again) != 1 {
		t.Fatalf("ClaimMails() after the lease = %+v, %v, want the letter again", again, err)
	}
	if _, err := o.Accounts.OpenLink(t.Context(), nobody(), first[0].Link.Token); !errors.Is(err, accounts.ErrLinkUnknown) {
		t.Errorf("the token of the first try = %v, want that it opens nothing", err)
	}
	if err := o.Accounts.SetPassword(t.Context(), nobody(), again[0].Link.Token, chosen); err != nil {
		t.Errorf("SetPassword() by the letter = %v", err)
	}
	if _, err := o.Accounts.OpenLink(t.Context(), nobody(), l.Token); !errors.Is(err, accounts.ErrLinkUsed) {
		t.Errorf("the link that was shown, after the letter was used = %v, want %v", err, accounts.ErrLinkUsed)
	}
	o.Clock.Advance(time.Hour)
	if left, err := o.Alerts.ClaimMails(t.Context(), 10); err != nil || len(left) != 0 {
		t.Errorf("ClaimMails() of a link that was used = %+v, %v, want none", left, err)
	}
	modelstest.Wants(t, "the letter", modelstest.Texts(t, o.Owner, `SELECT state || ' ' || detail FROM mails`)[0], "givenUp over")
}
