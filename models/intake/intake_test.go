package intake_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/cards"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

func TestASaleThatIsToldIsListedWithItsSource(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))
	if len(got) != 1 || got[0].Status != intake.Created || got[0].SaleID == 0 || len(got[0].Problems)+len(got[0].Warnings) > 0 {
		t.Fatalf("outcome = %+v, want created and nothing else", got)
	}
	page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday})
	if err != nil || len(page.Sales) != 1 {
		t.Fatalf("DaySales() = %v, %v, want one sale", page, err)
	}
	s := page.Sales[0].Sale
	want := models.Sale{
		ID: got[0].SaleID, StoreID: o.Store.ID, TerminalID: o.Terminal.ID, SerialNumber: o.Terminal.SerialNumber,
		MerchantID: "M" + string(o.Terminal.SerialNumber), OrderID: "ORDER-1", Amount: 125000, Currency: "MXN",
		SoldAt: modelstest.At(t, "2026-11-20T11:59:30-06:00"), ReceivedAt: o.Clock.Now(), BusinessDay: modelstest.SalesToday,
		CutoffAt: modelstest.At(t, "2026-11-20T20:00:00-06:00"), Last4: "4242", CardBrand: "VISA", AuthCode: "A1", Folio: "F1",
		State: models.SaleCancelable, Source: models.SourceAPI, RecordedBy: "Punto de venta", Reference: "ticket 7",
	}
	if diff := cmp.Diff(want, s, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("the sale differs from what was reported (-want +got):\n%s", diff)
	}
	o.CheckInvariants(t)
}

func TestToldAgain(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	first := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))[0]
	for fact, tt := range map[string]struct {
		change func(*models.SaleInput)
		want   string
	}{
		"the same":                        {func(*models.SaleInput) {}, "known"},
		"the same instant elsewhere":      {func(s *models.SaleInput) { s.SoldAt = "2026-11-20T17:59:30Z" }, "known"},
		"the merchant id of its terminal": {func(s *models.SaleInput) { s.MerchantID = "M" + s.SerialNumber }, "known"},
		"another amount":                  {func(s *models.SaleInput) { s.Amount = "1250.01" }, "conflict amount:sale.differs"},
		"another time": {
			func(s *models.SaleInput) { s.SoldAt = "2026-11-20T11:59:31-06:00" },
			"conflict soldAt:sale.differs",
		},
		"another merchant id": {func(s *models.SaleInput) { s.MerchantID = "OTHER" }, "conflict merchantId:sale.differs"},
		"another card and code": {
			func(s *models.SaleInput) { s.Last4, s.AuthCode = "1111", "B2" },
			"conflict last4:sale.differs authCode:sale.differs",
		},
		"less": {
			func(s *models.SaleInput) { s.Folio, s.Reference = "", "" }, // what one does not say contradicts nothing
			"known",
		},
		"the brand in other words": {func(s *models.SaleInput) { s.CardBrand = "Visa Crédito" }, "known"},
		"without its seconds":      {func(s *models.SaleInput) { s.SoldAt = "2026-11-20T11:59:00-06:00" }, "known"},
		"another brand":            {func(s *models.SaleInput) { s.CardBrand = "AMEX" }, "conflict cardBrand:sale.differs"},
	} {
		in := modelstest.GivenSale(o, "ORDER-1")
		tt.change(&in)
		if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0]; modelstest.Said(got) != tt.want ||
			got.SaleID != first.SaleID {
			t.Errorf("reported again with %s: %q of sale %d, want %q of %d", fact, modelstest.Said(got), got.SaleID, tt.want, first.SaleID)
		}
	}
	twice := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI,
		modelstest.GivenSale(o, "ORDER-2"), modelstest.GivenSale(o, "ORDER-2"),
		func() models.SaleInput {
			s := modelstest.GivenSale(o, "ORDER-2")
			s.Amount = "9"
			return s
		}())
	if got := fmt.Sprint(modelstest.Said(twice[0]), " ", modelstest.Said(twice[1]), " ",
		modelstest.Said(twice[2])); got != "created known conflict amount:sale.differs" {
		t.Errorf("three times in one call: %s, want created, known, conflict", got)
	}
	if twice[1].SaleID != twice[0].SaleID || twice[2].SaleID != twice[0].SaleID {
		t.Errorf("ids of one sale = %+v", twice)
	}
	o.CheckInvariants(t)
}

