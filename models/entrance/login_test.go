package entrance_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

var loginWrong = models.Invalid("email", "login.wrong")

func TestASessionIsThePersonAsTheyAreNow(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	other := modelstest.Store(t, o.DB, now, "OTHER")
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	in, err := signInOn(t, o, "", " ANA@Example.mx ", true)
	if err != nil || in.User.ID != u.ID {
		t.Fatalf("SignIn() = %+v, %v, want user %d", in, err, u.ID)
	}
	token := in.Token
	actor := func(at time.Time) (models.Actor, error) {
		o.Clock.Set(at)
		defer o.Clock.Set(now)
		a, _, err := o.Entrance.SessionActor(t.Context(), token)
		return a, err
	}
	if a, err := actor(now); err != nil || a.UserID != u.ID || a.Role != models.Manager ||
		a.AllStores || !a.Sees(o.Store.ID) || a.Sees(other.ID) {
		t.Errorf("SessionActor() = %+v, %v, want a manager of the first store", a, err)
	}
	changed := accounts.Input{Email: u.Email, Name: u.Name, Role: models.Supervisor, StoreIDs: []int64{other.ID}}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 1, changed); err != nil {
		t.Fatalf("ChangeUser() = %v", err)
	}
	if a, err := actor(now); err != nil || a.Role != models.Supervisor || a.Sees(o.Store.ID) || !a.Sees(other.ID) {
		t.Errorf("after the change SessionActor() = %+v, %v, want a supervisor of the second store", a, err)
	}
	if _, err := actor(now.Add(entrance.SessionLife)); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() after its life = %v, want %v", err, models.ErrNotFound)
	}
	if _, err := actor(now.Add(entrance.SessionLife - time.Second)); err != nil {
		t.Errorf("SessionActor() a second before its end = %v, want nil", err)
	}
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 2); err != nil {
		t.Fatalf("DisableUser() = %v", err)
	}
	if _, err := actor(now); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() of a disabled person = %v, want %v", err, models.ErrNotFound)
	}
	if err := o.Accounts.EnableUser(t.Context(), o.Admin, u.ID, 3); err != nil {
		t.Fatalf("EnableUser() = %v", err)
	}
	if _, err := actor(now); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() of a session from before = %v, want %v", err, models.ErrNotFound)
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	login := func() string {
		token, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, modelstest.Password)
		if err != nil {
			t.Fatalf("Login() = %v", err)
		}
		return token
	}
	first, second := login(), login()
	if first == second || len(first) < 40 {
		t.Errorf("tokens %q, %q: want two long ones", first, second)
	}
	if _, err := o.Entrance.Logout(t.Context(), o.Manager, first); err != nil {
		t.Errorf("Logout() = %v", err)
	}
	if _, err := o.Entrance.Logout(t.Context(), o.Manager, first); err != nil {
		t.Errorf("Logout() again = %v, want nil", err)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), first); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() after Logout() = %v, want %v", err, models.ErrNotFound)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), second); err != nil {
		t.Errorf("the other session = %v, want it to live", err)
	}
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "otra clave de prueba"); err != nil {
		t.Fatalf("ResetPassword() = %v", err)
	}
	if _, _, err := o.Entrance.SessionActor(t.Context(), second); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() after a new password = %v, want %v", err, models.ErrNotFound)
	}
	_, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, modelstest.Password)
	if !modelstest.IsError(err, loginWrong) {
		t.Errorf("Login() with the old password = %v, want %v", err, loginWrong)
	}
}

func TestARefusedLoginTellsNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	gone := modelstest.User(t, o.DB, now, "eva@example.mx", models.Manager, o.Store)
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, gone.ID, 1); err != nil {
		t.Fatalf("DisableUser() = %v", err)
	}
	tests := []struct{ fact, email, password string }{
		{"a wrong password", u.Email, "not the password"},
		{"an empty password", u.Email, ""},
		{"an endless password", u.Email, strings.Repeat("x", 10_000)},
		{"nobody's address", "nobody@example.mx", modelstest.Password},
		{"a disabled person", gone.Email, modelstest.Password},
		{"no address", "", ""},
		{"spaces", "   ", "x"},
		{"no address at all", "ana", "x"},
		{"a NUL", "a\x00@b", "x"},
		{"invalid UTF-8", "a\xff@b", "x"},
		{"an endless address", strings.Repeat("ñ", 5000) + "@b", "x"},
		{"SQL", "' OR 1=1 --@b", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			_, who, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.7"), tt.email, tt.password)
			var got *models.Error
			if who != nil || !errors.As(err, &got) || *got != *loginWrong {
				t.Errorf("Login() = %v, %v, want %v", who, err, loginWrong)
			}
		})
	}
}

