package database_test

import (
	"context"
	"errors"
	"testing"

	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestACommitThatWaitsForAStandby: whoever asked is answered that nobody knows, the COMMIT is
// not broken off, not even when they leave, and nobody can read what no standby has.
func TestACommitThatWaitsForAStandby(t *testing.T) {
	t.Parallel()
	pg := modelstest.Cluster(t)
	o := modelstest.NewOfficeIn(t, pg)
	modelstest.SetCommitsWait(t, pg, true) // and there is none
	db, err := database.Open(t.Context(), database.DBConfig{URL: pg.DSN(modelstest.ClusterDatabase, modelstest.AppRole)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	waiting := func() int {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	}
	stored := func() int { return modelstest.Count(t, o.Owner, `SELECT count(*) FROM room_left`) }
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- db.InTx(ctx, func(tx database.Tx) error { return tx.Exec(`INSERT INTO room_left VALUES ('x')`).Error })
	}()
	modelstest.WaitFor(t, "the commit to wait", func() bool { return waiting() == 1 })
	leave()
	if err := <-ended; !errors.Is(err, database.ErrCommitInDoubt) {
		t.Errorf("InTx() = %v, want %v", err, database.ErrCommitInDoubt)
	}
	if waiting() != 1 || stored() != 0 {
		t.Errorf("%d commits wait, and %d rows can be read: want one and none", waiting(), stored())
	}
	if err := db.Ready(t.Context()); !errors.Is(err, database.OutageStandby) {
		t.Errorf("Ready() = %v, want %v", err, database.OutageStandby)
	}
	modelstest.SetCommitsWait(t, pg, false)
	modelstest.WaitFor(t, "the commit to end", func() bool { return db.Ready(t.Context()) == nil })
	if n := stored(); n != 1 {
		t.Errorf("%d rows were stored in the end, want one", n)
	}
}

// TestWhileCommitsWaitEverybodyIsAnswered: more people than there are connections act while no
// standby is there. Each is answered, what only reads goes on, and what was not begun is not
// stored.
func TestWhileCommitsWaitEverybodyIsAnswered(t *testing.T) {
	t.Parallel()
	pg := modelstest.Cluster(t)
	o := modelstest.NewOfficeIn(t, pg)
	modelstest.SetCommitsWait(t, pg, true) // and there is none
	db, err := database.Open(t.Context(), database.DBConfig{URL: pg.DSN(modelstest.ClusterDatabase, modelstest.AppRole), MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	act := func() error {
		return db.InTx(t.Context(), func(tx database.Tx) error { return tx.Exec(`INSERT INTO room_left VALUES ('x')`).Error })
	}
	const people = 9
	ended := make(chan error, people)
	for range people {
		go func() { ended <- act() }()
	}
	modelstest.WaitFor(t, "commits to wait", func() bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`) == 2
	})
	if _, err := db.Pool().Exec(t.Context(), `SELECT count(*) FROM sales`); err != nil {
		t.Errorf("a read while commits wait: %v", err)
	}
	unknown, refused := 0, 0
	for range people {
		switch err := <-ended; {
		case errors.Is(err, database.ErrCommitInDoubt):
			unknown++
		case errors.Is(err, database.OutageStandby), errors.Is(err, database.OutageBusy):
			refused++
		default:
			t.Errorf("InTx() = %v", err)
		}
	}
	if unknown != 2 || refused != people-2 {
		t.Errorf("%d were told that nobody knows, %d that nothing was stored; want 2 and %d", unknown, refused, people-2)
	}
	if err := db.Ready(t.Context()); !errors.Is(err, database.OutageStandby) {
		t.Errorf("Ready() = %v, want %v", err, database.OutageStandby)
	}
	if err := act(); !errors.Is(err, database.OutageStandby) {
		t.Errorf("InTx() once that is known = %v, want %v at once", err, database.OutageStandby)
	}
	modelstest.SetCommitsWait(t, pg, false)
	modelstest.WaitFor(t, "the commits to end", func() bool { return db.Ready(t.Context()) == nil })
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM room_left`); n != unknown {
		t.Errorf("%d rows were stored in the end, want %d", n, unknown)
	}
	if err := act(); err != nil {
		t.Errorf("InTx() afterwards = %v", err)
	}
}

// TestACommitThatWorksForLong is waited for: what is checked at its end may be much.
func TestACommitThatWorksForLong(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `CREATE FUNCTION takes_long() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_sleep(11); RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER takes_long AFTER INSERT ON room_left DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION takes_long()`)
	err := o.DB.InTx(t.Context(), func(tx database.Tx) error { return tx.Exec(`INSERT INTO room_left VALUES ('x')`).Error })
	if err != nil {
		t.Errorf("InTx() = %v", err)
	}
	if err := o.DB.Ready(t.Context()); err != nil {
		t.Errorf("Ready() = %v", err)
	}
}