func TestWhatATerminalPostedIsKnown(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	s := o.Sale(4500)
	in := models.SaleInput{
		SerialNumber: string(s.SerialNumber), OrderID: s.OrderID, Amount: "45.00", SoldAt: "2026-11-20T12:03:00-06:00", Reference: "ticket 9",
	}
	if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0]; modelstest.Said(got) != "known" ||
		got.SaleID != s.ID {
		t.Errorf("a posted sale reported with less and a little later: %q of %d, want known of %d", modelstest.Said(got), got.SaleID, s.ID)
	}
	in.Amount, in.Last4 = "45.01", "9999"
	if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI,
		in)[0]; modelstest.Said(got) != "conflict amount:sale.differs last4:sale.differs" {
		t.Errorf("a posted sale reported otherwise: %q, want a conflict of amount and last4", modelstest.Said(got))
	}
	// The other way round: the terminal posts a sale that a program had reported.
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-7"))
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	p.OrderID = "ORDER-7"
	if r := o.Post(p); r.Status != models.ResultDuplicate {
		t.Errorf("the terminal's own post of a reported sale is %s (%s), want a duplicate", r.Status, r.Note)
	}
}

func TestEveryFieldWrongIsNamed(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	nowhere := modelstest.NextSerial()
	long := strings.Repeat("x", 251)
	for want, changes := range map[string][]func(*models.SaleInput){
		"serialNumber:serial.invalid": {
			func(s *models.SaleInput) { s.SerialNumber = "149000000" },
			func(s *models.SaleInput) { s.SerialNumber = "14900000012" }, func(s *models.SaleInput) { s.SerialNumber = "149000000O" },
			func(s *models.SaleInput) { s.SerialNumber = "1490000001"[:9] + "１" },
		},
		"serialNumber:field.required":       {func(s *models.SaleInput) { s.SerialNumber = " " }},
		"serialNumber:sale.unknownTerminal": {func(s *models.SaleInput) { s.SerialNumber = nowhere }},
		"serialNumber:sale.noStore":         {func(s *models.SaleInput) { s.SoldAt = "2026-11-19T23:59:59-06:00" }},
		"merchantId:merchantId.invalid": {
			func(s *models.SaleInput) { s.MerchantID = "a\nb" },
			func(s *models.SaleInput) { s.MerchantID = long },
		},
		"merchantId:field.cardNumber": {func(s *models.SaleInput) { s.MerchantID = "4111111111111111" }},
		"orderId:field.required":      {func(s *models.SaleInput) { s.OrderID = "" }},
		"orderId:field.tooLong":       {func(s *models.SaleInput) { s.OrderID = long }},
		"orderId:field.invalidText": {
			func(s *models.SaleInput) { s.OrderID = "A\x00B" },
			func(s *models.SaleInput) { s.OrderID = "A\xffB" }, func(s *models.SaleInput) { s.OrderID = "A\u202eB" },
		},
		"orderId:field.cardNumber": {
			func(s *models.SaleInput) { s.OrderID = "4111 1111 1111 1111" },
			func(s *models.SaleInput) { s.OrderID = "x5500-0000-0000-0004." },
		},
		"amount:field.required": {func(s *models.SaleInput) { s.Amount = "" }},
		"amount:amount.zero":    {func(s *models.SaleInput) { s.Amount = "0" }, func(s *models.SaleInput) { s.Amount = "0.00" }},
		"amount:amount.invalid": {
			func(s *models.SaleInput) { s.Amount = "-5" },
			func(s *models.SaleInput) { s.Amount = "1,250.00" }, func(s *models.SaleInput) { s.Amount = "1.001" },
			func(s *models.SaleInput) { s.Amount = "1e3" }, func(s *models.SaleInput) { s.Amount = "NaN" },
		},
		"amount:amount.tooLarge": {func(s *models.SaleInput) { s.Amount = "10000000000.01" }},
		"currency:currency.invalid": {
			func(s *models.SaleInput) { s.Currency = "USD" },
			func(s *models.SaleInput) { s.Currency = "mxn" },
		},
		"soldAt:field.required": {func(s *models.SaleInput) { s.SoldAt = "" }},
		"soldAt:soldAt.invalid": {
			func(s *models.SaleInput) { s.SoldAt = "2026-11-20 12:00" },
			func(s *models.SaleInput) { s.SoldAt = "2026-02-30T12:00:00Z" },
		},
		"soldAt:soldAt.future": {func(s *models.SaleInput) { s.SoldAt = "2026-11-20T12:10:01-06:00" }},
		"soldAt:soldAt.tooOld": {func(s *models.SaleInput) { s.SoldAt = "2025-01-01T12:00:00Z" }},
		"last4:last4.invalid": {
			func(s *models.SaleInput) { s.Last4 = "123" }, func(s *models.SaleInput) { s.Last4 = "12345" },
			func(s *models.SaleInput) { s.Last4 = "12a4" },
		},
		"cardBrand:field.tooLong":    {func(s *models.SaleInput) { s.CardBrand = long }},
		"authCode:field.tooLong":     {func(s *models.SaleInput) { s.AuthCode = long }},
		"folio:field.tooLong":        {func(s *models.SaleInput) { s.Folio = long }},
		"reference:field.tooLong":    {func(s *models.SaleInput) { s.Reference = long }},
		"reference:field.cardNumber": {func(s *models.SaleInput) { s.Reference = "tarjeta 4111111111111111" }},
	} {
		for i, change := range changes {
			in := modelstest.GivenSale(o, fmt.Sprintf("%s-%d", strings.ReplaceAll(want, ":", "-"), i))
			change(&in)
			good := modelstest.GivenSale(o, "good-"+want+fmt.Sprint(i))
			got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in, good)
			if modelstest.Said(got[0]) != "refused "+want {
				t.Errorf("RecordSales(%+v) = %q, want it refused for %s", in, modelstest.Said(got[0]), want)
			}
			if got[1].Status != intake.Created {
				t.Errorf("the good sale beside a refused one is %q, want created", modelstest.Said(got[1]))
			}
		}
	}
	all := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, models.SaleInput{})[0]
	const want = "refused orderId:field.required amount:field.required soldAt:field.required serialNumber:field.required"
	if got := modelstest.Said(all); got != want {
		t.Errorf("nothing at all: %q, want every required field named", got)
	}
}

