package intake

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
)

// The tests of this file need no database: make mutants runs them alone, by their
// names.

var judgedAt = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

func judgeCalendar(t *testing.T) models.Calendar {
	t.Helper()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		t.Fatalf("NewCalendar() = %v", err)
	}
	return calendar
}

func judgedSale() models.SaleInput {
	return models.SaleInput{
		SerialNumber: "1490000001", MerchantID: "9000010", OrderID: "261120115930-1490000001", Amount: "1250.00", Currency: "MXN",
		SoldAt: "2026-11-20T11:59:30-06:00", Last4: "4242", CardBrand: "VISA", AuthCode: "A1", Folio: "F1", Reference: "R1",
	}
}

// TestJudgeEveryField has each field at its bounds, and beyond them.
func TestJudgeEveryField(t *testing.T) {
	t.Parallel()
	x := strings.Repeat
	for _, tt := range []struct{ field, value, want string }{
		{"serialNumber", " 1490000001 ", ""},
		{"serialNumber", " ", "field.required"},
		{"serialNumber", "149000000", "serial.invalid"},
		{"merchantId", "", ""},
		{"merchantId", x("9", 250), ""},
		{"merchantId", x("9", 251), "merchantId.invalid"},
		{"merchantId", "4111111111111111", "field.cardNumber"},
		{"orderId", " ", "field.required"},
		{"orderId", x("ñ", 250), ""},
		{"orderId", x("ñ", 251), "field.tooLong"},
		{"orderId", "a\x00b", "field.invalidText"},
		{"orderId", "a\xffb", "field.invalidText"},
		{"orderId", "4111 1111 1111 1111", "field.cardNumber"},
		{"orderId", "2611201159304246", ""},
		{"amount", " ", "field.required"},
		{"amount", "uno", "amount.invalid"},
		{"amount", "0", "amount.zero"},
		{"amount", " 0.01 ", ""},
		{"amount", "10000000000.00", ""},
		{"amount", "10000000000.01", "amount.tooLarge"},
		{"currency", "", ""},
		{"currency", " MXN ", ""},
		{"currency", "USD", "currency.invalid"},
		{"soldAt", " ", "field.required"},
		{"soldAt", "ayer", "soldAt.invalid"},
		{"soldAt", "2026-11-20T18:10:00Z", ""},
		{"soldAt", "2026-11-20T18:10:00.000001Z", "soldAt.future"},
		{"soldAt", "2025-10-16T18:00:00Z", ""},
		{"soldAt", "2025-10-16T17:59:59Z", "soldAt.tooOld"},
		{"last4", "", ""},
		{"last4", " 0042 ", ""},
		{"last4", "042", "last4.invalid"},
		{"last4", "00422", "last4.invalid"},
		{"last4", "٠٠", "last4.invalid"},
		{"last4", "004a", "last4.invalid"},
		{"cardBrand", x("v", 20), ""},
		{"cardBrand", x("v", 21), "field.tooLong"},
		{"cardBrand", "4015202611200046", "field.cardNumber"}, // no number of the merchant's stands there
		{"authCode", x("9", 20), ""},
		{"authCode", x("9", 21), "field.tooLong"},
		{"folio", x("f", 80), ""},
		{"folio", x("f", 81), "field.tooLong"},
		{"reference", x("r", 80), ""},
		{"reference", x("r", 81), "field.tooLong"},
		{"reference", "4015202611200046", ""},
	} {
		in := judgedSale()
		*in.Field(tt.field) = tt.value
		_, problems := parse(in, judgedAt, judgeCalendar(t))
		got := ""
		for _, p := range problems {
			got += p.Field + ":" + p.Code
		}
		want := tt.want
		if want != "" {
			want = tt.field + ":" + want
		}
		if got != want {
			t.Errorf("%s %.40q is %q, want %q", tt.field, tt.value, got, want)
		}
	}
}

