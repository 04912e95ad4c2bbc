package modelstest

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
)

// CancelRequest returns a valid request with a click of its own.
func (o *Office) CancelRequest(sale *models.Sale) cancellations.CancelRequest {
	r := cancellations.CancelRequest{SaleID: sale.ID, Reason: "chargedTwice", Click: fmt.Sprintf("click-%d-%d", o.number, o.orders.Add(1))}
	if sale.DayNotProven() {
		r.TicketDate = sale.BusinessDay // as its ticket says
	}
	return r
}

// Request has the manager ask for the sale's cancellation.
func (o *Office) Request(sale *models.Sale) *models.Cancellation {
	o.tb.Helper()
	c, err := o.Cancellations.Request(context.Background(), o.Manager, o.CancelRequest(sale))
	if err != nil {
		o.tb.Fatalf("Request(sale %d) = %v", sale.ID, err)
	}
	return c
}

// Dispatch runs the cancellation's dispatch once and returns how long it is to wait.
func (o *Office) Dispatch(caseID int64) time.Duration {
	o.tb.Helper()
	wait, err := o.Cancellations.Dispatch(context.Background(), caseID)
	if err != nil {
		o.tb.Fatalf("Dispatch(%d) = %v", caseID, err)
	}
	return wait
}

// StateOf brings a new cancellation of a new sale into a state, through the public
// functions.
func (o *Office) StateOf(state models.State) (*models.Sale, *models.Cancellation) {
	o.tb.Helper()
	sale := o.Sale(125000)
	c := o.Request(sale)
	ctx := context.Background()
	var err error
	switch state {
	case models.Requested:
	case models.Withdrawn:
		_, err = o.Cancellations.Withdraw(ctx, o.Manager, c.ID)
	case models.Expired:
		now := o.Clock.Now()
		o.Clock.Set(sale.CutoffAt)
		o.Dispatch(c.ID)
		o.Clock.Set(now)
	case models.Sending:
		// As a process leaves it that is killed while it sends.
		o.API.Arrived = func(models.Order) { panic("killed") }
		func() {
			defer func() { _ = recover() }()
			_, _ = o.Cancellations.Dispatch(ctx, c.ID)
		}()
		o.API.Arrived = nil
	case models.Accepted:
		o.Dispatch(c.ID)
	case models.Rejected:
		o.API.Then(NoTerminal)
		o.Dispatch(c.ID)
	case models.Unknown:
		o.API.Then(TimedOut)
		o.Dispatch(c.ID)
	case models.Confirmed, models.NotCanceled:
		o.API.Then(TimedOut)
		o.Dispatch(c.ID)
		err = o.Cancellations.Resolve(ctx, o.Supervisor, c.ID, cancellations.Resolution{Outcome: state, AuthCode: "778899"})
	default:
		o.tb.Fatalf("no way into state %q", state)
	}
	if err != nil {
		o.tb.Fatalf("bring case %d into %s: %v", c.ID, state, err)
	}
	got := o.Cancellation(c.ID)
	if got.State != state {
		o.tb.Fatalf("brought case %d into %s, want %s", c.ID, got.State, state)
	}
	return o.FindSale(sale.OrderID), &got.Cancellation
}

// LastOrder returns the last order that the service saw.
func (o *Office) LastOrder() models.Order {
	o.tb.Helper()
	all := o.API.Orders()
	if len(all) == 0 {
		o.tb.Fatal("no order arrived at the service")
	}
	return all[len(all)-1]
}

// CancelPost returns what the terminal posts when the sale is canceled on it;
// keyHash is that of the attempt id in traceability, "" for none.
func CancelPost(sale *models.Sale, keyHash string) models.Post {
	amount := sale.Amount
	return models.Post{
		Kind: models.ResultCancellation, Body: `{"transType":"V"}`, SerialNumber: string(sale.SerialNumber), MerchantID: sale.MerchantID,
		OrderID: sale.OrderID, Folio: sale.Folio, Amount: &amount, ResponseCode: "00", AttemptKey: keyHash,
		Last4: sale.Last4, AuthCode: "Z9Y8X7", Address: "198.51.100.7",
	}
}