func TestOrderNumbersWarn(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	serial := string(o.Terminal.SerialNumber)
	for order, want := range map[string][]string{
		"261120115930-" + serial:  nil,
		"261120115000-" + serial:  nil,
		"261120114900-" + serial:  {"sale.orderTimeDiffers"},
		"261119115930-" + serial:  {"sale.orderTimeDiffers"},
		"261120115930-9999999999": {"sale.orderSerialDiffers"},
		"250101000000-9999999999": {"sale.orderSerialDiffers", "sale.orderTimeDiffers"},
		strings.Repeat("9", 61):   {"sale.orderOdd"}, // recorded all the same
		"orden «25»":              {"sale.orderOdd"},
		"ticket 25":               nil,
	} {
		if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI,
			modelstest.GivenSale(o, order))[0]; got.Status != intake.Created || !slices.Equal(got.Warnings, want) {
			t.Errorf("order %s: %s with warnings %v, want created with %v", order, modelstest.Said(got), got.Warnings, want)
		}
	}
	in := modelstest.GivenSale(o, "with another merchant id")
	in.MerchantID = "OTHER"
	if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0]; !slices.Equal(got.Warnings,
		[]string{"sale.merchantDiffers"}) {
		t.Errorf("another merchant id than the assignment's: warnings %v", got.Warnings)
	}
}

