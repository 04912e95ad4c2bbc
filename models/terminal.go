package models

import (
	"time"
)

// OfImport returns the attributes of a terminal that an import created, with its
// store.
func (a *Assignment) OfImport(store *Store, serial SerialNumber, label string, importID int64) map[string]any {
	m := a.Attributes(store)
	m["serialNumber"], m["label"], m["importId"] = serial, label, importID
	return m
}

// Terminal is a card terminal. Its store is in an Assignment.
type Terminal struct {
	ID           int64
	SerialNumber SerialNumber
	Label        string // the name that the store uses: "Caja 2"
	Version      int
	RetiredAt    *time.Time // nil while in use
	LastResultAt *time.Time // when it last posted anything
	LastAnswerAt *time.Time // when the service last replied about it
	LastAnswer   Detail     // and the reply
	AddressKey   string     // id of the master key of its own address where it last posted; "" before
	SharedPosts  int64      // in its name at the shared address, since it last posted at its own
	CreatedAt    time.Time
}

// Assignment is the store and the merchant id of a terminal for a period. A sale
// stores the assignment of its time.
type Assignment struct {
	ID         int64
	TerminalID int64
	StoreID    int64
	MerchantID string // the service's storeId, assigned per terminal
	ValidFrom  time.Time
	ValidTo    *time.Time // nil while no end is set
	PlannedAt  *time.Time // when it was planned ahead; nil when it took effect immediately
}

// Tense tells whether an assignment is past, current or planned.
type Tense string

// The tenses of an assignment.
const (
	TensePast    Tense = "past"
	TensePresent Tense = "present"
	TensePlanned Tense = "planned"
)

// Tense returns the assignment's tense at an instant.
func (a *Assignment) Tense(now time.Time) Tense {
	switch {
	case a.ValidFrom.After(now):
		return TensePlanned
	case a.ValidTo != nil && !a.ValidTo.After(now):
		return TensePast
	default:
		return TensePresent
	}
}

// TerminalPlace is a terminal with its current assignment, for lists.
type TerminalPlace struct {
	Terminal
	StoreID    int64 // 0 when it is in no store
	StoreName  string
	MerchantID string
	Since      *time.Time
	Plan       *AssignmentLine `db:"-"` // the planned move; nil when there is none
}

// AssignmentLine is one assignment, past, current or planned, in a terminal's
// history.
type AssignmentLine struct {
	Assignment
	StoreName string
}

func (a *Assignment) Attributes(store *Store) map[string]any {
	return map[string]any{"store": store.Name, "merchantId": a.MerchantID, "from": a.ValidFrom}
}

// SerialNumber identifies a card terminal: ten digits, printed on its back
// after "S/N".
type SerialNumber string

// ParseSerialNumber accepts exactly ten ASCII digits, as the service requires.
func ParseSerialNumber(s string) (SerialNumber, error) {
	if len(s) != 10 {
		return "", Invalid("serialNumber", "serial.invalid")
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return "", Invalid("serialNumber", "serial.invalid")
		}
	}
	return SerialNumber(s), nil
}

// The names that programs used until the provider's word came in, such as merchantId for
// its storeId, are deprecated since OldNamesDeprecated. The API and the webhooks carry
// both until OldNamesEnd.
var (
	OldNamesDeprecated = time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)
	OldNamesEnd        = time.Date(2027, time.November, 23, 0, 0, 0, 0, time.UTC)
)
