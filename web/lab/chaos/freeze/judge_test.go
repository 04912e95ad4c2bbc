package freeze

import (
	"fmt"
	"time"

	"veinte/web/lab"
)

// slack is how long after its deadline a request may be in the ledger that left in time:
// the sandbox is busy too. The freezes of a round are much longer.
const slack = 5 * time.Second

// late is a request of which the service had the whole after its attempt's deadline.
type late struct {
	attempt lab.Attempt
	by      time.Duration
	said    bool // by the process that sent it: it recorded that bytes may have left late
}

// arrivedLate compares the ledger with the attempts' deadlines.
func arrivedLate(entries []lab.Entry, attempts []lab.Attempt) (all []late) {
	byHash := map[string]lab.Attempt{}
	for _, a := range attempts {
		byHash[a.KeyHash] = a
	}
	for _, x := range entries {
		if x.Kind != "request" || x.Operation != "cancel" {
			continue
		}
		a, known := byHash[x.AttemptHash()]
		if by := x.At.Sub(a.DeadlineAt); known && by > slack {
			all = append(all, late{a, by, saidLate(a)})
		}
	}
	return all
}

// saidLate reports whether the attempt's process recorded that bytes may have left late.
func saidLate(a lab.Attempt) bool { return a.FirstByteAt != nil && !a.FirstByteAt.Before(a.DeadlineAt) }

// judged are the judge's figures.
type judged struct {
	said, arrived int
	broken        []string
}

// judge says what is wrong: a request that came late without a word, more of them than
// were frozen where nothing can prevent it, and a case that goes on to be called still
// charged without a contradiction although its request may have left late. Raised are the
// cases with one.
func judge(entries []lab.Entry, attempts []lab.Attempt, cases []lab.Cancellation, raised map[int64]bool, frozenInside int) judged {
	var j judged
	violate := func(format string, args ...any) { j.broken = append(j.broken, fmt.Sprintf(format, args...)) }
	state := map[int64]string{}
	for _, c := range cases {
		state[c.ID] = c.State
	}
	for _, l := range arrivedLate(entries, attempts) {
		j.arrived++
		if !l.said {
			violate("attempt %d of case %d arrived %s after its deadline, and its process says that it left in time",
				l.attempt.Number, l.attempt.CancellationID, l.by.Round(time.Millisecond))
		}
	}
	for _, a := range attempts {
		if !saidLate(a) {
			continue
		}
		j.said++
		if state[a.CancellationID] == "notCanceled" && !raised[a.CancellationID] {
			violate("case %d may have been sent late, is called still charged, and nothing contradicts that", a.CancellationID)
		}
	}
	if j.arrived > frozenInside {
		violate("%d requests arrived late, and only %d processes were frozen where nothing can prevent it", j.arrived, frozenInside)
	}
	return j
}

// woke says what is wrong in the outcomes that the processes stored which stood still in
// these attempts, one of them at each step. Entries is the ledger before they went on.
// What the service had by then may have any outcome; the rest either left not at all, as
// from each step before the gate, or too late, and its process says so.
func woke(attempts []lab.Attempt, entries []lab.Entry) (broken []string) {
	before := map[string]bool{}
	for _, x := range entries {
		if x.Kind == "request" && x.Operation == "cancel" {
			before[x.AttemptHash()] = true
		}
	}
	var unsent, late, onward int
	for _, a := range attempts {
		switch {
		case a.Meaning == "notSent":
			unsent++ // if the ledger has it all the same, the laboratory's judge says so
		case saidLate(a):
			late++
			if !before[a.KeyHash] {
				onward++
			}
		case !before[a.KeyHash]:
			broken = append(broken, fmt.Sprintf("attempt %d of case %d had not arrived when its process was to go on, which says %s, in time",
				a.Number, a.CancellationID, a.Meaning))
		}
	}
	if unsent < beforeTheGate {
		broken = append(broken, fmt.Sprintf("%d processes were frozen before the gate, and %d say that nothing was sent",
			beforeTheGate, unsent))
	}
	if late < len(inside) {
		broken = append(broken, fmt.Sprintf("%d processes were frozen after the gate, and %d say that they may be late", len(inside), late))
	}
	// A process has other attempts under way. That one of them is between the gate and its
	// last byte, which takes microseconds, happens once in many rounds, not twice in one.
	if onward > midway+1 {
		broken = append(broken, fmt.Sprintf("%d processes were frozen while they wrote, and %d wrote after that", midway, onward))
	}
	return broken
}