// TestJudgeReadsTheSale: everything is where it belongs.
func TestJudgeReadsTheSale(t *testing.T) {
	t.Parallel()
	calendar := judgeCalendar(t)
	in := judgedSale()
	in.SoldAt, in.Folio, in.Amount = "2026-11-19T23:30:00.1234567-06:00", " F1 ", " 1250.5 "
	got, problems := parse(in, judgedAt, calendar)
	at := time.Date(2026, 11, 20, 5, 30, 0, 123456000, time.UTC)
	want := models.Sale{
		SerialNumber: "1490000001", MerchantID: "9000010", OrderID: in.OrderID, Amount: 125050, Currency: "MXN", SoldAt: at,
		ReceivedAt: judgedAt, BusinessDay: "2026-11-19", CutoffAt: calendar.Cutoff(at), Last4: "4242", CardBrand: "VISA", AuthCode: "A1",
		Folio: "F1", Reference: "R1", State: models.SaleCancelable,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("the sale (-want +got):\n%s%v", diff, problems)
	}
}

// judged is the first of a call's sales.
func judged(t *testing.T, source models.SaleSource, in models.SaleInput) (*Call, *Candidate) {
	t.Helper()
	c := &Call{
		Options: Options{Source: source, BatchID: 7}, Actor: models.Actor{Name: "Caja"}, Now: judgedAt, Outcomes: make([]Outcome, 1),
	}
	c.Judge([]models.SaleInput{in}, judgeCalendar(t))
	if len(c.sales) == 0 {
		return c, nil
	}
	return c, c.sales[0]
}

// TestJudgeACall: a sale that is none is refused; an optional fact that cannot be read
// refuses a program's sale and is left out of a file's.
func TestJudgeACall(t *testing.T) {
	t.Parallel()
	bad := judgedSale()
	bad.Last4, bad.Folio = "42", "a\x00"
	if c, s := judged(t, models.SourceAPI, bad); s != nil || c.Outcomes[0].Status != Refused || len(c.Outcomes[0].Problems) != 2 {
		t.Errorf("a program's sale is %+v, want refused for two fields", c.Outcomes[0])
	}
	c, s := judged(t, models.SourceImport, bad)
	if s == nil || s.Last4 != "" || s.Folio != "" || s.AuthCode != "A1" || len(s.leftOut) != 2 || fmt.Sprint(s.warnings) != "[sale.leftOut]" {
		t.Fatalf("a file's sale is %+v of %+v, want it without two facts", s, c.Outcomes[0])
	}
	if s.Source != models.SourceImport || s.RecordedBy != "Caja" || s.BatchID == nil || *s.BatchID != 7 || s.statedMerchant != "9000010" {
		t.Errorf("the sale is of %s, %s, batch %v, merchant %s", s.Source, s.RecordedBy, s.BatchID, s.statedMerchant)
	}
	bad.Amount = "0"
	c, s = judged(t, models.SourceImport, bad)
	if s != nil || len(c.Outcomes[0].Problems) != 1 || c.Outcomes[0].Problems[0].Field != "amount" {
		t.Errorf("a file's sale without an amount is %+v, want refused for it", c.Outcomes[0])
	}
	if _, s := judged(t, models.SourceImport, judgedSale()); s == nil || len(s.leftOut)+len(s.warnings) > 0 {
		t.Errorf("a right row is %+v, want no warnings", s)
	}
}

// TestJudgeOrderNumbers: what an order number says otherwise is a warning.
func TestJudgeOrderNumbers(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{
		"261120115930-1490000001":   "[]",
		"261120115930-1490000002":   "[sale.orderSerialDiffers]",
		"261120114930-1490000001":   "[]", // ten minutes
		"261120114929-1490000001":   "[sale.orderTimeDiffers]",
		"261120120930-1490000001":   "[]",
		"261120120931-1490000002":   "[sale.orderSerialDiffers sale.orderTimeDiffers]",
		"261120115930":              "[]",
		"26112011593-1490000002":    "[]",
		"261120115930-149000002":    "[]",
		"261320115930-1490000002":   "[]",
		"261120115930-14900000O2":   "[]",
		"V-1":                       "[]",
		"2611201159300-1490000002":  "[]",
		"261120115930-14900000022":  "[]",
		"261120115930--1490000002":  "[]",
		"261120115930-1490000001-7": "[]",
	} {
		in := judgedSale()
		in.OrderID = order
		_, s := judged(t, models.SourceAPI, in)
		if got := fmt.Sprint(s.warnings); got != want {
			t.Errorf("order %s has the warnings %s, want %s", order, got, want)
		}
	}
}

