// Package trace checks a trail of cases against the life of a case: every entry
// a move of the table, each beginning where the one before it ended, and the
// last where the case now stands.
//
// It is a judge, so its table is written from the domain and not taken from the
// product, whose packages it does not know.
package trace

import "fmt"

// Move is one step in a case's life as the trail tells it.
type Move struct {
	Entry   int64 // id of the audit entry; grows with the case's history
	Case    int64
	Action  string // Requested or Moved
	From    string // "" when the case begins
	To      string
	Attempt int // 0 when the entry names none
	Role    string
	Reason  string
}

// The actions that begin or move a case.
const (
	Requested = "cancellation.requested"
	Moved     = "cancellation.moved"
)

// Row is a case as it stands.
type Row struct {
	State    string
	Version  int
	Attempts int
}

// Violation is one thing that the trail must not say.
type Violation struct {
	Case  int64
	Entry int64  // 0 when it is about the case as a whole
	Rule  string // one of the rules below
	Told  string // what was found
}

func (v Violation) String() string {
	return fmt.Sprintf("case %d, entry %d: %s: %s", v.Case, v.Entry, v.Rule, v.Told)
}

// The rules.
const (
	RuleBeginning  = "a case begins once, requested by a person or confirmed by its terminal"
	RuleContiguous = "a move begins where the one before it ended"
	RuleTable      = "a move is one of the table"
	RuleConfirmed  = "confirmed is final"
	RuleAttempts   = "attempts are numbered from one, and each sending is one"
	RuleActor      = "a move is made by whom the table says"
	RuleVersion    = "a case's version counts its entries"
	RuleFinal      = "the trail ends where the case stands"
	RuleKnown      = "a case has a trail and a trail has a case"
)
