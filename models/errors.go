package models

// Kind groups errors by what the caller can do about them.
type Kind string

// The kinds of errors that may be shown to a person.
const (
	KindInvalid   Kind = "invalid"   // the input is wrong; Field says where
	KindNotFound  Kind = "notFound"  // it does not exist, or this person may not see it
	KindForbidden Kind = "forbidden" // the role does not allow it
	KindConflict  Kind = "conflict"  // another person or process was faster
	KindTooLate   Kind = "tooLate"   // the cut-off has passed
	KindTooMany   Kind = "tooMany"   // too many tries; wait
)

// Error is a refusal in terms of the domain. Code is a key that the views
// translate; it is never shown as it is.
type Error struct {
	Kind  Kind
	Code  string
	Field string // the form field or column at fault; "" when there is none
}

func (e *Error) Error() string {
	if e.Field == "" {
		return string(e.Kind) + ": " + e.Code
	}
	return string(e.Kind) + ": " + e.Field + ": " + e.Code
}

// Is makes errors.Is match by kind and code, so that copies of a refusal compare as
// equal.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// Invalid returns the error of a field that cannot be accepted.
func Invalid(field, code string) *Error {
	return &Error{Kind: KindInvalid, Code: code, Field: field}
}

// The refusals that are used in more than one package.
var (
	ErrNotFound         = &Error{Kind: KindNotFound, Code: "error.notFound"}
	ErrForbidden        = &Error{Kind: KindForbidden, Code: "error.forbidden"}
	ErrStale            = &Error{Kind: KindConflict, Code: "error.stale"}
	ErrCancellationOpen = &Error{Kind: KindConflict, Code: "error.caseOpen"}
	ErrAmountChanged    = &Error{Kind: KindConflict, Code: "error.amountChanged"} // since the person saw it
	ErrDayNotProven     = &Error{Kind: KindConflict, Code: "error.dayNotProven"}  // the ticket's date was not confirmed
	ErrOtherDay         = &Error{Kind: KindTooLate, Code: "error.otherDay"}       // the ticket has another date
	ErrTooLate          = &Error{Kind: KindTooLate, Code: "error.tooLate"}
	ErrOwn              = &Error{Kind: KindConflict, Code: "review.own"}            // what the actor asked for or decided
	ErrAlreadyReviewed  = &Error{Kind: KindConflict, Code: "error.alreadyReviewed"} // by another person, or in another tab
	ErrTooManyLogins    = &Error{Kind: KindTooMany, Code: "error.tooManyLogins"}
)

// Refusal is an error with what the trail needs beyond its kind and code. It is
// returned like any other error, and DB.RecordRefusal reads it.
type Refusal struct {
	Err error
	// Line names what was requested, where the request's address does not.
	Line string
	// Recorded is true when the trail has its entry already.
	Recorded bool
	// Hidden is true when the thing exists but is outside the actor's scope.
	Hidden bool
	// Mistake is true when it refers to nothing that exists, such as an old form.
	Mistake bool
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap lets errors.As find the *Error.
func (r *Refusal) Unwrap() error { return r.Err }

// Recorded returns a refusal whose entry is already in the trail; nil for nil.
func Recorded(err error) error {
	if err == nil {
		return nil
	}
	return &Refusal{Err: err, Recorded: true}
}
