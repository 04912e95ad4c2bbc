package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

func declined(p *models.Post) { p.ResponseCode = "51" }

// abandoned is what a terminal posts when its user leaves the operation.
func abandoned(p *models.Post) {
	p.Kind, p.ResponseCode, p.OrderID, p.Amount = models.ResultAbandoned, "", "", nil
}

func TestANegativeResultCountsOnlyWithTheCurrentAttempt(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	rejects := map[models.State]bool{models.Sending: true, models.Accepted: true, models.Unknown: true}
	for _, state := range modelstest.EveryState {
		for fact, change := range map[string]func(*models.Post){"declined": declined, "abandoned": abandoned} {
			t.Run(string(state)+" "+fact, func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				sale, c := o.StateOf(state)
				key := modelstest.CurrentKey(o, c)

				without := modelstest.CancelPost(sale, "")
				change(&without)
				if r := o.Post(without); r.Status != models.ResultIgnored || o.Cancellation(c.ID).State != state {
					t.Errorf("without attempt: %s (%s), case %s; want ignored, %s", r.Status, r.Note, o.Cancellation(c.ID).State, state)
				}
				forged := modelstest.CancelPost(sale, models.NewAttemptKey().Hash())
				change(&forged)
				if o.Post(forged); o.Cancellation(c.ID).State != state {
					t.Errorf("forged attempt: case %s, want %s", o.Cancellation(c.ID).State, state)
				}
				if key == "" {
					return
				}
				current := modelstest.CancelPost(sale, key)
				change(&current)
				want := outcome{models.ResultIgnored, "oldNegative", state, ""}
				if rejects[state] {
					want = outcome{models.ResultApplied, "rejected", models.Rejected, ""}
				} else if state == models.Confirmed {
					want = outcome{models.ResultConflict, "reportedRejected", models.Confirmed, models.ConflictReportedRejected}
				}
				modelstest.Equal(t, "with the current attempt", outcomeOf(o, o.Post(current), c.ID), want)
				o.CheckInvariants(t)
			})
		}
	}
}

func TestANegativeOfAnOldAttemptChangesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	c := o.Request(sale)
	o.API.Then(modelstest.NotDialed, modelstest.TimedOut)
	o.Dispatch(c.ID)
	old := o.LastOrder().Key.Hash()
	p := modelstest.CancelPost(sale, old)
	declined(&p)
	modelstest.Equal(t, "while requested again", outcomeOf(o, o.Post(p), c.ID),
		outcome{models.ResultIgnored, "oldNegative", models.Requested, ""})
	o.Dispatch(c.ID)
	modelstest.Equal(t, "while the second attempt is in doubt", outcomeOf(o, o.Post(p), c.ID),
		outcome{models.ResultIgnored, "oldNegative", models.Unknown, ""})
	p = modelstest.CancelPost(sale, old)
	modelstest.Equal(t, "an old positive", outcomeOf(o, o.Post(p), c.ID), outcome{models.ResultApplied, "confirmed", models.Confirmed, ""})
	p = modelstest.CancelPost(sale, old)
	declined(&p)
	modelstest.Equal(t, "an old negative while confirmed", outcomeOf(o, o.Post(p), c.ID),
		outcome{models.ResultIgnored, "oldNegative", models.Confirmed, ""})
	o.CheckInvariants(t)
}

func TestAResultThatDoesNotSayHowItEndedIsNoNegative(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range []models.State{models.Sending, models.Accepted, models.Unknown, models.Confirmed} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(state)
			p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
			p.ResponseCode = ""
			modelstest.Equal(t, "outcome", outcomeOf(o, o.Post(p), c.ID), outcome{models.ResultIgnored, "noResponseCode", state, ""})
			o.CheckInvariants(t)
		})
	}
}

func TestANegativeOfAClosedCaseLeavesItsSuccessorAlone(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, first := o.StateOf(models.Rejected)
	second := o.Request(sale)
	o.Dispatch(second.ID)
	p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, first))
	declined(&p)
	o.Post(p)
	modelstest.Equal(t, "states", []models.State{o.Cancellation(first.ID).State, o.Cancellation(second.ID).State},
		[]models.State{models.Rejected, models.Accepted})
	o.CheckInvariants(t)
}

