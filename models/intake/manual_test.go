package intake_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// ticket is what a person types for a sale made half an hour ago.
func ticket(o *modelstest.Office) intake.ManualSale {
	return intake.ManualSale{
		TerminalID: o.Terminal.ID, Date: "2026-11-20", Time: "11:30", SaleInput: models.SaleInput{
			OrderID: "261120113000-" + string(o.Terminal.SerialNumber), Amount: "$1,250.00", Last4: "4242", AuthCode: "A1",
		},
	}
}

func enter(t *testing.T, o *modelstest.Office, actor models.Actor, e intake.ManualSale) *intake.ManualOutcome {
	t.Helper()
	got, err := o.Intake.RecordManual(t.Context(), actor, e)
	if err != nil {
		t.Fatalf("EnterSale(%+v) = %v", e, err)
	}
	return got
}

func TestASaleTypedFromItsTicket(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	got := enter(t, o, o.Manager, ticket(o))
	if got.Status != intake.Created {
		t.Fatalf("EnterSale() = %+v, want created", got)
	}
	s := o.SaleDetail(got.SaleID).Sale
	if s.Source != models.SourceManual || s.RecordedBy != o.Manager.Name || s.Amount != 125000 ||
		!s.SoldAt.Equal(modelstest.At(t, "2026-11-20T11:30:00-06:00")) {
		t.Errorf("the sale = %+v, want what was typed, by hand, with its author", s)
	}
	if again := enter(t, o, o.Manager, ticket(o)); again.Status != intake.Known || again.SaleID != got.SaleID {
		t.Errorf("typed twice = %+v, want the known sale %d", again, got.SaleID)
	}
	other := ticket(o)
	other.Amount = "1,250.50"
	if differs := enter(t, o, o.Manager, other); modelstest.Said(differs.Outcome) != "conflict amount:sale.differs" ||
		differs.SaleID != got.SaleID {
		t.Errorf("typed with another amount = %+v, want a conflict with sale %d", differs, got.SaleID)
	}
	c := o.Request(&s)
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE cancellation_id = $1 AND after->>'source' = 'hand'`,
		c.ID); n != 1 {
		t.Errorf("entries that say of the request how its sale came = %d, want 1", n)
	}
	o.CheckInvariants(t)
}

func TestAnEntryIsLookedAtTwice(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	posted := o.Sale(9900)
	for fact, tt := range map[string]struct {
		change func(*intake.ManualSale)
		want   []string
	}{
		"another day": {func(e *intake.ManualSale) { e.Date, e.OrderID = "2026-11-21", "ticket 1" }, nil},
		"the order names another": {
			func(e *intake.ManualSale) { e.OrderID, e.Amount = "261120113000-1234567890", "88" },
			[]string{"sale.orderSerialDiffers"},
		},
		"the order's time": {func(e *intake.ManualSale) { e.Time, e.Amount = "11:45", "77" }, []string{"sale.orderTimeDiffers"}},
		"the same amount": {func(e *intake.ManualSale) {
			e.Amount, e.Time, e.OrderID = "99", "11:50", "261120115000-"+string(o.Terminal.SerialNumber)
		}, []string{"sale.similar"}},
		"no terminal's order": {func(e *intake.ManualSale) { e.OrderID, e.Amount = "ticket 2", "66" }, []string{"sale.orderUnlike"}},
	} {
		e := ticket(o)
		tt.change(&e)
		got := enter(t, o, o.Manager, e)
		if tt.want == nil {
			if got.Status != intake.Refused {
				t.Errorf("%s: %+v, want it refused", fact, got)
			}
			continue
		}
		if got.Status != intake.Skipped || !slices.Equal(got.Warnings, tt.want) {
			t.Errorf("%s: %s with %v, want it not recorded, and %v", fact, got.Status, got.Warnings, tt.want)
		}
		if slices.Contains(tt.want, "sale.similar") && got.Similar != posted.ID {
			t.Errorf("%s: similar to sale %d, want %d", fact, got.Similar, posted.ID)
		}
		e.Reviewed = []string{"sale.notToday", ""} // a warning of another sale
		if got := enter(t, o, o.Manager, e); got.Status != intake.Skipped || !slices.Equal(got.Warnings, tt.want) {
			t.Errorf("%s, with another warning reviewed: %s with %v, want it not recorded, and %v", fact, got.Status, got.Warnings, tt.want)
		}
		e.Reviewed = got.Warnings
		if got := enter(t, o, o.Manager, e); got.Status != intake.Created {
			t.Errorf("%s, looked at: %+v, want created", fact, got)
		}
	}
	yesterday := o.Branch(t)
	if _, err := o.Owner.Exec(`UPDATE assignments SET valid_from = valid_from - interval '3 days' WHERE terminal_id = $1`,
		yesterday.Terminal.ID); err != nil {
		t.Fatal(err)
	}
	e := ticket(yesterday)
	e.Date, e.OrderID = "2026-11-19", "261119113000-"+string(yesterday.Terminal.SerialNumber)
	if got := enter(t, yesterday, yesterday.Manager, e); !slices.Equal(got.Warnings, []string{"sale.notToday"}) {
		t.Errorf("yesterday's sale = %+v, want the warning that it cannot be canceled", got)
	}
}

// TestAMissingPointIsAskedAbout compares with the terminal's own sales.
func TestAMissingPointIsAskedAbout(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	typed := func(order, amount string) intake.ManualOutcome {
		e := ticket(o)
		e.OrderID, e.Amount = order+"-"+string(o.Terminal.SerialNumber), amount
		return *enter(t, o, o.Manager, e)
	}
	if got := typed("261120113000", "100"); got.Status != intake.Created {
		t.Fatalf("the terminal's first sale = %+v, want it recorded: there is nothing to compare it with", got)
	}
	if got := typed("261120113001", "999.99"); got.Status != intake.Created {
		t.Errorf("less than ten times the largest = %+v, want it recorded", got)
	}
	asks := func(fact string, got intake.ManualOutcome) {
		t.Helper()
		if got.Status != intake.Skipped || !slices.Equal(got.Warnings, []string{"sale.muchMore"}) {
			t.Errorf("%s = %s %v, want it asked about", fact, got.Status, got.Warnings)
		}
	}
	asks("more than ten times the largest of two", typed("261120113002", "9,999.91"))
	if got := typed("261120113002", "9,999.90"); got.Status != intake.Created {
		t.Errorf("ten times the largest of two = %+v, want it recorded", got)
	}
	for range 7 { // ten in all are enough to compare with
		o.Sale(100)
	}
	asks("more than the largest of ten", typed("261120113003", "9,999.91"))
	if got := typed("261120113003", "9,999.89"); got.Status != intake.Created {
		t.Errorf("less than the largest of ten = %+v, want it recorded", got)
	}
	o.Clock.Advance(31 * 24 * time.Hour)
	later := ticket(o)
	later.OrderID, later.Date, later.Amount = "261221113000-"+string(o.Terminal.SerialNumber), "2026-12-21", "250000"
	if got := enter(t, o, o.Manager, later); got.Status != intake.Created {
		t.Errorf("the first sale of a month = %s %v, want it recorded: what was older says little", got.Status, got.Warnings)
	}
}

// TestAnOrderOfAnotherTerminalIsNotTyped: recorded under two terminals, one charge
// could be canceled twice.
func TestAnOrderOfAnotherTerminalIsNotTyped(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other, elsewhere := o.NewTerminal(o.Store), o.Branch(t)
	posted := o.SaleAt(other, 125000)
	for fact, tt := range map[string]struct {
		order string
		sale  int64
	}{
		"a sale of another terminal":                 {posted.OrderID, posted.ID},
		"a number that names another terminal":       {"261120113000-" + string(other.SerialNumber), 0},
		"one that names a terminal of another store": {"261120113000-" + string(elsewhere.Terminal.SerialNumber), 0},
		"one around which somebody typed blanks":     {" 261120113000-" + string(other.SerialNumber) + " ", 0},
	} {
		e := ticket(o)
		e.OrderID, e.Reviewed = tt.order, []string{
			"sale.orderSerialDiffers", "sale.orderTimeDiffers", "sale.orderUnlike", "sale.similar",
			"sale.muchMore",
		}
		got := enter(t, o, o.Manager, e)
		if modelstest.Said(got.Outcome) != "refused orderId:sale.orderOfAnother" || got.SaleID != tt.sale {
			t.Errorf("%s: %q, sale %d; want it refused, and sale %d named", fact, modelstest.Said(got.Outcome), got.SaleID, tt.sale)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE source = 'hand'`); n != 0 {
		t.Errorf("sales typed = %d, want none", n)
	}
}

