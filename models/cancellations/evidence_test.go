package cancellations_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// specified reads the rows of the table in STATES.md whose heading begins with a
// cell, without the heading. The document is the specification of the code.
func specified(t *testing.T, first string) (heading []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../STATES.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if heading != nil {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case heading == nil && cells[0] == first:
			heading = cells
		case heading != nil && !strings.HasPrefix(cells[0], "-"):
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("STATES.md has no table that begins with %s", first)
	}
	return heading, rows
}

// ruling reads a cell: "confirmed", "confirmed ! latePositive", "! stillCharged" or
// "- tooEarly".
func ruling(cell string) cancellations.Ruling {
	if why, nothing := strings.CutPrefix(cell, "- "); nothing {
		return cancellations.Ruling{Why: cancellations.Why(why)}
	}
	to, conflict, _ := strings.Cut(cell, "!")
	return cancellations.Ruling{To: models.State(strings.TrimSpace(to)), Conflict: models.Conflict(strings.TrimSpace(conflict))}
}

func TestEvidenceDoesWhatIsSpecified(t *testing.T) {
	t.Parallel()
	heading, rows := specified(t, "Evidence")
	if got, want := len(heading)-1, len(modelstest.EveryState)+1; got != want {
		t.Fatalf("STATES.md rules %d states, want %d", got, want)
	}
	if got, want := len(rows), cancellations.RuledClaims(); got != want {
		t.Errorf("STATES.md rules %d kinds of evidence, the code %d", got, want)
	}
	for _, row := range rows {
		for i, name := range heading[1:] {
			state := models.State(name)
			if name == "none" {
				state = ""
			}
			got, want := cancellations.Rule(cancellations.Claim(row[0]), state), ruling(row[i+1])
			if got != want {
				t.Errorf("%s, over %s: %+v, want %+v", row[0], name, got, want)
			}
			if got.To != "" && state != "" && !state.CanMove(got.To) {
				t.Errorf("%s, over %s: moves to %s, which is no move", row[0], name, got.To)
			}
		}
	}
	if got := cancellations.Rule("hearsay", models.Unknown); !got.Nothing() || got.Why != cancellations.WhyNoEvidence {
		t.Errorf("what is no evidence does %+v, want nothing", got)
	}
}

// TestTheMovesAreThoseSpecified checks every pair of states.
func TestTheMovesAreThoseSpecified(t *testing.T) {
	t.Parallel()
	_, rows := specified(t, "From")
	type pair struct{ from, to models.State }
	listed := map[pair]bool{}
	for _, row := range rows {
		listed[pair{models.State(row[0]), models.State(row[1])}] = true
	}
	_, states := specified(t, "State")
	if got, want := len(states), len(modelstest.EveryState); got != want {
		t.Errorf("STATES.md has %d states, want %d", got, want)
	}
	found := 0
	for _, row := range states {
		from := models.State(row[0])
		if got, want := from.Open(), row[1] == "yes"; got != want {
			t.Errorf("%s is open: %t, want %t", from, got, want)
		}
		for _, to := range states {
			p := pair{from, models.State(to[0])}
			if got, want := p.from.CanMove(p.to), listed[p]; got != want {
				t.Errorf("%s can move to %s: %t, want %t", p.from, p.to, got, want)
			} else if got {
				found++
			}
		}
	}
	if found != len(rows) {
		t.Errorf("moves found = %d of %d that are listed", found, len(rows))
	}
}

