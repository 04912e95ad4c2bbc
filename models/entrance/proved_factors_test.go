package entrance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
	"veinte/models/modelstest"
)

// Nobody changes factors with a session alone, and the last one stays where the rule asks.
func TestOwnFactorsAskForProof(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	a, taken := setUp(t, o, u)
	actor := here(t, o, u)
	own := func() *entrance.OwnFactors {
		t.Helper()
		own, err := o.Entrance.OwnFactors(t.Context(), actor)
		if err != nil {
			t.Fatal(err)
		}
		return own
	}
	for _, text := range []string{"", "wrong wrong wrong", "000000", taken.Recovery[1]} {
		if _, err := o.Entrance.NewRecovery(t.Context(), actor, proof(t, o, text)); err == nil {
			t.Errorf("NewRecovery() with %q = nil, want it refused", text)
		}
	}
	o.Clock.Advance(time.Hour)
	codes, err := o.Entrance.NewRecovery(t.Context(), actor, proof(t, o, a.code(t, 0)))
	if err != nil || len(codes) != factors.Recoveries {
		t.Fatalf("NewRecovery() = %d codes, %v", len(codes), err)
	}
	if _, err := take(t, o, u, taken.Recovery[2]); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("TakeStep() with an old recovery code = %v, want %v", err, factors.ErrWrong)
	}
	if _, err := take(t, o, u, codes[0]); err != nil {
		t.Errorf("TakeStep() with a new one = %v", err)
	}
	if got := own().Left; got != factors.Recoveries-1 {
		t.Errorf("%d codes are left, want %d", got, factors.Recoveries-1)
	}
	if err := o.Entrance.RemoveApp(t.Context(), actor, proof(t, o, modelstest.Password)); !errors.Is(err, entrance.ErrLastFactor) {
		t.Errorf("RemoveApp() of the last factor = %v, want %v", err, entrance.ErrLastFactor)
	}
	d := newDevice(o)
	if got := d.registers(t, u); got != nil {
		t.Errorf("a second factor gives recovery codes %q, want the old ones to stay", got)
	}
	asked, err := o.Entrance.AskProof(t.Context(), actor, "session")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Entrance.RemoveApp(t.Context(), actor, entrance.Proof{Passkey: d.signs(t, asked), Browser: "session"}); err != nil {
		t.Errorf("RemoveApp() with the passkey as the proof = %v", err)
	}
	key := own().Keys[0]
	err = o.Entrance.RemovePasskey(t.Context(), actor, proof(t, o, modelstest.Password), key.ID)
	if !errors.Is(err, entrance.ErrLastFactor) {
		t.Errorf("RemovePasskey() of the last factor = %v, want %v", err, entrance.ErrLastFactor)
	}
	never := map[models.Role]factors.Ask{models.Supervisor: factors.Never}
	if err := o.Entrance.SetFactorRules(t.Context(), o.Admin, never); err != nil {
		t.Fatal(err)
	}
	if err := o.Entrance.RemovePasskey(t.Context(), actor, proof(t, o, modelstest.Password), key.ID); err != nil {
		t.Errorf("RemovePasskey() where no rule asks = %v", err)
	}
	if last := own(); !last.None() || last.Left != 0 {
		t.Errorf("OwnFactors() afterwards = %+v, want nothing", last)
	}
}

// An app takes the place of another when its first code is right, and not before.
func TestAnAppIsReplaced(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	old, _ := setUp(t, o, u)
	if err := o.Entrance.BeginApp(t.Context(), here(t, o, u), proof(t, o, old.code(t, 0))); err != nil {
		t.Fatalf("BeginApp() = %v", err)
	}
	o.Clock.Advance(time.Minute)
	own, err := o.Entrance.OwnFactors(t.Context(), here(t, o, u))
	if err != nil || own.Next == nil {
		t.Fatalf("OwnFactors() = %+v, %v, want the secret of the next app", own, err)
	}
	next := app{o, own.Next.Key()}
	if _, err := o.Entrance.ConfirmApp(t.Context(), here(t, o, u), old.code(t, 0)); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("ConfirmApp() with a code of the old one = %v, want %v", err, factors.ErrWrong)
	}
	if _, err := take(t, o, u, old.code(t, 0)); err != nil {
		t.Errorf("TakeStep() with the old app before = %v", err)
	}
	if recovery, err := o.Entrance.ConfirmApp(t.Context(), here(t, o, u), next.code(t, 0)); err != nil || recovery != nil {
		t.Fatalf("ConfirmApp() = %q, %v, want the recovery codes to stay", recovery, err)
	}
	o.Clock.Advance(time.Minute)
	if _, err := take(t, o, u, old.code(t, 0)); !modelstest.IsError(err, factors.ErrWrong) {
		t.Errorf("TakeStep() with the old app = %v, want %v", err, factors.ErrWrong)
	}
	if _, err := take(t, o, u, next.code(t, 0)); err != nil {
		t.Errorf("TakeStep() with the new app = %v", err)
	}
}

