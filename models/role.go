package models

import (
	"slices"
)

// Role is what a person is in the back office.
type Role string

// The roles of people, and of actors that are not people.
const (
	Manager       Role = "manager"
	Supervisor    Role = "supervisor"
	Administrator Role = "administrator"
	Auditor       Role = "auditor"     // reads until an agreed day, and changes nothing
	SystemRole    Role = "system"      // jobs
	TerminalRole  Role = "terminal"    // posts to the results endpoint
	Integration   Role = "integration" // a program: limited to the scopes of its key
	Anonymous     Role = "anonymous"   // not signed in
)

// Permission is one thing that a role may do.
type Permission string

// The permissions. The route table names one for each route.
const (
	ViewSales            Permission = "viewSales"         // see sales and their details in one's stores
	CancelSales          Permission = "cancelSales"       // request a cancellation, withdraw it
	CancelInBulk         Permission = "cancelSeveral"     // request cancellations in bulk
	VerifyCancellations  Permission = "verifyCases"       // ask a terminal for the state of a sale
	ResolveCancellations Permission = "settleCases"       // resolve a doubt, with evidence
	ReadAudit            Permission = "readAudit"         // read the trail
	ViewResults          Permission = "viewResults"       // see what terminals posted and what is unmatched
	ManageTerminals      Permission = "manageTerminals"   // register, move, retire
	ManageStores         Permission = "manageStores"      // create and rename
	ManageUsers          Permission = "manageUsers"       // create, role, scope, disable
	ManageSettings       Permission = "manageSettings"    // pause cancellations, change the rules
	ManageEndpoints      Permission = "manageEndpoints"   // where results and events are forwarded to
	ReviewCancellations  Permission = "reviewCases"       // review conflicts and unresolved doubts
	ManageKeys           Permission = "manageKeys"        // make, rotate and revoke keys of the API
	ViewCancellations    Permission = "viewCancellations" // read the state of a cancellation (API keys)
	FollowAudit          Permission = "followAudit"       // read the trail as it grows (API keys)
	ReadCheckpoints      Permission = "readCheckpoints"   // read how long the trail is and its root, no entry (API keys)
	ViewStores           Permission = "viewStores"        // list stores and terminals (API keys)
	FollowChanges        Permission = "followChanges"     // read what changes, as it changes (API keys)
	OverrideNegatives    Permission = "overrideNegatives" // request again after "not canceled"
	ReconcileSales       Permission = "reconcileSales"    // compare a provider's report with our sales
	RecordSales          Permission = "recordSales"       // report sales as a program (API keys)
	ImportSales          Permission = "importSales"       // import sales from a file, undo an import
	AddManualSales       Permission = "enterSales"        // add one sale manually, from its ticket
	ShareViews           Permission = "shareViews"        // share a saved view of a list with everybody who can read the list
	Oversee              Permission = "oversee"           // see outliers, alerts and the day's closing reports
	ManageCounters       Permission = "manageCounters"    // say which devices the people of a store share
)

// StoreScope is whether stores limit what a role's people see.
type StoreScope string

// The rules of scope.
const (
	StoresChosen StoreScope = "chosen" // all stores or some, as the administrator decides for each person
	StoresAll    StoreScope = "all"    // never limited
	StoresSome   StoreScope = "some"   // always limited
)

// RoleRow is all that the domain decides by a person's role.
type RoleRow struct {
	Role      Role
	Home      string // the page that a sign-in leads to
	Guide     string // which they are offered first: views/locale/help/<language>/<Guide>.md
	Stores    StoreScope
	MustEnd   bool // access needs a last day
	Permitted []Permission
}