// TestAllThatIsWrongIsSaidAtOnce: a field that cannot be read does not hide other
// problems.
func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	e := intake.ManualSale{Date: "20/11/2026", Time: "25:00", SaleInput: models.SaleInput{
		OrderID: strings.Repeat("9", 251), Amount: "1250,00", Last4: "424", CardBrand: strings.Repeat("v", 21),
	}}
	got := modelstest.Said(enter(t, o, o.Manager, e).Outcome)
	const want = "refused terminal:terminal.choose date:date.invalid time:time.invalid amount:amount.invalid " +
		"orderId:field.tooLong cardBrand:field.tooLong last4:last4.invalid"
	fields := func(s string) []string {
		f := strings.Fields(s)
		slices.Sort(f)
		return f
	}
	if !slices.Equal(fields(got), fields(want)) {
		t.Errorf("EnterSale(all wrong) = %q, want %q", got, want)
	}
}

func TestWrongEntries(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	elsewhere := o.Branch(t)
	retired := o.NewTerminal(o.Store)
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, retired.ID, 1); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*intake.ManualSale){
		"terminal:terminal.choose":   func(e *intake.ManualSale) { e.TerminalID = 0 },
		"terminal:terminal.choose ":  func(e *intake.ManualSale) { e.TerminalID = elsewhere.Terminal.ID },
		"terminal:terminal.choose  ": func(e *intake.ManualSale) { e.TerminalID = retired.ID },
		"date:date.invalid":          func(e *intake.ManualSale) { e.Date = "20/11/2026" },
		"time:time.invalid":          func(e *intake.ManualSale) { e.Time = "25:00" },
		"amount:amount.invalid":      func(e *intake.ManualSale) { e.Amount = "1250,00" },
		"amount:amount.invalid ":     func(e *intake.ManualSale) { e.Amount = "1,25.00" },
		"amount:field.required":      func(e *intake.ManualSale) { e.Amount = " " },
		"last4:last4.invalid":        func(e *intake.ManualSale) { e.Last4 = "424" },
		"orderId:field.required":     func(e *intake.ManualSale) { e.OrderID = "" },
		"soldAt:sale.noStore":        func(e *intake.ManualSale) { e.Date = "2026-11-10" },
		"soldAt:soldAt.future":       func(e *intake.ManualSale) { e.Time = "12:11" },
	} {
		e := ticket(o)
		change(&e)
		got := enter(t, o, o.Manager, e)
		if "refused "+strings.TrimRight(want, " ") != modelstest.Said(got.Outcome) {
			t.Errorf("EnterSale(%+v) = %q, want it refused for %s", e, modelstest.Said(got.Outcome), want)
		}
	}
	if _, err := o.Intake.RecordManual(t.Context(), o.Admin, ticket(o)); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("an administrator types a sale: %v, want it forbidden", err)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 0 {
		t.Errorf("sales = %d, want none", n)
	}
}

// TestATicketIsReadByTheStoresClock: 11:30 on a ticket of Cancún is 10:30 in Mexico
// City.
func TestATicketIsReadByTheStoresClock(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	if _, err := o.Owner.Exec(`UPDATE stores SET time_zone = 'America/Cancun' WHERE id = $1`, o.Store.ID); err != nil {
		t.Fatal(err)
	}
	e := ticket(o)
	e.OrderID, e.Reviewed = "ticket 1", []string{"sale.orderUnlike"}
	got := enter(t, o, o.Manager, e)
	if s := o.SaleDetail(got.SaleID).Sale; !s.SoldAt.Equal(modelstest.At(t, "2026-11-20T10:30:00-06:00")) {
		t.Errorf("sold at %s, want 10:30 in Mexico City", s.SoldAt)
	}
}
