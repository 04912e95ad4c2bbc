package models

// Kind groups errors by what the caller can do about them.
type Kind string

// The kinds of errors a person may be told about.
const (
	KindInvalid   Kind = "invalid"   // the input is wrong; Field says where
	KindNotFound  Kind = "notFound"  // there is none, or none that this person may see
	KindForbidden Kind = "forbidden" // the role does not allow it
	KindConflict  Kind = "conflict"  // somebody or something was faster
	KindTooLate   Kind = "tooLate"   // the cut-off has passed
	KindTooMany   Kind = "tooMany"   // too many tries; wait
)

// Error is a refusal in terms of the domain. Code is a key that the views
// translate; it is never shown as it is.
type Error struct {
	Kind  Kind
	Code  string
	Field string // the form field or column at fault; "" when none is
}

func (e *Error) Error() string {
	if e.Field == "" {
		return string(e.Kind) + ": " + e.Code
	}
	return string(e.Kind) + ": " + e.Field + ": " + e.Code
}

// Is makes errors.Is match by kind and code, so that a refusal can be compared
// without being the same pointer.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// Invalid says that a field cannot be accepted, and why.
func Invalid(field, code string) *Error {
	return &Error{Kind: KindInvalid, Code: code, Field: field}
}

// The refusals that more than one place gives.
var (
	ErrNotFound         = &Error{Kind: KindNotFound, Code: "error.notFound"}
	ErrForbidden        = &Error{Kind: KindForbidden, Code: "error.forbidden"}
	ErrStale            = &Error{Kind: KindConflict, Code: "error.stale"}
	ErrCancellationOpen = &Error{Kind: KindConflict, Code: "error.caseOpen"}
	ErrAmountChanged    = &Error{Kind: KindConflict, Code: "error.amountChanged"} // since the person saw it
	ErrTooLate          = &Error{Kind: KindTooLate, Code: "error.tooLate"}
	ErrTooManyLogins    = &Error{Kind: KindTooMany, Code: "error.tooManyLogins"}
)

// Refusal is an error with what the trail has to know of it beyond its kind and
// code. It is returned like any other, and DB.RecordRefusal reads it.
type Refusal struct {
	Err error
	// Line names what was asked for, where the request's address does not.
	Line string
	// Recorded: its entry is written, by whoever refused.
	Recorded bool
	// Hidden: it is there, and out of the reach of whoever asks.
	Hidden bool
	// Mistake: nothing that anybody could reach, such as an old form.
	Mistake bool
}

func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap lets errors.As find the *Error.
func (r *Refusal) Unwrap() error { return r.Err }

// Recorded returns a refusal whose entry the trail has already; nil for nil.
func Recorded(err error) error {
	if err == nil {
		return nil
	}
	return &Refusal{Err: err, Recorded: true}
}
