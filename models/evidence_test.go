package models_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// specified reads the rows of the table in STATES.md that begins with a heading's
// first cell, without the heading. The document is the judge of the code.
func specified(t *testing.T, first string) (heading []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("STATES.md")
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
func ruling(cell string) models.Ruling {
	if why, nothing := strings.CutPrefix(cell, "- "); nothing {
		return models.Ruling{Why: models.Why(why)}
	}
	to, conflict, _ := strings.Cut(cell, "!")
	return models.Ruling{To: models.State(strings.TrimSpace(to)), Conflict: models.Conflict(strings.TrimSpace(conflict))}
}

func TestEvidenceDoesWhatIsSpecified(t *testing.T) {
	t.Parallel()
	heading, rows := specified(t, "Evidence")
	if got, want := len(heading)-1, len(everyState)+1; got != want {
		t.Fatalf("STATES.md rules %d states, want %d", got, want)
	}
	if got, want := len(rows), models.RuledClaims(); got != want {
		t.Errorf("STATES.md rules %d kinds of evidence, the code %d", got, want)
	}
	for _, row := range rows {
		for i, name := range heading[1:] {
			state := models.State(name)
			if name == "none" {
				state = ""
			}
			got, want := models.Rule(models.Claim(row[0]), state), ruling(row[i+1])
			if got != want {
				t.Errorf("%s, over %s: %+v, want %+v", row[0], name, got, want)
			}
			if got.To != "" && state != "" && !state.CanMove(got.To) {
				t.Errorf("%s, over %s: moves to %s, which is no move", row[0], name, got.To)
			}
		}
	}
	if got := models.Rule("hearsay", models.Unknown); !got.Nothing() || got.Why != models.WhyNoEvidence {
		t.Errorf("what is no evidence does %+v, want nothing", got)
	}
}

// TestTheMovesAreThoseSpecified looks at every pair of states.
func TestTheMovesAreThoseSpecified(t *testing.T) {
	t.Parallel()
	_, rows := specified(t, "From")
	type pair struct{ from, to models.State }
	listed := map[pair]bool{}
	for _, row := range rows {
		listed[pair{models.State(row[0]), models.State(row[1])}] = true
	}
	_, states := specified(t, "State")
	if got, want := len(states), len(everyState); got != want {
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
	answer := func(standing models.SaleStanding, came, asked time.Time, change ...func(*models.Result)) models.Evidence {
		r := result("99", change...)
		r.Kind, r.Standing, r.ReceivedAt = models.ResultInquiry, standing, came
		return models.InquiryAnswered(by, r, asked)
	}
	tests := []struct {
		fact string
		e    models.Evidence
		want models.Claim
	}{
		{"a ticket in the hand", models.PersonSaw(by, true, ""), models.PersonCanceled},
		{"a statement without it", models.PersonSaw(by, false, ""), models.PersonCharged},
		{"approved", models.TerminalSaid(by, result("00"), 2), models.TerminalCanceled},
		{"approved, of an old attempt", models.TerminalSaid(by, result("00"), 1), models.TerminalCanceled},
		{"approved, of no attempt", models.TerminalSaid(by, result("00"), 0), models.TerminalCanceled},
		{"approved, and no more", models.TerminalSaid(by, result("00", empty), 2), models.TerminalCanceled},
		{"declined", models.TerminalSaid(by, result("51"), 2), models.TerminalRefusedCurrent},
		{"declined, of an old attempt", models.TerminalSaid(by, result("51"), 1), models.TerminalRefusedEarlier},
		{"declined, of no attempt", models.TerminalSaid(by, result("51"), 0), models.TerminalRefusedNoAttempt},
		{"0 is no 00", models.TerminalSaid(by, result("0"), 2), models.TerminalRefusedCurrent},
		{"left on the terminal, whatever its amount", models.TerminalSaid(by, result("", abandoned), 2), models.TerminalRefusedCurrent},
		{"left on the terminal, yet approved", models.TerminalSaid(by, result("00", abandoned), 2), models.TerminalRefusedCurrent},
		{"without a code", models.TerminalSaid(by, result(""), 2), models.TerminalSilent},
		{"without a code, of no attempt", models.TerminalSaid(by, result(""), 0), models.TerminalRefusedNoAttempt},
		{
			"approved, of another terminal",
			models.TerminalSaid(by, result("00", func(r *models.Result) { r.SerialNumber = "2290000002" }), 2), models.OtherTerminal,
		},
		{"approved, of another order", models.TerminalSaid(by, result("00", func(r *models.Result) { r.OrderID = "V-2" }), 2), models.OtherOrder},
		{
			"declined, of another amount",
			models.TerminalSaid(by, result("51", func(r *models.Result) { r.Amount = &other }), 0), models.OtherAmount,
		},
		{"V", answer("V", pushed, time.Time{}), models.InquiryCanceled},
		{"V of another amount", answer("V", over, over, func(r *models.Result) { r.Amount = &other }), models.InquiryDiffers},
		{"C, asked and answered when it was quiet", answer("C", over, over), models.InquiryCharged},
		{"C, too early", answer("C", over.Add(-time.Microsecond), over.Add(-time.Microsecond)), models.InquiryChargedTooEarly},
		{"C, asked too early", answer("C", over, over.Add(-time.Microsecond)), models.InquiryChargedNotAsked},
		{"C, never asked", answer("C", over, time.Time{}), models.InquiryChargedNotAsked},
		{"PRV is no evidence", answer("PRV", over, over), ""},
		{"RV is no evidence", answer("RV", over, over), ""},
		{"D is no evidence", answer("D", over, over), ""},
		{"a line that says canceled", models.ReportSays(by, true, ""), models.ReportCanceled},
		{"a line that says charged", models.ReportSays(by, false, ""), models.ReportCharged},
		{"the service's no", models.ServiceRefused(by, 2, models.DetailTerminalNotFound), models.ServiceRefusedCurrent},
		{"the service's no to an old attempt", models.ServiceRefused(by, 1, models.DetailTerminalNotFound), models.ServiceRefusedEarlier},
		{"nobody's word", models.Evidence{Says: models.SaysCanceled}, ""},
		{"a person's silence", models.Evidence{Source: models.OfPerson}, ""},
	}
	for _, tt := range tests {
		if got := tt.e.Claim(sale, c, quiet); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
		}
	}
	longer := over.Add(time.Minute) // of a quiet time that was longer when it was sent
	c.QuietUntil = &longer
	if got := answer("C", over, over).Claim(sale, c, quiet); got != models.InquiryChargedTooEarly {
		t.Errorf("C after the shorter of two quiet times: %q, want %q", got, models.InquiryChargedTooEarly)
	}
	unsent := models.Cancellation{}
	if got := answer("C", pushed, pushed).Claim(sale, unsent, quiet); got != models.InquiryCharged {
		t.Errorf("C of what was never sent: %q, want %q", got, models.InquiryCharged)
	}
}
