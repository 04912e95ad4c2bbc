package results_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

func TestAnApprovedSaleAppears(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	r := o.Post(p)
	s := o.FindSale(p.OrderID)
	if r.Status != models.ResultApplied || r.SaleID == nil || *r.SaleID != s.ID {
		t.Errorf("result = %+v, want applied to sale %d", r, s.ID)
	}
	want := models.Sale{
		ID: s.ID, StoreID: o.Store.ID, TerminalID: o.Terminal.ID, SerialNumber: o.Terminal.SerialNumber,
		MerchantID: p.MerchantID, OrderID: p.OrderID, Amount: 125000, Currency: "MXN",
		SoldAt: s.SoldAt, ReceivedAt: s.ReceivedAt, BusinessDay: "2026-11-20", CutoffAt: s.CutoffAt,
		Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Folio: p.Folio, Source: models.SourceTerminal, State: models.SaleCancelable,
	}
	modelstest.Equal(t, "sale", *s, want)
	if now := o.Clock.Now(); !s.SoldAt.Equal(now) || !s.ReceivedAt.Equal(now) || !s.CutoffAt.Equal(now.Add(8*time.Hour)) {
		t.Errorf("sold %s, received %s, cut-off %s; want now, now, 20:00", s.SoldAt, s.ReceivedAt, s.CutoffAt)
	}
	o.CheckInvariants(t)
}

