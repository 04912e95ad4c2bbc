package models

import (
	"slices"
	"time"
)

// AddAttributes adds what was told of a sale besides what each entry of a sale has.
func (s *Sale) AddAttributes(after map[string]any) {
	after["soldAt"], after["merchantId"] = s.SoldAt.UTC().Format(time.RFC3339Nano), s.MerchantID
	for i := range SaleFacts {
		if f := &SaleFacts[i]; f.Optional() && *f.Kept(s) != "" {
			after[f.Name] = *f.Kept(s)
		}
	}
}

// Sale is a card sale as its terminal, or another door, told it.
type Sale struct {
	ID           int64
	StoreID      int64
	TerminalID   int64
	SerialNumber SerialNumber
	MerchantID   string
	OrderID      string // the service's number of the sale
	Amount       Money
	Currency     string
	SoldAt       time.Time
	ReceivedAt   time.Time
	BusinessDay  Day       // the calendar day of SoldAt in Mexico City
	CutoffAt     time.Time // by the rules when it came; Window.Cutoff says what holds
	Last4        string
	CardBrand    string
	AuthCode     string
	Folio        string
	State        SaleState
	Source       SaleSource // the door it came through
	RecordedBy   string     // the key, person or operator who told of it; "" for a terminal
	Reference    string     // the merchant's own
	BatchID      *int64     // the import that brought it; nil when none did
	ToldAgain    bool       // another door or import told it too: undoing its import is refused
}

// SaleSource is the door through which a sale came.
type SaleSource string

// The doors. What somebody typed is marked so wherever the sale is shown.
const (
	SourceTerminal SaleSource = "terminal" // posted by its terminal
	SourceAPI      SaleSource = "api"      // told by a program
	SourceImport   SaleSource = "import"   // read from a file
	SourceManual   SaleSource = "hand"     // typed by a person with the ticket
)

// SaleState is what the list says of a sale.
type SaleState string

// The states of a sale. All but the first and the last are those of its latest
// case; TooLate is never stored, it follows from the clock.
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

// SaleSoon is no state of a sale: it is what a cancelable one is called with
// SoonBefore or less to go. It can be filtered by, and is among the cancelable.
const SaleSoon SaleState = "soon"

// SoonBefore is how long before its window closes a sale is said to expire soon.
const SoonBefore = 15 * time.Minute

// SaleFilterStates lists what people see a sale called, in the order filters show them:
// its states, and SaleSoon behind the one it belongs to.
var SaleFilterStates = slices.Insert(slices.Clone(SaleStates), 1, SaleSoon)

// Shown returns the state to show at an instant: a sale that nobody asked to
// cancel is too late once its window has closed.
func (s *Sale) Shown(w Window, now time.Time) SaleState {
	if s.State == SaleCancelable && !w.Open(s, now) {
		return SaleTooLate
	}
	return s.State
}

// Requestable reports whether a cancellation may be asked for in this state.
// The window is another question.
func (s SaleState) Requestable() bool {
	return s == SaleCancelable || s == SaleRejected || s == SaleNotCanceled
}

// Open reports whether a case is under way in this state.
func (s SaleState) Open() bool { return State(s).Open() }
