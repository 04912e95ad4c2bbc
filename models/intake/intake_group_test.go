package intake_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

func TestOneSaleToldByManyAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	doors := []*wiring.Services{o.Services, o.SecondServer()}
	const callers, orders = 50, 6
	var mu sync.Mutex
	created, ids := map[string]int{}, map[string]map[int64]bool{}
	var wg sync.WaitGroup
	for i := range callers {
		for j := range orders {
			wg.Go(func() {
				in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d", (i+j)%orders))
				got, err := doors[i%2].Intake.RecordSales(t.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in})
				mu.Lock()
				defer mu.Unlock()
				if err != nil || got[0].Status != intake.Created && got[0].Status != intake.Known {
					t.Errorf("RecordSales(%s) = %+v, %v, want created or known", in.OrderID, got, err)
					return
				}
				if ids[in.OrderID] == nil {
					ids[in.OrderID] = map[int64]bool{}
				}
				ids[in.OrderID][got[0].SaleID] = true
				if got[0].Status == intake.Created {
					created[in.OrderID]++
				}
			})
		}
	}
	wg.Wait()
	for order, n := range created {
		if n != 1 || len(ids[order]) != 1 {
			t.Errorf("%s: created %d times under %d ids, want once", order, n, len(ids[order]))
		}
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != orders || len(created) != orders {
		t.Errorf("sales = %d, created = %v, want %d", n, created, orders)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries
		WHERE action = 'sales.recorded' AND outcome = 'success' AND sale_id IS NOT NULL`); n != orders {
		t.Errorf("entries = %d, want one for each sale that was new, %d", n, orders)
	}
	o.CheckInvariants(t)
}

// TestNobodySuffersForAnother: a call that the database refuses, because its store
// is removed meanwhile, does not make the other calls of its group fail.
func TestNobodySuffersForAnother(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	if _, err := o.Owner.Exec(`CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN IF NEW.reference = 'poison' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER poison BEFORE INSERT ON sales FOR EACH ROW EXECUTE FUNCTION refuse_poison()`); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			in := modelstest.GivenSale(o, fmt.Sprintf("ORDER-%d", i))
			if i%10 == 0 {
				in.Reference = "poison"
			}
			got, err := o.Intake.RecordSales(t.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in})
			if poisoned := i%10 == 0; poisoned != (err != nil) || err == nil && got[0].Status != intake.Created {
				t.Errorf("sale %d = %v, %v, want an error = %t", i, got, err, poisoned)
			}
		})
	}
	wg.Wait()
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 54 {
		t.Errorf("sales = %d, want the 54 good ones", n)
	}
}

func TestWhoGivesUpLosesNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := modelstest.GivenSale(o, "ORDER-1")
	if _, err := o.Intake.RecordSales(ctx, modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in}); err == nil {
		t.Log("the sale was stored before the caller was seen to be gone")
	}
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in)[0]
	if got.Status != intake.Created && got.Status != intake.Known {
		t.Errorf("reported again after giving up = %+v, want created or known", got)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 1 {
		t.Errorf("sales = %d, want 1", n)
	}
}

func TestACancellationPostedBeforeItsSaleWasTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	p.Kind, p.OrderID = models.ResultCancellation, "ORDER-1"
	if r := o.Post(p); r.Status != models.ResultUnmatched {
		t.Fatalf("a cancellation of an unknown sale is %s, want unmatched", r.Status)
	}
	got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))[0]
	s := o.SaleDetail(got.SaleID).Sale
	if s.State != models.SaleCancelable {
		t.Errorf("the sale reported after its cancellation is %s, want cancelable until its terminal is asked", s.State)
	}
	o.AnswerInquiry(&s, models.StandingCanceled)
	if s := o.SaleDetail(got.SaleID).Sale; s.State != models.SaleConfirmed {
		t.Errorf("after the answer the sale is %s, want confirmed", s.State)
	}
	o.CheckInvariants(t)
}

func TestTheTrailTellsWhatWasTold(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	bad := modelstest.GivenSale(o, "4111111111111111")
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, bad)
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-1"))
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI,
		modelstest.GivenSale(o, "ORDER-1"), modelstest.GivenSale(o, "ORDER-2"), bad)
	for want, query := range map[int]string{
		3: `TRUE`,
		1: `outcome = 'failure' AND sale_id IS NULL AND after->'problems'->>'orderId' = 'field.cardNumber'`,
		0: `after::text LIKE '%4111%' OR convert_from(canonical, 'UTF8') LIKE '%4111%'`,
	} {
		if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM audit_entries WHERE action = 'sales.recorded' AND ("+query+")"); n != want {
			t.Errorf("entries where %s = %d, want %d", query, n, want)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sales.recorded' AND order_id = 'ORDER-1'
		AND amount = 125000
		AND store_name = $1 AND after->>'source' = 'api' AND actor_name = 'Punto de venta'`, o.Store.Name); n != 1 {
		t.Errorf("entries that name the one sale = %d, want 1", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE after->>'sales' = '3' AND after->>'created' = '1'
		AND after->>'known' = '1' AND after->>'refused' = '1'`); n != 1 {
		t.Errorf("entries that count the batch = %d, want 1", n)
	}
}

func TestUndoneSales(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	admin := modelstest.Person(models.Administrator)
	batch := func(id int64, orders ...string) {
		var sales []models.SaleInput
		for _, order := range orders {
			sales = append(sales, modelstest.GivenSale(o, order))
		}
		for _, got := range modelstest.Record(t, o, admin, intake.Options{Source: models.SourceImport, BatchID: id}, sales...) {
			if got.Status != intake.Created {
				t.Fatalf("imported sale = %+v, want created", got)
			}
		}
	}
	undo := func(id int64) (n int64, err error) {
		err = o.DB.InTx(t.Context(), func(tx database.Tx) error {
			if n, err = intake.UndoSales(t.Context(), tx, id, o.Clock.Now()); err != nil {
				return err
			}
			about := audit.About{After: map[string]any{"importId": id, "removed": n}}
			return audit.Record(tx, admin, o.Clock.Now(), models.ActionImportUndone, models.OutcomeSuccess, about)
		})
		return n, err
	}
	batch(1, "A", "B")
	batch(2, "C", "D", "E")
	if n, err := undo(2); n != 3 || err != nil {
		t.Errorf("undo of an import of three = %d, %v, want 3", n, err)
	}
	if n, err := undo(2); n != 0 || err != nil {
		t.Errorf("undo for the second time = %d, %v, want 0", n, err)
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM undone_sales
		WHERE batch_id = 2 AND sale->>'reference' = 'ticket 7'`); got != 3 {
		t.Errorf("undone sales that are stored = %d, want 3", got)
	}
	o.Request(o.FindSale("A"))
	if n, err := undo(1); err == nil {
		t.Errorf("undo of an import of which a sale is being canceled = %d, want it refused", n)
	}
	batch(3, "F")
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	p.OrderID = "F"
	o.Post(p)
	if n, err := undo(3); err == nil {
		t.Errorf("undo of a sale that its terminal posted too = %d, want it refused", n)
	}
	if n := modelstest.Count(t, o.Owner, "SELECT count(*) FROM sales"); n != 3 {
		t.Errorf("sales left = %d, want A, B and F", n)
	}
	for _, forbidden := range []string{`DELETE FROM sales`, `DELETE FROM undone_sales`, `INSERT INTO undone_sales
		VALUES (1, 1, now(), '{}')`} {
		if _, err := o.DB.SQL().Exec(forbidden); err == nil {
			t.Errorf("%s as the application: done, want it refused", forbidden)
		}
	}
	o.CheckInvariants(t)
}
