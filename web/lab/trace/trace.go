// Package trace checks the trail of cancellations against their states: every entry
// must be a move of the table and begin where the previous one ended, and the last
// must end in the row's state.
//
// As a judge it does not trust the product: its table is written from the domain,
// and it imports no package of the product.
package trace

import "fmt"

// Move is one change of a cancellation's state in the trail.
type Move struct {
	Entry        int64 // id of the audit entry; grows within a cancellation
	Cancellation int64
	Action       string // Requested or Moved
	From         string // "" when the cancellation begins
	To           string
	Attempt      int // 0 when the entry names none
	Role         string
}

// The actions that begin or move a case.
const (
	Requested = "cancellation.requested"
	Moved     = "cancellation.moved"
)

// Row is a cancellation's present row.
type Row struct {
	State    string
	Version  int
	Attempts int
}

// Violation is one mistake in the trail.
type Violation struct {
	Cancellation int64
	Entry        int64  // 0 when it is about the whole cancellation
	Rule         string // one of the rules below
	Recorded     string // what was found
}

func (v Violation) String() string {
	return fmt.Sprintf("case %d, entry %d: %s: %s", v.Cancellation, v.Entry, v.Rule, v.Recorded)
}

// The rules.
const (
	RuleFirstState = "a case begins once, requested by a person or confirmed by its terminal"
	RuleContiguous = "a move begins where the one before it ended"
	RuleTable      = "a move is one of the table"
	RuleConfirmed  = "confirmed is final"
	RuleAttempts   = "attempts are numbered from one, and each sending is one"
	RuleActor      = "a move is made by whom the table says"
	RuleVersion    = "a case's version counts its entries"
	RuleFinal      = "the trail ends where the case stands"
	RuleKnown      = "a case has a trail and a trail has a case"
)
