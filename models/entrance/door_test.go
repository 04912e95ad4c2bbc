package entrance_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// signIn tries from an address, with the cookie of a device.
func signIn(t *testing.T, o *modelstest.Office, address, cookie, email, password string) (*entrance.SignedIn, error) {
	t.Helper()
	from := modelstest.From(address)
	place, err := o.Entrance.Admit(t.Context(), from, cookie)
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	return o.Entrance.SignIn(t.Context(), from, place, entrance.Attempt{Email: email, Password: password})
}

// TestNobodyLocksAnOwnerOut: whatever others guess, from anywhere and from the shop's own
// address, a device that has signed in before signs in.
func TestNobodyLocksAnOwnerOut(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	ana := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	eva := modelstest.User(t, o.DB, now, "eva@example.mx", models.Manager, o.Store)
	first, err := signIn(t, o, "192.0.2.9", "", ana.Email, modelstest.Password)
	if err != nil {
		t.Fatal(err)
	}
	other := deviceOf(t, o, ana.Email)
	// Others guess at her account from everywhere, and the shop's address has failed often.
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT $2, '198.51.100.' || n, $1 FROM generate_series(1, 100) n`, now, ana.Email)
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT 'u' || n || '@x', '192.0.2.9', $1 FROM generate_series(1, 100) n`, now)
	again, err := signIn(t, o, "192.0.2.9", first.Device, " ANA@example.mx", modelstest.Password)
	if err != nil || again.Device[:16] != first.Device[:16] {
		t.Errorf("her own device = %v, want her in, on the same device", err)
	}
	for fact, cookie := range map[string]string{
		"no cookie": "", "another's": deviceOf(t, o, eva.Email), "a forged one": forged(first.Device), "half of one": first.Device[:40],
	} {
		if _, err := signIn(t, o, "192.0.2.77", cookie, ana.Email, modelstest.Password); !errors.Is(err, models.ErrTooManyLogins) {
			t.Errorf("%s = %v, want %v", fact, err, models.ErrTooManyLogins)
		}
	}
	// What her device itself gets wrong counts for it alone.
	for n := range 5 {
		if _, err := signIn(t, o, "192.0.2.9", first.Device, ana.Email, "wrong"); !modelstest.IsError(err, loginWrong) {
			t.Errorf("wrong password %d of her device = %v", n, err)
		}
	}
	if _, err := signIn(t, o, "192.0.2.9", first.Device, ana.Email, modelstest.Password); !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("after five wrong ones her device = %v, want it to wait", err)
	}
	if _, err := signIn(t, o, "192.0.2.9", other, ana.Email, modelstest.Password); err != nil {
		t.Errorf("her other device = %v", err)
	}
	o.Clock.Advance(entrance.DeviceLife + time.Second)
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT $2, '198.51.100.' || n, $1 FROM generate_series(1, 100) n`, o.Clock.Now(), ana.Email)
	if _, err := signIn(t, o, "192.0.2.9", other, ana.Email, modelstest.Password); !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("a device that was not used for its life = %v, want it unknown", err)
	}
}

// TestANewPasswordForgetsDevices: a device that was known with the old password is one like
// any other.
func TestANewPasswordForgetsDevices(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	lost := deviceOf(t, o, ana.Email)
	const other = "otra contraseña larga"
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, ana.ID, other); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
		SELECT $2, '198.51.100.' || n, $1 FROM generate_series(1, 100) n`, o.Clock.Now(), ana.Email)
	if _, err := signIn(t, o, "192.0.2.9", lost, ana.Email, other); !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("the device of the old password = %v, want it unknown: %v", err, models.ErrTooManyLogins)
	}
}

func deviceOf(t *testing.T, o *modelstest.Office, email string) string {
	t.Helper()
	in, err := signIn(t, o, "203.0.113.1", "", email, modelstest.Password)
	if err != nil {
		t.Fatal(err)
	}
	return in.Device
}

// forged changes the first letter of a cookie, which may be any of base32.
func forged(cookie string) string { return "1" + cookie[1:] }

// TestTenGuessesAnHour: whoever guesses from many networks gets ten an hour for an account,
// and whoever guesses from one waits longer each time. That its owner signs in meanwhile
// gives them no more.
func TestTenGuessesAnHour(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	own := deviceOf(t, o, ana.Email)
	judged := 0
	for n := range 40 {
		_, err := signIn(t, o, fmt.Sprintf("198.51.100.%d", n), "", ana.Email, "wrong")
		switch {
		case modelstest.IsError(err, loginWrong):
			judged++
		case !errors.Is(err, models.ErrTooManyLogins):
			t.Fatalf("guess %d = %v", n, err)
		}
		if n%10 == 0 {
			if _, err := signIn(t, o, "192.0.2.9", own, ana.Email, modelstest.Password); err != nil {
				t.Errorf("the owner meanwhile = %v", err)
			}
		}
	}
	if judged != 10 {
		t.Errorf("%d guesses from everywhere were judged, want 10", judged)
	}

	eva := modelstest.User(t, o.DB, o.Clock.Now(), "eva@example.mx", models.Manager, o.Store)
	begun, last := o.Clock.Now(), time.Duration(0)
	for judged = 0; o.Clock.Now().Sub(begun) < time.Hour; {
		_, err := signIn(t, o, "203.0.113.5", "", eva.Email, "wrong")
		var wait *entrance.TooManyLogins
		switch {
		case modelstest.IsError(err, loginWrong):
			judged++
		case !errors.As(err, &wait):
			t.Fatalf("guess %d = %v", judged, err)
		default:
			if wait.Wait <= last {
				t.Errorf("after %d guesses the wait is %s, want more than %s", judged, wait.Wait, last)
			}
			last = wait.Wait
			o.Clock.Advance(wait.Wait)
		}
	}
	if judged > 10 {
		t.Errorf("%d guesses from one network within an hour, want ten at most", judged)
	}
}

