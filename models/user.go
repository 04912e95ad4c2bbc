package models

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Subject is the key of a person or a program in oversight's counts: u7 or k7. It is
// "" for the system and for terminals.
func (a Actor) Subject() string {
	switch {
	case a.UserID == 0:
		return ""
	case a.Role == Integration:
		return "k" + strconv.FormatInt(a.UserID, 10)
	}
	return "u" + strconv.FormatInt(a.UserID, 10)
}

// Named sets the name that the trail uses for an actor who is not signed in.
func (a Actor) Named() Actor {
	if a.Role == "" {
		a.Name, a.Role = "?", Anonymous
	}
	return a
}

// Network is by which a sender is counted: its IPv4 address, or the /64 of its IPv6
// address, which is one household's or one shop's. What is no address, such as the name
// of a machine, is its own network.
func (a Actor) Network() string {
	addr, err := netip.ParseAddr(a.Address)
	if err != nil || addr.Unmap().Is4() {
		return a.Address
	}
	return netip.PrefixFrom(addr.WithZone(""), 64).Masked().String()
}

// Program reports whether the actor is a program with an API key.
func (a Actor) Program() bool { return a.Role == Integration }

func (u *User) Actor() Actor {
	return Actor{UserID: u.ID, Name: u.Name, Role: u.Role, AllStores: u.AllStores, StoreIDs: u.StoreIDs}
}

// ActorFrom is the person as an actor of a request, before they have a session.
func (u *User) ActorFrom(request Actor) Actor {
	a := u.Actor()
	a.Address, a.UserAgent, a.RequestID = request.Address, request.UserAgent, request.RequestID
	return a
}

// User is a person who signs in.
type User struct {
	ID           int64
	Email        string // lower case
	Name         string
	Role         Role
	AllStores    bool // by the role's StoreScope
	PasswordHash string
	Language     string // "" follows the browser
	Version      int
	DisabledAt   *time.Time
	AccessUntil  *Day // the last day they may sign in, in Mexico City; nil: no end
	// SecondFrom is from when on an administrator who was made by one alone counts as a
	// second one; nil: since they are one.
	SecondFrom *time.Time
	CreatedAt  time.Time
	StoreIDs   []int64 `gorm:"-"` // the scope when AllStores is false
}

// Actor is whoever does something: a person with role and scope, a terminal, or the
// system on a person's behalf. Every change takes one.
type Actor struct {
	UserID         int64 // of the person, or of the program's key; 0 for the system and for terminals
	Name           string
	Role           Role
	AllStores      bool
	StoreIDs       []int64
	AccessEnds     time.Time    // when access ends; zero: no end
	MayResolve     bool         `json:"Settles"`    // a manager whom the rules let resolve doubts
	ShowOnboarding bool         `json:"FirstSteps"` // they have not dismissed the onboarding
	Grants         []Permission // what the key of a program lets it do; people have none
	OnBehalfOf     string       // the person whose request a job carries out
	Address        string
	UserAgent      string
	RequestID      string
	Session        Session `json:"-"` // of a person's request; zero for everybody else
}

// EncodeActor returns the actor as JSON, as it is stored with work that is done later.
func EncodeActor(a Actor) ([]byte, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode actor: %w", err)
	}
	return b, nil
}

// May reports whether the actor has the permission by role, by the rules or by an
// API key.
func (a Actor) May(p Permission) bool {
	return a.Role.May(p) || p == ResolveCancellations && a.MayResolve || slices.Contains(a.Grants, p)
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

// System returns the actor of jobs that carry out a person's request. name is the
// part of the system, onBehalfOf the person.
func System(name, onBehalfOf string) Actor {
	return Actor{Name: name, Role: SystemRole, AllStores: true, OnBehalfOf: onBehalfOf}
}

// FromTerminalPost returns the actor of a result: the terminal that posted it.
func FromTerminalPost(serial, address string) Actor {
	if serial == "" {
		serial = "?"
	}
	return Actor{Name: serial, Role: TerminalRole, AllStores: true, Address: address}
}

func (u *User) Attributes() map[string]any {
	return map[string]any{
		"email": u.Email, "name": u.Name, "role": u.Role,
		"allStores": u.AllStores, "stores": u.StoreIDs, "accessUntil": u.AccessUntil,
	}
}

// Rights are what a person may do, and where.
func (u *User) Rights() Rights {
	return Rights{Role: u.Role, AllStores: u.AllStores, Stores: u.StoreIDs, AccessUntil: u.AccessUntil, Disabled: u.DisabledAt != nil}
}

// DisabledAttributes returns the user's attributes, and whether they are disabled.
func (u *User) DisabledAttributes(disabled bool) map[string]any {
	told := u.Attributes()
	told["disabled"] = disabled
	return told
}

// MaxAccess is how many years ahead the end of access may be. A later end would
// never be noticed; it can be extended.
const MaxAccess = 1

// ErrAccessExpired is recorded in the trail when somebody signs in, or is still
// signed in, after the last day of their access. The person sees the same message as
// for a wrong password.
var (
	ErrAccessExpired = &Error{Kind: KindForbidden, Code: "user.accessOver"}
	// ErrAccessEnded refuses an act of somebody who was disabled, or whose access ended,
	// since their request arrived.
	ErrAccessEnded  = &Error{Kind: KindForbidden, Code: "error.accessEnded"}
	errUserDisabled = &Error{Kind: KindForbidden, Code: "user.isDisabled"}
)

// AccessDay returns the day by which access is decided. It is Mexico City's,
// whatever the cut-off's and the stores' zones are, so that an end is one instant
// for everybody.
func AccessDay(now time.Time) Day { return Day(now.In(MexicoCity).Format(time.DateOnly)) }

// AccessOver reports whether the last day of the person's access has passed.
func (u *User) AccessOver(now time.Time) bool {
	return u.AccessUntil != nil && *u.AccessUntil < AccessDay(now)
}

// AccessEnds returns the instant at which access with that last day ends: midnight
// in Mexico City.
func (d Day) AccessEnds() time.Time {
	y, m, day := d.Time(MexicoCity).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, MexicoCity)
}

