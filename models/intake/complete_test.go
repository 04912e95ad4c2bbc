package intake_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// doors tell the sale of an order of the office's terminal, as each does.
var doors = map[models.SaleSource]func(t *testing.T, o *modelstest.Office, in models.SaleInput){
	models.SourceAPI: func(t *testing.T, o *modelstest.Office, in models.SaleInput) {
		modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)
	},
	models.SourceImport: func(t *testing.T, o *modelstest.Office, in models.SaleInput) {
		modelstest.Record(t, o, o.Admin, intake.Options{Source: models.SourceImport}, in)
	},
	models.SourceManual: func(t *testing.T, o *modelstest.Office, in models.SaleInput) {
		modelstest.Record(t, o, o.Manager, intake.Options{Source: models.SourceManual}, in)
	},
	models.SourceTerminal: func(t *testing.T, o *modelstest.Office, in models.SaleInput) {
		p := o.SalePost(o.Terminal.SerialNumber, 125000)
		p.OrderID, p.Last4, p.CardBrand, p.AuthCode, p.Folio = in.OrderID, in.Last4, in.CardBrand, in.AuthCode, in.Folio
		o.Post(p)
	},
}

// bare is a sale of the office's terminal, made now, without an optional fact.
func bare(o *modelstest.Office, order string) models.SaleInput {
	return models.SaleInput{
		SerialNumber: string(o.Terminal.SerialNumber), OrderID: order, Amount: "1250.00", SoldAt: o.Clock.Now().Format(time.RFC3339),
	}
}

// spellings of one fact are no difference to anybody.
var spellings = map[string][]string{
	"last4": {"4242"}, "cardBrand": {"VISA", "Visa", "visa crédito", "VISA DEBITO"}, "authCode": {"0a1b2c", "0A1B2C"},
	"folio": {"000123", "123"}, "reference": {"Café 7", "CAFE 7", "cafe7"},
}

// others are facts that contradict those.
var others = map[string]string{"last4": "1111", "cardBrand": "Mastercard", "authCode": "Z9", "folio": "124", "reference": "otra"}

// TestTheOrderOfDoorsDoesNotMatter: whichever door is first, a sale has the same facts
// in the end, and the same is said otherwise.
func TestTheOrderOfDoorsDoesNotMatter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		sources := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(doors))), 2, 4, rapid.ID).Draw(rt, "doors")
		told := map[models.SaleSource]models.SaleInput{}
		for _, source := range sources {
			in := bare(o, "")
			for _, name := range slices.Sorted(maps.Keys(spellings)) {
				values := append(slices.Clone(spellings[name]), "", "", others[name])
				*in.Field(name) = rapid.SampledFrom(values).Draw(rt, string(source)+" "+name)
			}
			if source == models.SourceTerminal {
				in.Reference = ""
			}
			told[source] = in
		}
		tell := func(order []models.SaleSource) map[string][]string {
			n++
			id := fmt.Sprintf("ORDER-%d", n)
			for _, source := range order {
				in := told[source]
				in.OrderID = id
				doors[source](t, o, in)
				doors[source](t, o, in) // the same twice is nothing new
			}
			return said(o, id)
		}
		first := tell(sources)
		again := tell(rapid.Permutation(sources).Draw(rt, "in another order"))
		if diff := cmp.Diff(first, again); diff != "" {
			rt.Errorf("what is known depends on the order of the doors (-one +other):\n%s", diff)
		}
		for _, name := range slices.Sorted(maps.Keys(spellings)) {
			want := map[string]bool{}
			for _, in := range told {
				if value := *in.Field(name); value != "" {
					want[oneSpelling(name, value)] = true
				}
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), first[name]); diff != "" {
				rt.Errorf("%s (-told +known): %s", name, diff)
			}
		}
	})
	o.CheckInvariants(t)
}

