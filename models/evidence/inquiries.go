package evidence

import (
	"slices"
	"time"
)

// inquiryTimes are when a doubt is inquired about automatically, counted from its
// beginning. After the last one it waits for a person, a report or a late result.
var inquiryTimes = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute}

// afterQuiet is how long after the quiet time a terminal is asked once more. The clocks
// of two servers that send differ by less.
const afterQuiet = 5 * time.Second

// soonAfterQuiet is how long after the quiet time a regular inquiry makes that one
// superfluous.
const soonAfterQuiet = 30 * time.Second

// sameInquiry is how long before its time an inquiry may be sent: by another server,
// whose clock is ahead.
const sameInquiry = 3 * time.Second

// NextInquiry returns when the terminal is asked by itself the next time about a doubt
// that began at an instant; zero: never. last is when it was asked by itself the last
// time, zero: not yet; quietEnd is zero where nothing was pushed.
//
// It goes by the time and not by how often was asked: the quiet time may be prolonged
// meanwhile, and an inquiry be late because the terminal was busy.
func NextInquiry(began, quietEnd, last time.Time) time.Time {
	for _, at := range inquiries(began, quietEnd) {
		if at.After(last.Add(sameInquiry)) {
			return at
		}
	}
	return time.Time{}
}

// inquiries returns the times in order. "Still charged" proves nothing before the quiet
// time has ended, so one inquiry follows soon after that.
func inquiries(began, quietEnd time.Time) []time.Time {
	times := make([]time.Time, len(inquiryTimes), len(inquiryTimes)+1)
	for i, after := range inquiryTimes {
		times[i] = began.Add(after)
	}
	i, _ := slices.BinarySearchFunc(times, quietEnd, time.Time.Compare)
	if quietEnd.Before(began) || i < len(times) && times[i].Sub(quietEnd) <= soonAfterQuiet {
		return times
	}
	return slices.Insert(times, i, quietEnd.Add(afterQuiet))
}
