package models_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/modelstest/cardstest"
	"veinte/models/reconciliation/report"
	"veinte/models/sales"
)

// honest are so many numbers of each kind that merchants give.
func honest(now time.Time, n int) []string {
	made, seen, numbers := cardstest.New(7, now), map[string]bool{}, []string{}
	for k, kind := range cardstest.Kinds {
		for len(numbers) < (k+1)*n {
			if number := made.Order(kind); !seen[number] {
				seen[number], numbers = true, append(numbers, number)
			}
		}
	}
	return numbers
}

// saleWith is a sale of the office's terminal with a number in each field for one.
func saleWith(o *modelstest.Office, number string) models.SaleInput {
	in := modelstest.GivenSale(o, number)
	in.Reference, in.Folio = number, number
	return in
}

// TestHonestNumbersPassEveryDoor: of 300 numbers of each kind none is refused where a
// sale comes in, is looked for, or is compared. Terminals' posts are in
// handlers/results.
func TestHonestNumbersPassEveryDoor(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	numbers := honest(o.Clock.Now(), 300)
	if len(numbers) != 900 {
		t.Fatalf("%d numbers, want 900", len(numbers))
	}
	var inputs []models.SaleInput
	file := strings.Builder{}
	file.WriteString("serialNumber,orderId,amount,soldAt,folio,reference\n")
	for _, number := range numbers {
		inputs = append(inputs, saleWith(o, number))
		fmt.Fprintf(&file, "%s,%s,1250.00,2026-11-20 11:59,%s,%s\n", o.Terminal.SerialNumber, number, number, number)
	}
	if got := modelstest.Give(t, o, file.String()); got.NewCount != 900 {
		t.Errorf("%d rows of the file are new, %d refused, want 900 new", got.NewCount, got.RefusedCount)
	}
	for i, got := range modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, inputs...) {
		if got.Status == intake.Refused {
			t.Errorf("a program's order %q is %s", numbers[i], modelstest.Said(got))
		}
	}
	reader := reportReader(t, o.Clock.Now())
	for _, number := range numbers {
		given := map[string]string{"q": number}
		if f, wrong := sales.ParseFilter(func(name string) string { return given[name] }, o.Clock.Now()); len(wrong) > 0 || f.Query != number {
			t.Errorf("the list looks for %q instead of %q: %v", f.Query, number, wrong)
		}
		if f, wrong := audit.ParseFilter(func(name string) string { return given[name] }, o.Clock.Now()); len(wrong) > 0 || f.Query != number {
			t.Errorf("the trail is looked through for %q instead of %q: %v", f.Query, number, wrong)
		}
		if row := reader.Read(reportCells(number), 2); row.OrderID != number || row.Folio != number || row.Problem != "" {
			t.Errorf("a report's order %q is read as %q, folio %q: %s", number, row.OrderID, row.Folio, row.Problem)
		}
	}
	if found := o.FindSale(numbers[0]); found.Reference != numbers[0] {
		t.Errorf("the first sale has the reference %q, want %q", found.Reference, numbers[0])
	}
	o.CheckInvariants(t)
}

// TestHonestNumbersAreTyped: a person's form goes through more checks, sale by sale.
func TestHonestNumbersAreTyped(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, number := range honest(o.Clock.Now(), 300) {
		in := saleWith(o, number)
		typed := intake.ManualSale{TerminalID: o.Terminal.ID, SaleInput: in, Date: "2026-11-20", Time: "11:59"}
		if !cards.Holds(number) {
			continue // no rule ever refused it
		}
		got, err := o.Intake.RecordManual(t.Context(), o.Manager, typed)
		if err != nil || got.Status == intake.Refused {
			t.Fatalf("RecordManual(%q) = %+v, %v", number, got, err)
		}
	}
}

// TestCardsPassNoDoor: a card number is refused in every field, however it is written,
// by a code that says so, and nothing keeps it.
func TestCardsPassNoDoor(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	made := cardstest.New(8, o.Clock.Now())
	var inputs []models.SaleInput
	file, orders, optional := strings.Builder{}, 0, 0
	file.WriteString("serialNumber,orderId,amount,soldAt,folio,reference\n")
	reader := reportReader(t, o.Clock.Now())
	for i := range 40 {
		card := made.Card()
		for j, text := range cardstest.Written(card) {
			if strings.ContainsAny(text, "\r\n") {
				continue // no field of one line takes them
			}
			in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d-%d", i, j))
			*map[int]*string{0: &in.OrderID, 1: &in.Reference, 2: &in.Folio}[j%3] = text
			if inputs = append(inputs, in); j%3 == 0 {
				orders++
			} else {
				optional++
			}
			fmt.Fprintf(&file, "%s,\"%s\",1250.00,2026-11-20 11:59,\"%s\",\"%s\"\n", in.SerialNumber, in.OrderID, in.Folio, in.Reference)
			given := map[string]string{"q": text}
			if f, wrong := sales.ParseFilter(func(name string) string { return given[name] }, o.Clock.Now()); len(wrong) != 1 || f.Query != "" {
				t.Errorf("the list looks for %q: %v", f.Query, wrong)
			}
			row := reader.Read(reportCells(text), 2)
			if kept := fmt.Sprintf("%+v", row); row.OrderID != "" || strings.Contains(kept, card) || cards.Holds(row.Folio) {
				t.Errorf("a report's %q is kept: %s", text, kept)
			}
		}
	}
	for i, got := range modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, inputs...) {
		if got.Status != intake.Refused || got.Problems[0].Code != "field.cardNumber" && got.Problems[0].Code != "field.invalidText" {
			t.Errorf("%+v is %s, want refused for its card number", inputs[i], modelstest.Said(got))
		}
	}
	if got := modelstest.Give(t, o, file.String()); got.RefusedCount != orders || got.WarnedCount != optional {
		t.Errorf("%d rows of the file are refused, %d have warnings, want %d and %d", got.RefusedCount, got.WarnedCount, orders, optional)
	}
	for _, table := range []string{"sales", "imports", "import_remarks", "audit_entries"} {
		stored := modelstest.Scan[string](t, o.Owner, "SELECT coalesce(string_agg(to_jsonb(r)::text, E'\n'), '') FROM "+table+" r")
		for made, i := cardstest.New(8, o.Clock.Now()), 0; i < 40; i++ {
			if card := made.Card(); strings.Contains(stored, card) {
				t.Errorf("%s holds %s", table, card)
			}
		}
	}
}

// reportReader reads orders and folios of a report.
func reportReader(t *testing.T, now time.Time) *report.Reader {
	t.Helper()
	m := report.Mapping{
		Columns: map[report.Field]string{report.FieldOrderID: "Orden", report.FieldFolio: "Folio", report.FieldAmount: "Monto"},
		Amounts: report.AmountsPoint, Dates: report.DatesISO, Zone: "America/Mexico_City",
	}
	r, err := report.NewReader(m, []string{"Orden", "Folio", "Monto"}, models.Calendar{}, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reportCells(number string) []report.Cell {
	return []report.Cell{{Text: number}, {Text: number}, {Text: "1250.00"}}
}