// TestTheLineIsShort: of strangers few wait, few of one network, and a device that has
// signed in before finds its place all the same.
func TestTheLineIsShort(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	own := deviceOf(t, o, ana.Email)
	var collected []string // of somebody who signs in again and again as a new device
	for range 33 {
		collected = append(collected, deviceOf(t, o, ana.Email))
	}
	var places []*entrance.Place
	admitted := func(address, cookie string) bool {
		place, err := o.Entrance.Admit(t.Context(), modelstest.From(address), cookie)
		if err != nil && !errors.Is(err, entrance.ErrSignInBusy) {
			t.Fatal(err)
		}
		if err == nil {
			places = append(places, place)
		}
		return err == nil
	}
	got := 0
	for range 50 {
		if admitted("198.51.100.1", "") {
			got++
		}
	}
	if got != 4 {
		t.Errorf("%d of one network are in the line, want 4", got)
	}
	for n := range 5000 {
		if admitted(fmt.Sprintf("2001:db8:%x::1", n), forged(own)) {
			got++
		}
	}
	if got != 8 {
		t.Errorf("%d strangers are in the line, want 8", got)
	}
	if _, err := signIn(t, o, "198.51.100.1", own, ana.Email, modelstest.Password); err != nil {
		t.Errorf("a known device = %v, want it in", err)
	}
	got = 0
	for _, cookie := range collected {
		if admitted("203.0.113.66", cookie) {
			got++
		}
	}
	if got != 12 {
		t.Errorf("%d devices of one network are in the line, want 12", got)
	}
	if _, err := signIn(t, o, "198.51.100.1", own, ana.Email, modelstest.Password); err != nil {
		t.Errorf("a known device beside those = %v, want it in", err)
	}
	for _, p := range places {
		p.Leave()
		p.Leave() // again does nothing
	}
	if !admitted("198.51.100.1", "") {
		t.Error("the line is empty and nobody is let in")
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE reason = 'error.signInBusy'`); n != 1 {
		t.Errorf("%d entries of those who found no place, want 1", n)
	}
}

// TestNothingIsComputedForNobody: a client that has hung up while it waited costs no
// computing, and one that is over its limit by then is refused.
func TestNothingIsComputedForNobody(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	from := modelstest.From("192.0.2.9")
	place, err := o.Entrance.Admit(t.Context(), from, "")
	if err != nil {
		t.Fatal(err)
	}
	defer place.Leave()
	gone := entrance.Attempt{Email: ana.Email, Password: modelstest.Password, Gone: func() bool { return true }}
	if in, err := o.Entrance.SignIn(t.Context(), from, place, gone); in != nil || !errors.Is(err, entrance.ErrSignInBusy) {
		t.Errorf("SignIn() of a client that has gone = %v, %v, want %v", in, err, entrance.ErrSignInBusy)
	}
	late := entrance.Attempt{Email: ana.Email, Password: modelstest.Password, Gone: func() bool {
		modelstest.Exec(t, o.Owner, `INSERT INTO login_failures (email, address, at)
			SELECT $2, '198.51.100.' || n, $1 FROM generate_series(1, 10) n`, o.Clock.Now(), ana.Email)
		return false
	}}
	if in, err := o.Entrance.SignIn(t.Context(), from, place, late); in != nil || !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("SignIn() of one who was over the limit after the wait = %v, %v, want %v", in, err, models.ErrTooManyLogins)
	}
}

// TestTenThousandGuesses: a hundred at once, each with a hundred passwords and each from a
// network of its own, half of them with the cookie of a device that they made up.
func TestTenThousandGuesses(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ana := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	own := deviceOf(t, o, ana.Email)
	before := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries`)
	var judged, refused atomic.Int64
	modelstest.AtOnce(100, func(who int) {
		cookie := ""
		if who%2 == 0 {
			cookie = forged(own)
		}
		for n := range 100 {
			switch _, err := signIn(t, o, fmt.Sprintf("198.51.%d.%d", who, n), cookie, ana.Email, fmt.Sprint("clave número ", who, n)); {
			case modelstest.IsError(err, loginWrong):
				judged.Add(1)
			case errors.Is(err, models.ErrTooManyLogins), errors.Is(err, entrance.ErrSignInBusy):
				refused.Add(1)
			default:
				t.Errorf("guess %d of %d = %v", n, who, err)
			}
		}
	})
	if judged.Load() != 10 || judged.Load()+refused.Load() != 10_000 {
		t.Errorf("%d guesses were judged and %d refused, want 10 of 10,000 judged", judged.Load(), refused.Load())
	}
	if _, err := signIn(t, o, "198.51.7.7", own, ana.Email, modelstest.Password); err != nil {
		t.Errorf("the owner's device after all that = %v", err)
	}
	// The first of each network that was heard, up to a thousand a minute.
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries`) - before; n > 1010 {
		t.Errorf("10,000 guesses of a minute made %d entries, want 1,010 at most", n)
	}
}