func TestADoorOpensToWhoMay(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for role, may := range map[models.Role][]models.SaleSource{
		models.Manager: {models.SourceManual}, models.Supervisor: {models.SourceManual}, models.Administrator: {models.SourceImport},
		models.Integration: {models.SourceAPI}, models.Anonymous: nil,
	} {
		for _, source := range []models.SaleSource{models.SourceManual, models.SourceImport, models.SourceAPI} {
			actor := modelstest.Person(role)
			if role == models.Integration {
				actor = modelstest.RequestKey()
			}
			_, err := o.Intake.RecordSales(t.Context(), actor, intake.Options{Source: source}, []models.SaleInput{modelstest.GivenSale(o, "O")})
			if want := slices.Contains(may, source); errors.Is(err, models.ErrForbidden) == want || err != nil &&
				!errors.Is(err, models.ErrForbidden) {
				t.Errorf("%s tells of sales by %s: %v, want allowed = %t", role, source, err, want)
			}
		}
	}
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "ELSE")
	if got := modelstest.Record(t, o, modelstest.RequestKey(other), modelstest.ByAPI,
		modelstest.GivenSale(o, "P"))[0]; modelstest.Said(got) != "refused serialNumber:sale.unknownTerminal" {
		t.Errorf("a key of another store: %q, want a terminal that it does not know", modelstest.Said(got))
	}
	if _, err := o.Intake.RecordSales(t.Context(), modelstest.RequestKey(), modelstest.ByAPI,
		make([]models.SaleInput, intake.MaxSales+1)); !errors.Is(err, models.Invalid("", "sales.tooMany")) {
		t.Errorf("one sale too many: %v, want sales.tooMany", err)
	}
}

func TestDryRunAndAllOrNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	bad := modelstest.GivenSale(o, "BAD")
	bad.Amount = "x"
	known := modelstest.GivenSale(o, "KNOWN")
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, known)
	sales := []models.SaleInput{modelstest.GivenSale(o, "A"), bad, known, modelstest.GivenSale(o, "A")}
	dry := modelstest.Record(t, o, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI, DryRun: true}, sales...)
	if got := []string{
		modelstest.Said(dry[0]), modelstest.Said(dry[1]), modelstest.Said(dry[2]),
		modelstest.Said(dry[3]),
	}; !slices.Equal(got, []string{"created", "refused amount:amount.invalid", "known", "known"}) {
		t.Errorf("dry run = %v", got)
	}
	none := modelstest.Record(t, o, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI, AllOrNothing: true}, sales...)
	if got := []string{modelstest.Said(none[0]), modelstest.Said(none[1])}; !slices.Equal(got,
		[]string{"skipped", "refused amount:amount.invalid"}) {
		t.Errorf("all or nothing with a wrong one = %v", got)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 1 {
		t.Errorf("sales after a dry run and a held back call = %d, want 1", n)
	}
	all := modelstest.Record(t, o, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI, AllOrNothing: true}, sales[0], known)
	if modelstest.Said(all[0]) != "created" || modelstest.Said(all[1]) != "known" {
		t.Errorf("all or nothing with good ones = %v", all)
	}
}

func TestCardNumbersAreToldFromOtherDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"4111111111111111": true, "4111 1111 1111 1111": true, "tarjeta 5500-0000-0000-0004.": true, "378282246310005": true,
		"ticket 12 4111111111111111": true, "12-4111 1111 1111 1111": true, "4111111111111111 01/29": true, "4111.1111.1111.1111": true,
		"4111\u00a01111\u00a01111\u00a01111": true, "4111  1111  1111  1111": true, "4111 - 1111 - 1111 - 1111": true,
		"4111–1111–1111–1111": true, "4111\u200b11111111\u202f1111": true,
		"4111/1111/1111/1111": true, "3782 822463 10005": true, "del 20/11 4111111111111111, gracias": true,
		"3-10-2026 11:30:00 4": false, "411111111111111 1": false,
		"2223003122003222": true, "6011111111111117": true, "30569309025904": true,
		"4111111111111112": false,                                                       // its check digit is wrong
		"1490000001000004": false, "9999999999999995": false, "2026112012000009": false, // no card number begins so
		"261120115930-1490000001": false, "42": false, "": false, "411111111111111": false,
	} {
		if got := cards.Holds(text); got != want {
			t.Errorf("Holds(%q) = %t, want %t", text, got, want)
		}
	}
}