// A guessed password or code waits, as at a sign-in.
func TestGuessedProofsWait(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	setUp(t, o, u)
	for range 5 {
		_, _ = o.Entrance.NewRecovery(t.Context(), here(t, o, u), proof(t, o, "wrong wrong wrong"))
	}
	_, err := o.Entrance.NewRecovery(t.Context(), here(t, o, u), proof(t, o, modelstest.Password))
	if !errors.Is(err, models.ErrTooManyLogins) {
		t.Errorf("NewRecovery() after five wrong passwords = %v, want %v", err, models.ErrTooManyLogins)
	}
}

// Passkeys belong to a name: a number has none, and this machine's is localhost.
func TestWherePasskeysWork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		address string
		want    passkeys.Site
	}{
		{"https://veinte.example", passkeys.Site{ID: "veinte.example", Origin: "https://veinte.example"}},
		{"https://Veinte.Example:8443/tienda", passkeys.Site{ID: "veinte.example", Origin: "https://veinte.example:8443"}},
		{"http://127.0.0.1:8020", passkeys.Site{ID: "localhost", Origin: "http://localhost:8020"}},
		{"http://[::1]:8020", passkeys.Site{ID: "localhost", Origin: "http://localhost:8020"}},
		{"http://localhost:8020", passkeys.Site{ID: "localhost", Origin: "http://localhost:8020"}},
		{"http://veinte.example", passkeys.Site{}},
		{"https://192.168.1.7", passkeys.Site{}},
		{"http://192.168.1.7:8020", passkeys.Site{}},
		{"", passkeys.Site{}},
	} {
		if got := passkeys.SiteOf(tt.address); got != tt.want {
			t.Errorf("SiteOf(%q) = %+v, want %+v", tt.address, got, tt.want)
		}
	}
	at := passkeys.SiteOf("https://veinte.example")
	for host, want := range map[string]bool{
		"veinte.example": true, "VEINTE.example:443": true, "veinte.example:8443": false, "127.0.0.1": false, "": false,
	} {
		if got := at.At(host); got != want {
			t.Errorf("At(%q) = %v, want %v", host, got, want)
		}
	}
	o := modelstest.NewOffice(t)
	if _, err := o.Entrance.AskPasskey(t.Context(), "browser"); !errors.Is(err, passkeys.ErrNowhere) {
		t.Errorf("AskPasskey() without an address = %v, want %v", err, passkeys.ErrNowhere)
	}
}

// What is stored of a person lists their factors, without what is secret.
func TestPersonalDataHasFactors(t *testing.T) {
	t.Parallel()
	o, u := withKeys(t)
	d := newDevice(o)
	d.registers(t, u)
	a, _ := setUpApp(t, o, u)
	data, err := o.Accounts.PersonalData(t.Context(), o.Admin, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	var account struct {
		SecondFactor *struct{ CodesLeft int }
		Passkeys     []struct{ Name string }
	}
	if err := json.Unmarshal(data.Account, &account); err != nil {
		t.Fatal(err)
	}
	f, keys := account.SecondFactor, account.Passkeys
	if f == nil || f.CodesLeft != factors.Recoveries || len(keys) != 1 || keys[0].Name != "Teléfono" {
		t.Errorf("PersonalData() = %s, want the app, ten codes and a passkey", data.Account)
	}
	all, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{strings.ReplaceAll(a.key, "-", ""), fmt.Sprintf("%x", d.key.ID)} {
		if strings.Contains(string(all), secret) {
			t.Errorf("the data of a person has %q", secret)
		}
	}
}

// setUpApp adds an app to a person who is signed in.
func setUpApp(t *testing.T, o *modelstest.Office, u *models.User) (app, []string) {
	t.Helper()
	if err := o.Entrance.BeginApp(t.Context(), here(t, o, u), proof(t, o, modelstest.Password)); err != nil {
		t.Fatalf("BeginApp() = %v", err)
	}
	own, err := o.Entrance.OwnFactors(t.Context(), here(t, o, u))
	if err != nil || own.Next == nil {
		t.Fatalf("OwnFactors() = %+v, %v", own, err)
	}
	a := app{o, own.Next.Key()}
	recovery, err := o.Entrance.ConfirmApp(t.Context(), here(t, o, u), a.code(t, 0))
	if err != nil {
		t.Fatalf("ConfirmApp() = %v", err)
	}
	return a, recovery
}
