package cancellations_test

import (
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// doubled adds a second row of a sale's order to the list, as older data may contain
// it, under another merchant id.
func doubled(t *testing.T, o *modelstest.Office, s *models.Sale) *models.Sale {
	t.Helper()
	twin := *s
	twin.State = models.SaleCancelable
	if err := o.Owner.QueryRow(`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio)
		SELECT store_id, terminal_id, serial_number, 'OTHER', order_id, amount, currency, sold_at, received_at, business_day, cutoff_at,
			last4, card_brand, auth_code, folio FROM sales WHERE id = $1 RETURNING id`, s.ID).Scan(&twin.ID); err != nil {
		t.Fatalf("insert the twin of sale %d: %v", s.ID, err)
	}
	return &twin
}

func TestOneChargeUnderTwoMerchantsIsOneSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	elsewhere := modelstest.GivenSale(o, "ORDER-1")
	elsewhere.MerchantID = "OTHER"
	first := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, elsewhere)[0]
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	p.OrderID = "ORDER-1"
	r := o.Post(p)
	if r.Status != models.ResultConflict || r.Note != "merchantDiffers" || r.SaleID == nil || *r.SaleID != first.SaleID {
		t.Errorf("the terminal's post under its own merchant id is %s (%s), want a conflict with sale %d", r.Status, r.Note, first.SaleID)
	}
	p.MerchantID = "" // states none: nothing differs
	if r := o.Post(p); r.Status != models.ResultDuplicate {
		t.Errorf("the post without a merchant id is %s (%s), want a duplicate", r.Status, r.Note)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales`); n != 1 {
		t.Errorf("sales = %d, want one for one charge", n)
	}
	o.CheckInvariants(t)
}

// TestOneChargeToldByTwoDoorsAtOnce blocks both sources before either has committed.
func TestOneChargeToldByTwoDoorsAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	held, err := o.Owner.Begin()
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := held.Exec(`LOCK TABLE day_totals IN EXCLUSIVE MODE`); err != nil {
		t.Fatalf("lock: %v", err)
	}
	elsewhere := modelstest.GivenSale(o, "ORDER-1")
	elsewhere.MerchantID = "OTHER"
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	p.OrderID = "ORDER-1"
	var doors sync.WaitGroup
	doors.Go(func() {
		if _, err := o.Intake.RecordSales(t.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{elsewhere}); err != nil {
			t.Errorf("RecordSales() = %v", err)
		}
	})
	doors.Go(func() {
		if err := o.Results.Receive(t.Context(), p); err != nil {
			t.Errorf("Receive() = %v", err)
		}
	})
	modelstest.WaitFor(t, "both doors to be held", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database
			WHERE datname = current_database())
			AND (relation = 'day_totals'::regclass OR locktype = 'advisory')`) == 2
	})
	if err := held.Rollback(); err != nil {
		t.Fatalf("let go: %v", err)
	}
	doors.Wait()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales`); n != 1 {
		t.Errorf("sales = %d, want one for one charge", n)
	}
	o.CheckInvariants(t)
}

func TestOneChargeIsNotCanceledTwice(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	ambiguous := &models.Error{Kind: models.KindConflict, Code: "error.severalSales"}
	for _, state := range []models.State{models.Requested, models.Accepted, models.Unknown, models.Confirmed} {
		o := office.Branch(t)
		sale, _ := o.StateOf(state)
		twin := doubled(t, o, sale)
		if _, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(twin)); !modelstest.IsError(err, ambiguous) {
			t.Errorf("Request() of the twin of a sale that is %s = %v, want %v", state, err, ambiguous)
		}
		if err := requestable(t, o, twin, o.Terminal); !modelstest.IsError(err, ambiguous) {
			t.Errorf("Requestable() of the twin of a sale that is %s = %v, want %v", state, err, ambiguous)
		}
	}
	o := office.Branch(t)
	sale, _ := o.StateOf(models.Rejected)
	o.Request(doubled(t, o, sale)) // nothing was canceled
	o.CheckInvariants(t)
}

// elsewhere posts a sale's order from another terminal: a terminal's own post is
// believed, and then one charge has two rows.
func elsewhere(t *testing.T, o *modelstest.Office, s *models.Sale) *models.Sale {
	t.Helper()
	other := o.NewTerminal(o.Store)
	p := o.SalePost(other.SerialNumber, s.Amount)
	p.OrderID = s.OrderID
	r := o.Post(p)
	if r.Status != models.ResultApplied || r.SaleID == nil {
		t.Fatalf("the post of order %s by another terminal is %s (%s), want a sale", s.OrderID, r.Status, r.Note)
	}
	return &o.SaleDetail(*r.SaleID).Sale
}

func TestOneChargeUnderTwoTerminalsIsNotCanceledTwice(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for _, state := range []models.State{models.Requested, models.Accepted, models.Unknown, models.Confirmed} {
		o := office.Branch(t)
		sale, _ := o.StateOf(state)
		twin := elsewhere(t, o, sale)
		_, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(twin))
		if other := cancellations.OtherSale(o.Manager, err); other == nil || other.ID != sale.ID || other.SerialNumber != sale.SerialNumber {
			t.Errorf("Request() of the twin of a sale that is %s = %v, want it refused and sale %d named", state, err, sale.ID)
		}
		terminal := o.SaleDetail(twin.ID).Terminal
		err = requestable(t, o, twin, &terminal)
		if other := cancellations.OtherSale(o.Manager, err); other == nil || other.ID != sale.ID {
			t.Errorf("Requestable() of the twin of a sale that is %s = %v, want sale %d named", state, err, sale.ID)
		}
		rows, err := o.Bulk.Chosen(t.Context(), o.Supervisor, []int64{twin.ID})
		if err != nil || rows[0].Refusal != "error.severalSales" || rows[0].Other == nil || rows[0].Other.ID != sale.ID {
			t.Errorf("Chosen() with the twin of a sale that is %s = %+v, %v, want it refused and sale %d named", state, rows, err, sale.ID)
		}
		stranger := modelstest.Person(models.Manager, modelstest.Store(t, o.DB, o.Clock.Now(), "X"+string(state)))
		if other := cancellations.OtherSale(stranger, requestable(t, o, twin, &terminal)); other != nil {
			t.Errorf("somebody of another store is shown sale %d", other.ID)
		}
	}
	o := office.Branch(t)
	sale, _ := o.StateOf(models.Rejected)
	o.Request(elsewhere(t, o, sale)) // nothing was canceled
	o.CheckInvariants(t)
}

// TestAnOrderNumberThatBeginsAgain: terminals that count their orders have the same
// numbers after some weeks, and those are other charges.
func TestAnOrderNumberThatBeginsAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale, _ := o.StateOf(models.Confirmed)
	o.Clock.Advance(8 * 24 * time.Hour)
	o.Request(elsewhere(t, o, sale))
	o.CheckInvariants(t)
}

func TestTwinsAskedForAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sale := o.Sale(9900)
	var requests sync.WaitGroup
	for _, s := range []*models.Sale{sale, doubled(t, o, sale), elsewhere(t, o, sale)} {
		for _, cases := range []*wiring.Services{o.Services, o.SecondServer()} {
			requests.Go(func() { _, _ = cases.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(s)) })
		}
	}
	requests.Wait()
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 1 {
		t.Errorf("cases = %d, want one of one charge", n)
	}
	o.CheckInvariants(t)
}

// requestable is why the sale cannot be canceled, as a page asks it.
func requestable(t *testing.T, o *modelstest.Office, sale *models.Sale, terminal *models.Terminal) error {
	t.Helper()
	others, err := o.Cancellations.OthersOf(t.Context(), sale.ID)
	if err != nil {
		t.Fatal(err)
	}
	return o.Cancellations.Requestable(t.Context(), o.Manager, sale, terminal, others)
}
