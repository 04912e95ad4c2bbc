package evidence_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/evidence"
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

// ruling reads a cell: "confirmed", "confirmed ! latePositive", "! stillCharged",
// "? unidentified", "! unidentified ?", "quiet", "! sentLate quiet" or "- tooEarly".
func ruling(cell string) evidence.Ruling {
	if why, nothing := strings.CutPrefix(cell, "- "); nothing {
		return evidence.Ruling{Why: evidence.Why(why)}
	}
	if ask, asks := strings.CutPrefix(cell, "? "); asks {
		return evidence.Ruling{Ask: models.Conflict(ask)}
	}
	cell, quiet := strings.CutSuffix(cell, "quiet")
	to, conflict, _ := strings.Cut(cell, "!")
	conflict, asks := strings.CutSuffix(strings.TrimSpace(conflict), " ?")
	r := evidence.Ruling{To: models.State(strings.TrimSpace(to)), Conflict: models.Conflict(conflict), Quiet: quiet}
	if asks {
		r.Ask = r.Conflict
	}
	return r
}

func TestEvidenceDoesWhatIsSpecified(t *testing.T) {
	t.Parallel()
	heading, rows := specified(t, "Evidence")
	if got, want := len(heading)-1, evidence.RuledStates(); got != want {
		t.Fatalf("STATES.md rules %d states, the code %d", got, want)
	}
	if got, want := len(rows), evidence.RuledClaims(); got != want {
		t.Errorf("STATES.md rules %d kinds of evidence, the code %d", got, want)
	}
	for _, row := range rows {
		for i, name := range heading[1:] {
			state := models.State(name)
			if name == "none" {
				state = ""
			}
			got, want := evidence.Rule(evidence.Claim(row[0]), state), ruling(row[i+1])
			if got != want {
				t.Errorf("%s, over %s: %+v, want %+v", row[0], name, got, want)
			}
			if got.To != "" && state != "" && !state.CanMove(got.To) {
				t.Errorf("%s, over %s: moves to %s, which is no move", row[0], name, got.To)
			}
		}
	}
	if got := evidence.Rule("hearsay", models.Unknown); !got.Nothing() || got.Why != evidence.WhyNoEvidence {
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
	if got, want := len(states), evidence.RuledStates()-1; got != want {
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
	without := func(change func(*models.Result)) evidence.Evidence {
		return evidence.TerminalSaid(by, result("00", change), 2)
	}
	zero := func(r *models.Result) { r.Amount = new(models.Money) }
	abandoned := func(r *models.Result) { r.Kind, r.Amount = models.ResultAbandoned, &other }
	answer := func(standing models.SaleStanding, came, asked time.Time, change ...func(*models.Result)) evidence.Evidence {
		r := result("99", change...)
		r.Kind, r.Standing, r.ReceivedAt = models.ResultInquiry, standing, came
		return evidence.InquiryAnswered(by, r, asked)
	}
	tests := []struct {
		fact string
		e    evidence.Evidence
		want evidence.Claim
	}{
		{"a ticket in the hand", evidence.PersonSaw(by, true, ""), evidence.PersonCanceled},
		{"a statement without it", evidence.PersonSaw(by, false, ""), evidence.PersonCharged},
		{"approved", evidence.TerminalSaid(by, result("00"), 2), evidence.TerminalCanceled},
		{"approved, of an old attempt", evidence.TerminalSaid(by, result("00"), 1), evidence.TerminalCanceled},
		{"approved, of no attempt", evidence.TerminalSaid(by, result("00"), 0), evidence.TerminalUnidentified},
		{"approved, and no more", without(empty), evidence.TerminalUnidentified},
		{"approved, without an amount", without(func(r *models.Result) { r.Amount = nil }), evidence.TerminalUnidentified},
		{"approved, without an order", without(func(r *models.Result) { r.OrderID = "" }), evidence.TerminalUnidentified},
		{"approved, without a terminal", without(func(r *models.Result) { r.SerialNumber = "" }), evidence.TerminalUnidentified},
		{"approved, of nothing", without(zero), evidence.OtherAmount},
		{"declined, of nothing", evidence.TerminalSaid(by, result("51", zero), 2), evidence.TerminalRefusedCurrent},
		{"declined, of nothing and no attempt", evidence.TerminalSaid(by, result("51", zero), 0), evidence.TerminalRefusedNoAttempt},
		{"without a code, of nothing", evidence.TerminalSaid(by, result("", zero), 2), evidence.TerminalSilent},
		{"declined", evidence.TerminalSaid(by, result("51"), 2), evidence.TerminalRefusedCurrent},
		{"declined, of an old attempt", evidence.TerminalSaid(by, result("51"), 1), evidence.TerminalRefusedEarlier},
		{"declined, of no attempt", evidence.TerminalSaid(by, result("51"), 0), evidence.TerminalRefusedNoAttempt},
		{"0 is no 00", evidence.TerminalSaid(by, result("0"), 2), evidence.TerminalRefusedCurrent},
		{
			"left on the terminal, whatever its amount", evidence.TerminalSaid(by, result("", abandoned), 2),
			evidence.TerminalRefusedCurrent,
		},
		{"left on the terminal, yet approved", evidence.TerminalSaid(by, result("00", abandoned), 2), evidence.TerminalRefusedCurrent},
		{"without a code", evidence.TerminalSaid(by, result(""), 2), evidence.TerminalSilent},
		{"without a code, of no attempt", evidence.TerminalSaid(by, result(""), 0), evidence.TerminalRefusedNoAttempt},
		{
			"approved, of another terminal",
			evidence.TerminalSaid(by, result("00", func(r *models.Result) { r.SerialNumber = "2290000002" }), 2), evidence.OtherTerminal,
		},
		{
			"approved, of another order", evidence.TerminalSaid(by, result("00", func(r *models.Result) { r.OrderID = "V-2" }), 2),
			evidence.OtherOrder,
		},
		{
			"declined, of another amount",
			evidence.TerminalSaid(by, result("51", func(r *models.Result) { r.Amount = &other }), 0), evidence.OtherAmount,
		},
		{"V", answer("V", over, pushed), evidence.InquiryCanceled},
		{"V, never asked", answer("V", over, time.Time{}), evidence.InquiryUnasked},
		{"V of another amount", answer("V", over, over, func(r *models.Result) { r.Amount = &other }), evidence.InquiryDiffers},
		{"C, asked and answered when it was quiet", answer("C", over, over), evidence.InquiryCharged},
		{"C, too early", answer("C", over.Add(-time.Microsecond), over.Add(-time.Microsecond)), evidence.InquiryChargedTooEarly},
		{"C, asked too early", answer("C", over, over.Add(-time.Microsecond)), evidence.InquiryChargedNotAsked},
		{"C, never asked", answer("C", over, time.Time{}), evidence.InquiryChargedNotAsked},
		{"PRV is no evidence", answer("PRV", over, over), ""},
		{"RV is no evidence", answer("RV", over, over), ""},
		{"D is no evidence", answer("D", over, over), ""},
		{"a line that says canceled", evidence.ReportSays(by, true, ""), evidence.ReportCanceled},
		{"a line that says charged", evidence.ReportSays(by, false, ""), evidence.ReportCharged},
		{"a discarded report", evidence.ReportTaken(by, ""), evidence.ReportDiscarded},
		{"the service's no", evidence.ServiceRefused(by, 2, models.DetailTerminalNotFound), evidence.ServiceRefusedCurrent},
		{
			"the service's no to an old attempt", evidence.ServiceRefused(by, 1, models.DetailTerminalNotFound),
			evidence.ServiceRefusedEarlier,
		},
		{"bytes that left late", evidence.SentLate(by, 2), evidence.ServiceGotItLate},
		{"bytes of an old attempt that left late", evidence.SentLate(by, 1), evidence.ServiceGotItLate},
		{"nobody's word", evidence.Evidence{Says: evidence.SaysCanceled}, ""},
		{"a person's silence", evidence.Evidence{Source: evidence.OfPerson}, ""},
	}
	for _, tt := range tests {
		if got := tt.e.Claim(sale, c, quiet); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.fact, got, tt.want)
		}
	}
	longer := over.Add(time.Minute) // of a quiet period that was longer when it was sent
	c.QuietUntil = &longer
	if got := answer("C", over, over).Claim(sale, c, quiet); got != evidence.InquiryChargedTooEarly {
		t.Errorf("C after the shorter of two quiet times: %q, want %q", got, evidence.InquiryChargedTooEarly)
	}
	unsent := models.Cancellation{}
	if got := answer("C", pushed, pushed).Claim(sale, unsent, quiet); got != evidence.InquiryCharged {
		t.Errorf("C of what was never sent: %q, want %q", got, evidence.InquiryCharged)
	}
	if got := answer("C", pushed, time.Time{}).Claim(sale, unsent, quiet); got != evidence.InquiryChargedNotAsked {
		t.Errorf("C of what was never sent, never asked: %q, want %q", got, evidence.InquiryChargedNotAsked)
	}
}

