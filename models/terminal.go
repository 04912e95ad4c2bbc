package models

import (
	"time"
)

// OfImport says of a terminal that an import brought what it is and where it
// stands.
func (a *Assignment) OfImport(store *Store, serial SerialNumber, label string, importID int64) map[string]any {
	m := a.Attributes(store)
	m["serialNumber"], m["label"], m["importId"] = serial, label, importID
	return m
}

// Terminal is a card terminal. Where it stands is an Assignment.
type Terminal struct {
	ID           int64
	SerialNumber SerialNumber
	Label        string // what people of the store call it: "Caja 2"
	Version      int
	RetiredAt    *time.Time // nil while in use
	LastResultAt *time.Time // when it last posted anything
	LastAnswerAt *time.Time // when the service last answered about it
	LastAnswer   Detail     // and what
	CreatedAt    time.Time
}

// Assignment says which store a terminal stood in, under which merchant id,
// and when. A sale keeps the assignment of its time.
type Assignment struct {
	ID         int64
	TerminalID int64
	StoreID    int64
	MerchantID string // the service's storeId, assigned per terminal
	ValidFrom  time.Time
	ValidTo    *time.Time // nil while nothing ends it
	PlannedAt  *time.Time // when it was planned ahead; nil when it held as it was written
}

// Tense says whether an assignment is over, holds, or is to come.
type Tense string

// The tenses of an assignment.
const (
	TensePast    Tense = "past"
	TensePresent Tense = "present"
	TensePlanned Tense = "planned"
)

// Tense returns the assignment's at an instant.
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

// TerminalPlace is a terminal with where it stands now, for lists.
type TerminalPlace struct {
	Terminal
	StoreID    int64 // 0 when it stands nowhere
	StoreName  string
	MerchantID string
	Since      *time.Time
	Plan       *AssignmentLine // the move that is planned; nil when none is
}

// AssignmentLine is a line of a terminal's history: what was, what is, what is
// planned.
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

// ParseSerialNumber accepts exactly ten ASCII digits, as the service demands.
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
