package api_test

import (
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/modelstest"
)

// TestARepeatAfterAnOutageIsAnswered: neither the act nor the release of its key
// reached the database. At 19:59 a program cannot wait for a minute.
func TestARepeatAfterAnOutageIsAnswered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	d.exec(`CREATE FUNCTION test_outage() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'the database system is shutting down' USING ERRCODE = '57P03'; END $$`)
	d.exec(`CREATE TRIGGER test_outage BEFORE INSERT ON cancellations FOR EACH ROW EXECUTE FUNCTION test_outage()`)
	d.exec(`CREATE TRIGGER test_outage BEFORE DELETE ON api_answers FOR EACH ROW EXECUTE FUNCTION test_outage()`)
	try := func() *answer { return p.post(cancelPath(sale), wish, "Idempotency-Key", "evening") }
	try().problem(503, "unavailable")

	d.exec(`DROP TRIGGER test_outage ON cancellations`)
	pending := try()
	if pending.problem(409, "repeat-in-progress"); pending.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %q, want 1", pending.header.Get("Retry-After"))
	}
	d.exec(`DROP TRIGGER test_outage ON api_answers`)
	var again *answer
	modelstest.WaitFor(t, "an answer to the repeat", func() bool { again = try(); return again.status != 409 })
	if c := into[shapes.Cancellation](again.want(202)); c.SaleID != sale.ID {
		t.Errorf("the repeat requested %+v", c)
	}
	if n := d.count(`SELECT count(*) FROM cancellations`); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
}

// TestALongRequestKeepsItsKey: the lease ends with its process, not with a request that
// takes longer.
func TestALongRequestKeepsItsKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	try := func() *answer { return p.post(cancelPath(sale), wish, "Idempotency-Key", "slow") }
	held, err := d.Owner.Begin()
	d.must(err)
	defer func() { _ = held.Rollback() }()
	_, err = held.Exec(`SELECT FROM sales WHERE id = $1 FOR UPDATE`, sale.ID)
	d.must(err)
	first := make(chan *answer)
	go func() { first <- try() }()
	modelstest.WaitFor(t, "the claim", func() bool { return d.count(`SELECT count(*) FROM api_answers`) == 1 })
	begun := d.Clock.Now()
	d.Clock.Advance(4 * time.Second)
	modelstest.WaitFor(t, "its renewal", func() bool {
		return d.count(`SELECT count(*) FROM api_answers WHERE leased_until > $1`, begun.Add(6*time.Second)) == 1
	})
	d.Clock.Advance(4 * time.Second)
	try().problem(409, "repeat-in-progress")
	d.must(held.Rollback())
	if c := into[shapes.Cancellation]((<-first).want(202)); c.State != string(models.Requested) {
		t.Errorf("the first request = %+v", c)
	}
}
