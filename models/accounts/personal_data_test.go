package accounts_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// Whoever asks gets all that is stored of them, and nothing of a colleague of the same
// name; no hash leaves, and that it left is in the trail.
func TestAPersonsDataIsHandedOut(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	u := modelstest.User(t, o.DB, now, "ana@example.mx", models.Administrator)
	namesake := modelstest.User(t, o.DB, now, "otra@example.mx", models.Administrator)
	modelstest.Exec(t, o.Owner, `UPDATE users SET name = (SELECT name FROM users WHERE id = $1) WHERE id = $2`, u.ID, namesake.ID)
	from := models.Actor{Address: "192.0.2.7", UserAgent: "Firefox de Ana"}
	if _, _, err := o.Entrance.Login(t.Context(), from, u.Email, "una clave equivocada"); err == nil {
		t.Fatal("a wrong password signs in")
	}
	if err := o.Accounts.SetLanguage(t.Context(), u.Actor(), "en"); err != nil {
		t.Fatal(err)
	}
	if err := o.Accounts.SetLanguage(t.Context(), namesake.Actor(), "es-MX"); err != nil {
		t.Fatal(err)
	}
	if err := o.Accounts.ResetPassword(t.Context(), commandLine, u.ID, "otra clave bastante larga"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.Entrance.Login(t.Context(), from, u.Email, "otra clave bastante larga"); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, o.Owner, `INSERT INTO sso_identities VALUES ('https://login.example.com', 'ana-at-work', $1, now())`, u.ID)
	modelstest.Exec(t, o.Owner, `INSERT INTO saved_views (owner_id, owner_name, name, filter, shared, created_at, list)
		VALUES ($1, 'x', 'Las mías', '', false, now(), 'sales')`, u.ID)
	if _, err := o.Accounts.MakeLink(t.Context(), o.Admin, u.ID); err != nil {
		t.Fatal(err)
	}
	data, err := o.Accounts.PersonalData(t.Context(), o.Admin, u.ID)
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for _, e := range data.Entries {
		acts = append(acts, string(e.Action))
	}
	modelstest.Wants(t, "sessions", len(data.Sessions), 1)
	modelstest.Wants(t, "where from", data.Sessions[0].Address+" "+data.Sessions[0].UserAgent, "192.0.2.7 Firefox de Ana")
	modelstest.Wants(t, "profile", data.Profile["email"], any(u.Email))
	got := " " + strings.Join(acts, " ") + " "
	for _, act := range []models.Action{models.ActionLanguageChosen, models.ActionPasswordReset, models.ActionLogin} {
		if strings.Count(got, " "+string(act)+" ") != 1 {
			t.Errorf("entries =%s, want one of %s", got, act)
		}
	}
	text, err := json.Marshal(data)
	if err != nil || strings.Contains(string(text), "argon2") || strings.Contains(string(text), namesake.Email) {
		t.Errorf("the data = %s, %v, want no hash and nothing of a namesake", text, err)
	}
	for _, want := range []string{"Firefox de Ana", "ana-at-work", "Las mías", `"kind":"reset"`} {
		if !strings.Contains(string(data.Account), want) {
			t.Errorf("the account's data lacks %s: %s", want, data.Account)
		}
	}
	if strings.Contains(string(text), "hash") || strings.Contains(string(text), "token") {
		t.Errorf("the data holds what could be a secret: %s", text)
	}
	var entries int
	if err := o.Owner.QueryRow(`SELECT count(*) FROM audit_entries WHERE action = 'user.exported' AND after->>'email' = $1`, u.Email).
		Scan(&entries); err != nil || entries != 1 {
		t.Errorf("entries of the hand-out = %d, %v, want 1", entries, err)
	}
	for _, actor := range []models.Actor{o.Supervisor, o.Manager} {
		if _, err := o.Accounts.PersonalData(t.Context(), actor, u.ID); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("PersonalData() by a %s = %v, want it refused", actor.Role, err)
		}
	}
	if _, err := o.Accounts.PersonalData(t.Context(), o.Admin, 999999); !modelstest.IsError(err, models.ErrNotFound) {
		t.Errorf("PersonalData() of nobody = %v, want %v", err, models.ErrNotFound)
	}
}

// Whatever names a person is handed out with the rest, or is in their profile.
func TestNoTableOfPeopleIsForgotten(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("personal_data.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range modelstest.Texts(t, modelstest.NewOffice(t).Owner, `SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
		WHERE confrelid = 'users'::regclass AND conrelid <> 'user_stores'::regclass`) { // stores are in the profile
		if !regexp.MustCompile(`\b` + table + `\b`).Match(source) {
			t.Errorf("%s names people, and what is handed out to them does not look there", table)
		}
	}
}
