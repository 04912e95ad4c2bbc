package cancellations_test

import (
	"database/sql"
	"errors"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/apikeys"
	"veinte/models/bulk"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// actsOfMoney are the acts of a person that move money, each with what it needs.
var actsOfMoney = map[string]func(*testing.T, *modelstest.Office, models.Actor) func() error{
	"request": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		r := o.CancelRequest(o.Sale(100))
		return func() error { _, err := o.Cancellations.Request(t.Context(), who, r); return err }
	},
	"bulk request": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		sale := o.Sale(200)
		r := bulk.Request{
			Sales: []bulk.Sale{{SaleID: sale.ID, Amount: sale.Amount}}, Reason: "customerRequest", Click: "bulk-" + sale.OrderID[:8],
		}
		return func() error {
			if _, err := o.Bulk.Request(t.Context(), who, r); err != nil {
				return err
			}
			rows, err := o.Bulk.Outcomes(t.Context(), o.Supervisor, r.Click, []int64{sale.ID})
			if err != nil {
				return err
			}
			if rows[0].Refusal = refusalOf(t, o, sale.ID); rows[0].Refusal == "" {
				return nil
			}
			return &models.Error{Code: rows[0].Refusal}
		}
	},
	"withdraw": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		c := o.Request(o.SaleAt(o.NewTerminal(o.Store), 300))
		return func() error { _, err := o.Cancellations.Withdraw(t.Context(), who, c.ID); return err }
	},
	"resolve": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		_, c := o.StateOf(models.Unknown)
		return func() error {
			return o.Cancellations.Resolve(t.Context(), who, c.ID, cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "123456"})
		}
	},
	"verify": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		_, c := o.StateOf(models.Unknown)
		return func() error { return o.Cancellations.AskToVerify(t.Context(), who, c.ID) }
	},
	"review": func(t *testing.T, o *modelstest.Office, who models.Actor) func() error {
		_, c := o.StateOf(models.Confirmed)
		modelstest.Exec(t, o.Owner, `UPDATE cancellations SET conflict = 'reportCharged', conflict_at = changed_at WHERE id = $1`, c.ID)
		return func() error {
			return o.Review.MarkReviewed(t.Context(), who, review.ReviewConflict, c.ID, string(models.ConflictReportCharged), "visto")
		}
	},
}

func refusalOf(t *testing.T, o *modelstest.Office, sale int64) (code string) {
	t.Helper()
	err := o.Owner.QueryRow(`SELECT reason FROM audit_entries WHERE action = 'cancellation.refused' AND after->>'saleId' = $1::bigint::text
		ORDER BY id DESC LIMIT 1`, sale).Scan(&code)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	return code
}

// TestWhoEndedAMomentAgoDoesNothing: the request of a supervisor has arrived when they are
// disabled, ended or narrowed, and nothing of it is done.
func TestWhoEndedAMomentAgoDoesNothing(t *testing.T) {
	t.Parallel()
	base := modelstest.NewOffice(t)
	for ended, change := range map[string]struct {
		sql  string
		want *models.Error
	}{
		"disabled":                {`UPDATE users SET disabled_at = now() WHERE id = $1`, models.ErrAccessEnded},
		"past their last day":     {`UPDATE users SET access_until = DATE '2026-11-19' WHERE id = $1`, models.ErrAccessEnded},
		"an auditor":              {`UPDATE users SET role = 'auditor', access_until = DATE '2026-12-31' WHERE id = $1`, models.ErrForbidden},
		"without this store":      {`UPDATE users SET all_stores = false WHERE id = $1`, models.ErrNotFound},
		"an administrator by now": {`UPDATE users SET role = 'administrator' WHERE id = $1`, models.ErrForbidden},
	} {
		for act, prepare := range actsOfMoney {
			t.Run(act+" "+ended, func(t *testing.T) {
				t.Parallel()
				o := base.Branch(t)
				u := modelstest.User(t, o.DB, o.Clock.Now(), "sofia"+modelstest.NextSerial()+"@example.mx", models.Supervisor)
				do := prepare(t, o, u.Actor())
				modelstest.Exec(t, o.Owner, change.sql, u.ID)
				before := modelstest.Count(t, o.Owner, `SELECT coalesce(sum(version), 0) FROM cancellations WHERE store_id = $1`, o.Store.ID)
				err := do()
				var got *models.Error
				if !errors.As(err, &got) || got.Code != change.want.Code {
					t.Errorf("%s by somebody %s = %v, want %v", act, ended, err, change.want)
				}
				after := modelstest.Count(t, o.Owner, `SELECT coalesce(sum(version), 0) FROM cancellations WHERE store_id = $1`, o.Store.ID)
				if before != after {
					t.Errorf("%s by somebody %s moved a cancellation", act, ended)
				}
			})
		}
	}
}