func TestFailedLoginsOfAnAccountAreLimited(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	modelstest.User(t, o.DB, now, "eva@example.mx", models.Manager, o.Store)
	login := func(at time.Time, email, password, address string) error {
		o.Clock.Set(at)
		_, _, err := o.Entrance.Login(t.Context(), modelstest.From(address), email, password)
		return err
	}
	for i := range 5 {
		if err := login(now, u.Email, "wrong", "192.0.2.9"); !modelstest.IsError(err, loginWrong) {
			t.Errorf("try %d = %v, want %v", i+1, err, loginWrong)
		}
	}
	if err := login(now, "ANA@example.mx", modelstest.Password, "192.0.2.9"); !modelstest.IsError(err, models.ErrTooManyLogins) {
		t.Errorf("the sixth try, with the password = %v, want %v", err, models.ErrTooManyLogins)
	}
	if err := login(now, u.Email, modelstest.Password, "192.0.2.10"); err != nil {
		t.Errorf("the person at another place = %v, want nil: a stranger shuts nobody out", err)
	}
	for range 5 { // signing in has deleted the failures
		_ = login(now, u.Email, "wrong", "192.0.2.9")
	}
	if err := login(now, "eva@example.mx", modelstest.Password, "192.0.2.9"); err != nil {
		t.Errorf("a colleague at the same place = %v, want nil", err)
	}
	if err := login(now.Add(15*time.Minute), u.Email, modelstest.Password, "192.0.2.9"); err != nil {
		t.Errorf("after a quarter of an hour = %v, want nil", err)
	}
	for i := range 5 {
		if err := login(now, "nobody@example.mx", "wrong", "192.0.2.9"); !modelstest.IsError(err, loginWrong) {
			t.Errorf("nobody's try %d = %v, want %v", i+1, err, loginWrong)
		}
	}
	if err := login(now, "nobody@example.mx", "wrong", "192.0.2.9"); !modelstest.IsError(err, models.ErrTooManyLogins) {
		t.Errorf("nobody's sixth try = %v, want the same %v", err, models.ErrTooManyLogins)
	}
}

func TestFailedLoginsOfAnAccountAreLimitedFromEverywhere(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT $2, '198.51.100.' || n, $1 FROM generate_series(1, 100) n`, now, u.Email)
	_, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.67"), u.Email, modelstest.Password)
	if !modelstest.IsError(err, models.ErrTooManyLogins) {
		t.Errorf("Login() after a hundred failures = %v, want %v", err, models.ErrTooManyLogins)
	}
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "una clave nueva"); err != nil {
		t.Fatalf("ResetPassword() = %v", err)
	}
	if _, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.67"), u.Email, "una clave nueva"); err != nil {
		t.Errorf("Login() with a new password = %v, want nil", err)
	}
}

func TestFailedLoginsOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT 'u' || n || '@x', '192.0.2.66', $1 FROM generate_series(1, 50) n`, now)
	_, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.66"), u.Email, modelstest.Password)
	if !modelstest.IsError(err, models.ErrTooManyLogins) {
		t.Errorf("Login() from the address = %v, want %v", err, models.ErrTooManyLogins)
	}
	if _, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.67"), u.Email, modelstest.Password); err != nil {
		t.Errorf("Login() from elsewhere = %v, want nil", err)
	}
}

func TestManyLoginsAtOnceAreLimitedToo(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	var told atomic.Int64
	modelstest.AtOnce(100, func(int) {
		_, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, "wrong")
		if modelstest.IsError(err, loginWrong) {
			told.Add(1)
		} else if !modelstest.IsError(err, models.ErrTooManyLogins) && !modelstest.IsError(err, entrance.ErrSignInBusy) {
			t.Errorf("Login() = %v", err)
		}
	})
	// Those in progress may still be refused as wrong.
	if got := told.Load(); got > 5+2 {
		t.Errorf("passwords judged = %d of 100 at once, want no more than 7", got)
	}
}
