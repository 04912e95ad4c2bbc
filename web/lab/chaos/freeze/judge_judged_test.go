package freeze

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/web/lab"
)

// The judge is judged: what it must call broken, and what not.
func TestJudge(t *testing.T) {
	t.Parallel()
	deadline := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const id = "attempt-1"
	tests := []struct {
		fact     string
		arrived  time.Duration // after the deadline
		left     time.Duration // as its process says
		unsent   bool          // it says that nothing left
		state    string
		raised   bool
		inside   int
		broken   int
		lateOnes int
	}{
		{fact: "in time", arrived: -time.Second, left: -time.Second, state: "accepted"},
		{fact: "in time, and noted a little later", arrived: time.Second, left: -time.Millisecond, state: "accepted"},
		{fact: "late, and not a word", arrived: time.Minute, left: -time.Second, state: "confirmed", inside: 1, broken: 1, lateOnes: 1},
		{fact: "late, although nothing left", arrived: time.Minute, unsent: true, state: "unknown", inside: 1, broken: 1, lateOnes: 1},
		{fact: "late, and said, in doubt", arrived: time.Minute, left: time.Minute, state: "unknown", inside: 1, lateOnes: 1},
		{
			fact: "late, and said, where it could have been prevented", arrived: time.Minute, left: time.Minute, state: "unknown",
			broken: 1, lateOnes: 1,
		},
		{
			fact: "late, and said, yet still charged", arrived: time.Minute, left: time.Minute, state: "notCanceled", inside: 1,
			broken: 1, lateOnes: 1,
		},
		{
			fact: "late, and said, and contradicted", arrived: time.Minute, left: time.Minute, state: "notCanceled", raised: true,
			inside: 1, lateOnes: 1,
		},
		{fact: "perhaps late, and still charged", arrived: -time.Second, left: time.Minute, state: "notCanceled", broken: 1},
	}
	for _, tt := range tests {
		left := deadline.Add(tt.left)
		a := lab.Attempt{CancellationID: 7, Number: 1, KeyHash: models.HashAttemptKey(id), DeadlineAt: deadline, FirstByteAt: &left}
		if tt.unsent {
			a.FirstByteAt = nil
		}
		request := lab.Entry{
			Kind: "request", Operation: "cancel", At: deadline.Add(tt.arrived),
			Parsed: json.RawMessage(fmt.Sprintf(`{"traceability":{"attemptId":%q}}`, id)),
		}
		cases := []lab.Cancellation{{ID: 7, State: tt.state}}
		j := judge([]lab.Entry{request}, []lab.Attempt{a}, cases, map[int64]bool{7: tt.raised}, tt.inside)
		if len(j.broken) != tt.broken || j.arrived != tt.lateOnes {
			t.Errorf("%s: %q, %d late; want %d violations, %d late", tt.fact, j.broken, j.arrived, tt.broken, tt.lateOnes)
		}
	}
}
