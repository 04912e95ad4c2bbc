package evidence

import (
	"veinte/models"
)

// Claim classifies evidence by its source, the attempt it is about, and its time: a
// row of the table in STATES.md, with the same name there.
type Claim string

// The claims.
const (
	PersonCanceled           Claim = "a person: canceled"
	PersonCharged            Claim = "a person: still charged"
	TerminalCanceled         Claim = "a result: canceled"
	TerminalUnidentified     Claim = "a result: canceled, without identification"
	TerminalRefusedCurrent   Claim = "a result: refused, the current attempt"
	TerminalRefusedEarlier   Claim = "a result: refused, an earlier attempt"
	TerminalRefusedNoAttempt Claim = "a result: refused, no attempt named"
	TerminalSilent           Claim = "a result: not how it ended"
	OtherTerminal            Claim = "a result: of another terminal"
	OtherOrder               Claim = "a result: of another order"
	OtherAmount              Claim = "a result: of another amount"
	InquiryCanceled          Claim = "an inquiry: canceled"
	InquiryUnasked           Claim = "an inquiry: canceled, never asked"
	InquiryCharged           Claim = "an inquiry: still charged, asked after the quiet time"
	InquiryChargedTooEarly   Claim = "an inquiry: still charged, within the quiet time"
	InquiryChargedNotAsked   Claim = "an inquiry: still charged, not asked after the quiet time"
	InquiryDiffers           Claim = "an inquiry: of another terminal, order or amount"
	ReportCanceled           Claim = "a report: canceled"
	ReportCharged            Claim = "a report: still charged"
	ReportDiscarded          Claim = "a report: discarded"
	ServiceRefusedCurrent    Claim = "the service: refused, the current attempt"
	ServiceRefusedEarlier    Claim = "the service: refused, an earlier attempt"
	ServiceGotItLate         Claim = "the service: answered what may have left after the deadline"
)

// Ruling is the effect of evidence on a cancellation: a move, a conflict for a
// supervisor, an inquiry, a new quiet time, several of them, or nothing.
type Ruling struct {
	To       models.State    // "": the state stays
	Conflict models.Conflict // "": there is no conflict
	Ask      models.Conflict // an inquiry decides; this is raised where none can; "": nothing is asked
	Quiet    bool            // the quiet time begins anew: bytes may just have left
	Why      Why             // why there is no effect; "" where there is one
}

// Nothing reports whether the evidence has no effect.
func (r Ruling) Nothing() bool { return r.To == "" && r.Conflict == "" && r.Ask == "" && !r.Quiet }

// Why is the reason why evidence has no effect.
type Why string

// The reasons. Some of them are stored with results.
const (
	WhyKnown      Why = "known"                  // it states what is known already
	WhyNoDoubt    Why = "noDoubt"                // it can only resolve a doubt
	WhyOld        Why = "oldNegative"            // the attempt is not the last, or its cancellation not under way
	WhyNoAttempt  Why = "negativeWithoutAttempt" // its attempt is not known
	WhySilent     Why = "noResponseCode"         // it does not state an outcome
	WhyTooEarly   Why = "tooEarly"               // the terminal may still act on the push
	WhyNotAsked   Why = "notAsked"               // no inquiry was sent after that
	WhyDiffers    Why = "differs"                // it is not about this sale
	WhyNoEvidence Why = "noEvidence"             // its kind is not in the table
)

// noCancellation is the state of a sale without a cancellation. A move from it opens a
// cancellation that begins and ends confirmed.
const noCancellation models.State = ""

// situation is part of a row: the ruling for each state it names.
type situation map[models.State]Ruling

func in(states []models.State, r Ruling) situation {
	c := situation{}
	for _, s := range states {
		c[s] = r
	}
	return c
}

// The parts that most rows share.
var (
	underWay = []models.State{models.Requested, models.Sending, models.Accepted, models.Unknown}
	closed   = []models.State{models.Rejected, models.Expired, models.Withdrawn, models.NotCanceled}
	every    = []models.State{
		noCancellation, models.Requested, models.Sending, models.Accepted, models.Unknown, models.Rejected, models.Expired,
		models.Withdrawn, models.NotCanceled, models.Confirmed,
	}
)

// The rulings.
var (
	confirm      = Ruling{To: models.Confirmed}
	confirmLate  = Ruling{To: models.Confirmed, Conflict: models.ConflictLatePositive}        // people may have been given another outcome
	openAsHand   = Ruling{To: models.Confirmed, Conflict: models.ConflictWithoutCancellation} // canceled on the device itself
	reject       = Ruling{To: models.Rejected}
	notCanceled  = Ruling{To: models.NotCanceled}
	alreadyKnown = Ruling{Why: WhyKnown}
)

