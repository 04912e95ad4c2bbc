package proposals_test

import (
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// office is one with administrators who have signed in.
type office struct {
	*modelstest.Office
	t *testing.T
}

func newOffice(t *testing.T) *office {
	t.Helper()
	return &office{modelstest.NewOffice(t), t}
}

// administrator adds one, as the command line does, who signs in.
func (o *office) administrator(name string) models.Actor {
	o.t.Helper()
	u := modelstest.User(o.t, o.DB, o.Clock.Now(), name+"@example.mx", models.Administrator)
	o.signIn(u.Email)
	return u.Actor()
}

func (o *office) signIn(email string) {
	o.t.Helper()
	from := modelstest.From("192.0.2.1")
	place, err := o.Entrance.Admit(o.t.Context(), from, "")
	if err == nil {
		defer place.Leave()
		_, err = o.Entrance.SignIn(o.t.Context(), from, place, entrance.Attempt{Email: email, Password: modelstest.Password})
	}
	if err != nil {
		o.t.Fatalf("SignIn(%s) = %v", email, err)
	}
}

func input(name string, role models.Role) accounts.Input {
	return accounts.Input{Email: name + "@example.mx", Name: "Usuario " + name + "@example.mx", Role: role, AllStores: role != models.Manager}
}

// invite has an administrator add somebody.
func (o *office) invite(actor models.Actor, in accounts.Input) (*models.User, *accounts.Link) {
	o.t.Helper()
	u, link, err := o.Accounts.Invite(o.t.Context(), actor, in)
	if err != nil {
		o.t.Fatalf("Invite(%s) = %v", in.Email, err)
	}
	return u, link
}

// user reads somebody again.
func (o *office) user(id int64) *models.User {
	o.t.Helper()
	u, err := o.Accounts.User(o.t.Context(), o.Admin, id)
	if err != nil {
		o.t.Fatalf("User(%d) = %v", id, err)
	}
	return u
}

// waiting is what waits of somebody; it fails when nothing does.
func (o *office) waiting(of proposals.Subject) *proposals.Proposal {
	o.t.Helper()
	p, err := o.Proposals.Of(o.t.Context(), o.Admin, of)
	if err != nil || p == nil {
		o.t.Fatalf("Of(%v) = %v, %v, want what waits", of, p, err)
	}
	return p
}

func (o *office) nothingWaits(fact string) {
	o.t.Helper()
	all, err := o.Proposals.Waiting(o.t.Context(), o.Admin)
	if err != nil || len(all) != 0 {
		o.t.Errorf("%s: Waiting() = %+v, %v, want nothing", fact, all, err)
	}
}

func (o *office) refused(fact string, err error, want *models.Error) {
	o.t.Helper()
	if !modelstest.IsError(err, want) {
		o.t.Errorf("%s = %v, want %v", fact, err, want)
	}
}

func (o *office) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// entries counts those of an action by somebody.
func (o *office) entries(action models.Action, by models.Actor) int {
	o.t.Helper()
	return modelstest.Count(o.t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1 AND actor_id = $2`, action, by.UserID)
}
