package verify_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

func TestOnlyADoubtIsVerified(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	notOpen := &models.Error{Kind: models.KindConflict, Code: "error.notOpen"}
	for _, state := range modelstest.EveryState {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(state)
			o.Queue.Take(t)
			err := o.Cancellations.AskToVerify(t.Context(), o.Manager, c.ID)
			asked := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
			if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil || wait != 0 {
				t.Errorf("Inquire(%s case) = %s, %v, want 0", state, wait, err)
			}
			orders := o.Inquiries.Orders()
			if state != models.Unknown {
				if !modelstest.IsError(err, notOpen) || len(asked) != 0 || len(orders) != 0 {
					t.Errorf("AskToVerify(%s case) = %v, %d tasks, %d inquiries; want %v, none", state, err, len(asked), len(orders), notOpen)
				}
				return
			}
			if err != nil || len(asked) != 1 || !asked[0].Once || len(orders) != 1 {
				t.Fatalf("AskToVerify() = %v, tasks %+v, %d inquiries; want one of each", err, asked, len(orders))
			}
			if got := orders[0]; got.OrderID != sale.OrderID || got.SerialNumber != sale.SerialNumber || got.MerchantID != sale.MerchantID ||
				!got.OmitReceipt {
				t.Errorf("inquiry = %+v, want that of sale %+v, without paper", got, sale)
			}
			if got := o.Cancellation(c.ID); got.Version != c.Version {
				t.Errorf("an inquiry moved the case to %s", got.State)
			}
			o.CheckInvariants(t)
		})
	}
}

// A doubt is inquired about by itself at 30 s, 1, 2, 4 and 8 minutes and 5 s after the
// quiet time of 180 s, each time in the trail; then it waits for a person.
func TestADoubtIsVerifiedByItself(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Queue.Take(t)
	_, c := o.StateOf(models.Unknown)
	var waits []time.Duration
	due := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
	for len(due) == 1 {
		waits = append(waits, due[0].After)
		o.Clock.Advance(due[0].After)
		if wait, err := o.Cancellations.Inquire(t.Context(), c.ID, due[0].Attempt); err != nil || wait != 0 {
			t.Fatalf("Inquire(try %d) = %s, %v, want 0", due[0].Attempt, wait, err)
		}
		due = modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID)
	}
	want := []time.Duration{30 * time.Second, 30 * time.Second, time.Minute, 65 * time.Second, 55 * time.Second, 4 * time.Minute}
	if !slices.Equal(waits, want) || len(due) != 0 {
		t.Errorf("waits before the inquiries = %v, then %d more; want %v, none", waits, len(due), want)
	}
	if n := len(o.Inquiries.Orders()); n != len(want) {
		t.Errorf("%d inquiries were sent, want %d", n, len(want))
	}
	entries := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'inquiry.sent' AND cancellation_id = $1 AND actor_role = 'system'`, c.ID)
	if entries != len(want) {
		t.Errorf("the trail holds %d inquiries, want %d", entries, len(want))
	}
}

// TestPendingReversalIsAskedAgain: a pending reversal clears with the terminal's
// next transaction: the inquiry is repeated when one arrives.
func TestPendingReversalIsAskedAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	p := modelstest.InquiryPost(sale, models.StandingReversalPending)
	o.Post(p)
	o.Queue.Take(t)
	o.Post(o.SalePost(sale.SerialNumber, 5000))
	if due := modelstest.Tasks(o.Queue.Take(t), models.TaskInquire, c.ID); len(due) != 1 || due[0].After != 0 {
		t.Errorf("after the terminal's next sale the tasks are %+v, want one inquiry at once", due)
	}
}

// TestTheAnswerToAnEarlyQuestionSettlesNothing: the reply to an inquiry that was
// sent too early resolves nothing, even when another has been sent since.
func TestTheAnswerToAnEarlyQuestionSettlesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, c := o.StateOf(models.Unknown)
	for _, after := range []time.Duration{0, o.Config.Waits.Quiet} {
		o.Clock.Advance(after)
		if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
			t.Fatalf("Inquire() = %v", err)
		}
	}
	asked := o.Inquiries.Orders()
	if len(asked) != 2 {
		t.Fatalf("%d inquiries were sent, want 2", len(asked))
	}
	for i, want := range []models.State{models.Unknown, models.NotCanceled} {
		answer := modelstest.InquiryPost(sale, models.StandingCharged)
		answer.AttemptKey = asked[i].Key.Hash()
		o.Post(answer)
		if got := o.Cancellation(c.ID).State; got != want {
			t.Errorf("after the answer to inquiry %d the case is %s, want %s", i+1, got, want)
		}
	}
}

// An inquiry of which nothing will come is in the trail, and frees its terminal.
func TestAnInquiryThatDidNotReachTheTerminal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	o.Clock.Advance(o.Config.Waits.Quiet)
	o.Inquiries.Then(models.Reply{Meaning: models.MeaningRefused, Detail: models.DetailTerminalNotFound, HTTPStatus: 200, Code: "19"})
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Fatalf("Inquire() = %v", err)
	}
	recorded := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'inquiry.sent' AND outcome = 'failure'
		AND cancellation_id = $1 AND after->>'detail' = 'terminalNotFound'`, c.ID)
	if recorded != 1 {
		t.Errorf("the trail has it %d times, want once", recorded)
	}
	if wait := o.Dispatch(o.Request(o.Sale(700)).ID); wait != 0 {
		t.Errorf("Dispatch() after it waits %s, want 0", wait)
	}
}