func TestWhatBecomesOfASalePost(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	most := models.Money(math.MaxInt64)
	tests := []struct {
		fact   string
		change func(*models.Post)
		status models.ResultStatus
		note   string
	}{
		{"declined is no sale", func(p *models.Post) { p.ResponseCode = "51" }, models.ResultIgnored, "declinedSale"},
		{"000 is not 00", func(p *models.Post) { p.ResponseCode = "000" }, models.ResultIgnored, "declinedSale"},
		{"no answer is no sale", func(p *models.Post) { p.ResponseCode = "" }, models.ResultIgnored, "declinedSale"},
		{"without an order", func(p *models.Post) { p.OrderID = "" }, models.ResultUnmatched, "incompleteSale"},
		{"without an amount", func(p *models.Post) { p.Amount = nil }, models.ResultUnmatched, "incompleteSale"},
		{"of nothing", func(p *models.Post) { *p.Amount = 0 }, models.ResultUnmatched, "incompleteSale"},
		{"of less than nothing", func(p *models.Post) { *p.Amount = -1 }, models.ResultUnmatched, "incompleteSale"},
		{
			"an order number too long to keep", func(p *models.Post) { p.OrderID = strings.Repeat("9", 251) }, models.ResultUnmatched,
			"incompleteSale",
		},
		{"an amount that the sums cannot hold", func(p *models.Post) { *p.Amount = most }, models.ResultUnmatched, "incompleteSale"},
		{"without a merchant id: that of its place", func(p *models.Post) { p.MerchantID = "" }, models.ResultApplied, "sale"},
		{"without card data", func(p *models.Post) { p.Last4, p.CardBrand, p.AuthCode, p.Folio = "", "", "", "" }, models.ResultApplied, "sale"},
		{"long card data is cut", func(p *models.Post) {
			p.CardBrand, p.AuthCode, p.Folio = strings.Repeat("ñ", 50), strings.Repeat("A", 50), strings.Repeat("F", 200)
		}, models.ResultApplied, "sale"},
		{"another shape", func(p *models.Post) { p.Kind = models.ResultOther }, models.ResultIgnored, "otherShape"},
		{"unreadable", func(p *models.Post) { p.Kind = models.ResultUnreadable }, models.ResultUnmatched, "unreadable"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			p := o.SalePost(o.Terminal.SerialNumber, 125000)
			tt.change(&p)
			if r := o.Post(p); r.Status != tt.status || r.Note != tt.note {
				t.Errorf("result is %s (%s), want %s (%s)", r.Status, r.Note, tt.status, tt.note)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestASaleIsPostedAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	o.Post(p)
	c := o.Request(o.FindSale(p.OrderID))
	o.Clock.Advance(time.Minute)
	if r := o.Post(p); r.Status != models.ResultDuplicate {
		t.Errorf("the same sale again is %s (%s), want duplicate", r.Status, r.Note)
	}
	other := models.Money(999)
	p.Amount = &other
	if r := o.Post(p); r.Status != models.ResultConflict || r.Note != "amountDiffers" {
		t.Errorf("the sale with another amount is %s (%s), want conflict (amountDiffers)", r.Status, r.Note)
	}
	s := o.FindSale(p.OrderID)
	if s.Amount != 125000 || s.State != models.SaleRequested || !s.ReceivedAt.Equal(c.RequestedAt) {
		t.Errorf("sale = %d centavos, %s, received %s; want it as it was", s.Amount, s.State, s.ReceivedAt)
	}
	o.CheckInvariants(t)
}

func TestASaleOfAnUnknownTerminalWaitsForIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	serial := models.SerialNumber("9900000001")
	p := o.SalePost(serial, 125000)
	sold := models.Sale{SerialNumber: serial, OrderID: p.OrderID, Amount: 125000}
	first := o.Post(p)
	second := o.Post(modelstest.CancelPost(&sold, ""))
	if first.Note != "unknownTerminal" || second.Note != "noSuchSale" {
		t.Fatalf("notes = %s, %s; want unknownTerminal, noSuchSale", first.Note, second.Note)
	}
	o.Clock.Advance(time.Hour)
	_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
		SerialNumber: string(serial), Label: "Caja 9",
		MerchantID: "M9", StoreID: o.Store.ID,
	})
	if err != nil {
		t.Fatalf("CreateTerminal() = %v", err)
	}
	s := o.FindSale(p.OrderID)
	if s.State != models.SaleCancelable || !s.ReceivedAt.Equal(o.Clock.Now().Add(-time.Hour)) {
		t.Errorf("sale is %s, received %s; want cancelable, an hour ago", s.State, s.ReceivedAt)
	}
	if r := o.Result(first.ID); r.Status != models.ResultApplied {
		t.Errorf("the sale's post is %s (%s), want applied", r.Status, r.Note)
	}
	if r := o.Result(second.ID); r.Note != "asked" {
		t.Errorf("the cancellation's post is %s (%s), want asked about", r.Status, r.Note)
	}
	o.AnswerInquiry(s, models.StandingCanceled)
	if got := o.FindSale(p.OrderID).State; got != models.SaleConfirmed {
		t.Errorf("after the answer the sale is %s, want confirmed", got)
	}
	o.CheckInvariants(t)
}

func TestACancellationBeforeItsSale(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for fact, change := range map[string]func(*models.Post){
		"by order": func(p *models.Post) { p.Folio = "" },
		"an inquiry": func(p *models.Post) {
			p.Kind, p.Standing = models.ResultInquiry, models.StandingCanceled
		},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			p := o.SalePost(o.Terminal.SerialNumber, 125000)
			cancel := modelstest.CancelPost(&models.Sale{
				SerialNumber: o.Terminal.SerialNumber, OrderID: p.OrderID, Folio: p.Folio,
				Amount: 125000,
			}, "")
			change(&cancel)
			early := o.Post(cancel)
			if early.Status != models.ResultUnmatched {
				t.Errorf("before its sale the result is %s, want unmatched", early.Status)
			}
			if err := o.Results.Receive(t.Context(), p); err != nil {
				t.Fatalf("Receive() = %v", err)
			}
			if got := o.Result(early.ID).Note; got != "asked" {
				t.Errorf("after its sale the result is %s, want asked about", got)
			}
			o.AnswerInquiry(o.FindSale(p.OrderID), models.StandingCanceled)
			if got := o.FindSale(p.OrderID).State; got != models.SaleConfirmed {
				t.Errorf("sale is %s, want confirmed", got)
			}
			if r := o.Result(early.ID); r.Status != models.ResultDuplicate {
				t.Errorf("after the answer the result is %s (%s), want a duplicate of it", r.Status, r.Note)
			}
			o.CheckInvariants(t)
		})
	}
}

func TestASaleAndItsCancellationAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 700)
	cancel := modelstest.CancelPost(&models.Sale{SerialNumber: o.Terminal.SerialNumber, OrderID: p.OrderID, Folio: p.Folio, Amount: 700}, "")
	// The reading of the cancellation finds no sale and is blocked before it stores
	// that.
	held, err := o.Owner.Begin()
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := held.Exec(`LOCK TABLE audit_entries IN EXCLUSIVE MODE`); err != nil {
		t.Fatalf("lock: %v", err)
	}
	var posts sync.WaitGroup
	posts.Go(func() {
		if err := o.Results.Receive(t.Context(), cancel); err != nil {
			t.Errorf("Receive(cancellation) = %v", err)
		}
	})
	modelstest.WaitFor(t, "the cancellation to be held", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'audit_entries'::regclass`) > 0
	})
	if err := o.Results.Receive(t.Context(), p); err != nil {
		t.Errorf("Receive(sale) = %v", err)
	}
	if err := held.Rollback(); err != nil {
		t.Fatalf("let go: %v", err)
	}
	posts.Wait()
	modelstest.Sweep(t, o)
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM results WHERE note = 'asked' AND sale_id = $1`,
		o.FindSale(p.OrderID).ID); got != 1 {
		t.Errorf("after the sweep %d results of the sale are asked about, want 1", got)
	}
	o.CheckInvariants(t)
}

func TestASaleStaysWhereItsTerminalStood(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before := o.Sale(100)
	elsewhere := modelstest.Store(t, o.DB, o.Clock.Now(), "ELSEWHERE")
	o.Clock.Advance(time.Minute)
	if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, 1,
		terminals.MoveInput{StoreID: elsewhere.ID, MerchantID: "M2"}); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	after := o.Sale(200)
	late := o.SalePost(o.Terminal.SerialNumber, 300) // made before the move, posted after it
	late.OrderID = "261120115930-" + string(o.Terminal.SerialNumber)
	o.Post(late)
	modelstest.Equal(t, "stores", []int64{before.StoreID, after.StoreID, o.FindSale(late.OrderID).StoreID},
		[]int64{o.Store.ID, elsewhere.ID, o.Store.ID})
	c := o.Request(before)
	o.Dispatch(c.ID)
	if got := o.LastOrder().MerchantID; got != before.MerchantID {
		t.Errorf("order names merchant %s, want that of the sale's time, %s", got, before.MerchantID)
	}
	o.CheckInvariants(t)
}

func TestAStoredResultIsReadByTheSweep(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 500)
	ctx := t.Context()
	// The state that a process leaves when it dies between storing and reading. While sales
	// are away every reading fails, also that of the process that received it, which reads
	// again by itself.
	modelstest.Exec(t, o.Owner, `ALTER TABLE sales RENAME TO sales_away`)
	if err := o.Results.Receive(ctx, p); err != nil {
		t.Errorf("Receive() of a post that is stored = %v, want nil", err)
	}
	if err := o.Results.InterpretPending(ctx); err != nil {
		t.Errorf("the sweep did not leave a fresh result to the process that received it: %v", err)
	}
	o.Clock.Advance(6 * time.Second)
	if o.Results.InterpretPending(ctx) == nil {
		t.Error("the sweep did not read a result that nobody reads")
	}
	modelstest.Exec(t, o.Owner, `ALTER TABLE sales_away RENAME TO sales`)
	modelstest.Sweep(t, o)
	if got := o.FindSale(p.OrderID).State; got != models.SaleCancelable {
		t.Errorf("sale is %s, want cancelable", got)
	}
	o.CheckInvariants(t)
}
