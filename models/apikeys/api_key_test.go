package apikeys_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/modelstest"
)

func keyInput() apikeys.Input {
	return apikeys.Input{
		Name: "Punto de venta", Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, AllStores: true, Pace: apikeys.PaceNormal, Days: 90,
	}
}

// TestOnlyAdministratorsKeepKeys tries with every role.
func TestOnlyAdministratorsKeepKeys(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key, _, err := o.APIKeys.CreateKey(t.Context(), o.Admin, keyInput())
	if err != nil {
		t.Fatal(err)
	}
	grants := []models.Permission{models.RecordSales, models.ReadAudit}
	program := models.Actor{UserID: key.ID, Name: "x", Role: models.Integration, AllStores: true, Grants: grants}
	for _, who := range []models.Actor{o.Manager, o.Supervisor, program, {Role: models.Anonymous}, {}} {
		_, _, created := o.APIKeys.CreateKey(t.Context(), who, keyInput())
		_, rotated := o.APIKeys.RotateKey(t.Context(), who, key.ID, 1, 90, 0)
		_, listed := o.APIKeys.Keys(t.Context(), who)
		_, read := o.APIKeys.Key(t.Context(), who, key.ID)
		revoked := o.APIKeys.RevokeKey(t.Context(), who, key.ID, 1)
		for what, err := range map[string]error{
			"create": created, "rotate": rotated, "list": listed, "read": read, "revoke": revoked,
		} {
			if !errors.Is(err, models.ErrForbidden) {
				t.Errorf("%s may %s a key: %v", who.Role, what, err)
			}
		}
	}
	if models.Integration.May(models.RecordSales) {
		t.Error("a program may tell of sales whatever its key says")
	}
}

// TestASecretIsKeptNowhere searches the whole database for it.
func TestASecretIsKeptNowhere(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, secret, err := o.APIKeys.CreateKey(t.Context(), o.Admin, keyInput())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"api_keys", "api_secrets", "audit_entries"} {
		if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM `+table+` t WHERE t::text LIKE '%`+secret[12:40]+`%'`); n != 0 {
			t.Errorf("%s holds the secret", table)
		}
	}
	// The application can neither widen a key's permissions nor replace a hash.
	for _, statement := range []string{
		`UPDATE api_keys SET scopes = ARRAY['audit:read']`, `UPDATE api_keys SET all_stores = true`, `UPDATE api_secrets SET hash = hash`,
		`DELETE FROM api_secrets`, `DELETE FROM api_keys`, `UPDATE api_key_stores SET store_id = 1`,
	} {
		if _, err := o.DB.SQL().Exec(statement); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v, want permission denied", statement, err)
		}
	}
}

// TestRevokedAtOnce: of many parallel requests, none that began after the revocation
// is accepted.
func TestRevokedAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key, secret, err := o.APIKeys.CreateKey(t.Context(), o.Admin, keyInput())
	if err != nil {
		t.Fatal(err)
	}
	opens := func() error {
		_, _, err := o.APIKeys.Authenticate(t.Context(), models.Actor{Address: "192.0.2.9"}, secret)
		return err
	}
	stop, wg := make(chan struct{}), sync.WaitGroup{}
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = opens()
				}
			}
		})
	}
	for range 20 {
		if err := opens(); err != nil {
			t.Errorf("before: %v", err)
		}
	}
	if err := o.APIKeys.RevokeKey(t.Context(), o.Admin, key.ID, 1); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := opens(); !errors.Is(err, apikeys.ErrKeyRevoked) {
			t.Fatalf("after: %v, want %v", err, apikeys.ErrKeyRevoked)
		}
	}
	close(stop)
	wg.Wait()
}

// TestTwoRotateAtOnce: of two concurrent rotations one succeeds.
func TestTwoRotateAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key, _, err := o.APIKeys.CreateKey(t.Context(), o.Admin, keyInput())
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 8)
	for range cap(results) {
		go func() {
			_, err := o.APIKeys.RotateKey(t.Context(), o.Admin, key.ID, 1, 30, 24)
			results <- err
		}()
	}
	done := 0
	for range cap(results) {
		if err := <-results; err == nil {
			done++
		} else if !errors.Is(err, models.ErrStale) {
			t.Errorf("RotateKey() = %v, want %v", err, models.ErrStale)
		}
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM api_secrets"); done != 1 || n != 2 {
		t.Errorf("%d rotations and %d secrets, want one more", done, n)
	}
	got, err := o.APIKeys.Key(t.Context(), o.Admin, key.ID)
	if err != nil || got.State(o.Clock.Now()) != apikeys.Active || got.State(o.Clock.Now().AddDate(0, 0, 20)) != apikeys.ExpiresSoon ||
		got.State(o.Clock.Now().AddDate(0, 0, 30)) != apikeys.Expired {
		t.Errorf("states of %+v are wrong: %v", got, err)
	}
	old := got.Secrets[1]
	want := o.Clock.Now().Add(24 * time.Hour)
	if !old.ExpiresAt.Equal(want) || old.ReplacedBy == nil || *old.ReplacedBy != got.Secrets[0].ID {
		t.Errorf("the old secret = %+v, want it valid until %s", old, want)
	}
}

// TestPeopleAndProgramsHaveTheirNumbers: a user and a key with the same id are not
// confused.
func TestPeopleAndProgramsHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key, _, err := o.APIKeys.CreateKey(t.Context(), o.Admin, keyInput())
	if err != nil {
		t.Fatal(err)
	}
	if key.ID < 1e12 {
		t.Errorf("the first key is number %d", key.ID)
	}
	if _, err := o.Owner.Exec(`INSERT INTO users (id, email, name, role, all_stores, password_hash, language, created_at)
		OVERRIDING SYSTEM VALUE VALUES ($1, 'a@b', 'A', 'supervisor', true, 'x', '', now())`, key.ID); err == nil {
		t.Error("a person has the number of a key")
	}
}