func TestAnInquiryWaitsForAnotherPush(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, doubt := o.StateOf(models.Unknown)
	o.Clock.Advance(200 * time.Second)
	sale, other := o.StateOf(models.Accepted)
	if wait, err := o.Cancellations.Inquire(t.Context(), doubt.ID, 0); err != nil || wait != 5*time.Second || len(o.Inquiries.Orders()) != 0 {
		t.Errorf("Inquire() while another result is awaited = %s, %v, %d sent; want 5s, none", wait, err, len(o.Inquiries.Orders()))
	}
	o.Post(modelstest.CancelPost(sale, modelstest.CurrentKey(o, other)))
	if wait, err := o.Cancellations.Inquire(t.Context(), doubt.ID, 0); err != nil || wait != 0 || len(o.Inquiries.Orders()) != 1 {
		t.Errorf("Inquire() after it = %s, %v, %d sent; want 0, one", wait, err, len(o.Inquiries.Orders()))
	}
}

func TestWithoutInquiries(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Inquiries = nil })
	_, c := o.StateOf(models.Unknown)
	want := &models.Error{Kind: models.KindConflict, Code: "error.notConfigured"}
	if err := o.Cancellations.AskToVerify(t.Context(), o.Manager, c.ID); !modelstest.IsError(err, want) || o.Cancellations.CanInquire() {
		t.Errorf("AskToVerify() = %v, CanInquire() = %t, want %v, false", err, o.Cancellations.CanInquire(), want)
	}
	if _, err := o.Cancellations.Inquire(t.Context(), c.ID, 0); err != nil {
		t.Errorf("Inquire() of a forgotten task = %v, want nil", err)
	}
}

func TestADoubtIsSettledByEvidence(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	notUnknown := &models.Error{Kind: models.KindConflict, Code: "error.notUnknown"}
	for _, state := range modelstest.EveryState {
		for _, to := range []models.State{models.Confirmed, models.NotCanceled} {
			t.Run(string(state)+" as "+string(to), func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				_, c := o.StateOf(state)
				e := cancellations.Resolution{Outcome: to, AuthCode: " 778899 "}
				err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, e)
				want := state
				switch {
				case state == models.Unknown, to == models.Confirmed:
					// A doubt ends either way; a printed ticket counts at any time.
					want = to
					if err != nil {
						t.Errorf("Settle(%s) of a %s case = %v, want nil", to, state, err)
					}
				case state == to:
					if err != nil {
						t.Errorf("Settle(%s) again = %v, want nil", to, err)
					}
				default:
					if !modelstest.IsError(err, notUnknown) {
						t.Errorf("Settle(%s) of a %s case = %v, want %v", to, state, err, notUnknown)
					}
				}
				if got := o.Cancellation(c.ID).State; got != want {
					t.Errorf("Settle(%s) of a %s case left it %s, want %s", to, state, got, want)
				}
				o.CheckInvariants(t)
			})
		}
	}
}

// TestNotCanceledOutlivesAWithdrawal: a supervisor's statement that a sale is not
// canceled remains valid after a request that was made later and withdrawn.
func TestNotCanceledOutlivesAWithdrawal(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, _ := o.StateOf(models.NotCanceled)
	request := cancellations.CancelRequest{SaleID: sale.ID, Reason: "wrongAmount", Click: "again"}
	c, err := o.Cancellations.Request(t.Context(), o.Supervisor, request)
	if err != nil {
		t.Fatalf("Request by a supervisor = %v, want nil", err)
	}
	if _, err := o.Cancellations.Withdraw(t.Context(), o.Supervisor, c.ID); err != nil {
		t.Fatalf("Withdraw = %v, want nil", err)
	}
	if got := o.SaleDetail(sale.ID).Sale.State; got != models.SaleNotCanceled {
		t.Errorf("after the withdrawal the sale is %s, want notCanceled", got)
	}
	request.Click = "manager"
	want := &models.Error{Kind: models.KindForbidden, Code: "error.needsSupervisor"}
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, request); !modelstest.IsError(err, want) {
		t.Errorf("Request by the manager = %v, want %v", err, want)
	}
}

