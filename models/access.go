package models

import "time"

// farthestAccess is how far ahead an end of access may lie, in years: an end that
// nobody will see is none. It can be put off again.
const farthestAccess = 1

// errAccessOver is what the trail says of somebody who signs in, or is still
// there, after the last day of their access. They themselves are told no more
// than of a wrong password.
var (
	errAccessOver   = &Error{Kind: KindForbidden, Code: "user.accessOver"}
	errUserDisabled = &Error{Kind: KindForbidden, Code: "user.isDisabled"}
)

// AccessDay returns the day on which access is judged: Mexico City's, whatever
// cut-off and stores have, so that an end means one instant for everybody.
func AccessDay(now time.Time) Day { return Day(now.In(mexicoCity).Format(time.DateOnly)) }

// AccessOver reports whether the last day of the person's access has passed.
func (u *User) AccessOver(now time.Time) bool {
	return u.AccessUntil != nil && *u.AccessUntil < AccessDay(now)
}

// AccessEnds returns the instant from which a person with that last day is shut
// out: midnight in Mexico City.
func (d Day) AccessEnds() time.Time {
	y, m, day := d.Time(mexicoCity).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, mexicoCity)
}

// shutOut says why a person may not come in although the password is right; nil
// when they may.
func (u *User) shutOut(now time.Time) *Error {
	switch {
	case u.DisabledAt != nil:
		return errUserDisabled
	case u.AccessOver(now):
		return errAccessOver
	}
	return nil
}

// checkEnd refuses an end that is no day, and an auditor without one.
func (in UserInput) checkEnd() error {
	if in.AccessUntil == "" {
		if in.Role == Auditor {
			return Invalid("accessUntil", "access.required")
		}
		return nil
	}
	if _, err := ParseDay(in.AccessUntil); err != nil {
		return Invalid("accessUntil", "date.invalid")
	}
	return nil
}

// end is the last day of access; nil for none. The input has been checked.
func (in UserInput) end() *Day {
	if in.AccessUntil == "" {
		return nil
	}
	d := Day(in.AccessUntil)
	return &d
}

// judgeEnd refuses an end that has passed or is too far away. One that stays as
// it was is no matter of today's: whoever is renamed after their last day keeps it.
func (in UserInput) judgeEnd(now time.Time, was *Day) error {
	end := in.end()
	if end == nil || was != nil && *was == *end {
		return nil
	}
	if *end < AccessDay(now) {
		return Invalid("accessUntil", "access.past")
	}
	if *end > AccessDay(now.In(mexicoCity).AddDate(farthestAccess, 0, 0)) {
		return Invalid("accessUntil", "access.tooFar")
	}
	return nil
}