func TestWhatEvidenceComesTo(t *testing.T) {
	t.Parallel()
	pushed := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const quiet = 180 * time.Second
	over := pushed.Add(quiet)
	amount, other := models.Money(125000), models.Money(125001)
	sale := models.Sale{SerialNumber: "2290000001", OrderID: "V-1", Amount: amount}
	c := models.Cancellation{Attempts: 2, LastPushAt: &pushed}
	by := models.Actor{Name: "somebody"}
	result := func(code string, change ...func(*models.Result)) *models.Result {
		r := &models.Result{
			Kind: models.ResultCancellation, ResponseCode: code, SerialNumber: "2290000001", OrderID: "V-1", Amount: &amount,
			ReceivedAt: over,
		}
		for _, f := range change {
			f(r)
		}
		return r
	}
	empty := func(r *models.Result) { r.SerialNumber, r.OrderID, r.Amount = "", "", nil }
	abandoned := func(r *models.Result) { r.Kind, r.Amount = models.ResultAbandoned, &other }
	answer := func(standing models.SaleStanding, came, asked time.Time, change ...func(*models.Result)) cancellations.Evidence {
		r := result("99", change...)
		r.Kind, r.Standing, r.ReceivedAt = models.ResultInquiry, standing, came
		return cancellations.InquiryAnswered(by, r, asked)
	}
	tests := []struct {
		fact string
		e    cancellations.Evidence
		want cancellations.Claim
	}{
		{"a ticket in the hand", cancellations.PersonSaw(by, true, ""), cancellations.PersonCanceled},
		{"a statement without it", cancellations.PersonSaw(by, false, ""), cancellations.PersonCharged},
		{"approved", cancellations.TerminalSaid(by, result("00"), 2), cancellations.TerminalCanceled},
		{"approved, of an old attempt", cancellations.TerminalSaid(by, result("00"), 1), cancellations.TerminalCanceled},
		{"approved, of no attempt", cancellations.TerminalSaid(by, result("00"), 0), cancellations.TerminalCanceled},
		{"approved, and no more", cancellations.TerminalSaid(by, result("00", empty), 2), cancellations.TerminalCanceled},
		{"declined", cancellations.TerminalSaid(by, result("51"), 2), cancellations.TerminalRefusedCurrent},
		{"declined, of an old attempt", cancellations.TerminalSaid(by, result("51"), 1), cancellations.TerminalRefusedEarlier},
		{"declined, of no attempt", cancellations.TerminalSaid(by, result("51"), 0), cancellations.TerminalRefusedNoAttempt},
		{"0 is no 00", cancellations.TerminalSaid(by, result("0"), 2), cancellations.TerminalRefusedCurrent},
		{
			"left on the terminal, whatever its amount", cancellations.TerminalSaid(by, result("", abandoned), 2),
			cancellations.TerminalRefusedCurrent,
		},
		{"left on the terminal, yet approved", cancellations.TerminalSaid(by, result("00", abandoned), 2), cancellations.TerminalRefusedCurrent},
		{"without a code", cancellations.TerminalSaid(by, result(""), 2), cancellations.TerminalSilent},
		{"without a code, of no attempt", cancellations.TerminalSaid(by, result(""), 0), cancellations.TerminalRefusedNoAttempt},
		{
			"approved, of another terminal",
			cancellations.TerminalSaid(by, result("00", func(r *models.Result) { r.SerialNumber = "2290000002" }), 2), cancellations.OtherTerminal,
		},
		{
			"approved, of another order", cancellations.TerminalSaid(by, result("00", func(r *models.Result) { r.OrderID = "V-2" }), 2),
			cancellations.OtherOrder,
		},
		{
			"declined, of another amount",
			cancellations.TerminalSaid(by, result("51", func(r *models.Result) { r.Amount = &other }), 0), cancellations.OtherAmount,
		},
		{"V", answer("V", pushed, time.Time{}), cancellations.InquiryCanceled},
		{"V of another amount", answer("V", over, over, func(r *models.Result) { r.Amount = &other }), cancellations.InquiryDiffers},
		{"C, asked and answered when it was quiet", answer("C", over, over), cancellations.InquiryCharged},
		{"C, too early", answer("C", over.Add(-time.Microsecond), over.Add(-time.Microsecond)), cancellations.InquiryChargedTooEarly},
		{"C, asked too early", answer("C", over, over.Add(-time.Microsecond)), cancellations.InquiryChargedNotAsked},
		{"C, never asked", answer("C", over, time.Time{}), cancellations.InquiryChargedNotAsked},
		{"PRV is no evidence", answer("PRV", over, over), ""},
		{"RV is no evidence", answer("RV", over, over), ""},
		{"D is no evidence", answer("D", over, over), ""},
		{"a line that says canceled", cancellations.ReportSays(by, true, ""), cancellations.ReportCanceled},
		{"a line that says charged", cancellations.ReportSays(by, false, ""), cancellations.ReportCharged},
		{"the service's no", cancellations.ServiceRefused(by, 2, models.DetailTerminalNotFound), cancellations.ServiceRefusedCurrent},
		{
			"the service's no to an old attempt", cancellations.ServiceRefused(by, 1, models.DetailTerminalNotFound),
			cancellations.ServiceRefusedEarlier,
		},
		{"nobody's word", cancellations.Evidence{Says: cancellations.SaysCanceled}, ""},
		{"a person's silence", cancellations.Evidence{Source: cancellations.OfPerson}, ""},
	}
	for _, tt := range tests {
		if got := tt.e.Claim(sale, c, quiet); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
		}
	}
	longer := over.Add(time.Minute) // of a quiet period that was longer when it was sent
	c.QuietUntil = &longer
	if got := answer("C", over, over).Claim(sale, c, quiet); got != cancellations.InquiryChargedTooEarly {
		t.Errorf("C after the shorter of two quiet times: %q, want %q", got, cancellations.InquiryChargedTooEarly)
	}
	unsent := models.Cancellation{}
	if got := answer("C", pushed, pushed).Claim(sale, unsent, quiet); got != cancellations.InquiryCharged {
		t.Errorf("C of what was never sent: %q, want %q", got, cancellations.InquiryCharged)
	}
}
