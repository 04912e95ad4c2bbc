package cancellations_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// outcome is the state of a post and of its cancellation afterwards.
type outcome struct {
	Status   models.ResultStatus
	Note     string
	State    models.State
	Conflict models.Conflict
}

func outcomeOf(o *modelstest.Office, r models.Result, id int64) outcome {
	c := o.Cancellation(id)
	return outcome{r.Status, r.Note, c.State, c.Conflict}
}

func TestAPositiveResultOverEveryState(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	late := models.ConflictLatePositive
	tests := map[models.State]outcome{
		models.Requested:   {models.ResultApplied, "confirmed", models.Confirmed, ""},
		models.Withdrawn:   {models.ResultApplied, "confirmed", models.Confirmed, late},
		models.Expired:     {models.ResultApplied, "confirmed", models.Confirmed, late},
		models.Sending:     {models.ResultApplied, "confirmed", models.Confirmed, ""},
		models.Accepted:    {models.ResultApplied, "confirmed", models.Confirmed, ""},
		models.Rejected:    {models.ResultApplied, "confirmed", models.Confirmed, late},
		models.Unknown:     {models.ResultApplied, "confirmed", models.Confirmed, ""},
		models.Confirmed:   {models.ResultDuplicate, "confirmed", models.Confirmed, ""},
		models.NotCanceled: {models.ResultApplied, "confirmed", models.Confirmed, late},
	}
	ways := map[string]func(*models.Post){
		"with its attempt":    func(*models.Post) {},
		"at its own address":  func(p *models.Post) { p.AttemptKey, p.Folio, p.OwnAddress = "", "", true },
		"with both":           func(p *models.Post) { p.OwnAddress = true },
		"with another folio":  func(p *models.Post) { p.Folio = "another" },
		"with another office": func(p *models.Post) { p.MerchantID = "another" },
	}
	for _, state := range modelstest.EveryState {
		for way, change := range ways {
			t.Run(string(state)+" "+way, func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				sale, c := o.StateOf(state)
				p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
				if p.AttemptKey == "" {
					return // never sent: no positive of it is proof
				}
				o.Clock.Advance(time.Second)
				change(&p)
				modelstest.Equal(t, "first post", outcomeOf(o, o.Post(p), c.ID), tests[state])
				if got := o.FindSale(sale.OrderID).State; got != models.SaleConfirmed {
					t.Errorf("sale is %s, want confirmed", got)
				}
				again := tests[state]
				again.Status = models.ResultDuplicate
				modelstest.Equal(t, "the same post again", outcomeOf(o, o.Post(p), c.ID), again)
				o.CheckInvariants(t)
			})
		}
	}
}

func TestAPositiveThatDoesNotMatchMovesNothing(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	tests := []struct {
		fact   string
		change func(*modelstest.Office, *models.Post)
		status models.ResultStatus
		note   string
		raised models.Conflict
	}{
		{
			"another amount", func(_ *modelstest.Office, p *models.Post) { *p.Amount++ }, models.ResultConflict, "amountDiffers",
			models.ConflictAmountDiffers,
		},
		{
			"another amount, by order", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey = ""; *p.Amount-- }, models.ResultConflict,
			"amountDiffers", models.ConflictAmountDiffers,
		},
		{
			"zero, with the attempt", func(_ *modelstest.Office, p *models.Post) { *p.Amount = 0 }, models.ResultConflict, "amountDiffers",
			models.ConflictAmountDiffers,
		},
		{
			"zero, by order", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey = ""; *p.Amount = 0 }, models.ResultConflict,
			"amountDiffers", models.ConflictAmountDiffers,
		},
		{"another terminal with the attempt", func(o *modelstest.Office, p *models.Post) {
			p.SerialNumber = string(o.NewTerminal(o.Store).SerialNumber)
		}, models.ResultConflict, "terminalDiffers", models.ConflictTerminalDiffers},
		{"another order with the attempt", func(o *modelstest.Office, p *models.Post) {
			p.OrderID = o.Sale(125000).OrderID
		}, models.ResultConflict, "orderDiffers", models.ConflictOrderDiffers},
		{"a forged attempt", func(_ *modelstest.Office, p *models.Post) {
			p.AttemptKey = models.NewAttemptKey().Hash()
		}, models.ResultUnmatched, "unknownAttempt", ""},
		{
			"an order that nobody sold", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey, p.OrderID = "", "X" }, models.ResultUnmatched,
			"noSuchSale", "",
		},
		{"the order on another terminal", func(o *modelstest.Office, p *models.Post) {
			p.AttemptKey, p.SerialNumber = "", string(o.NewTerminal(o.Store).SerialNumber)
		}, models.ResultUnmatched, "noSuchSale", ""},
		{
			"nothing to match it by", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey, p.OrderID, p.Folio = "", "", "" },
			models.ResultUnmatched, "nothingToMatch", "",
		},
		{
			"its folio and terminal alone", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey, p.OrderID = "", "" },
			models.ResultUnmatched, "nothingToMatch", "",
		},
		{
			"its folio at its own address", func(_ *modelstest.Office, p *models.Post) { p.AttemptKey, p.OrderID, p.OwnAddress = "", "", true },
			models.ResultUnmatched, "nothingToMatch", "",
		},
	}
	for _, state := range []models.State{models.Accepted, models.Rejected, models.Unknown} {
		for _, tt := range tests {
			t.Run(string(state)+" "+tt.fact, func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				sale, c := o.StateOf(state)
				p := modelstest.CancelPost(sale, modelstest.CurrentKey(o, c))
				tt.change(o, &p)
				want := outcome{tt.status, tt.note, state, tt.raised}
				modelstest.Equal(t, "outcome", outcomeOf(o, o.Post(p), c.ID), want)
				if got := o.Cancellation(c.ID).Version; got != c.Version {
					t.Errorf("version = %d, want %d as before", got, c.Version)
				}
				o.CheckInvariants(t)
			})
		}
	}
}