// said are all values that are known of a sale's facts, in one spelling.
func said(o *modelstest.Office, order string) map[string][]string {
	sale := o.FindSale(order)
	known := map[string][]string{}
	add := func(name, value string) {
		if value = oneSpelling(name, value); value != "" && !slices.Contains(known[name], value) {
			known[name] = append(known[name], value)
		}
	}
	for name := range spellings {
		known[name] = nil
		add(name, *models.Fact(name).Kept(sale))
	}
	for _, f := range o.SaleDetail(sale.ID).Facts {
		add(f.Fact, f.Value)
	}
	for name := range known {
		slices.Sort(known[name])
	}
	return known
}

func oneSpelling(name, value string) string {
	if slices.Contains(spellings[name], value) {
		return spellings[name][0]
	}
	return value
}

// TestDoorsCompleteEachOther: each fact comes from the door that told it, and the
// trail says so; the amount and the state stay, also of a sale that is canceled.
func TestDoorsCompleteEachOther(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	in := bare(o, "ORDER-1")
	in.Reference = "ticket 7"
	doors[models.SourceAPI](t, o, in)
	posted := bare(o, "ORDER-1")
	posted.Last4, posted.CardBrand, posted.Folio = "4242", "VISA", "F9"
	doors[models.SourceTerminal](t, o, posted)
	o.Request(o.FindSale("ORDER-1"))
	typed := bare(o, "ORDER-1")
	typed.AuthCode, typed.Last4, typed.CardBrand = "A1", "1111", "Visa"
	got := modelstest.Record(t, o, o.Manager, intake.Options{Source: models.SourceManual}, typed)[0]
	if modelstest.Said(got) != "conflict last4:sale.differs" || !slices.Equal(got.Completed, []string{"authCode"}) {
		t.Errorf("the typed sale is %s, completes %v, want a conflict of the four digits, and the authorization",
			modelstest.Said(got), got.Completed)
	}
	sale := o.FindSale("ORDER-1")
	d := o.SaleDetail(sale.ID)
	if sale.Last4 != "4242" || sale.CardBrand != "VISA" || sale.Folio != "F9" || sale.AuthCode != "A1" || sale.Reference != "ticket 7" ||
		sale.Amount != 125000 || sale.Source != models.SourceAPI || sale.State != models.SaleRequested {
		t.Errorf("the sale is %+v, want what each door told first", sale)
	}
	var origins []string
	for _, f := range d.Facts {
		origins = append(origins, fmt.Sprint(f.Fact, " ", f.Value, " ", f.Source, " ", f.Filled))
	}
	slices.Sort(origins)
	want := []string{
		"authCode A1 hand true", "cardBrand VISA terminal true", "folio F9 terminal true", "last4 1111 hand false", "last4 4242 terminal true",
	}
	if diff := cmp.Diff(want, origins); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
	for what, where := range map[string]string{
		"the terminal's": `actor_role = 'terminal' AND after->>'last4' = '4242' AND after->>'source' = 'terminal'`,
		"the person's":   `actor_role = 'manager' AND after->>'authCode' = 'A1' AND after->'differs'->>'last4' = '1111'`,
	} {
		if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sale.completed' AND sale_id = $1 AND `+where,
			sale.ID); n != 1 {
			t.Errorf("entries of %s = %d, want 1", what, n)
		}
	}
	o.CheckInvariants(t)
}

// TestAnotherAmountCompletesNothing: it is not clear that it is the same sale.
func TestAnotherAmountCompletesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	doors[models.SourceAPI](t, o, bare(o, "ORDER-1"))
	other := bare(o, "ORDER-1")
	other.Amount, other.Folio = "9.00", "F9"
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, other)[0]
	if modelstest.Said(got) != "conflict amount:sale.differs" || len(got.Completed) > 0 || o.FindSale("ORDER-1").Folio != "" {
		t.Errorf("another amount is %s, completes %v, want a conflict and nothing", modelstest.Said(got), got.Completed)
	}
}

