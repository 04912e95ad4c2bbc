package intake_test

import (
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// told is a sale that a program alone reported.
func told(t *testing.T, o *modelstest.Office, order string) int64 {
	t.Helper()
	return modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, order))[0].SaleID
}

func byProgram(facts map[string]string) intake.Correction {
	return intake.Correction{Source: models.SourceAPI, Facts: facts, Note: "Se tecleó otro monto"}
}

// TestADoorCorrectsItsSale: the sale and the day's sums follow, what it was is in the
// trail, and the door may report the corrected sale again.
func TestADoorCorrectsItsSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	id, key := told(t, o, "ORDER-1"), modelstest.RequestKey()
	correction := byProgram(map[string]string{"amount": "12.50", "reference": "ticket 8", "authCode": ""})
	for range 2 { // the second time it changes nothing
		s, wrong, err := o.Intake.Correct(t.Context(), key, id, correction)
		if err != nil || len(wrong) > 0 || s.Amount != 1250 || s.Reference != "ticket 8" || s.AuthCode != "" || s.Last4 != "4242" {
			t.Fatalf("Correct() = %+v, %v, %v", s, wrong, err)
		}
	}
	s := o.FindSale("ORDER-1")
	if s.Amount != 1250 || s.Reference != "ticket 8" || s.AuthCode != "" || s.Source != models.SourceAPI {
		t.Errorf("stored = %+v", s)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sale.corrected' AND sale_id = $1
		AND before = '{"amount": 125000, "reference": "ticket 7", "authCode": "A1"}'
		AND after = '{"amount": 1250, "reference": "ticket 8", "authCode": ""}' AND reason = 'Se tecleó otro monto'`, id); n != 1 {
		t.Errorf("entries = %d, want one with what it was and is", n)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT sum(amount) FROM day_totals`); got != 1250 {
		t.Errorf("sum of the day = %d, want 1250", got)
	}
	in := modelstest.GivenSale(o, "ORDER-1")
	if got := modelstest.Record(t, o, key, modelstest.ByAPI, in)[0]; got.Status != intake.Conflict {
		t.Errorf("reported as it was = %s, want a conflict", modelstest.Said(got))
	}
	in.Amount, in.Reference = "12.5", "ticket 8"
	if got := modelstest.Record(t, o, key, modelstest.ByAPI, in)[0]; got.Status != intake.Known {
		t.Errorf("reported as corrected = %s, want known", modelstest.Said(got))
	}
	o.CheckInvariants(t)
}

