package evidence

import (
	"time"

	"veinte/models"
)

// Evidence is a statement about a cancellation: the sale is canceled, still charged,
// or the attempt was refused. The effect is decided in table.go; STATES.md
// is the specification of both.
type Evidence struct {
	Source  EvidenceSource
	Says    Says
	By      models.Actor
	Attempt int           // the attempt that it is about; 0 when it names none
	Detail  models.Detail // written with the move that it leads to
	Words   string        // what the trail stores of it
	// The facts of the sale that it states. They are compared where present: in
	// results every field is optional. A result proves that the sale is canceled only
	// if it states all three.
	SerialNumber string
	OrderID      string
	Amount       *models.Money
	// For the answer to an inquiry: when it arrived, and when the inquiry was sent
	// that it answers; zero: nobody asked.
	CameAt  time.Time
	AskedAt time.Time
}

// EvidenceSource is where the evidence comes from.
type EvidenceSource string

// The sources of evidence.
const (
	OfPerson   EvidenceSource = "person"   // with the ticket, or after checking
	OfTerminal EvidenceSource = "terminal" // a cancellation's result
	OfInquiry  EvidenceSource = "inquiry"  // the answer to an inquiry, or what looks like one
	OfReport   EvidenceSource = "report"   // the provider's report, as a person confirmed it
	OfService  EvidenceSource = "service"  // the response to our own call
)

// Says is what the evidence states.
type Says string

// What evidence can state.
const (
	SaysCanceled Says = "canceled"
	SaysCharged  Says = "charged"
	SaysRefused  Says = "refused" // this attempt did not cancel it
	SaysLate     Says = "late"    // bytes of this attempt may have left after its deadline
	SaysTaken    Says = "taken"   // the report that stated an outcome is discarded
	SaysNothing  Says = ""        // it does not state an outcome
)

// PersonSaw is the evidence of a person who has checked: the sale is canceled, or it
// is still charged.
func PersonSaw(by models.Actor, canceled bool, words string) Evidence {
	if canceled {
		return Evidence{Source: OfPerson, Says: SaysCanceled, By: by, Detail: models.DetailResolvedCanceled, Words: words}
	}
	return Evidence{Source: OfPerson, Says: SaysCharged, By: by, Detail: models.DetailResolvedNotCanceled, Words: words}
}

// TerminalSaid is the evidence of a cancellation's result, or of an operation that
// the terminal's user left, which is a negative result. Attempt is the number of the
// attempt that identifies it: whose id it contained, or see Held.OnlyAttempt; 0 for
// none.
func TerminalSaid(by models.Actor, r *models.Result, attempt int) Evidence {
	e := Evidence{
		Source: OfTerminal, Says: SaysRefused, By: by, Attempt: attempt, Detail: models.DetailDeclined,
		Words: "responseCode " + models.Truncate(r.ResponseCode, 10), SerialNumber: r.SerialNumber, OrderID: r.OrderID,
	}
	if r.Kind == models.ResultAbandoned {
		e.Detail = models.DetailAbandoned
		return e
	}
	e.Amount = r.Amount
	if r.Approved() {
		e.Says, e.Detail, e.Words = SaysCanceled, models.DetailTerminalConfirmed, ticket(r)
		return e
	}
	if r.ResponseCode == "" {
		e.Says = SaysNothing
	}
	if e.Amount != nil && *e.Amount == 0 {
		e.Amount = nil // refusals carry "0.00": nothing was charged or canceled
	}
	return e
}

// ticket is what the trail stores of a positive result.
func ticket(r *models.Result) string {
	if r.AuthCode == "" {
		return ""
	}
	return "authCode " + r.AuthCode
}

// InquiryAnswered is the evidence of a terminal's post with the state of the sale.
// AskedAt is when the inquiry that it answers was sent; zero: nobody asked.
func InquiryAnswered(by models.Actor, r *models.Result, askedAt time.Time) Evidence {
	e := Evidence{
		Source: OfInquiry, By: by, SerialNumber: r.SerialNumber, OrderID: r.OrderID, Amount: r.Amount,
		CameAt: r.ReceivedAt, AskedAt: askedAt,
	}
	switch r.Standing {
	case models.StandingCanceled:
		e.Says, e.Detail, e.Words = SaysCanceled, models.DetailInquiryCanceled, ticket(r)
	case models.StandingCharged:
		e.Says, e.Detail = SaysCharged, models.DetailInquiryCharged
	}
	return e
}