// roleRows are the roles that a person can have, in the order in which pages list
// them.
var roleRows = []RoleRow{
	{Role: Manager, Home: "/sales", Guide: "manager", Stores: StoresSome, Permitted: []Permission{
		ViewSales, CancelSales, VerifyCancellations, AddManualSales, ManageCounters,
	}},
	{Role: Supervisor, Home: "/today", Guide: "supervisor", Stores: StoresChosen, Permitted: []Permission{
		ViewSales, CancelSales, CancelInBulk, VerifyCancellations, ResolveCancellations, ReviewCancellations, ReadAudit,
		ViewResults, OverrideNegatives, AddManualSales, ReconcileSales, Oversee, ShareViews,
	}},
	{Role: Administrator, Home: "/today", Guide: "administrator", Stores: StoresAll, Permitted: []Permission{
		ViewSales, ReadAudit, ViewResults, ManageTerminals, ManageStores, ManageUsers, ManageSettings, ManageEndpoints,
		ManageKeys, ImportSales, ReconcileSales, Oversee, ShareViews, ManageCounters,
	}},
	{Role: Auditor, Home: "/audit", Guide: "auditor", Stores: StoresChosen, MustEnd: true, Permitted: []Permission{
		ViewSales, ReadAudit, ViewResults, Oversee,
	}},
}

// Roles lists the roles a person can have.
var Roles = func() (all []Role) {
	for i := range roleRows {
		all = append(all, roleRows[i].Role)
	}
	return all
}()

// Row returns what is decided by the role. A role that no person has, such as a
// program's, has no permissions.
func (r Role) Row() *RoleRow {
	for i := range roleRows {
		if roleRows[i].Role == r {
			return &roleRows[i]
		}
	}
	return &RoleRow{Role: r, Home: "/sales", Guide: "manager"}
}

// moneyPermissions are those by which somebody moves money, or says who may.
var moneyPermissions = []Permission{
	CancelSales, CancelInBulk, ResolveCancellations, OverrideNegatives, ReconcileSales, ManageUsers, ManageKeys,
}

// MovesMoney reports whether the role may cancel or resolve, or say who may.
func (r Role) MovesMoney() bool { return r.MovesMoreThan("") }

// MovesMoreThan reports whether the role moves money in a way that another does not.
func (r Role) MovesMoreThan(other Role) bool {
	return slices.ContainsFunc(moneyPermissions, func(p Permission) bool { return r.May(p) && !other.May(p) })
}

// May reports whether the role has the permission.
func (r Role) May(p Permission) bool { return slices.Contains(r.Row().Permitted, p) }

// Rights are what a person, or the program of a key, may do and where.
type Rights struct {
	Role        Role     `json:"role,omitempty"`     // of a person
	Scopes      []string `json:"scopes,omitempty"`   // of a key
	Withheld    bool     `json:"withheld,omitempty"` // the scope that moves money opens nothing yet
	AllStores   bool     `json:"allStores"`
	Stores      []int64  `json:"stores,omitempty"`
	AccessUntil *Day     `json:"accessUntil,omitempty"` // the last day; nil: no end
	Disabled    bool     `json:"disabled,omitempty"`
}

// CancelScope is the scope by which a key moves money.
const CancelScope = "cancellations:write"

// MovesMoney reports whether they may cancel, resolve or say who may.
func (r *Rights) MovesMoney() bool {
	return !r.Disabled && (r.Role.MovesMoney() || !r.Withheld && slices.Contains(r.Scopes, CancelScope))
}

// Wider reports whether they move money in a way, in a store, or for a time that they did
// not before.
func (r *Rights) Wider(before *Rights) bool {
	switch {
	case !r.MovesMoney():
		return false
	case !before.MovesMoney(), r.AllStores && !before.AllStores:
		return true
	case r.Role != before.Role && r.Role.MovesMoreThan(before.Role):
		return true
	case before.AccessUntil != nil && (r.AccessUntil == nil || *r.AccessUntil > *before.AccessUntil):
		return true
	}
	return !before.AllStores && slices.ContainsFunc(r.Stores, func(id int64) bool { return !slices.Contains(before.Stores, id) })
}

// Equal reports whether they are the same.
func (r *Rights) Equal(other *Rights) bool {
	return r.Role == other.Role && r.AllStores == other.AllStores && r.Disabled == other.Disabled && r.Withheld == other.Withheld &&
		slices.Equal(r.Stores, other.Stores) && slices.Equal(r.Scopes, other.Scopes) && r.AccessUntil.same(other.AccessUntil)
}

// same reports whether both are the same day, or none.
func (d *Day) same(other *Day) bool {
	if d == nil || other == nil {
		return d == other
	}
	return *d == *other
}
