package migrations

import "testing"

// TestADeadlockIsTriedAgain: file 40 takes stores and then cancellations, while somebody
// has read a cancellation and asks for its store. PostgreSQL ends the file, not them.
func TestADeadlockIsTriedAgain(t *testing.T) {
	t.Parallel()
	db, p := before(t, 40)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	// The one who has waited longer finds the deadlock: the file, after a second.
	if _, err := tx.Exec(`SET LOCAL deadlock_timeout = '20s'; LOCK TABLE cancellations IN ACCESS SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := upTo(t.Context(), p)
		done <- err
	}()
	for waits := false; !waits; {
		err := db.QueryRow(`SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'cancellations'::regclass)`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Exec(`LOCK TABLE stores IN ACCESS SHARE MODE`); err != nil {
		t.Errorf("who was at work is ended: %v", err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the files are not applied: %v", err)
	}
}