// What a move stores of its evidence.
func TestWhatIsStoredOfEvidence(t *testing.T) {
	t.Parallel()
	by := models.Actor{Name: "somebody"}
	approved := models.Result{Kind: models.ResultCancellation, ResponseCode: "00", AuthCode: "A1"}
	bare, declined, left := approved, approved, approved
	bare.AuthCode, declined.ResponseCode, left.Kind = "", "a code that is too long", models.ResultAbandoned
	canceled, charged := approved, approved
	canceled.Standing, charged.Standing = models.StandingCanceled, models.StandingCharged
	for fact, tt := range map[string]struct {
		e      evidence.Evidence
		detail models.Detail
		words  string
	}{
		"approved":                 {evidence.TerminalSaid(by, &approved, 1), models.DetailTerminalConfirmed, "authCode A1"},
		"approved, without a code": {evidence.TerminalSaid(by, &bare, 1), models.DetailTerminalConfirmed, ""},
		"declined":                 {evidence.TerminalSaid(by, &declined, 1), models.DetailDeclined, "responseCode a code tha"},
		"left":                     {evidence.TerminalSaid(by, &left, 1), models.DetailAbandoned, "responseCode 00"},
		"V":                        {evidence.InquiryAnswered(by, &canceled, time.Time{}), models.DetailInquiryCanceled, "authCode A1"},
		"C":                        {evidence.InquiryAnswered(by, &charged, time.Time{}), models.DetailInquiryCharged, ""},
		"a ticket":                 {evidence.PersonSaw(by, true, "seen"), models.DetailResolvedCanceled, "seen"},
		"no ticket":                {evidence.PersonSaw(by, false, "seen"), models.DetailResolvedNotCanceled, "seen"},
		"a line":                   {evidence.ReportSays(by, true, "line 7"), models.DetailReconciledCanceled, "line 7"},
		"a line that says charged": {evidence.ReportSays(by, false, "line 7"), models.DetailReconciledNotCanceled, "line 7"},
		"the service's no": {
			evidence.ServiceRefused(by, 1, models.DetailTerminalNotFound), models.DetailTerminalNotFound, "",
		},
	} {
		if tt.e.Detail != tt.detail || tt.e.Words != tt.words || tt.e.By.Name != by.Name {
			t.Errorf("%s: detail %q, words %q, by %q; want %q, %q", fact, tt.e.Detail, tt.e.Words, tt.e.By.Name, tt.detail, tt.words)
		}
	}
}
