package cancellations

import (
	"veinte/models"
)

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
	To       models.State    // "": it stays where it is
	Conflict models.Conflict // "": nothing contradicts
	Why      Why             // why nothing is done; "" where something is
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
const noCase models.State = ""

// situation is the part of a row that rules alike.
type situation map[models.State]Ruling

func in(states []models.State, r Ruling) situation {
	c := situation{}
	for _, s := range states {
		c[s] = r
	}
	return c
}

// The columns that rule alike in most rows.
var (
	underWay = []models.State{models.Requested, models.Sending, models.Accepted, models.Unknown}
	closed   = []models.State{models.Rejected, models.Expired, models.Withdrawn, models.NotCanceled}
	every    = []models.State{noCase, models.Requested, models.Sending, models.Accepted, models.Unknown, models.Rejected, models.Expired, models.Withdrawn, models.NotCanceled, models.Confirmed}
)

// What is ruled.
var (
	confirm      = Ruling{To: models.Confirmed}
	confirmLate  = Ruling{To: models.Confirmed, Conflict: models.ConflictLatePositive}        // somebody was told otherwise
	openAsHand   = Ruling{To: models.Confirmed, Conflict: models.ConflictWithoutCancellation} // canceled by hand on the device
	reject       = Ruling{To: models.Rejected}
	notCanceled  = Ruling{To: models.NotCanceled}
	alreadyKnown = Ruling{Why: WhyKnown}
)

func raised(c models.Conflict) Ruling { return Ruling{Conflict: c} }

func nothing(why Why) Ruling { return Ruling{Why: why} }

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
	situation{models.Confirmed: alreadyKnown},
)

// negative is a no to the attempt under way.
var negative = row(
	in(every, nothing(WhyOld)),
	situation{models.Sending: reject, models.Accepted: reject, models.Unknown: reject, models.Confirmed: raised(models.ConflictReportedRejected)},
)

// charged is word that the sale is not canceled: it can only end a doubt, and
// contradicts what is confirmed.
func charged(unknown, confirmed Ruling) situation {
	return row(in(every, nothing(WhyNoDoubt)), situation{models.Unknown: unknown, models.Confirmed: confirmed})
}

// rulings is the table: evidence × state → a move, a conflict, or nothing. It is
// the only place that decides what evidence does.
var rulings = map[Claim]situation{
	// A person who holds the ticket may say so of any case, and was told nothing else.
	PersonCanceled: row(in(underWay, confirm), in(closed, confirm), situation{models.Confirmed: alreadyKnown, noCase: nothing(WhyNoDoubt)}),
	PersonCharged:  row(charged(notCanceled, nothing(WhyNoDoubt)), situation{models.NotCanceled: alreadyKnown}),

	TerminalCanceled:         positive,
	TerminalRefusedCurrent:   negative,
	TerminalRefusedEarlier:   in(every, nothing(WhyOld)),
	TerminalRefusedNoAttempt: in(every, nothing(WhyNoAttempt)),
	TerminalSilent:           in(every, nothing(WhySilent)),
	OtherTerminal:            in(every, raised(models.ConflictTerminalDiffers)),
	OtherOrder:               in(every, raised(models.ConflictOrderDiffers)),
	OtherAmount:              in(every, raised(models.ConflictAmountDiffers)),

	InquiryCanceled:        positive,
	InquiryCharged:         charged(notCanceled, raised(models.ConflictStillCharged)),
	InquiryChargedTooEarly: charged(nothing(WhyTooEarly), raised(models.ConflictStillCharged)),
	InquiryChargedNotAsked: charged(nothing(WhyNotAsked), raised(models.ConflictStillCharged)),
	InquiryDiffers:         in(every, nothing(WhyDiffers)),

	ReportCanceled: positive,
	ReportCharged:  charged(notCanceled, raised(models.ConflictReportCharged)),

	// The answer to our own call is no news once the case has gone on.
	ServiceRefusedCurrent: row(in(every, nothing(WhyOld)), situation{models.Sending: reject, models.Unknown: reject}),
	ServiceRefusedEarlier: in(every, nothing(WhyOld)),
}

// Rule returns what a claim does to a cancellation in a state; "" is the state of
// a sale that has none.
func Rule(claim Claim, s models.State) Ruling {
	if r, ok := rulings[claim][s]; ok {
		return r
	}
	return nothing(WhyNoEvidence)
}