// TestTheSameActsAreDoneByWhoIsThere, so that the test above proves something.
func TestTheSameActsAreDoneByWhoIsThere(t *testing.T) {
	t.Parallel()
	base := modelstest.NewOffice(t)
	for act, prepare := range actsOfMoney {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			o := base.Branch(t)
			u := modelstest.User(t, o.DB, o.Clock.Now(), "sofia"+modelstest.NextSerial()+"@example.mx", models.Supervisor)
			if err := prepare(t, o, u.Actor())(); err != nil {
				t.Errorf("%s = %v, want nil", act, err)
			}
		})
	}
}

// TestARevokedKeyRequestsNothing, though its request was let in before.
func TestARevokedKeyRequestsNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	key, secret, err := o.APIKeys.CreateKey(t.Context(), o.Admin, apikeys.Input{
		Name: "Punto de venta", Scopes: []apikeys.Scope{apikeys.ScopeCancellationsWrite}, StoreIDs: []int64{o.Store.ID},
		Pace: apikeys.PaceNormal, Days: 30,
	})
	if err != nil {
		t.Fatalf("CreateKey() = %v", err)
	}
	program, _, err := o.APIKeys.Authenticate(t.Context(), models.Actor{Address: "192.0.2.9"}, secret)
	if err != nil {
		t.Fatalf("Authenticate() = %v", err)
	}
	if _, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(o.Sale(100))); err != nil {
		t.Fatalf("Request() by the key = %v, want nil", err)
	}
	if err := o.APIKeys.RevokeKey(t.Context(), o.Admin, key.ID, 1); err != nil {
		t.Fatalf("RevokeKey() = %v", err)
	}
	sale := o.SaleAt(o.NewTerminal(o.Store), 200)
	if _, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(sale)); !modelstest.IsError(err, apikeys.ErrKeyRevoked) {
		t.Errorf("Request() by the revoked key = %v, want %v", err, apikeys.ErrKeyRevoked)
	}
}

// TestARequestAndADisablingInterleave: whichever of the two transactions comes first, the
// other waits for it and sees it.
func TestARequestAndADisablingInterleave(t *testing.T) {
	t.Parallel()
	waiting := func(o *modelstest.Office) bool {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	}
	for fact, narrow := range map[string]struct {
		sql  []string
		want *models.Error
	}{
		"disabled": {[]string{`UPDATE users SET disabled_at = now(), version = version + 1 WHERE id = $1`}, models.ErrAccessEnded},
		"moved to no store": {
			[]string{`UPDATE users SET version = version + 1 WHERE id = $1`, `DELETE FROM user_stores WHERE user_id = $1`}, models.ErrNotFound,
		},
	} {
		t.Run("first "+fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
			sale := o.Sale(100)
			tx, err := o.Owner.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range narrow.sql {
				if _, err := tx.Exec(statement, u.ID); err != nil {
					t.Fatal(err)
				}
			}
			done := make(chan error, 1)
			go func() {
				_, err := o.Cancellations.Request(t.Context(), u.Actor(), o.CancelRequest(sale))
				done <- err
			}()
			modelstest.WaitFor(t, "the request waits for who is being "+fact, func() bool { return waiting(o) })
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; !modelstest.IsError(err, narrow.want) {
				t.Errorf("Request() of somebody %s meanwhile = %v, want %v", fact, err, narrow.want)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM cancellations`); n != 0 {
				t.Errorf("cancellations = %d, want none", n)
			}
		})
	}
	t.Run("first the request", func(t *testing.T) {
		t.Parallel()
		o := modelstest.NewOffice(t)
		u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
		held, release, ended := make(chan bool), make(chan bool), make(chan error, 2)
		go func() {
			ended <- o.DB.InTx(t.Context(), func(tx database.Tx) error {
				_, err := o.Accounts.Current(tx, u.Actor())
				close(held)
				<-release
				return err
			})
		}()
		<-held
		go func() { ended <- o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1) }()
		modelstest.WaitFor(t, "the disabling waits for the request", func() bool { return waiting(o) })
		close(release)
		for range 2 {
			if err := <-ended; err != nil {
				t.Errorf("of the two transactions one = %v, want nil", err)
			}
		}
	})
}

// BenchmarkReadingTheActorAgain is what the second look at the actor costs an act, with
// the begin and the end of a transaction and without.
func BenchmarkReadingTheActorAgain(b *testing.B) {
	o := modelstest.NewOffice(b)
	u := modelstest.User(b, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	service := accounts.New(o.DB, o.Clock, nil)
	err := o.DB.InTx(b.Context(), func(t database.Tx) error {
		for b.Loop() {
			if _, err := service.Current(t, u.Actor()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