func raised(c models.Conflict) Ruling { return Ruling{Conflict: c} }

func nothing(why Why) Ruling { return Ruling{Why: why} }

// row merges parts; where two name the same state, the later one applies.
func row(columns ...situation) situation {
	all := situation{}
	for _, c := range columns {
		for state, r := range c {
			all[state] = r
		}
	}
	return all
}

// positive is positive evidence that counts at any time: also for a closed
// cancellation, and without any.
var positive = row(
	situation{noCancellation: openAsHand},
	in(underWay, confirm),
	in(closed, confirmLate),
	situation{models.Confirmed: alreadyKnown},
)

// unidentified is positive evidence that anybody could have posted. It moves nothing;
// an inquiry decides. Of a cancellation of which no byte left it is a contradiction
// in any case.
var unidentified = row(
	in(every, Ruling{Ask: models.ConflictUnidentified}),
	in([]models.State{models.Requested, models.Expired, models.Withdrawn},
		Ruling{Conflict: models.ConflictUnidentified, Ask: models.ConflictUnidentified}),
	situation{models.Confirmed: alreadyKnown},
)

// negative is a refusal of the attempt under way.
var negative = row(
	in(every, nothing(WhyOld)),
	situation{
		models.Sending: reject, models.Accepted: reject, models.Unknown: reject,
		models.Confirmed: raised(models.ConflictReportedRejected),
	},
)

// charged is evidence that the sale is not canceled: it can only resolve a doubt,
// and conflicts with a confirmed cancellation.
func charged(unknown, confirmed Ruling) situation {
	return row(in(every, nothing(WhyNoDoubt)), situation{models.Unknown: unknown, models.Confirmed: confirmed})
}

// rulings is the table: evidence × state → a move, a conflict, or nothing. Only this
// table decides the effect of evidence.
var rulings = map[Claim]situation{
	// With the ticket, a person may confirm any cancellation; it is no conflict.
	PersonCanceled: row(in(underWay, confirm), in(closed, confirm),
		situation{models.Confirmed: alreadyKnown, noCancellation: nothing(WhyNoDoubt)}),
	PersonCharged: row(charged(notCanceled, nothing(WhyNoDoubt)), situation{models.NotCanceled: alreadyKnown}),

	TerminalCanceled:         positive,
	TerminalUnidentified:     unidentified,
	TerminalRefusedCurrent:   negative,
	TerminalRefusedEarlier:   in(every, nothing(WhyOld)),
	TerminalRefusedNoAttempt: in(every, nothing(WhyNoAttempt)),
	TerminalSilent:           in(every, nothing(WhySilent)),
	OtherTerminal:            in(every, raised(models.ConflictTerminalDiffers)),
	OtherOrder:               in(every, raised(models.ConflictOrderDiffers)),
	OtherAmount:              in(every, raised(models.ConflictAmountDiffers)),

	InquiryCanceled:        positive,
	InquiryUnasked:         unidentified,
	InquiryCharged:         charged(notCanceled, raised(models.ConflictStillCharged)),
	InquiryChargedTooEarly: charged(nothing(WhyTooEarly), raised(models.ConflictStillCharged)),
	InquiryChargedNotAsked: charged(nothing(WhyNotAsked), raised(models.ConflictStillCharged)),
	InquiryDiffers:         in(every, nothing(WhyDiffers)),

	ReportCanceled: positive,
	ReportCharged:  charged(notCanceled, raised(models.ConflictReportCharged)),
	// What ended by a report stays as it ended when somebody discards it: they say nothing
	// of the sale. It is looked into by another person.
	ReportDiscarded: row(in(every, nothing(WhyNoDoubt)),
		in([]models.State{models.Confirmed, models.NotCanceled}, raised(models.ConflictReportDiscarded))),

	// The response to our own call has no effect once the state has moved on.
	ServiceRefusedCurrent: row(in(every, nothing(WhyOld)), situation{models.Sending: reject, models.Unknown: reject}),
	ServiceRefusedEarlier: in(every, nothing(WhyOld)),

	// Where the state says that it was sent, or the terminal has answered this very
	// push, late bytes contradict nothing.
	ServiceGotItLate: row(
		in(every, alreadyKnown),
		in([]models.State{models.Requested, models.Expired, models.Withdrawn, models.NotCanceled},
			Ruling{Conflict: models.ConflictSentLate, Quiet: true}),
		situation{models.Unknown: {Quiet: true}, noCancellation: nothing(WhyNoDoubt)},
	),
}

// Rule returns the effect of a claim in a state; "" is the state of a sale without a
// cancellation.
func Rule(claim Claim, s models.State) Ruling {
	if r, ok := rulings[claim][s]; ok {
		return r
	}
	return nothing(WhyNoEvidence)
}
