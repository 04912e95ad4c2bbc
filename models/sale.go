package models

import (
	"slices"
	"time"
)

// AddAttributes adds the optional facts that were given with the sale to an entry's
// attributes.
func (s *Sale) AddAttributes(after map[string]any) {
	after["soldAt"], after["merchantId"] = s.SoldAt.UTC().Format(time.RFC3339Nano), s.MerchantID
	for i := range SaleFacts {
		if f := &SaleFacts[i]; f.Optional() && *f.Kept(s) != "" {
			after[f.Name] = *f.Kept(s)
		}
	}
}

// Sale is a card sale as its terminal or another source reported it.
type Sale struct {
	ID            int64
	StoreID       int64
	TerminalID    int64
	SerialNumber  SerialNumber
	MerchantID    string
	OrderID       string // the service's order number
	Amount        Money
	Currency      string
	SoldAt        time.Time
	ReceivedAt    time.Time
	BusinessDay   Day       // the calendar day of SoldAt in Mexico City
	CutoffAt      time.Time // by the rules when it arrived; Window.Cutoff returns what applies
	Last4         string
	CardBrand     string
	AuthCode      string
	Folio         string
	State         SaleState
	Source        SaleSource // where it was reported
	RecordedBy    string     // the key, person or operator that reported it; "" for a terminal
	Reference     string     // the merchant's own reference
	BatchID       *int64     // the import that created it; nil when none did
	ReportedAgain bool       `gorm:"column:told_again" db:"told_again"` // another source or import reported it too: it is not taken back, nor is its import undone
	DayUnproven   bool       // its terminal posted it, and nothing proves that it was made on BusinessDay
	TicketDate    *Day       // the date on the ticket, once somebody said it; only where DayUnproven
}

// DayNotProven reports whether nobody can say yet on which day the sale was made.
func (s *Sale) DayNotProven() bool { return s.DayUnproven && s.TicketDate == nil }

// OfAnotherDay reports whether the ticket has another date than the day on which the
// sale was posted: the cut-off of its own day has passed.
func (s *Sale) OfAnotherDay() bool { return s.TicketDate != nil && *s.TicketDate != s.BusinessDay }

// AsksTicketDate reports whether the actor has to confirm the date on the ticket before
// the sale may be canceled. Who may overrule negatives may correct a wrong one.
func (s *Sale) AsksTicketDate(actor Actor) bool {
	return s.DayNotProven() || s.OfAnotherDay() && actor.May(OverrideNegatives)
}

// MayPrecede reports whether the sale is from before an instant, or may be: a time that a
// person typed, or that is only the post's, proves nothing but the day.
func (s *Sale) MayPrecede(t time.Time) bool {
	made := s.SoldAt
	if s.DayUnproven || s.Source == SourceManual {
		made = s.BusinessDay.Time(MexicoCity)
	}
	return made.Before(t) || s.ReceivedAt.Before(t)
}

// SaleSource is the source that reported a sale.
type SaleSource string

// The sources. A sale that was typed manually is marked wherever it is shown.
const (
	SourceTerminal SaleSource = "terminal" // posted by its terminal
	SourceAPI      SaleSource = "api"      // reported by a program
	SourceImport   SaleSource = "import"   // read from a file
	SourceManual   SaleSource = "hand"     // typed by a person with the ticket
)

// SaleState is the state of a sale as the list shows it.
type SaleState string

// The states of a sale. All but the first and the last are those of its latest
// cancellation. TooLate is never stored; it follows from the clock.
const (
	SaleCancelable  SaleState = "cancelable"
	SaleRequested   SaleState = "requested"
	SaleSending     SaleState = "sending"
	SaleAccepted    SaleState = "accepted"
	SaleConfirmed   SaleState = "confirmed"
	SaleRejected    SaleState = "rejected"
	SaleUnknown     SaleState = "unknown"
	SaleNotCanceled SaleState = "notCanceled"
	SaleExpired     SaleState = "expired"
	SaleTooLate     SaleState = "tooLate"
)

// SaleStates lists every state in the order filters show them.
var SaleStates = []SaleState{
	SaleCancelable, SaleRequested, SaleSending, SaleAccepted, SaleUnknown,
	SaleConfirmed, SaleRejected, SaleNotCanceled, SaleExpired, SaleTooLate,
}

// SaleSoon is not a state of its own: it is how a cancelable sale is shown when
// SoonBefore or less is left. It can be used as a filter, and such sales count as
// cancelable.
const SaleSoon SaleState = "soon"

// SoonBefore is how long before its window closes a sale is shown as expiring soon.
const SoonBefore = 15 * time.Minute

// SaleUnderway is a filter and no state: a request that waits, is being sent or was
// sent. At the counter these three have one word.
const SaleUnderway = SaleState("underway")

// Underway reports whether a request waits, is being sent or was sent.
func (s SaleState) Underway() bool { return s.Open() && s != SaleUnknown }

// SaleFilterStates lists the states that people see, in the order filters show them:
// the states of a sale, and SaleSoon and SaleUnderway before those they belong to.
var SaleFilterStates = slices.Insert(slices.Clone(SaleStates), 1, SaleSoon, SaleUnderway)

// Shown returns the state to show at an instant: a sale without a requested
// cancellation is too late once its window has closed.
func (s *Sale) Shown(w Window, now time.Time) SaleState {
	if s.State == SaleCancelable && !w.Open(s, now) {
		return SaleTooLate
	}
	return s.State
}

// Requestable reports whether a cancellation may be requested in this state. The
// window is checked separately.
func (s SaleState) Requestable() bool {
	return s == SaleCancelable || s == SaleRejected || s == SaleNotCanceled
}

// Open reports whether a cancellation is open in this state.
func (s SaleState) Open() bool { return State(s).Open() }
