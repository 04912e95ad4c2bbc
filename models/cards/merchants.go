package cards

import (
	"slices"
	"time"
)

// How far a date in a number may be from now. Sales are taken up to 400 days later,
// and a clock may be in another zone.
const (
	daysBehind = 400
	daysAhead  = 2
	// A date of six digits within others is one by chance more easily.
	daysAround = 31
)

// merchants reports whether a number of a card's form is one of those that merchants
// give: an EAN-13; YYMMDDhhmmss with digits after it; a store, a date and a count.
func merchants(digits []byte, groups [][]byte, now time.Time) bool {
	if len(digits) == 13 && ean13(digits) || day(digits[:12], "060102150405", now, daysBehind) {
		return true
	}
	if len(groups) > 1 {
		for _, g := range groups {
			if dated(g, now) {
				return true
			}
		}
		return false
	}
	// In one piece: a store's number of one to eight digits before the date, or of
	// three to six before a short one.
	digits = slices.Clip(digits) // nothing after its end is read
	for at := 1; at <= min(8, len(digits)-8); at++ {
		if dated(digits[at:at+8], now) || at >= 3 && at <= 6 && day(digits[at:at+6], "060102", now, daysAround) {
			return true
		}
	}
	return false
}

// dated reports whether a group of digits is a date near now, with the year before or
// after.
func dated(g []byte, now time.Time) bool {
	for _, layout := range []string{"20060102", "02012006", "060102", "020106"} {
		if len(g) == len(layout) && day(g, layout, now, daysBehind) {
			return true
		}
	}
	return false
}

// day reports whether digits are a date near now: so many days before, and no more
// after than clocks differ. The date stands in some zone of the merchant's.
func day(digits []byte, layout string, now time.Time, before int) bool {
	at, err := time.Parse(layout, string(digits))
	if err != nil {
		return false
	}
	if now.IsZero() {
		return at.Year() >= 2020 && at.Year() < 2040 // Visa begins with 4, and many ones are in examples
	}
	return at.After(now.AddDate(0, 0, -before-1)) && at.Before(now.AddDate(0, 0, daysAhead))
}

// ean13 checks the check digit of an article's number (GS1): its digits count once
// and three times by turns.
func ean13(digits []byte) bool {
	sum := 0
	triple := false
	for _, c := range digits {
		d := value(c)
		if triple {
			d *= 3
		}
		sum += d
		triple = !triple
	}
	return sum%10 == 0
}
