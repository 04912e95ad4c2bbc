package compare_test

import (
	"testing"

	"github.com/descope/virtualwebauthn"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/audit/compare"
	"veinte/models/database"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// address is where passkeys work.
const address = "https://veinte.example"

// key makes a key of a program.
func (s *shop) key(t *testing.T, name string) *apikeys.Key {
	t.Helper()
	k, _, err := s.APIKeys.CreateKey(t.Context(), s.Admin, apikeys.Input{
		Name: name, Scopes: []apikeys.Scope{"sales:read"}, AllStores: true, Pace: apikeys.PaceNormal, Days: 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sofia is a supervisor who is signed in.
func (s *shop) sofia(t *testing.T) models.Actor {
	t.Helper()
	var id int64
	if err := s.Owner.QueryRow(`SELECT coalesce(max(id), 0) FROM users WHERE email = 'sofia@example.mx'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if id == 0 {
		u := modelstest.User(t, s.DB, s.Clock.Now(), "sofia@example.mx", models.Supervisor)
		id = u.ID
		s.enrolledAlone(t, u)
		modelstest.Exec(t, s.Owner, `WITH d AS (INSERT INTO devices (token, created_at, user_agent) VALUES ('here', now(), 'here') RETURNING id)
			INSERT INTO sessions (token_hash, user_id, device_id, created_at, seen_at, proved_at, expires_at, address, user_agent)
			SELECT sha256('here'), $1, id, now(), now(), '2000-01-01', now() + interval '9 years', '', 'here' FROM d`, id)
	}
	a := models.Actor{UserID: id, Name: "sofia", Role: models.Supervisor, AllStores: true}
	err := s.Owner.QueryRow(`SELECT id, device_id FROM sessions WHERE user_id = $1`, id).Scan(&a.Session.ID, &a.Session.DeviceID)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// enrolledAlone records one person, as enrolled does.
func (s *shop) enrolledAlone(t *testing.T, u *models.User) {
	t.Helper()
	err := s.DB.InTx(t.Context(), func(tx database.Tx) error {
		about := audit.About{After: u.Attributes()}
		return audit.Record(tx, s.Admin, s.Clock.Now(), models.ActionUserCreated, models.OutcomeSuccess, about)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shop) proof(t *testing.T) entrance.Proof {
	t.Helper()
	place, err := s.Entrance.Admit(t.Context(), models.Actor{Address: "189.203.0.10"}, "")
	if err != nil {
		t.Fatal(err)
	}
	place.Leave()
	return entrance.Proof{Text: modelstest.Password, Browser: "session", Place: place}
}

// passkey registers one of Sofía's, as her browser does.
func (s *shop) passkey(t *testing.T, name string) {
	t.Helper()
	sofia := s.sofia(t)
	asked, err := s.Entrance.AskOwn(t.Context(), sofia, "session")
	if err != nil {
		t.Fatal(err)
	}
	options, err := virtualwebauthn.ParseAttestationOptions(string(asked))
	if err != nil {
		t.Fatal(err)
	}
	device := virtualwebauthn.NewAuthenticator()
	device.Options.UserHandle = []byte(options.UserID)
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != 77 { // the library leaves out zeros at the beginning of its numbers
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	site := virtualwebauthn.RelyingParty{ID: "veinte.example", Name: "Veinte", Origin: address}
	answer := virtualwebauthn.CreateAttestationResponse(site, device, key, *options)
	if _, err := s.Entrance.AddPasskey(t.Context(), sofia, s.proof(t), name, answer); err != nil {
		t.Fatalf("AddPasskey() = %v", err)
	}
	if r := s.compared(t); r.State != compare.Intact || tableOf(r, "passkeys").Compared == 0 {
		t.Fatalf("a passkey differs, or nothing binds it: %v %+v", lines(r), tableOf(r, "passkeys"))
	}
}

func (s *shop) removePasskey(t *testing.T) {
	t.Helper()
	sofia := s.sofia(t)
	var id int64
	if err := s.Owner.QueryRow(`SELECT id FROM passkeys`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if err := s.Entrance.RemovePasskey(t.Context(), sofia, s.proof(t), id); err != nil {
		t.Fatalf("RemovePasskey() = %v", err)
	}
}

func (s *shop) text(t *testing.T, sql string) (text string) {
	t.Helper()
	if err := s.Owner.QueryRow(sql).Scan(&text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

func tableOf(r *compare.Result, name string) compare.Table {
	for _, table := range r.Tables {
		if table.Name == name {
			return *table
		}
	}
	return compare.Table{}
}

// TestWhatOlderReleasesMadeIsNotBound: secrets and passkeys whose entries have no hash are no
// difference, and their number does not grow unnoticed.
func TestWhatOlderReleasesMadeIsNotBound(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.key(t, "Caja")
	s.passkey(t, "Teléfono")
	s.sql(t, `ALTER TABLE audit_entries DISABLE TRIGGER USER`)
	s.sql(t, `UPDATE audit_entries SET after = after - 'secretSha256' - 'publicKeySha256'`)
	r := s.compared(t)
	for _, name := range []string{"api_secrets", "passkeys"} {
		if table := tableOf(r, name); table.NotBound != 1 || table.Differs != 0 {
			t.Errorf("%s: %+v, want one that is not bound: %v", name, table, lines(r))
		}
	}
	k := s.key(t, "Otra")
	if _, err := s.APIKeys.RotateKey(t.Context(), s.Admin, k.ID, k.Version, 30, 24); err != nil {
		t.Fatal(err)
	}
	s.removePasskey(t)
	r = s.compared(t)
	if table := tableOf(r, "api_secrets"); r.State != compare.Intact || table.Compared != 2 || table.NotBound != 1 {
		t.Errorf("after a rotation %+v: %v", table, lines(r))
	}
	s.sql(t, `INSERT INTO api_secrets (key_id, hash, prefix, created_at, created_by, expires_at)
		SELECT key_id, sha256('mine'), prefix, created_at, created_by, expires_at FROM api_secrets ORDER BY id LIMIT 1`)
	if r = s.compared(t); tableOf(r, "api_secrets").Differs != 1 {
		t.Errorf("a secret beside one that is not bound: %v", lines(r))
	}
}
