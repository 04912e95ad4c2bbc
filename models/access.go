package models

import (
	"time"
)

// MaxAccess is how far ahead an end of access may lie, in years: an end that
// nobody will see is none. It can be put off again.
const MaxAccess = 1

// ErrAccessExpired is what the trail says of somebody who signs in, or is still
// there, after the last day of their access. They themselves are told no more
// than of a wrong password.
var (
	ErrAccessExpired = &Error{Kind: KindForbidden, Code: "user.accessOver"}
	errUserDisabled  = &Error{Kind: KindForbidden, Code: "user.isDisabled"}
)

// AccessDay returns the day on which access is judged: Mexico City's, whatever
// cut-off and stores have, so that an end means one instant for everybody.
func AccessDay(now time.Time) Day { return Day(now.In(MexicoCity).Format(time.DateOnly)) }

// AccessOver reports whether the last day of the person's access has passed.
func (u *User) AccessOver(now time.Time) bool {
	return u.AccessUntil != nil && *u.AccessUntil < AccessDay(now)
}

// AccessEnds returns the instant from which a person with that last day is shut
// out: midnight in Mexico City.
func (d Day) AccessEnds() time.Time {
	y, m, day := d.Time(MexicoCity).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, MexicoCity)
}

// ShutOut says why a person may not come in although the password is right; nil
// when they may.
func (u *User) ShutOut(now time.Time) *Error {
	switch {
	case u.DisabledAt != nil:
		return errUserDisabled
	case u.AccessOver(now):
		return ErrAccessExpired
	}
	return nil
}
