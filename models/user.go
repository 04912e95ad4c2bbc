package models

import (
	"slices"
	"time"
)

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
	UserID     int64 // of the person, or of the program's key; 0 for the system and for terminals
	Name       string
	Role       Role
	AllStores  bool
	StoreIDs   []int64
	AccessEnds time.Time    // when they are shut out; zero: not by itself
	Settles    bool         // a manager whom the rules let settle doubts
	FirstSteps bool         // they have not put the first steps away
	Grants     []Permission // what the key of a program lets it do; people have none
	OnBehalfOf string       // the person whose request a job carries out
	Address    string
	UserAgent  string
	RequestID  string
}

// May reports whether the actor's role has the permission, or the rules or a
// key give it to them.
func (a Actor) May(p Permission) bool {
	return a.Role.May(p) || p == SettleCases && a.Settles || slices.Contains(a.Grants, p)
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
