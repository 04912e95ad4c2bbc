package accounts_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// auditorUntil is the input of an auditor with an end of access.
func auditorUntil(day string) accounts.Input {
	return accounts.Input{
		Email: "aurora@despacho.example", Name: "Aurora", Role: models.Auditor, AllStores: true, AccessUntil: day, Password: modelstest.Password,
	}
}

// The office is created on 20 November 2026 at noon.
func TestTheEndOfAnAccess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, day string
		role      models.Role
		want      string // code at accessUntil; "" when it is accepted
	}{
		{"an auditor without an end", "", models.Auditor, "access.required"},
		{"a manager without an end", "", models.Manager, ""},
		{"a manager with an end", "2026-12-31", models.Manager, ""},
		{"yesterday", "2026-11-19", models.Auditor, "access.past"},
		{"yesterday, for a manager", "2026-11-19", models.Manager, "access.past"},
		{"today", "2026-11-20", models.Auditor, ""},
		{"in a year", "2027-11-20", models.Auditor, ""},
		{"in a year and a day", "2027-11-21", models.Auditor, "access.tooFar"},
		{"far beyond", "9999-12-31", models.Auditor, "access.tooFar"},
		{"words", "mañana", models.Auditor, "date.invalid"},
		{"no day of the calendar", "2027-02-29", models.Auditor, "date.invalid"},
		{"another way to write it", "31/12/2026", models.Auditor, "date.invalid"},
		{"an instant", "2026-12-31T00:00:00Z", models.Auditor, "date.invalid"},
		{"a NUL", "2026-12-31\x00", models.Auditor, "date.invalid"},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			in := auditorUntil(tt.day)
			in.Role = tt.role
			if tt.role == models.Manager {
				in.AllStores, in.StoreIDs = false, []int64{o.Store.ID}
			}
			_, _, err := o.Accounts.Invite(t.Context(), o.Admin, in)
			var got *models.Error
			errors.As(err, &got)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("CreateUser(until %q) = %v, want nil", tt.day, err)
			case tt.want != "" && (got == nil || *got != *models.Invalid("accessUntil", tt.want)):
				t.Errorf("CreateUser(until %q) = %v, want %s", tt.day, err, tt.want)
			}
		})
	}
}

// TestAnAccessEndsAtMidnightInMexicoCity signs in and checks that the session is
// valid until the last instant of the last day, and no longer.
func TestAnAccessEndsAtMidnightInMexicoCity(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, err := o.Accounts.CreateUser(t.Context(), commandLine, auditorUntil("2026-11-20"))
	if err != nil {
		t.Fatal(err)
	}
	ends := modelstest.At(t, "2026-11-21T00:00:00-06:00") // 06:00 in UTC, already the next day there
	last := ends.Add(-time.Microsecond)
	o.Clock.Set(last)
	token, _, err := o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, modelstest.Password)
	if err != nil {
		t.Fatalf("Login() in the last instant = %v", err)
	}
	who, _, err := o.Entrance.SessionActor(t.Context(), token)
	if err != nil || !who.AccessEnds.Equal(ends) {
		t.Errorf("SessionActor() in the last instant ends %s, %v, want %s", who.AccessEnds, err, ends)
	}
	o.Clock.Set(ends)
	if _, _, err := o.Entrance.SessionActor(t.Context(), token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SessionActor() when access has ended = %v, want %v", err, models.ErrNotFound)
	}
	_, _, err = o.Entrance.Login(t.Context(), modelstest.From("192.0.2.1"), u.Email, modelstest.Password)
	if !modelstest.IsError(err, models.Invalid("email", "login.wrong")) {
		t.Errorf("Login() when access has ended = %v, want what a wrong password gets", err)
	}
	trail := `SELECT count(*) FROM audit_entries WHERE action = $1 AND outcome = $2 AND reason = $3`
	if got := modelstest.Count(t, o.Owner, trail, "session.started", "failure", "user.accessOver"); got != 1 {
		t.Errorf("the trail says %d times that access had ended, want 1", got)
	}
	// The sweep ends the sessions whose time is over.
	o.Clock.Set(ends)
	for range 2 {
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := modelstest.Count(t, o.Owner, trail+` AND on_behalf_of = 'Aurora'`, "session.ended", "success", "user.accessOver"); got != 1 {
		t.Errorf("the trail says %d times that the session ended, want 1", got)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sessions`); got != 0 {
		t.Errorf("%d sessions are left, want none", got)
	}
}

// TestAnAccessIsExtended checks the values before and after in the trail.
func TestAnAccessIsExtended(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u, _, err := o.Accounts.Invite(t.Context(), o.Admin, auditorUntil("2026-11-25"))
	if err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(30 * 24 * time.Hour) // the access has ended
	renamed := auditorUntil("2026-11-25")
	renamed.Name = "Aurora Ruiz"
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 1, renamed); err != nil {
		t.Errorf("ChangeUser() of a name alone, after the last day = %v", err)
	}
	err = o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 2, auditorUntil("2026-11-30"))
	if !modelstest.IsError(err, models.Invalid("accessUntil", "access.past")) {
		t.Errorf("ChangeUser() to another day that has passed = %v, want access.past", err)
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, u.ID, 2, auditorUntil("2027-01-31")); err != nil {
		t.Errorf("ChangeUser() to a later day = %v", err)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.changed'
		AND before->>'accessUntil' = '2026-11-25' AND after->>'accessUntil' = '2027-01-31'`); got != 1 {
		t.Errorf("the trail tells %d times of the new day, want 1", got)
	}
}

// TestAnAdministratorForATimeIsNotTheLast: after their last day nobody could sign
// other users up.
func TestAnAdministratorForATimeIsNotTheLast(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	a := modelstest.User(t, o.DB, now, "a@example.mx", models.Administrator)
	b := modelstest.User(t, o.DB, now, "b@example.mx", models.Administrator)
	until := func(u *models.User, day string) accounts.Input {
		return accounts.Input{Email: u.Email, Name: u.Name, Role: models.Administrator, AccessUntil: day}
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, b.ID, 1, until(b, "2026-12-31")); err != nil {
		t.Errorf("ChangeUser() to an end, of one of two = %v", err)
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, a.ID, 1, until(a, "2026-12-31")); !modelstest.IsError(err, lastAdministrator) {
		t.Errorf("ChangeUser() to an end, of the last = %v, want %v", err, lastAdministrator)
	}
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, a.ID, 1); !modelstest.IsError(err, lastAdministrator) {
		t.Errorf("DisableUser() of the last without an end = %v, want %v", err, lastAdministrator)
	}
	if err := o.Accounts.ChangeUser(t.Context(), o.Admin, b.ID, 2, until(b, "2027-01-31")); err != nil {
		t.Errorf("ChangeUser() to a later end = %v", err)
	}
}

// TestTheDatabaseKeepsAuditorsToAnEnd whatever the application writes.
func TestTheDatabaseKeepsAuditorsToAnEnd(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	const insert = `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
		VALUES ('a@b.mx', 'A', 'auditor', true, 'x', '', now())`
	if got := modelstest.InVain(t, o.Owner, insert); got != modelstest.CheckViolation {
		t.Errorf("an auditor without an end = %q, want %s", got, modelstest.CheckViolation)
	}
}
