package settings

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/entrance/factors"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
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

// storesOf names the stores of a person, at most so many of them; 0: all.
func storesOf(ctx context.Context, stores []models.Store, everywhere bool, ids []int64, most int) string {
	if everywhere {
		return locale.T(ctx, "user.allStores")
	}
	var names []string
	for i := range stores {
		if slices.Contains(ids, stores[i].ID) {
			names = append(names, stores[i].Name)
		}
	}
	switch more := len(names) - most; {
	case len(names) == 0:
		return locale.T(ctx, "user.noStores")
	case most > 0 && more > 0:
		return locale.T(ctx, "user.moreStores", "Names", strings.Join(names[:most], ", "), "N", more)
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

// UserView is a person as a place: who they are, where they work, what they last did.
type UserView struct {
	ui.Page
	User models.User
	// NameBlocked means that pages show a neutral word instead of their name.
	NameBlocked bool
	SignedInAt  *time.Time // nil: never, or too long ago to be known
	Stores      []models.Store
	// Acts are their last ones, with the names of what they were done to: nil where the page
	// does not tell them, to a reader who may not read the trail, or after a refusal.
	Acts        []models.AuditEntry
	Names       *words.AuditNames
	HasPassword bool
	// Link is their newest link to set a password, nil for none; LinkErrors are why they got
	// no other.
	Link       *accounts.Link
	LinkErrors ui.Errors
	Factors    factors.State // of the person's sign-in
	Sessions   []ui.SessionLine
	Devices    []ui.DeviceLine // by which they are known
	// Waiting is how many requests of the person have not left.
	Waiting int64
	// Proposal is what waits for another administrator; nil: nothing.
	Proposal *proposals.Proposal
	Errors   ui.Errors // of an act of the page
}

// UserFormView is the form of a person: a new one at GET /users/new, a known
// one at GET /users/:id/edit.
type UserFormView struct {
	ui.Page
	ID     int64 // 0 for a new person
	Stores []models.Store
	Form   UserForm
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
func (v *UserView) self() bool { return v.User.ID == v.Actor.UserID }

// disabled reports whether the person may not sign in.
func (v *UserView) disabled() bool { return v.User.DisabledAt != nil }

// self reports whether the reader changes themselves: nobody changes their own rights.
func (v *UserFormView) self() bool { return v.ID != 0 && v.ID == v.Actor.UserID }
