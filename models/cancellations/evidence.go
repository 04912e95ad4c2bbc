package cancellations

import (
	"time"

	"veinte/models"
)

// Evidence is what somebody or something says of a cancellation: whether the sale
// is canceled, still charged, or the attempt was refused. What it does is ruled in
// evidence_table.go; STATES.md is the specification of both.
type Evidence struct {
	Source  EvidenceSource
	Says    Says
	By      models.Actor
	Attempt int           // of the attempt that it is about; 0: it names none
	Detail  models.Detail // written with the move that it leads to
	Words   string        // what the trail keeps of it
	// What it names of the sale. It is compared where it is there: in results every
	// field is optional.
	SerialNumber string
	OrderID      string
	Amount       *models.Money
	// Of an inquiry's answer: when it came, and when the last inquiry was sent that
	// it can be the answer to; zero: there is none.
	CameAt  time.Time
	AskedAt time.Time
}

// EvidenceSource is who says it.
type EvidenceSource string

// The sources of evidence.
const (
	OfPerson   EvidenceSource = "person"   // with the ticket in the hand, or having looked
	OfTerminal EvidenceSource = "terminal" // a cancellation's result
	OfInquiry  EvidenceSource = "inquiry"  // the answer to one, or what looks like it
	OfReport   EvidenceSource = "report"   // the provider's, as a person confirmed it
	OfService  EvidenceSource = "service"  // the answer to our own call
)

// Says is what the evidence says.
type Says string

// What evidence can say.
const (
	SaysCanceled Says = "canceled"
	SaysCharged  Says = "charged"
	SaysRefused  Says = "refused" // this attempt did not cancel it
	SaysNothing  Says = ""        // not how it ended
)

// PersonSaw is the word of a person who has looked: the sale is canceled, or it is
// still charged.
func PersonSaw(by models.Actor, canceled bool, words string) Evidence {
	if canceled {
		return Evidence{Source: OfPerson, Says: SaysCanceled, By: by, Detail: models.DetailResolvedCanceled, Words: words}
	}
	return Evidence{Source: OfPerson, Says: SaysCharged, By: by, Detail: models.DetailResolvedNotCanceled, Words: words}
}

// TerminalSaid is a cancellation's result, or an operation that the terminal's user
// left: the same thing with a negative end. Attempt is the number of the attempt
// whose id it carried; 0 when it carried none.
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
	switch {
	case r.Approved():
		e.Says, e.Detail, e.Words = SaysCanceled, models.DetailTerminalConfirmed, ticket(r)
	case r.ResponseCode == "":
		e.Says = SaysNothing
	}
	return e
}

// ticket is what the trail keeps of a positive result.
func ticket(r *models.Result) string {
	if r.AuthCode == "" {
		return ""
	}
	return "authCode " + r.AuthCode
}

// InquiryAnswered is a terminal's post of how it stands with the sale. AskedAt is
// when the inquiry was sent that it answers; zero: none was.
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

// ReportSays is a provider's report, whose line a person has seen and confirmed.
func ReportSays(by models.Actor, canceled bool, line string) Evidence {
	if canceled {
		return Evidence{Source: OfReport, Says: SaysCanceled, By: by, Detail: models.DetailReconciledCanceled, Words: line}
	}
	return Evidence{Source: OfReport, Says: SaysCharged, By: by, Detail: models.DetailReconciledNotCanceled, Words: line}
}

// ServiceRefused is the service's no to an attempt. It counts also when it comes
// so late that the attempt was taken for interrupted.
func ServiceRefused(by models.Actor, attempt int, detail models.Detail) Evidence {
	return Evidence{Source: OfService, Says: SaysRefused, By: by, Attempt: attempt, Detail: detail}
}

// Differs names what the evidence says otherwise than the sale has it; "" when
// nothing.
func (e Evidence) Differs(sale models.Sale) models.Conflict {
	switch {
	case e.SerialNumber != "" && e.SerialNumber != string(sale.SerialNumber):
		return models.ConflictTerminalDiffers
	case e.OrderID != "" && e.OrderID != sale.OrderID:
		return models.ConflictOrderDiffers
	case e.Amount != nil && *e.Amount != sale.Amount:
		return models.ConflictAmountDiffers
	}
	return ""
}

// Claim finds the row of the table: what the evidence comes to for this sale and
// its cancellation. Quiet is the quiet time in force.
func (e Evidence) Claim(sale models.Sale, c models.Cancellation, quiet time.Duration) Claim {
	switch e.Source {
	case OfPerson:
		return either(e.Says, PersonCanceled, PersonCharged)
	case OfReport:
		return either(e.Says, ReportCanceled, ReportCharged)
	case OfService:
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
	switch {
	case e.Says == SaysCanceled:
		return TerminalCanceled
	case e.Attempt == 0:
		return TerminalRefusedNoAttempt
	case e.Says == SaysNothing:
		return TerminalSilent
	case e.Attempt != c.Attempts:
		return TerminalRefusedEarlier
	}
	return TerminalRefusedCurrent
}

func (e Evidence) inquiryClaim(sale models.Sale, c models.Cancellation, quiet time.Duration) Claim {
	switch {
	case e.Differs(sale) != "":
		return InquiryDiffers
	case e.Says == SaysCanceled:
		return InquiryCanceled
	case e.Says != SaysCharged:
		return ""
	}
	var quietEnd time.Time // of a case that was never sent, at once
	if c.LastPushAt != nil {
		quietEnd = c.QuietEnd(quiet)
	}
	switch {
	case e.CameAt.Before(quietEnd):
		return InquiryChargedTooEarly
	case e.AskedAt.IsZero() || e.AskedAt.Before(quietEnd):
		return InquiryChargedNotAsked
	}
	return InquiryCharged
}
