package accounts_test

import (
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// TestNobodyChangesTheirOwnRights, though another administrator is there.
func TestNobodyChangesTheirOwnRights(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	ada := modelstest.User(t, o.DB, now, "ada@example.mx", models.Administrator)
	modelstest.User(t, o.DB, now, "beto@example.mx", models.Administrator)
	me := ada.Actor()
	own := &models.Error{Kind: models.KindConflict, Code: "user.ownRights"}
	same := accounts.Input{Email: ada.Email, Name: ada.Name, Role: models.Administrator}
	for fact, change := range map[string]func(accounts.Input) accounts.Input{
		"a supervisor": func(in accounts.Input) accounts.Input { in.Role, in.AllStores = models.Supervisor, true; return in },
		"a manager of a store": func(in accounts.Input) accounts.Input {
			in.Role, in.StoreIDs = models.Manager, []int64{o.Store.ID}
			return in
		},
		"with an end": func(in accounts.Input) accounts.Input { in.AccessUntil = "2026-12-31"; return in },
	} {
		if err := o.Accounts.ChangeUser(t.Context(), me, ada.ID, 1, change(same)); !modelstest.IsError(err, own) {
			t.Errorf("ChangeUser() of oneself to %s = %v, want %v", fact, err, own)
		}
	}
	if err := o.Accounts.DisableUser(t.Context(), me, ada.ID, 1); !modelstest.IsError(err, own) {
		t.Errorf("DisableUser() of oneself = %v, want %v", err, own)
	}
	renamed := same
	renamed.Name = "Ada de Veinte"
	if err := o.Accounts.ChangeUser(t.Context(), me, ada.ID, 1, renamed); err != nil {
		t.Errorf("ChangeUser() of one's own name = %v, want nil", err)
	}
	u, err := o.Accounts.User(t.Context(), me, ada.ID)
	if err != nil || u.Role != models.Administrator || u.AccessUntil != nil || u.DisabledAt != nil || u.Name != renamed.Name {
		t.Errorf("User() after all that = %+v, %v, want the administrator with another name", u, err)
	}
}

// TestAnEndOfOnesOwnIsNotExtended: whoever has access until a day asks somebody else.
func TestAnEndOfOnesOwnIsNotExtended(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	modelstest.User(t, o.DB, now, "ada@example.mx", models.Administrator)
	in := accounts.Input{
		Email: "carla@example.mx", Name: "Carla", Role: models.Administrator, AccessUntil: "2026-12-31", Password: modelstest.Password,
	}
	carla, err := o.Accounts.CreateUser(t.Context(), models.System("test", ""), in)
	if err != nil {
		t.Fatalf("CreateUser() = %v", err)
	}
	own := &models.Error{Kind: models.KindConflict, Code: "user.ownRights"}
	for _, until := range []string{"", "2027-01-31"} {
		in.AccessUntil = until
		if err := o.Accounts.ChangeUser(t.Context(), carla.Actor(), carla.ID, 1, in); !modelstest.IsError(err, own) {
			t.Errorf("ChangeUser() of one's own end to %q = %v, want %v", until, err, own)
		}
	}
	in.AccessUntil, in.Name = "2026-12-31", "Carla Ruiz"
	if err := o.Accounts.ChangeUser(t.Context(), carla.Actor(), carla.ID, 1, in); err != nil {
		t.Errorf("ChangeUser() that leaves the end = %v, want nil", err)
	}
}