func TestInquiries(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	const quiet = 180 * time.Second
	applied, ignored, conflict := models.ResultApplied, models.ResultIgnored, models.ResultConflict
	tests := []struct {
		fact     string
		from     models.State
		standing models.SaleStanding
		after    time.Duration
		want     outcome
	}{
		{"charged before the quiet time", models.Unknown, "C", quiet - time.Millisecond, outcome{ignored, "tooEarly", models.Unknown, ""}},
		{"charged after the quiet time", models.Unknown, "C", quiet, outcome{applied, "notCanceled", models.NotCanceled, ""}},
		{"charged while a result may come", models.Accepted, "C", quiet, outcome{ignored, "charged", models.Accepted, ""}},
		{"charged while sending", models.Sending, "C", quiet, outcome{ignored, "charged", models.Sending, ""}},
		{"charged while requested", models.Requested, "C", quiet, outcome{ignored, "charged", models.Requested, ""}},
		{"charged after a refusal", models.Rejected, "C", quiet, outcome{ignored, "charged", models.Rejected, ""}},
		{"charged although confirmed", models.Confirmed, "C", quiet, outcome{
			conflict, "stillCharged", models.Confirmed,
			models.ConflictStillCharged,
		}},
		{"canceled, in doubt", models.Unknown, "V", 0, outcome{applied, "confirmed", models.Confirmed, ""}},
		{"canceled while waiting, which nobody asked", models.Accepted, "V", 0, outcome{ignored, "asked", models.Accepted, ""}},
		{"canceled after a refusal, which nobody asked", models.Rejected, "V", 0, outcome{ignored, "asked", models.Rejected, ""}},
		{"canceled, known", models.Confirmed, "V", 0, outcome{models.ResultDuplicate, "confirmed", models.Confirmed, ""}},
		{"reversed: for a supervisor", models.Unknown, "RV", quiet, outcome{conflict, "standingRV", models.Unknown, ""}},
		{"reversal pending: ask again later", models.Unknown, "PRV", quiet, outcome{ignored, "reversalPending", models.Unknown, ""}},
		{"declined: for a supervisor", models.Unknown, "D", quiet, outcome{conflict, "standingD", models.Unknown, ""}},
		{"a standing that nobody knows", models.Unknown, "X", quiet, outcome{models.ResultUnmatched, "unknownStanding", models.Unknown, ""}},
		{"no standing", models.Unknown, "", quiet, outcome{models.ResultUnmatched, "unknownStanding", models.Unknown, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(tt.from)
			o.Clock.Advance(tt.after)
			p := modelstest.InquiryPost(sale, tt.standing)
			p.ResponseCode = "99" // means nothing in an inquiry
			if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
				t.Fatalf("Inquire() = %v", err)
			}
			if asked := o.Inquiries.Orders(); len(asked) > 0 {
				p.AttemptKey = asked[0].Key.Hash()
			}
			modelstest.Equal(t, "outcome", outcomeOf(o, o.Post(p), c.ID), tt.want)
			o.CheckInvariants(t)
		})
	}
}

func TestAnInquiryOfASaleWithoutACase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	if r := o.Post(modelstest.InquiryPost(sale, models.StandingCharged)); r.Status != models.ResultIgnored {
		t.Errorf("charged: %s (%s), want ignored", r.Status, r.Note)
	}
	other := modelstest.InquiryPost(sale, models.StandingCanceled)
	*other.Amount++
	if r := o.Post(other); r.Status != models.ResultConflict || o.FindSale(sale.OrderID).State != models.SaleCancelable {
		t.Errorf("canceled with another amount: %s (%s), sale %s; want conflict, cancelable", r.Status, r.Note, o.FindSale(sale.OrderID).State)
	}
	if r := o.Post(modelstest.InquiryPost(sale, models.StandingCanceled)); r.Note != "asked" ||
		o.FindSale(sale.OrderID).State != models.SaleCancelable {
		t.Errorf("canceled, and nobody asked: %s (%s), sale %s; want asked, cancelable", r.Status, r.Note, o.FindSale(sale.OrderID).State)
	}
	o.AnswerInquiry(sale, models.StandingCanceled)
	if got := o.FindSale(sale.OrderID).State; got != models.SaleConfirmed {
		t.Errorf("canceled: sale is %s, want confirmed", got)
	}
	o.CheckInvariants(t)
}

func TestANegativeOverACancellationOnTheDevice(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(5000)
	o.CancelByHand(sale)
	p := modelstest.CancelPost(sale, "")
	declined(&p)
	want := outcome{models.ResultIgnored, "negativeWithoutAttempt", models.Confirmed, models.ConflictWithoutCancellation}
	modelstest.Equal(t, "outcome", outcomeOf(o, o.Post(p), o.SaleDetail(sale.ID).Latest().ID), want)
}