// TestASalesOwnNumbersProveNoCancellation: a doubt is not settled with the sale's own
// authorization, folio or order number, however they are typed and whichever door told
// them. The folio may stand beside a new authorization, because terminals repeat it.
func TestASalesOwnNumbersProveNoCancellation(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET auth_code = '035587', folio = 'F-0042' WHERE id = $1`, c.SaleID)
	modelstest.Exec(t, o.Owner, `INSERT INTO sale_facts (sale_id, fact, source, recorded_by, value, filled, told_at)
		VALUES ($1, 'authCode', 'import', 'Banco', 'X9Y8Z7', false, $2)`, c.SaleID, o.Clock.Now())
	order := o.SaleDetail(c.SaleID).Sale.OrderID
	tests := []struct {
		fact  string
		e     cancellations.Resolution
		field string
		code  string
	}{
		{"its authorization", cancellations.Resolution{AuthCode: "035587"}, "authCode", "authCode"},
		{"it without the zero that a spreadsheet drops", cancellations.Resolution{AuthCode: " 35587 "}, "authCode", "authCode"},
		{"the one that the bank's file has", cancellations.Resolution{AuthCode: "x9y8z7", Folio: "77"}, "authCode", "authCode"},
		{"its authorization as the folio", cancellations.Resolution{AuthCode: "778899", Folio: "035587"}, "folio", "authCode"},
		{"its folio alone", cancellations.Resolution{Folio: "f 0042"}, "folio", "folio"},
		{"its order number", cancellations.Resolution{Folio: order}, "folio", "orderId"},
	}
	for _, tt := range tests {
		for _, outcome := range []models.State{models.Confirmed, models.NotCanceled} {
			tt.e.Outcome = outcome
			err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, tt.e)
			if want := models.Invalid(tt.field, "resolution.ofSale."+tt.code); !modelstest.IsError(err, want) {
				t.Errorf("Resolve(%+v) with %s = %v, want %v", tt.e, tt.fact, err, want)
			}
		}
	}
	if got := o.Cancellation(c.ID).State; got != models.Unknown {
		t.Errorf("after the refusals the cancellation is %s, want unknown", got)
	}
	e := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "778899", Folio: "F-0042"}
	if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, e); err != nil {
		t.Errorf("Resolve(%+v), the sale's folio beside a new authorization = %v, want nil", e, err)
	}
}

func TestWhatASettlementNeeds(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	evidence := models.Invalid("note", "resolution.evidence")
	tests := []struct {
		fact string
		e    cancellations.Resolution
		want *models.Error
	}{
		{"an outcome", cancellations.Resolution{AuthCode: "1"}, models.Invalid("outcome", "resolution.outcome")},
		{
			"an outcome that there is",
			cancellations.Resolution{Outcome: models.Rejected, AuthCode: "1"},
			models.Invalid("outcome", "resolution.outcome"),
		},
		{"evidence", cancellations.Resolution{Outcome: models.NotCanceled}, evidence},
		{"more than spaces", cancellations.Resolution{Outcome: models.NotCanceled, AuthCode: "  ", Note: strings.Repeat(" ", 20)}, evidence},
		{"more than a word", cancellations.Resolution{Outcome: models.NotCanceled, Note: "lo vi"}, evidence},
		{
			"the ticket, to say that it is canceled",
			cancellations.Resolution{Outcome: models.Confirmed, Note: "vi el comprobante"},
			models.Invalid("authCode", "resolution.noTicket"),
		},
		{
			"a note of 500 characters at most",
			cancellations.Resolution{Outcome: models.Confirmed, Note: strings.Repeat("ñ", 501)},
			models.Invalid("note", "field.tooLong"),
		},
		{
			"a code of 40 at most",
			cancellations.Resolution{Outcome: models.Confirmed, AuthCode: strings.Repeat("1", 41)},
			models.Invalid("authCode", "field.tooLong"),
		},
		{"a storable folio", cancellations.Resolution{Outcome: models.Confirmed, Folio: "a\x00"}, models.Invalid("folio", "field.invalidText")},
		{
			"a storable note",
			cancellations.Resolution{Outcome: models.Confirmed, Note: "0123456789\xff"},
			models.Invalid("note", "field.invalidText"),
		},
	}
	for _, tt := range tests {
		err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, tt.e)
		var got *models.Error
		if !errors.As(err, &got) || *got != *tt.want {
			t.Errorf("a settlement needs %s: Settle() = %v, want %v", tt.fact, err, tt.want)
		}
	}
	if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID,
		cancellations.Resolution{Outcome: models.Confirmed, Folio: "77", Note: "ticket en mano"}); err != nil {
		t.Fatalf("Settle() = %v", err)
	}
	entries := o.SaleDetail(c.SaleID).Entries
	if got, want := entries[len(entries)-1].Reason, "folio 77 · note ticket en mano"; got != want {
		t.Errorf("the trail's reason = %q, want %q", got, want)
	}
}
