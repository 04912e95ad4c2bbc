package results_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestAPostIsReadAgainAtOnce: its reading fails twice, as in a deadlock, and nothing
// sweeps.
func TestAPostIsReadAgainAtOnce(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `CREATE SEQUENCE test_tries`)
	// A sequence counts what was rolled back too.
	modelstest.Exec(t, o.Owner, `CREATE FUNCTION test_deadlock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			IF nextval('test_tries') <= 2 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
			RETURN NEW;
		END $$`)
	modelstest.Exec(t, o.Owner, `CREATE TRIGGER test_deadlock BEFORE INSERT ON sales FOR EACH ROW EXECUTE FUNCTION test_deadlock()`)
	p := o.SalePost(o.Terminal.SerialNumber, 125000)
	if r := o.Post(p); r.Status != models.ResultPending {
		t.Fatalf("result = %s, want it pending: nothing failed", r.Status)
	}
	modelstest.WaitFor(t, "the sale", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM sales WHERE order_id = $1`, p.OrderID) == 1
	})
	if tries := modelstest.Count(t, o.Owner, `SELECT last_value FROM test_tries`); tries != 3 {
		t.Errorf("it was read %d times, want 3", tries)
	}
}