// TestAnOptionalColumnHoldsNothingBack: a file's sale comes in without the fact that
// cannot be read, and the row says so.
func TestAnOptionalColumnHoldsNothingBack(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	file := strings.Builder{}
	file.WriteString("serialNumber,orderId,amount,soldAt,last4,cardBrand,authCode,folio,reference\n")
	row := func(order, rest string) {
		fmt.Fprintf(&file, "%s,%s,1250.00,2026-11-20 11:59,%s\n", o.Terminal.SerialNumber, order, rest)
	}
	row("ORDER-1", "42,VISA,A1,F1,R1")
	row("ORDER-2", "abcd,"+strings.Repeat("v", 21)+",4111111111111111,=1+1,4111-1111-1111-1111")
	row("ORDER-3", "4242,VISA,A3,F3,R3")
	row("ORDER-1", ",,,,R1 bis") // of the file's first row
	row("ORDER-4", ",,,F4,")
	row("ORDER-4", ",,A4,,")
	doors[models.SourceAPI](t, o, func() models.SaleInput {
		in := bare(o, "ORDER-3")
		in.SoldAt, in.Last4 = "2026-11-20T11:59:30-06:00", "1111"
		return in
	}())
	given := modelstest.Give(t, o, file.String())
	if given.NewCount != 3 || given.KnownCount != 3 || given.RefusedCount+given.ConflictCount != 0 || given.WarnedCount != 5 {
		t.Errorf("of the file %d rows are new, %d known, %d refused, %d contradict, %d have warnings, want 3, 3, 0, 0, 5",
			given.NewCount, given.KnownCount, given.RefusedCount, given.ConflictCount, given.WarnedCount)
	}
	var remarks []string
	for _, r := range given.Remarks {
		for _, p := range r.Problems {
			remarks = append(remarks, fmt.Sprint(r.Line, " ", p.Column, " ", p.Code))
		}
		remarks = append(remarks, fmt.Sprint(r.Line, " ", r.Warnings))
	}
	want := []string{
		"2 last4 last4.invalid", "2 [sale.leftOut]", "3 last4 table.noDigits", "3 authCode table.cardNumber", "3 folio table.formula",
		"3 reference table.cardNumber", "3 cardBrand field.tooLong", "3 [sale.leftOut]", "4 last4 sale.differs",
		"4 [sale.factsDiffer sale.completes]", "5 reference sale.differs", "5 [sale.factsDiffer]", "7 [sale.completes]",
	}
	if diff := cmp.Diff(want, remarks); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	modelstest.Confirm(t, o, given, false)
	only := "serialNumber,orderId,amount,soldAt,last4\n" + string(o.Terminal.SerialNumber) + ",ORDER-1,1250.00,2026-11-20 11:59,0042\n"
	if done := modelstest.Confirm(t, o, modelstest.Give(t, o, only), false); done.NewCount != 0 || o.FindSale("ORDER-1").Last4 != "0042" {
		t.Errorf("a file that only completes: %d new, last four %q", done.NewCount, o.FindSale("ORDER-1").Last4)
	}
	if fourth := o.FindSale("ORDER-4"); fourth.Folio != "F4" || fourth.AuthCode != "A4" {
		t.Errorf("two rows of one sale come to folio %q and authorization %q", fourth.Folio, fourth.AuthCode)
	}
	first, second, third := o.FindSale("ORDER-1"), o.FindSale("ORDER-2"), o.FindSale("ORDER-3")
	if first.Last4 != "0042" || first.Folio != "F1" || second.Last4+second.CardBrand+second.AuthCode+second.Folio+second.Reference != "" {
		t.Errorf("the sales are %+v and %+v, want them without what cannot be read", first, second)
	}
	if third.Last4 != "1111" || third.Folio != "F3" || third.AuthCode != "A3" || third.CardBrand != "VISA" {
		t.Errorf("the known sale is %+v, want it completed, with the four digits that it had", third)
	}
	o.CheckInvariants(t)
}