// TestJudgeAgainstAKnownSale: what is a contradiction, what completes, what is the same.
func TestJudgeAgainstAKnownSale(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact          string
		told, known   func(*models.Sale)
		source        models.SaleSource // that tells
		want          string
		says          bool
		wantCompleted string
	}{
		{fact: "the same", want: "known"},
		{fact: "another amount", told: func(s *models.Sale) { s.Amount++ }, want: "conflict amount"},
		{fact: "another merchant id", told: func(s *models.Sale) { s.MerchantID = "x" }, want: "conflict merchantId"},
		{fact: "a second later", told: func(s *models.Sale) { s.SoldAt = s.SoldAt.Add(time.Second) }, want: "conflict soldAt"},
		{fact: "without seconds", told: func(s *models.Sale) { s.SoldAt = s.SoldAt.Truncate(time.Minute) }, want: "known"},
		{fact: "known without seconds", known: func(s *models.Sale) { s.SoldAt = s.SoldAt.Truncate(time.Minute) }, want: "known"},
		{
			fact: "another minute", told: func(s *models.Sale) { s.SoldAt = s.SoldAt.Truncate(time.Minute).Add(time.Minute) },
			want: "conflict soldAt",
		},
		{
			fact: "ten minutes after a post", told: func(s *models.Sale) { s.SoldAt = s.SoldAt.Add(10 * time.Minute) },
			known: func(s *models.Sale) { s.Source = models.SourceTerminal }, want: "known",
		},
		{
			fact: "more than that", told: func(s *models.Sale) { s.SoldAt = s.SoldAt.Add(10*time.Minute + 1) },
			known: func(s *models.Sale) { s.Source = models.SourceTerminal }, want: "conflict soldAt",
		},
		{fact: "it lacks one", known: func(s *models.Sale) { s.Folio = "" }, want: "known", says: true, wantCompleted: "[folio]"},
		{fact: "one is not told", told: func(s *models.Sale) { s.Folio = "" }, want: "known"},
		{fact: "other digits", told: func(s *models.Sale) { s.Last4 = "0000" }, want: "conflict last4", says: true},
		{
			fact: "other digits in a file", told: func(s *models.Sale) { s.Last4 = "0000" }, source: models.SourceImport,
			want: "known last4 [sale.factsDiffer]", says: true,
		},
		{
			fact: "a file completes", known: func(s *models.Sale) { s.AuthCode, s.Folio = "", "" }, source: models.SourceImport,
			want: "known [sale.completes]", says: true, wantCompleted: "[authCode folio]",
		},
		{
			fact: "nothing is completed in doubt", told: func(s *models.Sale) { s.Amount++ }, known: func(s *models.Sale) { s.Folio = "" },
			want: "conflict amount",
		},
	} {
		_, ts := judged(t, models.SourceAPI, judgedSale())
		known := ts.Sale
		known.ID, known.Source = 9, models.SourceAPI
		if tt.told != nil {
			tt.told(&ts.Sale)
		}
		if tt.known != nil {
			tt.known(&known)
		}
		if tt.source != "" {
			ts.call.Source = tt.source
		}
		says := ts.Compare(&known)
		o := ts.Outcome()
		got := string(o.Status)
		for _, p := range o.Problems {
			got += " " + p.Field
		}
		if len(o.Warnings) > 0 {
			got += " " + fmt.Sprint(o.Warnings)
		}
		completed := ""
		if len(o.Completed) > 0 {
			completed = fmt.Sprint(o.Completed)
		}
		if got != tt.want || says != tt.says || completed != tt.wantCompleted || o.SaleID != 9 {
			t.Errorf("%s: %s, says more %t, completes %s of %d; want %s, %t, %s of 9", tt.fact, got, says, completed, o.SaleID,
				tt.want, tt.says, tt.wantCompleted)
		}
	}
}
