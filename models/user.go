package models

import (
	"slices"
	"strconv"
	"time"
)

// Subject names a person or a program as oversight counts them: u7 or k7. "" is
// the system, or a terminal.
func (a Actor) Subject() string {
	switch {
	case a.UserID == 0:
		return ""
	case a.Role == Integration:
		return "k" + strconv.FormatInt(a.UserID, 10)
	}
	return "u" + strconv.FormatInt(a.UserID, 10)
}

// Named gives somebody who is not signed in the name that the trail has for them.
func (a Actor) Named() Actor {
	if a.Role == "" {
		a.Name, a.Role = "?", Anonymous
	}
	return a
}

// Program reports whether the actor is a program with a key and no person.
func (a Actor) Program() bool { return a.Role == Integration }

func (u *User) Actor() Actor {
	return Actor{UserID: u.ID, Name: u.Name, Role: u.Role, AllStores: u.AllStores, StoreIDs: u.StoreIDs}
}

// User is a person who signs in.
type User struct {
	ID           int64
	Email        string // lower case
	Name         string
	Role         Role
	AllStores    bool // never true for a manager
	PasswordHash string
	Language     string // "" follows the browser
	Version      int
	DisabledAt   *time.Time
	AccessUntil  *Day // the last day they may sign in, in Mexico City; nil: without an end
	CreatedAt    time.Time
	StoreIDs     []int64 `gorm:"-"` // the scope when AllStores is false
}

// Actor is whoever does something: a person with role and scope, a terminal, or
// the system on somebody's behalf. Every change takes one.
type Actor struct {
	UserID         int64 // of the person, or of the program's key; 0 for the system and for terminals
	Name           string
	Role           Role
	AllStores      bool
	StoreIDs       []int64
	AccessEnds     time.Time    // when they are shut out; zero: not by itself
	Settles        bool         // a manager whom the rules let settle doubts
	ShowOnboarding bool         `json:"FirstSteps"` // they have not put the first steps away
	Grants         []Permission // what the key of a program lets it do; people have none
	OnBehalfOf     string       // the person whose request a job carries out
	Address        string
	UserAgent      string
	RequestID      string
}

// May reports whether the actor's role has the permission, or the rules or a
// key give it to them.
func (a Actor) May(p Permission) bool {
	return a.Role.May(p) || p == ResolveCancellations && a.Settles || slices.Contains(a.Grants, p)
}

// Sees reports whether the store is within the actor's scope.
func (a Actor) Sees(storeID int64) bool {
	if a.AllStores {
		return true
	}
	for _, id := range a.StoreIDs {
		if id == storeID {
			return true
		}
	}
	return false
}

// System is the actor of jobs that carry out what a person asked for; name says
// which part of the system, onBehalfOf the person.
func System(name, onBehalfOf string) Actor {
	return Actor{Name: name, Role: SystemRole, AllStores: true, OnBehalfOf: onBehalfOf}
}

// FromTerminalPost is the actor of a result: the terminal that posted it.
func FromTerminalPost(serial, address string) Actor {
	if serial == "" {
		serial = "?"
	}
	return Actor{Name: serial, Role: TerminalRole, AllStores: true, Address: address}
}

func (u *User) Attributes() map[string]any {
	return map[string]any{"email": u.Email, "name": u.Name, "role": u.Role, "allStores": u.AllStores, "stores": u.StoreIDs, "accessUntil": u.AccessUntil}
}

// DisabledAttributes says besides whether they are shut out.
func (u *User) DisabledAttributes(disabled bool) map[string]any {
	told := u.Attributes()
	told["disabled"] = disabled
	return told
}

// MaxAccess is how far ahead an end of access may lie, in years: an end that
// nobody will see is none. It can be put off again.
const MaxAccess = 1

// ErrAccessExpired is what the trail says of somebody who signs in, or is still
// there, after the last day of their access. They themselves are told no more
// than of a wrong password.
var (
	ErrAccessExpired = &Error{Kind: KindForbidden, Code: "user.accessOver"}
	errUserDisabled  = &Error{Kind: KindForbidden, Code: "user.isDisabled"}
)

// AccessDay returns the day on which access is judged: Mexico City's, whatever
// cut-off and stores have, so that an end means one instant for everybody.
func AccessDay(now time.Time) Day { return Day(now.In(MexicoCity).Format(time.DateOnly)) }

// AccessOver reports whether the last day of the person's access has passed.
func (u *User) AccessOver(now time.Time) bool {
	return u.AccessUntil != nil && *u.AccessUntil < AccessDay(now)
}

// AccessEnds returns the instant from which a person with that last day is shut
// out: midnight in Mexico City.
func (d Day) AccessEnds() time.Time {
	y, m, day := d.Time(MexicoCity).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, MexicoCity)
}

// ShutOut says why a person may not come in although the password is right; nil
// when they may.
func (u *User) ShutOut(now time.Time) *Error {
	switch {
	case u.DisabledAt != nil:
		return errUserDisabled
	case u.AccessOver(now):
		return ErrAccessExpired
	}
	return nil
}
