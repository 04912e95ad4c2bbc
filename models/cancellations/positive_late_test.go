package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// A day later nothing is awaited and every window has closed, and a result still
// counts.
func TestAResultThatComesADayLate(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	const moves = `SELECT count(*) FROM audit_entries WHERE action = 'cancellation.moved' AND cancellation_id = $1 AND after->>'state' = $2`
	late := models.ConflictLatePositive
	for _, tt := range []struct {
		from, overnight, after models.State
		conflict               models.Conflict
	}{
		{models.Accepted, models.Unknown, models.Confirmed, ""},
		{models.Unknown, models.Unknown, models.Confirmed, ""},
		// Nothing was ever sent, so it has no id that could prove anything.
		{models.Requested, models.Expired, models.Expired, models.ConflictUnidentified},
		{models.Rejected, models.Rejected, models.Confirmed, late},
		{models.NotCanceled, models.NotCanceled, models.Confirmed, late},
		{models.Confirmed, models.Confirmed, models.Confirmed, ""},
	} {
		t.Run(string(tt.from), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(tt.from)
			o.Clock.Advance(24 * time.Hour)
			for _, timer := range []func() (time.Duration, error){
				func() (time.Duration, error) { return o.Cancellations.Expire(t.Context(), c.ID) },
				func() (time.Duration, error) {
					return o.Cancellations.EndResultWait(t.Context(), c.ID, o.Cancellation(c.ID).Attempts)
				},
			} {
				if _, err := timer(); err != nil {
					t.Fatal(err)
				}
			}
			if got := o.Cancellation(c.ID).State; got != tt.overnight {
				t.Fatalf("the day after the case is %s, want %s", got, tt.overnight)
			}
			refusal := modelstest.CancelPost(sale, models.NewAttemptKey().Hash())
			declined(&refusal)
			if o.Post(refusal); o.Cancellation(c.ID).State != tt.overnight {
				t.Errorf("a forged refusal makes it %s", o.Cancellation(c.ID).State)
			}
			p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
			for range 3 {
				r := o.Post(p)
				note := "confirmed"
				if p.AttemptKey == "" {
					note = "unidentified"
				}
				modelstest.Equal(t, "outcome", outcomeOf(o, r, c.ID), outcome{r.Status, note, tt.after, tt.conflict})
			}
			if n := modelstest.Count(t, o.Owner, moves, c.ID, tt.after); n != 1 {
				t.Errorf("%d moves to %s, want 1", n, tt.after)
			}
			o.CheckInvariants(t)
		})
	}
}

// The sale itself may arrive a day after its cancellation.
func TestASaleADayAfterItsCancellation(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	early := o.Post(modelstest.CancelPost(&models.Sale{SerialNumber: o.Terminal.SerialNumber, OrderID: p.OrderID, Amount: 125000}, ""))
	o.Clock.Advance(24 * time.Hour)
	o.Post(p)
	// It names no attempt, so the terminal is asked about the sale that it names.
	sale := o.FindSale(p.OrderID)
	if got := o.Result(early.ID); sale.State != models.SaleCancelable || got.Note != cancellations.NoteAsked {
		t.Errorf("the sale is %s, the result %s (%s); want cancelable, asked about", sale.State, got.Status, got.Note)
	}
	o.AnswerInquiry(sale, models.StandingCanceled)
	if got := o.FindSale(p.OrderID).State; got != models.SaleConfirmed || o.Result(early.ID).Status != models.ResultDuplicate {
		t.Errorf("after the answer the sale is %s, the result %s; want confirmed, duplicate", got, o.Result(early.ID).Status)
	}
	o.CheckInvariants(t)
}