// TestADoorTakesItsSaleBack: it is in no list and no sum, stays in the trail, and can be
// reported anew.
func TestADoorTakesItsSaleBack(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key := modelstest.RequestKey()
	for _, order := range []string{"ORDER-1", "ORDER-2"} {
		told(t, o, order)
	}
	id := o.FindSale("ORDER-1").ID
	if err := o.Intake.TakeBack(t.Context(), key, id, models.SourceAPI, "Se envió dos veces"); err != nil {
		t.Fatal(err)
	}
	if err := o.Intake.TakeBack(t.Context(), key, id, models.SourceAPI, ""); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("taken back twice = %v, want %v", err, models.ErrNotFound)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM sales`: 1, `SELECT sum(sales) FROM day_totals`: 1, `SELECT sum(amount) FROM day_totals`: 125000,
		`SELECT count(*) FROM undone_sales WHERE batch_id IS NULL AND sale->>'order_id' = 'ORDER-1'`: 1,
		`SELECT count(*) FROM audit_entries WHERE action = 'sale.undone' AND order_id = 'ORDER-1' AND amount = 125000
			AND before->>'reference' = 'ticket 7' AND reason = 'Se envió dos veces'`: 1,
	} {
		if got := modelstest.Count(t, o.Owner, query); got != want {
			t.Errorf("%s = %d, want %d", query, got, want)
		}
	}
	if got := modelstest.Record(t, o, key, modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))[0]; got.Status != intake.Created {
		t.Errorf("reported anew = %s, want created", modelstest.Said(got))
	}
	o.CheckInvariants(t)
}

// TestWhenASaleStays: what another door said too, and what somebody asked to cancel, is
// neither corrected nor taken back by anybody.
func TestWhenASaleStays(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for name, tt := range map[string]struct {
		do   func(t *testing.T, in models.SaleInput)
		want error
	}{
		"requested": {func(_ *testing.T, in models.SaleInput) { o.Request(o.FindSale(in.OrderID)) }, intake.ErrAsked},
		"withdrawn": {func(t *testing.T, in models.SaleInput) {
			c := o.Request(o.FindSale(in.OrderID))
			if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID); err != nil {
				t.Fatal(err)
			}
		}, intake.ErrAsked},
		"typed too": {func(t *testing.T, in models.SaleInput) {
			doors[models.SourceManual](t, o, in)
		}, intake.ErrOtherDoor},
		"imported too": {func(t *testing.T, in models.SaleInput) {
			doors[models.SourceImport](t, o, in)
		}, intake.ErrOtherDoor},
		"posted too": {func(t *testing.T, in models.SaleInput) {
			doors[models.SourceTerminal](t, o, in)
		}, intake.ErrOtherDoor},
		"reported twice by the same door": {func(t *testing.T, in models.SaleInput) {
			doors[models.SourceAPI](t, o, in)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			id := told(t, o, name)
			tt.do(t, modelstest.GivenSale(o, name))
			key := modelstest.RequestKey()
			_, _, err := o.Intake.Correct(t.Context(), key, id, byProgram(map[string]string{"amount": "1"}))
			if !errors.Is(err, tt.want) {
				t.Errorf("Correct() = %v, want %v", err, tt.want)
			}
			if err := o.Intake.TakeBack(t.Context(), key, id, models.SourceAPI, ""); !errors.Is(err, tt.want) {
				t.Errorf("TakeBack() = %v, want %v", err, tt.want)
			}
		})
	}
	o.CheckInvariants(t)
}

// TestWhoMayChangeASale: the door that reported it, in its stores, with values that
// could have been reported.
func TestWhoMayChangeASale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := o.Branch(t)
	id := told(t, o, "ORDER-1")
	posted, key := o.Sale(5000).ID, modelstest.RequestKey()
	amount := map[string]string{"amount": "1"}
	for name, tt := range map[string]struct {
		actor models.Actor
		sale  int64
		c     intake.Correction
		want  error
	}{
		"a person corrects what a program reported": {
			o.Manager, id, intake.Correction{Source: models.SourceManual, Facts: amount}, intake.ErrOtherDoor,
		},
		"a person in the name of programs": {o.Manager, id, byProgram(amount), models.ErrForbidden},
		"a program corrects a typed sale":  {key, id, intake.Correction{Source: models.SourceManual, Facts: amount}, models.ErrForbidden},
		"a sale of its terminal":           {key, posted, byProgram(amount), intake.ErrOtherDoor},
		"in the name of a terminal":        {key, posted, intake.Correction{Source: models.SourceTerminal}, intake.ErrOtherDoor},
		"a key of another store":           {modelstest.RequestKey(there.Store), id, byProgram(amount), models.ErrNotFound},
		"a sale that is not there":         {key, id + 1000, byProgram(amount), models.ErrNotFound},
	} {
		if _, _, err := o.Intake.Correct(t.Context(), tt.actor, tt.sale, tt.c); !errors.Is(err, tt.want) {
			t.Errorf("%s: Correct() = %v, want %v", name, err, tt.want)
		}
		if err := o.Intake.TakeBack(t.Context(), tt.actor, tt.sale, tt.c.Source, ""); !errors.Is(err, tt.want) {
			t.Errorf("%s: TakeBack() = %v, want %v", name, err, tt.want)
		}
	}
	for fact, value := range map[string]string{
		"amount": "0", "last4": "12", "reference": "4111 1111 1111 1111", "cardBrand": "a brand of more than twenty", "folio": "a\x00b",
	} {
		_, wrong, err := o.Intake.Correct(t.Context(), key, id, byProgram(map[string]string{fact: value}))
		if err != nil || len(wrong) != 1 || wrong[0].Field != fact {
			t.Errorf("%s = %q: %v, %v, want it refused", fact, value, wrong, err)
		}
	}
	c := byProgram(amount)
	c.Note = "4111 1111 1111 1111"
	var refused *models.Error
	if _, _, err := o.Intake.Correct(t.Context(), key, id, c); !errors.As(err, &refused) || refused.Field != "note" {
		t.Errorf("a card number in the note = %v", err)
	}
	if s := o.FindSale("ORDER-1"); s.Amount != 125000 || s.Reference != "ticket 7" {
		t.Errorf("the sale is now %+v", s)
	}
}

// TestACancellationAndATakenBackSale: of both at once exactly one happens.
func TestACancellationAndATakenBackSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for range 8 {
		id := told(t, o, "ORDER-1")
		sale := o.FindSale("ORDER-1")
		asked := make(chan error)
		go func() {
			_, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(sale))
			asked <- err
		}()
		taken := o.Intake.TakeBack(t.Context(), modelstest.RequestKey(), id, models.SourceAPI, "")
		if err := <-asked; (err == nil) == (taken == nil) {
			t.Fatalf("canceled: %v, taken back: %v; want one of both", err, taken)
		}
		if taken != nil {
			return
		}
	}
}
