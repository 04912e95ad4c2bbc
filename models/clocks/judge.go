package clocks

import "time"

// Tolerance is the largest difference between two clocks that means nothing.
const Tolerance = 2 * time.Second

// Verdict is whose clock is wrong.
type Verdict string

// The verdicts.
const (
	Agree           Verdict = ""         // no clock is known to be wrong
	ServerDiffers   Verdict = "server"   // this server's
	DatabaseDiffers Verdict = "database" // the database's: all servers agree with one another
)

// Standing is how the clock of this server stands.
type Standing struct {
	Verdict Verdict
	// Ahead is how far it is ahead of the database's, plus the offset of a demo or a
	// test; negative: behind.
	Ahead time.Duration
}

// Early is how much sooner than others a server stops sending: twice what its clock is
// off.
func (s Standing) Early() time.Duration {
	if s.Verdict != ServerDiffers {
		return 0
	}
	return 2 * s.Ahead.Abs()
}

// Judge decides how a server stands whose clock is ahead of the database's by so much.
// Others is how far those of the other servers are, and before how it stood the last
// time.
//
// Of two clocks that differ nobody can say which one is wrong. Then the database's
// counts, which all servers share; only where there are several servers, and all of
// them agree, is it the odd one. That stays so when the others stop: the clocks are
// still the same ones.
func Judge(ahead time.Duration, others []time.Duration, before Standing) Standing {
	s := Standing{Ahead: ahead}
	if ahead.Abs() <= Tolerance {
		return s
	}
	s.Verdict = ServerDiffers
	for _, other := range others {
		if (other - ahead).Abs() > Tolerance {
			return s
		}
	}
	if len(others) > 0 || before.Verdict == DatabaseDiffers && (before.Ahead-ahead).Abs() <= Tolerance {
		s.Verdict = DatabaseDiffers
	}
	return s
}

// sameCorrection is how much a correction may be off before another one takes its place:
// a measurement is less exact than a clock is even, and time must not go back and forth.
const sameCorrection = time.Second

// correct returns by how much the clock is set back for all that the server does, after
// a correction before.
func (s Standing) correct(before time.Duration) time.Duration {
	switch {
	case s.Verdict != ServerDiffers:
		return 0
	case before != 0 && (s.Ahead-before).Abs() <= sameCorrection:
		return before
	}
	return s.Ahead
}

// difference returns how far ahead a clock is that showed two instants, before and after
// another one was read, which showed theirs: what is certain of it. 0: it may be the
// same time.
func difference(before, theirs, after time.Time) time.Duration {
	if least := before.Sub(theirs); least > 0 {
		return least
	}
	return min(after.Sub(theirs), 0)
}
