package settings

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/entrance/factors"
	"veinte/views/locale"
	"veinte/views/ui"
)

// UsersView is the list of people.
type UsersView struct {
	ui.Page
	Filter    accounts.PeopleFilter
	List      accounts.PeoplePage
	Stores    []models.Store       // to name those of each
	Proposals []proposals.Proposal // what waits for another administrator
	Errors    ui.Errors            // of the filter
}

// url is the address of the list with another cursor.
func (v *UsersView) url(cursor string) string {
	q := url.Values{}
	ui.Set(q, "q", v.Filter.Query)
	ui.Set(q, "role", string(v.Filter.Role))
	ui.Set(q, "cursor", cursor)
	return ui.Address("/users", q)
}

// storesNamed is how many stores of a person are named; of more it is said how many.
const storesNamed = 3

// storesOf names the stores of a person.
func (v *UsersView) storesOf(ctx context.Context, p *accounts.Person) string {
	if p.AllStores {
		return locale.T(ctx, "user.allStores")
	}
	var names []string
	for i := range v.Stores {
		if slices.Contains(p.StoreIDs, v.Stores[i].ID) {
			names = append(names, v.Stores[i].Name)
		}
	}
	switch more := len(names) - storesNamed; {
	case len(names) == 0:
		return locale.T(ctx, "user.noStores")
	case more > 0:
		return locale.T(ctx, "user.moreStores", "Names", strings.Join(names[:storesNamed], ", "), "N", more)
	}
	return strings.Join(names, ", ")
}

// AccessView are the rules of who proves what when they come in.
type AccessView struct {
	ui.Page
	// FactorRules says when people of each role are asked for a second step.
	FactorRules map[models.Role]factors.Ask
	AsksProof   bool
}

// UserFormView is the form of a person: a new one at GET /users/new, a known
// one at GET /users/:id.
type UserFormView struct {
	ui.Page
	ID       int64 // 0 for a new person
	Disabled bool
	// NameBlocked means that pages show a neutral word instead of their name.
	NameBlocked bool
	Stores      []models.Store
	Form        UserForm
	// Of a known person: whether they have a password, their newest link to set one, nil
	// for none, and why they got no other.
	HasPassword bool
	Link        *accounts.Link
	LinkErrors  ui.Errors
	Factors     factors.State // of the person's sign-in
	Sessions    []ui.SessionLine
	Devices     []ui.DeviceLine // by which they are known
	// Waiting is how many requests of the person have not left.
	Waiting int64
	// Proposal is what waits for another administrator; nil: nothing. Answered is why an
	// answer to it was refused.
	Proposal *proposals.Proposal
	Answered ui.Errors
	// Second means that another administrator confirms rights that move money.
	Second bool
}

// UserLinkView shows the link by which a person sets their password, once.
type UserLinkView struct {
	ui.Page
	Link    *accounts.Link
	Address string
	Waits   bool // it opens once another administrator has confirmed the person's rights
}

// UserForm is what was entered of a person.
type UserForm struct {
	Email     string
	Name      string
	Role      models.Role
	AllStores bool
	StoreIDs  []int64
	Until     string // the last day of their access, as typed
	Version   int
	Errors    ui.Errors // email, name, role, accessUntil, stores
}

// self reports whether the reader looks at themselves: nobody locks themselves out.
func (v *UserFormView) self() bool { return v.ID != 0 && v.ID == v.Actor.UserID }
