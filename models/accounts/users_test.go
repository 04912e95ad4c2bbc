package accounts_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

var lastAdministrator = &models.Error{Kind: models.KindConflict, Code: "user.lastAdministrator"}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	a := modelstest.User(t, o.DB, now, "a@example.mx", models.Administrator)
	b := modelstest.User(t, o.DB, now, "b@example.mx", models.Administrator)
	demote := accounts.Input{Email: a.Email, Name: a.Name, Role: models.Supervisor, AllStores: true}
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, b.ID, 1); err != nil {
		t.Errorf("DisableUser() of one of two = %v, want nil", err)
	}
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, a.ID, 1); !modelstest.IsError(err, lastAdministrator) {
		t.Errorf("DisableUser() of the last = %v, want %v", err, lastAdministrator)
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, a.ID, 1, demote); !modelstest.IsError(err, lastAdministrator) {
		t.Errorf("ChangeUser() of the last = %v, want %v", err, lastAdministrator)
	}
	u, err := o.Accounts.User(t.Context(), o.Admin, a.ID)
	if err != nil || u.Role != models.Administrator || u.DisabledAt != nil || u.Version != 1 {
		t.Errorf("the last administrator = %+v, %v, want them as they were", u, err)
	}
	if err := o.Accounts.EnableUser(t.Context(), o.Admin, b.ID, 2); err != nil {
		t.Errorf("EnableUser() = %v", err)
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, a.ID, 1, demote); err != nil {
		t.Errorf("ChangeUser() of one of two = %v, want nil", err)
	}
}

