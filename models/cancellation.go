package models

import (
	"time"
)

// Cancellation is one case: somebody's wish to cancel a sale, and what became
// of it. A sale has at most one open case.
type Cancellation struct {
	ID          int64
	SaleID      int64
	StoreID     int64
	TerminalID  int64
	State       State
	Version     int
	Detail      Detail // what led to the state
	OmitReceipt bool
	Reason      string // code of a Reason
	Note        string
	Origin      Origin
	RequestedBy *int64 // nil when somebody canceled on the terminal itself
	Requester   string
	// RequesterRole tells a person's number from a program's; "" for old cases.
	RequesterRole Role
	Click         string // drawn with the sheet: the same click is the same case
	RequestedAt   time.Time
	CutoffAt      time.Time
	ChangedAt     time.Time
	Attempts      int
	LastPushAt    *time.Time // when bytes last may have left for the terminal
	QuietUntil    *time.Time // by the longest quiet time in force since the push; nil for old cases
	Conflict      Conflict
	ConflictAt    *time.Time // when it was raised
	ReviewedAt    *time.Time // when a supervisor had looked at it; nil until then
	AskedAt       *time.Time // when a person last asked for a verification
}

// QuietEnd is when the terminal can no longer act on the last push, of a case that
// has one: by the quiet time of now or by any that held since the push, whichever
// is longer. Whoever shortens the quiet time takes nothing off a screen.
func (c *Cancellation) QuietEnd(quiet time.Duration) time.Time {
	if end := c.LastPushAt.Add(quiet); c.QuietUntil == nil || end.After(*c.QuietUntil) {
		return end
	}
	return *c.QuietUntil
}

// Origin says who began a case.
type Origin string

// The origins of a case.
const (
	FromPerson   Origin = "person"
	FromTerminal Origin = "terminal" // canceled by hand on the device
)

// Conflict says what contradicts a case's state, for a supervisor to look at.
type Conflict string

// The conflicts that are raised.
const (
	ConflictLatePositive        Conflict = "latePositive"     // confirmed although the case was closed otherwise
	ConflictWithoutCancellation Conflict = "withoutCase"      // canceled on the terminal, nobody asked here
	ConflictAmountDiffers       Conflict = "amountDiffers"    // a result named another amount
	ConflictMerchantDiffers     Conflict = "merchantDiffers"  // the terminal names another merchant id than the sale was told with
	ConflictTerminalDiffers     Conflict = "terminalDiffers"  // a result came from another terminal
	ConflictOrderDiffers        Conflict = "orderDiffers"     // an attempt's result named another order
	ConflictStillCharged        Conflict = "stillCharged"     // an inquiry says charged although confirmed
	ConflictReportedRejected    Conflict = "reportedRejected" // the attempt's result says no although confirmed
	ConflictReportCharged       Conflict = "reportCharged"    // the provider's report says charged although confirmed
)

// OfCancellation reports whether only the case tells of the conflict: its result was
// applied, or there is none. Of the others the result tells too.
func (c Conflict) OfCancellation() bool {
	return c == ConflictLatePositive || c == ConflictWithoutCancellation || c == ConflictReportCharged
}

// Attempt is one POST that may have left.
type Attempt struct {
	ID             int64
	CancellationID int64
	Number         int
	StartedAt      time.Time
	DeadlineAt     time.Time // no answer can come later than this
	FirstByteAt    *time.Time
	FinishedAt     *time.Time
	Meaning        Meaning // "" while it is under way
	Detail         Detail
	HTTPStatus     int
	Code           string
	Message        string
	KeyHash        string // of the attempt id; never shown
	DurationMS     int    `gorm:"column:duration_ms"`
}

// Reason is an entry of the list from which a canceling person chooses.
type Reason struct {
	Code      string `gorm:"primaryKey"`
	LabelES   string `gorm:"column:label_es"`
	LabelEN   string `gorm:"column:label_en"`
	Position  int
	RetiredAt *time.Time
	Version   int
}

// ReasonOther is the reason that needs a note to say anything.
const ReasonOther = "other"

func (r *Reason) Attributes() map[string]any {
	return map[string]any{"code": r.Code, "labelEs": r.LabelES, "labelEn": r.LabelEN, "inUse": r.RetiredAt == nil}
}

// Waits are the times after which something is done about silence.
type Waits struct {
	Answer time.Duration // for the service's acknowledgement (CANCEL_TIMEOUT)
	Result time.Duration // for the terminal's result after it (RESULT_WAIT)
	Quiet  time.Duration // after a push, how long the terminal may still act on it (QUIET_TIME)
	// AckMeansCanceled is the merchant's word that an acknowledgement is
	// enough, where no terminal posts results (CANCEL_ACK_MEANS).
	AckMeansCanceled bool
}
