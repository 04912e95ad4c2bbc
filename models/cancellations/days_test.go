package cancellations_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"veinte/models"
)

var days = flag.Int("life.days", 10000, "how many days TestDaysOfTheReference lives; the seed of each is its number")

// TestDaysOfTheReference has the reference, with which TestLifeAgreesWithTheDomain
// compares the service, live days in a world whose truth is known: terminals that act late
// or never, posts that are late or lost, processes that die, or are frozen at any step,
// databases that are lost and served from a backup, clocks that are apart. Nothing that it
// says of a cancellation may be false, and nothing may be sent twice.
func TestDaysOfTheReference(t *testing.T) {
	t.Parallel()
	total := &world{}
	for day := range *days {
		w := newWorld(uint64(day), "")
		w.live()
		for _, f := range w.wrong {
			t.Errorf("day %d: %s", day, f)
		}
		if t.Failed() {
			t.FailNow()
		}
		total.add(w)
	}
	t.Logf("%d days: %s", *days, total.figures())
	for what, n := range map[string]int{
		"frozen before the gate": total.frozen, "frozen past it": total.past, "late bytes": total.lateBytes,
		"contradictions": total.raised, "ends by an inquiry": total.charged, "requests kept by the gate": total.kept,
		"crashes": total.died, "cancellations by hand": total.byHand, "copies": total.copies, "requested elsewhere": total.elsewhere,
		"terminals silent before a cancellation": total.silent, "clocks apart": total.apart,
	} {
		if n == 0 {
			t.Errorf("no %s in %d days", what, *days)
		}
	}
}

// TestTheJudgeOfDaysSeesMistakes has the same days lived with a mistake. Each must lead to
// a false statement.
func TestTheJudgeOfDaysSeesMistakes(t *testing.T) {
	t.Parallel()
	for mistake, words := range map[string]string{
		"gate":    "the gate does not look at the deadline",
		"unsaid":  "a process does not say that bytes may have left late",
		"quiet":   "the quiet time does not begin anew with late bytes",
		"early":   "still charged counts within the quiet time",
		"resend":  "an interrupted attempt is sent again",
		"copy":    "a copy sends what it calls requested",
		"at once": "a copy asks before the quiet time has passed",
		"silence": "an inquiry counts as answered when it was sent",
		"clock":   "a server believes its clock",
	} {
		t.Run(mistake, func(t *testing.T) {
			t.Parallel()
			for day := range *days {
				w := newWorld(uint64(day), mistake)
				w.live()
				if len(w.wrong) > 0 {
					t.Logf("%s: day %d: %s", words, day, w.wrong[0])
					return
				}
			}
			t.Errorf("%s, and in %d days nothing is false", words, *days)
		})
	}
}

// judge compares what is said of every cancellation with the truth.
func (w *world) judge(after string) {
	for _, c := range w.ref.cancellations {
		sale, origin := w.truth[c.sale], w.origin(c)
		p := w.pushes[origin]
		live := p != nil && p.live
		did := sale.by == origin
		says := ""
		switch c.state {
		case models.Confirmed:
			if sale.canceled == 0 {
				says = "canceled, and its terminal did not cancel it"
			}
		case models.Rejected:
			if live || did {
				says = "rejected, and its push may cancel the sale, or did"
			}
		case models.Withdrawn, models.Expired:
			if w.sent[origin] > 0 {
				says = "never sent, and it was"
			} else if c.state == models.Expired && (sale.by != nil || w.mayAct(c.sale)) {
				says = "still charged since it was never sent, and another one canceled it, or may"
			}
		case models.NotCanceled:
			if (sale.by != nil || w.mayAct(c.sale)) && !w.word[origin] && c.late == 0 && !w.unspoken[origin] {
				says = "still charged, and its push may cancel the sale, or did"
			}
		}
		if says != "" {
			w.falsely("after %s at %s the cancellation of %s is said to be %s", after, w.now.Format(time.TimeOnly), c.sale.row.OrderID, says)
		}
		if w.sent[origin] > 1 {
			w.falsely("the cancellation of %s was sent %d times", c.sale.row.OrderID, w.sent[origin])
		}
	}
}

func (w *world) falsely(format string, args ...any) {
	if len(w.wrong) == 0 { // the first; others follow from it
		w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
	}
}
