package models

// Claim is what evidence comes to, by who says it, of which attempt, and when: a
// row of the table in STATES.md, under its name there.
type Claim string

// The claims.
const (
	PersonCanceled           Claim = "a person: canceled"
	PersonCharged            Claim = "a person: still charged"
	TerminalCanceled         Claim = "a result: canceled"
	TerminalRefusedCurrent   Claim = "a result: refused, the current attempt"
	TerminalRefusedEarlier   Claim = "a result: refused, an earlier attempt"
	TerminalRefusedNoAttempt Claim = "a result: refused, no attempt named"
	TerminalSilent           Claim = "a result: not how it ended"
	OtherTerminal            Claim = "a result: of another terminal"
	OtherOrder               Claim = "a result: of another order"
	OtherAmount              Claim = "a result: of another amount"
	InquiryCanceled          Claim = "an inquiry: canceled"
	InquiryCharged           Claim = "an inquiry: still charged, asked after the quiet time"
	InquiryChargedTooEarly   Claim = "an inquiry: still charged, within the quiet time"
	InquiryChargedNotAsked   Claim = "an inquiry: still charged, not asked after the quiet time"
	InquiryDiffers           Claim = "an inquiry: of another terminal, order or amount"
	ReportCanceled           Claim = "a report: canceled"
	ReportCharged            Claim = "a report: still charged"
	ServiceRefusedCurrent    Claim = "the service: refused, the current attempt"
	ServiceRefusedEarlier    Claim = "the service: refused, an earlier attempt"
)

// Ruling is what evidence does to a cancellation: it moves it, notes a conflict for
// a supervisor, does both, or nothing.
type Ruling struct {
	To       State    // "": it stays where it is
	Conflict Conflict // "": nothing contradicts
	Why      Why      // why nothing is done; "" where something is
}

// Nothing reports whether the evidence changes nothing.
func (r Ruling) Nothing() bool { return r.To == "" && r.Conflict == "" }

// Why says why evidence does nothing.
type Why string

// The reasons. Results are stored with some of them.
const (
	WhyKnown      Why = "known"                  // it says what is so already
	WhyNoDoubt    Why = "noDoubt"                // it can only end a doubt
	WhyOld        Why = "oldNegative"            // the attempt is not the last, or its case not under way
	WhyNoAttempt  Why = "negativeWithoutAttempt" // it may be anybody's
	WhySilent     Why = "noResponseCode"         // it does not say how it ended
	WhyTooEarly   Why = "tooEarly"               // the terminal may still act on the push
	WhyNotAsked   Why = "notAsked"               // it answers no question put after that
	WhyDiffers    Why = "differs"                // it is not about this sale
	WhyNoEvidence Why = "noEvidence"             // of no kind that the table knows
)

// noCase is the situation of a sale that nobody has asked to cancel. A move there
// opens a cancellation that begins and ends confirmed.
const noCase State = ""

// situation is the part of a row that rules alike.
type situation map[State]Ruling

func in(states []State, r Ruling) situation {
	c := situation{}
	for _, s := range states {
		c[s] = r
	}
	return c
}

// The columns that rule alike in most rows.
var (
	underWay = []State{Requested, Sending, Accepted, Unknown}
	closed   = []State{Rejected, Expired, Withdrawn, NotCanceled}
	every    = []State{noCase, Requested, Sending, Accepted, Unknown, Rejected, Expired, Withdrawn, NotCanceled, Confirmed}
)

// What is ruled.
var (
	confirm      = Ruling{To: Confirmed}
	confirmLate  = Ruling{To: Confirmed, Conflict: ConflictLatePositive} // somebody was told otherwise
	openAsHand   = Ruling{To: Confirmed, Conflict: ConflictWithoutCase}  // canceled by hand on the device
	reject       = Ruling{To: Rejected}
	notCanceled  = Ruling{To: NotCanceled}
	alreadyKnown = Ruling{Why: WhyKnown}
)

func raised(c Conflict) Ruling { return Ruling{Conflict: c} }
func nothing(why Why) Ruling   { return Ruling{Why: why} }

// row puts columns together; where two name a state, the later one rules it.
func row(columns ...situation) situation {
	all := situation{}
	for _, c := range columns {
		for state, r := range c {
			all[state] = r
		}
	}
	return all
}

// positive is a yes that nobody here has to have waited for: it counts at any
// time, over a closed case, and where there is none.
var positive = row(
	situation{noCase: openAsHand},
	in(underWay, confirm),
	in(closed, confirmLate),
	situation{Confirmed: alreadyKnown},
)

// negative is a no to the attempt under way.
var negative = row(
	in(every, nothing(WhyOld)),
	situation{Sending: reject, Accepted: reject, Unknown: reject, Confirmed: raised(ConflictReportedRejected)},
)

// charged is word that the sale is not canceled: it can only end a doubt, and
// contradicts what is confirmed.
func charged(unknown, confirmed Ruling) situation {
	return row(in(every, nothing(WhyNoDoubt)), situation{Unknown: unknown, Confirmed: confirmed})
}

// rulings is the table: evidence × state → a move, a conflict, or nothing. It is
// the only place that decides what evidence does.
var rulings = map[Claim]situation{
	// A person who holds the ticket may say so of any case, and was told nothing else.
	PersonCanceled: row(in(underWay, confirm), in(closed, confirm), situation{Confirmed: alreadyKnown, noCase: nothing(WhyNoDoubt)}),
	PersonCharged:  row(charged(notCanceled, nothing(WhyNoDoubt)), situation{NotCanceled: alreadyKnown}),

	TerminalCanceled:         positive,
	TerminalRefusedCurrent:   negative,
	TerminalRefusedEarlier:   in(every, nothing(WhyOld)),
	TerminalRefusedNoAttempt: in(every, nothing(WhyNoAttempt)),
	TerminalSilent:           in(every, nothing(WhySilent)),
	OtherTerminal:            in(every, raised(ConflictTerminalDiffers)),
	OtherOrder:               in(every, raised(ConflictOrderDiffers)),
	OtherAmount:              in(every, raised(ConflictAmountDiffers)),

	InquiryCanceled:        positive,
	InquiryCharged:         charged(notCanceled, raised(ConflictStillCharged)),
	InquiryChargedTooEarly: charged(nothing(WhyTooEarly), raised(ConflictStillCharged)),
	InquiryChargedNotAsked: charged(nothing(WhyNotAsked), raised(ConflictStillCharged)),
	InquiryDiffers:         in(every, nothing(WhyDiffers)),

	ReportCanceled: positive,
	ReportCharged:  charged(notCanceled, raised(ConflictReportCharged)),

	// The answer to our own call is no news once the case has gone on.
	ServiceRefusedCurrent: row(in(every, nothing(WhyOld)), situation{Sending: reject, Unknown: reject}),
	ServiceRefusedEarlier: in(every, nothing(WhyOld)),
}

// Rule returns what a claim does to a cancellation in a state; "" is the state of
// a sale that has none.
func Rule(claim Claim, s State) Ruling {
	if r, ok := rulings[claim][s]; ok {
		return r
	}
	return nothing(WhyNoEvidence)
}
