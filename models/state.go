package models

// Outcome returns the value of the trail's outcome column for a state.
func (s State) Outcome() Outcome {
	switch s {
	case Rejected, Expired, NotCanceled:
		return OutcomeFailure
	case Unknown:
		return OutcomeUnknown
	default:
		return OutcomeSuccess
	}
}

// State is the state of a cancellation.
type State string

// The states of a cancellation.
const (
	Requested   State = "requested"   // requested, nothing sent
	Withdrawn   State = "withdrawn"   // withdrawn before sending
	Expired     State = "expired"     // the window closed before sending
	Sending     State = "sending"     // an attempt is committed; bytes may be on their way
	Accepted    State = "accepted"    // the service sent it to the terminal; no result yet
	Rejected    State = "rejected"    // refused, with evidence
	Unknown     State = "unknown"     // it may or may not have happened
	Confirmed   State = "confirmed"   // canceled, with evidence; final
	NotCanceled State = "notCanceled" // resolved: the sale is still charged
)

// States lists the states of a cancellation in the order of its life.
var States = []State{Requested, Sending, Accepted, Unknown, Confirmed, Rejected, NotCanceled, Expired, Withdrawn}

// moves lists the moves that exist. Any other move is a programming error and is
// refused. Confirmed is final, so it has none.
var moves = map[State][]State{
	Requested:   {Withdrawn, Expired, Sending, Unknown, Confirmed},
	Sending:     {Requested, Accepted, Rejected, Unknown, Confirmed},
	Accepted:    {Unknown, Rejected, Confirmed},
	Unknown:     {Rejected, NotCanceled, Confirmed},
	Withdrawn:   {Confirmed},
	Expired:     {Confirmed},
	Rejected:    {Confirmed},
	NotCanceled: {Confirmed},
}

// CanMove reports whether the move exists.
func (s State) CanMove(to State) bool {
	for _, allowed := range moves[s] {
		if allowed == to {
			return true
		}
	}
	return false
}

// Open reports whether the cancellation still waits for something, so that no second
// one may begin.
func (s State) Open() bool {
	return s == Requested || s == Sending || s == Accepted || s == Unknown
}
