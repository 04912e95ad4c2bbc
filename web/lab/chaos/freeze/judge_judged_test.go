package freeze

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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

// What the processes say that went on: each letter is an attempt in which one stood
// still. A, b: the service had the request before, and its process says that it left in
// time, or perhaps late. U: unsent. L, x: it left afterwards, and its process says that,
// or not a word.
func TestJudgeOfThoseThatWokeUp(t *testing.T) {
	t.Parallel()
	deadline := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	soon, late := deadline.Add(-time.Millisecond), deadline.Add(time.Minute)
	for _, tt := range []struct {
		fact, attempts string
		broken         []string
	}{
		{fact: "one at each step", attempts: "uuu llb aa"},
		{fact: "others were under way beside them", attempts: "uuuu llb aaaaa l"},
		{fact: "a request left afterwards, and not a word", attempts: "uuu lllb a x", broken: []string{"had not arrived"}},
		{fact: "one was sent although the gate was ahead", attempts: "uu llb aa a", broken: []string{"2 say that nothing was sent"}},
		{fact: "one after the gate says that it left in time", attempts: "uuu lb aaa", broken: []string{"2 say that they may be late"}},
		{fact: "the gate let them through late", attempts: "uuu llll b aa", broken: []string{"4 wrote after that"}},
	} {
		var attempts []lab.Attempt
		var entries []lab.Entry
		for i, kind := range strings.ReplaceAll(tt.attempts, " ", "") {
			id := fmt.Sprintf("attempt-%d", i)
			a := lab.Attempt{CancellationID: int64(i), Number: 1, KeyHash: models.HashAttemptKey(id), Meaning: "unknown", DeadlineAt: deadline}
			switch kind {
			case 'a', 'x':
				a.Meaning, a.FirstByteAt = "accepted", &soon
			case 'b', 'l':
				a.FirstByteAt = &late
			case 'u':
				a.Meaning = "notSent"
			}
			attempts = append(attempts, a)
			if kind == 'a' || kind == 'b' {
				parsed := fmt.Appendf(nil, `{"traceability":{"attemptId":%q}}`, id)
				entries = append(entries, lab.Entry{Kind: "request", Operation: "cancel", At: soon, Parsed: parsed})
			}
		}
		got := woke(attempts, entries)
		if !slices.EqualFunc(got, tt.broken, strings.Contains) {
			t.Errorf("%s: %q, want %q", tt.fact, got, tt.broken)
		}
	}
}
