// Package crashpoint names the twelve points at which the death of a process does the
// most harm. In the released program Here is an empty function. In a program built
// with -tags chaos, for the experiments of web/lab/chaos, a process kills itself
// there, if its environment says so:
//
//	VEINTE_CRASH=afterAttemptCommit:3
//
// kills it with SIGKILL when it reaches that point for the third time, and with
// VEINTE_FREEZE it stops there with SIGSTOP, until the experiment has it go on. The
// package does not know what happens around its points.
//
// In such a program the clock of a process can be wrong as well, by
// VEINTE_CLOCK_ERROR=90s, and with VEINTE_CLOCK_BLIND=on it does not notice.
package crashpoint

// Point is a step in the processing of a cancellation.
type Point string

// The points, in the order in which a cancellation reaches them.
const (
	AfterRequestCommit  Point = "afterRequestCommit"  // the request is committed, nobody was notified yet
	AfterAttemptCommit  Point = "afterAttemptCommit"  // bytes may be sent from now on, none has been
	AfterDial           Point = "afterDial"           // connected to the service, nothing written
	BeforeGate          Point = "beforeGate"          // the request is handed over, the last look at the clock is next
	AfterGate           Point = "afterGate"           // the last look at the clock is past, nothing written
	AfterHeaders        Point = "afterHeaders"        // the request's header has been sent
	AfterBody           Point = "afterBody"           // the whole request has been sent
	AfterAnswer         Point = "afterAnswer"         // the whole response has arrived, and is only in memory
	BeforeOutcomeCommit Point = "beforeOutcomeCommit" // the outcome is written, not committed
	BeforeResultCommit  Point = "beforeResultCommit"  // a terminal's post was read, its result is not committed
	AfterResultCommit   Point = "afterResultCommit"   // the result is committed, the terminal got no response
	BetweenMoves        Point = "betweenMoves"        // a job has moved one cancellation, and another move is to follow
)

// All returns every point.
func All() []Point {
	return []Point{
		AfterRequestCommit, AfterAttemptCommit, AfterDial, BeforeGate, AfterGate, AfterHeaders, AfterBody, AfterAnswer,
		BeforeOutcomeCommit, BeforeResultCommit, AfterResultCommit, BetweenMoves,
	}
}

// Variable is the environment variable that arms a point: the point's name, a colon,
// and how many times it must be reached. FreezeVariable is the same for a freeze.
const (
	Variable       = "VEINTE_CRASH"
	FreezeVariable = "VEINTE_FREEZE"
)

// The environment variables of a wrong clock.
const (
	ClockErrorVariable = "VEINTE_CLOCK_ERROR"
	ClockBlindVariable = "VEINTE_CLOCK_BLIND"
)
