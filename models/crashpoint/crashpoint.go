// Package crashpoint names the ten places at which a process may die most
// inconveniently. In the program as it is shipped they are nothing: Here is an
// empty function. Built with -tags chaos, for the experiments of web/lab, a
// process kills itself there, if its environment says so:
//
//	VEINTE_CRASH=afterAttemptCommit:3
//
// is kill -9 at the third passing of that point. The package knows nothing of
// what happens around its points.
package crashpoint

// Point is a place in the life of a case.
type Point string

// The points, in the order in which a case comes by them.
const (
	AfterRequestCommit  Point = "afterRequestCommit"  // a person's wish is committed, nobody was told yet
	AfterAttemptCommit  Point = "afterAttemptCommit"  // bytes may leave from now on, none has
	AfterDial           Point = "afterDial"           // connected to the service, nothing written
	AfterHeaders        Point = "afterHeaders"        // the request's header has left
	AfterBody           Point = "afterBody"           // the whole request has left
	AfterAnswer         Point = "afterAnswer"         // the whole answer is here, and only in memory
	BeforeOutcomeCommit Point = "beforeOutcomeCommit" // what came of it is written, not committed
	BeforeResultCommit  Point = "beforeResultCommit"  // a terminal's post is read, and that is not committed
	AfterResultCommit   Point = "afterResultCommit"   // it is committed, the terminal was not answered
	BetweenMoves        Point = "betweenMoves"        // a job has moved one case, and another move is to follow
)

// All returns every point.
func All() []Point {
	return []Point{
		AfterRequestCommit, AfterAttemptCommit, AfterDial, AfterHeaders, AfterBody, AfterAnswer,
		BeforeOutcomeCommit, BeforeResultCommit, AfterResultCommit, BetweenMoves,
	}
}

// Variable is the environment variable that arms a point: its name, a colon,
// and at which passing.
const Variable = "VEINTE_CRASH"