func TestACancellationOnTheDeviceOpensACase(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(125000)
	o.Queue.Take(t)
	r := o.CancelByHand(sale)
	detail := o.SaleDetail(sale.ID)
	if len(detail.Cancellations) != 1 {
		t.Fatalf("cases = %d, want 1", len(detail.Cancellations))
	}
	c := detail.Cancellations[0]
	modelstest.Equal(t, "outcome", outcomeOf(o, r, c.ID), outcome{
		models.ResultApplied, "confirmed", models.Confirmed,
		models.ConflictWithoutCancellation,
	})
	if c.Origin != models.FromTerminal || c.RequestedBy != nil || c.Detail != models.DetailCanceledOnTerminal ||
		detail.Sale.State != models.SaleConfirmed {
		t.Errorf("case = %+v of a %s sale, want one from the terminal, asked by nobody, sale confirmed", c.Cancellation, detail.Sale.State)
	}
	if got := o.Post(modelstest.CancelPost(sale, "")); got.Status != models.ResultDuplicate {
		t.Errorf("the same post again is %s, want duplicate", got.Status)
	}
	if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale)); !modelstest.IsError(err,
		&models.Error{Kind: models.KindConflict, Code: "error.saleState"}) {
		t.Errorf("Request() of the canceled sale = %v, want error.saleState", err)
	}
	o.CheckInvariants(t)
}

func TestALatePositiveTakesBackWhatWasAboutToBeSent(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, first := o.StateOf(models.Rejected)
	second := o.Request(sale)
	o.Post(modelstest.CancelPost(sale, modelstest.CurrentKey(o, first)))
	modelstest.Equal(t, "states", []models.State{o.Cancellation(first.ID).State, o.Cancellation(second.ID).State},
		[]models.State{models.Confirmed, models.Withdrawn})
	if got := o.Cancellation(second.ID).Detail; got != models.DetailAlreadyCanceled {
		t.Errorf("the second case is withdrawn as %s, want alreadyCanceled", got)
	}
	o.CheckInvariants(t)
}

func TestALatePositiveWhileTheNextAttemptDidNotLeave(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, first := o.StateOf(models.Rejected)
	second := o.Request(sale)
	o.API.Then(modelstest.NotDialed)
	o.API.Arrived = func(models.Order) { o.Post(modelstest.CancelPost(sale, modelstest.CurrentKey(o, first))) }
	o.Dispatch(second.ID)
	o.API.Arrived = nil
	sent := len(o.API.Orders())
	o.Dispatch(second.ID) // the task of the second try
	if got := len(o.API.Orders()); got != sent {
		t.Error("a cancel was sent for a sale that is known to be canceled")
	}
	if got := o.Cancellation(second.ID); got.State != models.Withdrawn || got.Detail != models.DetailAlreadyCanceled {
		t.Errorf("the second case is %s (%s), want withdrawn (alreadyCanceled)", got.State, got.Detail)
	}
	o.CheckInvariants(t)
}

func TestAResultBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, reply := range []models.Reply{modelstest.Acknowledged, modelstest.TimedOut, modelstest.NoTerminal, modelstest.NotDialed} {
		for code, want := range map[string]models.State{"00": models.Confirmed, "51": models.Rejected} {
			t.Run(string(reply.Meaning)+" after responseCode "+code, func(t *testing.T) {
				t.Parallel()
				o := office.Branch(t)
				sale := o.Sale(125000)
				c := o.Request(sale)
				o.API.Then(reply)
				o.API.Arrived = func(order models.Order) {
					p := modelstest.CancelPost(sale, order.Key.Hash())
					p.ResponseCode = code
					o.Clock.Advance(time.Second)
					o.Post(p)
				}
				o.Dispatch(c.ID)
				got := o.Cancellation(c.ID)
				if got.State != want || got.AttemptList[0].Meaning != reply.Meaning {
					t.Errorf("case is %s, attempt %s; want %s, %s stored", got.State, got.AttemptList[0].Meaning, want, reply.Meaning)
				}
				o.CheckInvariants(t)
			})
		}
	}
}