// ReportSays is the evidence of a line of a provider's report that a person
// confirmed.
func ReportSays(by models.Actor, canceled bool, line string) Evidence {
	if canceled {
		return Evidence{Source: OfReport, Says: SaysCanceled, By: by, Detail: models.DetailReconciledCanceled, Words: line}
	}
	return Evidence{Source: OfReport, Says: SaysCharged, By: by, Detail: models.DetailReconciledNotCanceled, Words: line}
}

// ReportTaken is the statement of a person that the report by which a cancellation ended
// is wrong. It says nothing of the sale.
func ReportTaken(by models.Actor, words string) Evidence {
	return Evidence{Source: OfReport, Says: SaysTaken, By: by, Words: words}
}

// ServiceRefused is the evidence of the service's refusal of an attempt. It also
// counts when it arrives after the attempt was marked as interrupted.
func ServiceRefused(by models.Actor, attempt int, detail models.Detail) Evidence {
	return Evidence{Source: OfService, Says: SaysRefused, By: by, Attempt: attempt, Detail: detail}
}

// SentLate is the evidence of our own process that bytes of an attempt may have left
// after its deadline: it was frozen in the middle of sending. By then others may have
// concluded that nothing leaves any more.
func SentLate(by models.Actor, attempt int) Evidence {
	return Evidence{Source: OfService, Says: SaysLate, By: by, Attempt: attempt}
}

// Differs returns which fact of the evidence differs from the sale; "" when none
// does.
func (e Evidence) Differs(sale models.Sale) models.Conflict {
	if e.SerialNumber != "" && e.SerialNumber != string(sale.SerialNumber) {
		return models.ConflictTerminalDiffers
	}
	if e.OrderID != "" && e.OrderID != sale.OrderID {
		return models.ConflictOrderDiffers
	}
	if e.Amount != nil && *e.Amount != sale.Amount {
		return models.ConflictAmountDiffers
	}
	return ""
}

// Claim finds the row of the table that applies to the evidence, the sale and its
// cancellation. Quiet is the quiet period in force.
func (e Evidence) Claim(sale models.Sale, c models.Cancellation, quiet time.Duration) Claim {
	switch e.Source {
	case OfPerson:
		return either(e.Says, PersonCanceled, PersonCharged)
	case OfReport:
		if e.Says == SaysTaken {
			return ReportDiscarded
		}
		return either(e.Says, ReportCanceled, ReportCharged)
	case OfService:
		if e.Says == SaysLate {
			return ServiceGotItLate
		}
		if e.Attempt != c.Attempts {
			return ServiceRefusedEarlier
		}
		return ServiceRefusedCurrent
	case OfTerminal:
		return e.terminalClaim(sale, c)
	case OfInquiry:
		return e.inquiryClaim(sale, c, quiet)
	}
	return ""
}

func either(says Says, canceled, charged Claim) Claim {
	switch says {
	case SaysCanceled:
		return canceled
	case SaysCharged:
		return charged
	}
	return ""
}

func (e Evidence) terminalClaim(sale models.Sale, c models.Cancellation) Claim {
	switch e.Differs(sale) {
	case models.ConflictTerminalDiffers:
		return OtherTerminal
	case models.ConflictOrderDiffers:
		return OtherOrder
	case models.ConflictAmountDiffers:
		return OtherAmount
	}
	if e.Says == SaysCanceled {
		if e.identified() {
			return TerminalCanceled
		}
		return TerminalUnidentified
	}
	if e.Attempt == 0 {
		return TerminalRefusedNoAttempt
	}
	if e.Says == SaysNothing {
		return TerminalSilent
	}
	if e.Attempt != c.Attempts {
		return TerminalRefusedEarlier
	}
	return TerminalRefusedCurrent
}

// identified reports whether a positive result says who speaks and of what. Results
// carry no signature: anybody can post the rest.
func (e Evidence) identified() bool {
	return e.Attempt != 0 && e.SerialNumber != "" && e.OrderID != "" && e.Amount != nil
}

func (e Evidence) inquiryClaim(sale models.Sale, c models.Cancellation, quiet time.Duration) Claim {
	if e.Differs(sale) != "" {
		return InquiryDiffers
	}
	if e.Says == SaysCanceled {
		if e.AskedAt.IsZero() {
			return InquiryUnasked
		}
		return InquiryCanceled
	}
	if e.Says != SaysCharged {
		return ""
	}
	var quietEnd time.Time // of a cancellation that was never sent: no wait
	if c.LastPushAt != nil {
		quietEnd = c.QuietEnd(quiet)
	}
	if e.CameAt.Before(quietEnd) {
		return InquiryChargedTooEarly
	}
	if e.AskedAt.IsZero() || e.AskedAt.Before(quietEnd) {
		return InquiryChargedNotAsked
	}
	return InquiryCharged
}
