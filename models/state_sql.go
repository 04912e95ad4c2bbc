package models

// The states of cancellations, sales and results as SQL literals, and the lists of
// states that queries share. Statements use these fragments, so whoever adds a state
// can find every query that depends on it. The order within a list is that of the
// indexes' predicates.

// States, in quotes.
const (
	CancelableSQL  = "'" + string(SaleCancelable) + "'"
	RequestedSQL   = "'" + string(Requested) + "'"
	WithdrawnSQL   = "'" + string(Withdrawn) + "'"
	ExpiredSQL     = "'" + string(Expired) + "'"
	SendingSQL     = "'" + string(Sending) + "'"
	AcceptedSQL    = "'" + string(Accepted) + "'"
	RejectedSQL    = "'" + string(Rejected) + "'"
	UnknownSQL     = "'" + string(Unknown) + "'"
	ConfirmedSQL   = "'" + string(Confirmed) + "'"
	NotCanceledSQL = "'" + string(NotCanceled) + "'"
)

// Lists of states in brackets, to be used after IN.
const (
	// UnderWaySQL are those of a cancellation that was requested and has no outcome
	// yet.
	UnderWaySQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ")"
	// OpenSQL are those under way and in doubt, as in State.Open.
	OpenSQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ", " + UnknownSQL + ")"
	// OpenOrRejectedSQL are those of cancellations that a period counts beside its
	// sales.
	OpenOrRejectedSQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ", " + UnknownSQL + ", " + RejectedSQL + ")"
	// NeverSentSQL are those of a cancellation that was never sent.
	NeverSentSQL = "(" + WithdrawnSQL + ", " + ExpiredSQL + ")"
	// AtRestSQL are those of a sale about which nobody has to be notified.
	AtRestSQL = "(" + CancelableSQL + ", " + ConfirmedSQL + ")"
)

// States of results that are unmatched, and those that a supervisor reviews.
const (
	UnmatchedSQL      = "'" + string(ResultUnmatched) + "'"
	ResultsReviewSQL  = "(" + UnmatchedSQL + ", '" + string(ResultConflict) + "')"
	IgnoredSQL        = "'" + string(ResultIgnored) + "'"
	UnreadableKindSQL = "'" + string(ResultUnreadable) + "'"
)
