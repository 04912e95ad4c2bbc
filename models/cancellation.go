package models

import (
	"time"
)

// Cancellation is a request to cancel a sale, and its outcome. A sale has at most
// one open cancellation.
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
	RequestedBy *int64 // nil when the sale was canceled on the terminal itself
	Requester   string
	// RequesterRole distinguishes a person's id from a program's; "" for old
	// cancellations.
	RequesterRole Role
	Click         string // drawn with the form: the same click is the same cancellation
	RequestedAt   time.Time
	CutoffAt      time.Time
	ChangedAt     time.Time
	Attempts      int
	LastPushAt    *time.Time // when bytes last may have left for the terminal
	QuietUntil    *time.Time // by the longest quiet period in force since the push; nil for old cancellations
	Conflict      Conflict
	ConflictAt    *time.Time // when it was raised
	ReviewedAt    *time.Time // when a supervisor reviewed it; nil until then
	Traceability  string     // the merchant's own object, as the program gave it with the request; "" is none
	AskedAt       *time.Time // when a person last requested an inquiry
}

// QuietEnd returns when the terminal can no longer act on the last push. It uses the
// current quiet period or any that was in force since the push, whichever is longer:
// shortening the period does not remove a push from a terminal's screen. The
// cancellation must have been pushed.
func (c *Cancellation) QuietEnd(quiet time.Duration) time.Time {
	if end := c.LastPushAt.Add(quiet); c.QuietUntil == nil || end.After(*c.QuietUntil) {
		return end
	}
	return *c.QuietUntil
}

// EndedDoubt is a doubt that ended, of which the person who asked for the cancellation
// has not seen yet how.
type EndedDoubt struct {
	ID              int64 // another one when the cancellation ends otherwise later
	CancellationID  int64
	UserID          int64 // who asked
	SaleID, StoreID int64
	State           State // how it ended
	OrderID         string
	Amount          Money
	SoldAt          time.Time
	Last4           string
}

// Tells reports whether the actor is told of it.
func (e *EndedDoubt) Tells(actor Actor) bool {
	return e.UserID == actor.UserID && !actor.Program() && actor.Sees(e.StoreID)
}

// Origin is where a cancellation was begun.
type Origin string

// The origins of a cancellation.
const (
	FromPerson   Origin = "person"
	FromTerminal Origin = "terminal" // canceled on the device itself
)

// Conflict is what contradicts a cancellation's state; a supervisor reviews it.
type Conflict string

// The conflicts that are raised.
const (
	ConflictLatePositive        Conflict = "latePositive"     // confirmed although the cancellation had ended otherwise
	ConflictWithoutCancellation Conflict = "withoutCase"      // canceled on the terminal, not requested here
	ConflictAmountDiffers       Conflict = "amountDiffers"    // a result states another amount
	ConflictMerchantDiffers     Conflict = "merchantDiffers"  // the terminal states another merchant id than the reported one
	ConflictTerminalDiffers     Conflict = "terminalDiffers"  // a result came from another terminal
	ConflictOrderDiffers        Conflict = "orderDiffers"     // an attempt's result states another order
	ConflictStillCharged        Conflict = "stillCharged"     // an inquiry reports it charged although confirmed
	ConflictReportedRejected    Conflict = "reportedRejected" // the attempt's result is negative although confirmed
	ConflictUnidentified        Conflict = "unidentified"     // a post says canceled and does not prove who says it
	ConflictSentLate            Conflict = "sentLate"         // its request may have left after its deadline, when others had concluded
	ConflictReportCharged       Conflict = "reportCharged"    // the provider's report lists it as charged although confirmed
	ConflictReportDiscarded     Conflict = "reportDiscarded"  // it ended by a provider's report that somebody has discarded since
	ConflictOwnWord             Conflict = "ownWord"          // it is confirmed by the word of the person who had requested it
	ConflictAgainstTerminal     Conflict = "againstTerminal"  // it is confirmed by a person's word, and the terminal had said otherwise
)

// OfCancellation reports whether the conflict is recorded with the cancellation
// only: its result was applied, or there is none. The other conflicts are recorded
// with the result too.
func (c Conflict) OfCancellation() bool {
	return c == ConflictLatePositive || c == ConflictWithoutCancellation || c == ConflictReportCharged ||
		c == ConflictReportDiscarded || c == ConflictSentLate || c == ConflictOwnWord || c == ConflictAgainstTerminal
}

// Attempt is one POST that may have left.
type Attempt struct {
	ID             int64
	CancellationID int64
	Number         int
	StartedAt      time.Time
	DeadlineAt     time.Time // no reply can arrive after this
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

// Reason is an entry of the list from which a person chooses when canceling.
type Reason struct {
	Code      string `gorm:"primaryKey"`
	LabelES   string `gorm:"column:label_es"`
	LabelEN   string `gorm:"column:label_en"`
	Position  int
	RetiredAt *time.Time
	Version   int
}

// ReasonOther is the reason that requires a note.
const ReasonOther = "other"

func (r *Reason) Attributes() map[string]any {
	return map[string]any{"code": r.Code, "labelEs": r.LabelES, "labelEn": r.LabelEN, "inUse": r.RetiredAt == nil}
}

// Waits are the timeouts of a cancellation, each for something that may never
// arrive.
type Waits struct {
	Answer time.Duration // for the service's acknowledgement (CANCEL_TIMEOUT)
	Result time.Duration // for the terminal's result after it (RESULT_WAIT)
	Quiet  time.Duration // after a push, how long the terminal may still act on it (QUIET_TIME)
	// AckMeansCanceled makes an acknowledgement confirm the cancellation, for
	// merchants whose terminals post no results (CANCEL_ACK_MEANS).
	AckMeansCanceled bool
}

// What occupies a terminal, and for how long at most.
const (
	// InquiryDelay is how long an unanswered inquiry occupies its terminal.
	InquiryDelay = 30 * time.Second
	// BusyPause is how soon a cancellation that waits for its terminal is tried again if
	// nothing dispatches it before.
	BusyPause = 5 * time.Second
	// InterruptedAfter is how long past its deadline an attempt without an outcome is
	// assumed to belong to a process that died.
	InterruptedAfter = 10 * time.Second
)

// What transactions tell those who measure, once they are committed.
type (
	// Moved is a cancellation in its new state.
	Moved struct {
		Cancellation Cancellation
		From         State
		By           Actor
	}
	// FirstByte is how long after the click the first byte of an attempt left.
	FirstByte struct{ After time.Duration }
	// ResultRead is what became of a terminal's post.
	ResultRead struct {
		Kind   ResultKind
		Status ResultStatus
	}
	// SignedIn is a session that has begun.
	SignedIn struct{}
)