// ShutOut returns why a person may not sign in although the password is right; nil
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

// Session is a person's sign-in, as a request of theirs finds it.
type Session struct {
	ID       int64     // its number on pages; 0: there is none
	DeviceID int64     // 0: of a release that knew none
	Own      bool      // the person said that the device is theirs
	SeenAt   time.Time // their last act, within a minute
	ProvedAt time.Time // when they last proved who they are
	Told     bool      // there are notices of their account that they have not dismissed
	Counter  int64     // the counter device on which it is; 0: it is on none
	PIN      bool      // it began with a PIN, which proves less than a full sign-in
	Unproved error     // why they are refused what asks for a fresh proof; nil: they are not
	Passkey  bool      // they can give that proof with a passkey
}

// ProofLife is how long a proof of who somebody is counts as fresh. Signing in is one.
const ProofLife = 5 * time.Minute

// ErrProofNeeded refuses an act until its person has proved again who they are.
var ErrProofNeeded = Invalid("proof", "proof.needed")

// Fresh refuses what asks for a fresh proof of who the person is, where they gave none
// within ProofLife. Programs, jobs and the command line have no session, and are not asked.
func (a Actor) Fresh() error { return a.Session.Unproved }

// Identity is who somebody is, as the provider of the single sign-on says. Issuer and
// Subject together name one account there for good; an address may be given to somebody
// else.
type Identity struct {
	Issuer, Subject string
	SessionID       string // of the provider, by which it ends the session; "" when it names none
	Email           string
	EmailVerified   bool // it says that the address is theirs
	EmailDenied     bool // it says that it does not know; without both it says nothing
	Name            string
	Groups          []string
}

// ProviderLogout is what a provider says when somebody's session there is over: of the
// session, or of the person where it names none.
type ProviderLogout struct {
	Issuer, Subject, SessionID string
	TokenID                    string // it is said once
	Expiry                     time.Time
}

// SSORequest is what belongs to one sign-in at the provider, and to no other.
type SSORequest struct{ State, Nonce, Verifier string }

// AccountNoticeKind is what happened to somebody's account.
type AccountNoticeKind string

// The kinds of notices.
const (
	NoticeNewDevice       AccountNoticeKind = "newDevice"       // a sign-in in a browser that was not known
	NoticePasswordChanged AccountNoticeKind = "passwordChanged" // by themselves, with the one before
	NoticePasswordSet     AccountNoticeKind = "passwordSet"     // by a link
	NoticePasswordReset   AccountNoticeKind = "passwordReset"   // by the command line
	NoticeLinkMade        AccountNoticeKind = "linkMade"        // by which a password can be set
	NoticeFactorAdded     AccountNoticeKind = "factorAdded"
	NoticeFactorRemoved   AccountNoticeKind = "factorRemoved"
	NoticeRecoveryMade    AccountNoticeKind = "recoveryMade"  // the codes of before end
	NoticeFactorReset     AccountNoticeKind = "factorReset"   // by an administrator or the command line
	NoticeFactorResetOf   AccountNoticeKind = "factorResetOf" // somebody's, as all administrators are told
	NoticePINSet          AccountNoticeKind = "pinSet"
	NoticePINRemoved      AccountNoticeKind = "pinRemoved"
	NoticePINShut         AccountNoticeKind = "pinShut"     // by wrong ones, until they sign in fully
	NoticeRightsAsked     AccountNoticeKind = "rightsAsked" // for somebody, or for a key: administrators confirm them
)

// AccountNotice is what a person is told of their account.
type AccountNotice struct {
	ID                 int64
	UserID             int64
	Kind               AccountNoticeKind
	At                 time.Time
	Address, UserAgent string // of who did it, if that was somebody with the person's own means
	ByName             string // of somebody else, whose address nobody is told
	OfName             string // whose account it was, or who is to get the rights
	SessionID          *int64 // in which it was done
	DismissedAt        *time.Time
}