// InquiryPost returns what the terminal posts in reply to an inquiry about the sale.
func InquiryPost(sale *models.Sale, standing models.SaleStanding) models.Post {
	p := CancelPost(sale, "")
	p.Kind, p.Standing, p.Body = models.ResultInquiry, standing, `{"isRePrint":true}`
	return p
}

// AnswerInquiry has our inquiry about the sale sent, as its task would, and the
// terminal answer it with the inquiry's id. The office needs inquiries, and a post that
// made one necessary.
func (o *Office) AnswerInquiry(sale *models.Sale, standing models.SaleStanding) models.Result {
	o.tb.Helper()
	before := len(o.Inquiries.Orders())
	if wait, err := o.Cancellations.InquireSale(context.Background(), sale.ID, 0); wait != 0 || err != nil {
		o.tb.Fatalf("InquireSale(%d) = %s, %v", sale.ID, wait, err)
	}
	sent := o.Inquiries.Orders()[before:]
	if len(sent) != 1 {
		o.tb.Fatalf("%d inquiries were sent about sale %d, want one", len(sent), sale.ID)
	}
	p := InquiryPost(sale, standing)
	p.AttemptKey = sent[0].Key.Hash()
	return o.Post(p)
}

// CancelByHand cancels the sale on the device: its post carries no attempt id, so the
// terminal is asked, and its answer decides.
func (o *Office) CancelByHand(sale *models.Sale) models.Result {
	o.tb.Helper()
	if r := o.Post(CancelPost(sale, "")); r.Note != "asked" {
		o.tb.Fatalf("the post of a cancellation by hand is %s (%s), want one that is asked about", r.Status, r.Note)
	}
	return o.AnswerInquiry(sale, models.StandingCanceled)
}

// SaleDetail reads the details of a sale.
func (o *Office) SaleDetail(saleID int64) *cancellations.SaleDetail {
	o.tb.Helper()
	story, err := o.Cancellations.SaleDetail(context.Background(), o.Supervisor, saleID)
	if err != nil {
		o.tb.Fatalf("Story(%d) = %v", saleID, err)
	}
	return story
}

// Cancellation reads a cancellation with its attempts.
func (o *Office) Cancellation(id int64) *cancellations.CancellationDetail {
	o.tb.Helper()
	saleID, err := o.Cancellations.SaleOf(context.Background(), o.Supervisor, id)
	if err != nil {
		o.tb.Fatalf("CaseSale(%d) = %v", id, err)
	}
	for _, c := range o.SaleDetail(saleID).Cancellations {
		if c.ID == id {
			return &c
		}
	}
	o.tb.Fatalf("sale %d has no case %d", saleID, id)
	return nil
}

// BehindSale has acts wait for a sale that another connection holds, in their order, and
// lets it go. A second passes before each act begins and once more before the end, by the
// office's clock. It returns what the acts returned. Nothing else may wait for locks in the
// database of the office.
func (o *Office) BehindSale(saleID int64, acts ...func() error) []error {
	o.tb.Helper()
	held, err := o.Owner.Begin()
	if err != nil {
		o.tb.Fatalf("begin: %v", err)
	}
	defer func() { _ = held.Rollback() }()
	if _, err := held.Exec(`SELECT FROM sales WHERE id = $1 FOR NO KEY UPDATE`, saleID); err != nil {
		o.tb.Fatalf("hold sale %d: %v", saleID, err)
	}
	errs, done := make([]error, len(acts)), make(chan struct{}, len(acts))
	for i, act := range acts {
		o.Clock.Advance(time.Second)
		go func() {
			errs[i] = act()
			done <- struct{}{}
		}()
		WaitFor(o.tb, "an act to wait for the sale", func() bool {
			return Count(o.tb, o.Owner, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`)+len(done) == i+1
		})
	}
	o.Clock.Advance(time.Second)
	if err := held.Rollback(); err != nil {
		o.tb.Fatalf("let sale %d go: %v", saleID, err)
	}
	for range acts {
		<-done
	}
	return errs
}
