package models

// The states of cases, sales and results as SQL writes them, and the lists of
// them that mean something together. They are owned here: a statement names them
// by these fragments, so that whoever adds a state finds in one look what goes
// by it. The order within a list is that of the indexes' predicates.

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

// Lists of states, in brackets, to stand behind IN.
const (
	// UnderWaySQL are those of a case that goes its way: asked for, no answer yet.
	UnderWaySQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ")"
	// OpenSQL are those under way and in doubt: State.Open says the same.
	OpenSQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ", " + UnknownSQL + ")"
	// OpenOrRejectedSQL are those of cases that a period counts beside its sales.
	OpenOrRejectedSQL = "(" + RequestedSQL + ", " + SendingSQL + ", " + AcceptedSQL + ", " + UnknownSQL + ", " + RejectedSQL + ")"
	// NeverSentSQL are those of a case of which nothing left.
	NeverSentSQL = "(" + WithdrawnSQL + ", " + ExpiredSQL + ")"
	// AtRestSQL are those of a sale that nobody has to be told about.
	AtRestSQL = "(" + CancelableSQL + ", " + ConfirmedSQL + ")"
)

// Results that belong to nothing, and those that a supervisor looks at.
const (
	UnmatchedSQL      = "'" + string(ResultUnmatched) + "'"
	ResultsReviewSQL  = "(" + UnmatchedSQL + ", '" + string(ResultConflict) + "')"
	UnreadableKindSQL = "'" + string(ResultUnreadable) + "'"
)