func TestTwoAdministratorsDismissEachOther(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	a := modelstest.User(t, o.DB, now, "a@example.mx", models.Administrator)
	b := modelstest.User(t, o.DB, now, "b@example.mx", models.Administrator)
	versions := map[int64]int{a.ID: 1, b.ID: 1}
	for range 5 {
		ids := []int64{a.ID, b.ID}
		var done atomic.Int64
		modelstest.AtOnce(2, func(i int) {
			err := o.Accounts.DisableUser(t.Context(), o.Admin, ids[i], versions[ids[i]])
			if err == nil {
				done.Store(ids[i])
			} else if !modelstest.IsError(err, lastAdministrator) {
				t.Errorf("DisableUser() = %v, want nil or %v", err, lastAdministrator)
			}
		})
		if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM users WHERE disabled_at IS NULL`); got != 1 {
			t.Fatalf("administrators left = %d, want 1", got)
		}
		gone := done.Load()
		versions[gone] += 2
		if err := o.Accounts.EnableUser(t.Context(), o.Admin, gone, versions[gone]-1); err != nil {
			t.Fatalf("EnableUser() = %v", err)
		}
	}
}

func TestAStaleFormChangesNobody(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	in := accounts.Input{Email: u.Email, Name: "Ana", Role: models.Manager, StoreIDs: []int64{o.Store.ID}}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 1, in); err != nil {
		t.Fatalf("ChangeUser() = %v", err)
	}
	for name, err := range map[string]error{
		"ChangeUser":  o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 1, in),
		"DisableUser": o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1),
		"ChangeStore": o.Terminals.ChangeStore(t.Context(), o.Admin, o.Store.ID, 9,
			terminals.StoreInput{Code: "A", Name: "A", TimeZone: "UTC"}),
		"MoveTerminal": o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, 9,
			terminals.MoveInput{StoreID: o.Store.ID, MerchantID: "M2"}),
	} {
		if !errors.Is(err, models.ErrStale) {
			t.Errorf("%s of an old version = %v, want %v", name, err, models.ErrStale)
		}
	}
}

func TestWhatAPersonNeeds(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	tests := []struct {
		fact   string
		change func(*accounts.Input)
		want   *models.Error
	}{
		{"an address of their own", func(in *accounts.Input) { in.Email = "ANA@example.mx" }, models.Invalid("email", "email.taken")},
		{"an address", func(in *accounts.Input) { in.Email = "eva" }, models.Invalid("email", "email.invalid")},
		{"a name", func(in *accounts.Input) { in.Name = " " }, models.Invalid("name", "field.required")},
		{"a role", func(in *accounts.Input) { in.Role = "system" }, models.Invalid("role", "role.invalid")},
		{"a store, as a manager", func(in *accounts.Input) {
			in.StoreIDs, in.AllStores = nil, true
		}, models.Invalid("stores", "store.required")},
		{"a store that there is", func(in *accounts.Input) {
			in.StoreIDs = []int64{o.Store.ID, 999}
		}, models.Invalid("stores", "store.unknown")},
		{"twelve characters of password", func(in *accounts.Input) {
			in.Password = "12345678901"
		}, models.Invalid("password", "password.tooShort")},
		{"128 of them at most", func(in *accounts.Input) {
			in.Password = strings.Repeat("x", 129)
		}, models.Invalid("password", "field.tooLong")},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			in := accounts.Input{
				Email: "eva@example.mx", Name: "Eva", Role: models.Manager, StoreIDs: []int64{o.Store.ID}, Password: modelstest.Password,
			}
			tt.change(&in)
			_, err := o.Accounts.CreateUser(t.Context(), commandLine, in)
			var got *models.Error
			if !errors.As(err, &got) || *got != *tt.want {
				t.Errorf("CreateUser() = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSecretsAreNotInTheTrail(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Manager, o.Store)
	_, _, _ = o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, "a wrong secret")
	token, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, modelstest.Password)
	if err != nil {
		t.Fatalf("Login() = %v", err)
	}
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "another secret"); err != nil {
		t.Fatalf("ResetPassword() = %v", err)
	}
	sale, _ := o.StateOf(models.Accepted)
	key := o.LastOrder().Key
	o.Post(modelstest.CancelPost(sale, key.Hash()))
	o.Post(modelstest.CancelPost(sale, models.NewAttemptKey().Hash()))
	if _, err := o.Entrance.Logout(t.Context(), o.Manager, token); err != nil {
		t.Fatalf("Logout() = %v", err)
	}
	secrets := []string{modelstest.Password, "a wrong secret", "another secret", token, key.Reveal(), key.Hash(), "argon2id"}
	rows, err := o.Owner.Query(`SELECT e::text || convert_from(canonical, 'UTF8') FROM audit_entries e`)
	if err != nil {
		t.Fatalf("read the trail: %v", err)
	}
	defer rows.Close()
	entries := 0
	for rows.Next() {
		var entry string
		if err := rows.Scan(&entry); err != nil {
			t.Fatalf("read the trail: %v", err)
		}
		entries++
		for _, secret := range secrets {
			if strings.Contains(entry, secret) {
				t.Errorf("the trail holds the secret %q: %s", secret, entry)
			}
		}
	}
	if entries < 10 {
		t.Errorf("the trail holds %d entries, want those of ten acts", entries)
	}
	dump := modelstest.Count(t, o.Owner, `SELECT count(*) FROM attempts WHERE attempts::text LIKE '%' || $1 || '%'`, key.Reveal())
	if encoded, _ := json.Marshal(key); dump != 0 || strings.Contains(string(encoded), key.Reveal()) {
		t.Errorf("the attempt id is stored %d times, printed %s", dump, encoded)
	}
}

// TestTheCommandLineRefusesGuessablePasswords: the first administrator's, and those of a
// reset, which leaves the one that they have.
func TestTheCommandLineRefusesGuessablePasswords(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	for password, problem := range guessable {
		why := models.Invalid("password", problem)
		in := accounts.Input{Email: "eva@example.mx", Name: "Eva", Role: models.Administrator, AllStores: true, Password: password}
		if _, err := o.Accounts.CreateUser(t.Context(), commandLine, in); !modelstest.IsError(err, why) {
			t.Errorf("CreateUser() with %q = %v, want %v", password, err, why)
		}
		if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, password); !modelstest.IsError(err, why) {
			t.Errorf("ResetPassword() to %q = %v, want %v", password, err, why)
		}
	}
	if _, _, err := o.Entrance.Login(t.Context(), nobody(), u.Email, modelstest.Password); err != nil {
		t.Errorf("Login() after refused resets = %v, want nil", err)
	}
	if _, err := o.Accounts.CreateSample(t.Context(), o.Admin, accounts.Input{}); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("CreateSample() by an administrator = %v, want %v", err, models.ErrForbidden)
	}
}
