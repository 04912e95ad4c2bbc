package models

import (
	"time"
)

// Result is what a terminal posted, as stored: masked, with its body as text.
type Result struct {
	ID             int64
	ReceivedAt     time.Time
	Address        string
	OwnAddress     bool   // it came at the own address of its terminal
	AddressSerial  string // the terminal at whose own address it came; "" at the shared one
	Body           string // masked JSON; "" when it was none
	BodyHash       string
	Kind           ResultKind
	SerialNumber   string // as posted; may be anything
	MerchantID     string
	OrderID        string
	Folio          string
	Last4          string
	CardBrand      string
	AuthCode       string
	Standing       SaleStanding // of inquiries only
	Amount         *Money       // nil when there is none that can be read
	ResponseCode   string
	KeyHash        string // of the attempt id it contained; "" when none
	Status         ResultStatus
	Note           string // why, as a code
	SaleID         *int64
	CancellationID *int64
	AttemptNumber  *int
	InterpretedAt  *time.Time
	ReviewedAt     *time.Time // when a supervisor reviewed it; nil until then
}

// Approved reports whether the result is positive. Only one responseCode is; the
// message is not reliable.
func (r *Result) Approved() bool { return r.ResponseCode == "00" }

// ResultKind is what a result is about.
type ResultKind string

// The kinds of results.
const (
	ResultSale         ResultKind = "sale"
	ResultCancellation ResultKind = "cancellation"
	ResultInquiry      ResultKind = "inquiry"   // a reprint that was requested
	ResultAbandoned    ResultKind = "abandoned" // left by the user on the terminal
	ResultOther        ResultKind = "other"     // JSON of another shape, such as the registration test
	ResultUnreadable   ResultKind = "unreadable"
)

// ResultStatus is what became of a result.
type ResultStatus string

// The statuses of a result.
const (
	ResultPending   ResultStatus = "pending" // stored, not interpreted yet
	ResultApplied   ResultStatus = "applied"
	ResultDuplicate ResultStatus = "duplicate"
	ResultIgnored   ResultStatus = "ignored"   // understood, nothing to do
	ResultUnmatched ResultStatus = "unmatched" // belongs to no known sale or terminal
	ResultConflict  ResultStatus = "conflict"  // contradicts what is known
)

// SaleStanding is the state of a sale in an inquiry's result (the wire's
// reprintModule).
type SaleStanding string

// The standings of a sale.
const (
	StandingCharged         SaleStanding = "C"
	StandingCanceled        SaleStanding = "V"
	StandingReversed        SaleStanding = "RV"
	StandingReversalPending SaleStanding = "PRV" // clears with the terminal's next transaction
	StandingDeclined        SaleStanding = "D"
)

// Post is a terminal's post as read by the results endpoint: every field optional,
// card data already removed.
type Post struct {
	Body         string // masked JSON
	Kind         ResultKind
	SerialNumber string
	MerchantID   string
	OrderID      string
	Folio        string
	Amount       *Money
	ResponseCode string
	Standing     SaleStanding // of inquiries only
	AttemptKey   string       // hash of the attempt id; "" when it has none
	Last4        string
	CardBrand    string
	AuthCode     string
	Address      string
	OwnAddress   bool // it came at the own address of the terminal that it names
	// AddressSerial is the terminal at whose own address it came, and AddressKey the id
	// of the master key of that address; "" at the shared one.
	AddressSerial, AddressKey string
	// Raw is the body as received, without attempt ids, to be forwarded; nil when it
	// must not be forwarded. It is never stored unencrypted. ContentType belongs to
	// it.
	Raw         []byte
	ContentType string
	// Forwarded is true when the post is one of our own deliveries, by its signature. It
	// is not forwarded again.
	Forwarded bool
	// SaysForwarded is true when the post says that it was forwarded, and nothing of
	// ours proves it: only a repeated one is not forwarded again.
	SaysForwarded bool
}

// SharedAddress is what holds for the address at which all terminals may post, because
// it is older than the ones of their own.
type SharedAddress struct {
	Open  bool // it is configured
	Until Day  // its last day, in Mexico City; "": it does not end
	Own   bool // terminals have addresses of their own
}

// SharedState is how much longer the shared address holds.
type SharedState string

// The states of the shared address.
const (
	SharedOnly  SharedState = "only"  // terminals have no other
	SharedOpen  SharedState = "open"  // it has no last day
	SharedUntil SharedState = "until" // it has one
	SharedEnded SharedState = "ended"
	SharedNone  SharedState = "none" // there is none
)

// State returns the state at an instant.
func (s SharedAddress) State(now time.Time) SharedState {
	switch {
	case !s.Open:
		return SharedNone
	case !s.Own:
		return SharedOnly
	case s.Until == "":
		return SharedOpen
	case now.Before(s.Ends()):
		return SharedUntil
	}
	return SharedEnded
}

// Ends is the instant from which the shared address does not hold; zero: it does not
// end. The day is one of Mexico City, whatever zone the cut-off has.
func (s SharedAddress) Ends() time.Time {
	if s.Until == "" {
		return time.Time{}
	}
	return s.Until.Plus(1).Time(MexicoCity)
}
