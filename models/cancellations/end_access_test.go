package cancellations_test

import (
	"errors"
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestWhatWaitsGoesBackWithItsPerson: disabling somebody takes back what they asked for and
// has not left, each with its entry by whoever disabled them; what has left goes on.
func TestWhatWaitsGoesBackWithItsPerson(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	ask := func(by models.Actor) *models.Cancellation {
		c, err := o.Cancellations.Request(t.Context(), by, o.CancelRequest(o.SaleAt(o.NewTerminal(o.Store), 100)))
		if err != nil {
			t.Fatalf("Request() = %v", err)
		}
		return c
	}
	first, second, sent, others := ask(u.Actor()), ask(u.Actor()), ask(u.Actor()), ask(o.Manager)
	o.Dispatch(sent.ID)
	if n, err := o.Cancellations.WaitingOf(t.Context(), u.ID); err != nil || n != 2 {
		t.Errorf("WaitingOf() = %d, %v, want 2", n, err)
	}
	if err := o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1); err != nil {
		t.Fatalf("DisableUser() = %v", err)
	}
	for _, c := range []*models.Cancellation{first, second} {
		now := o.Cancellation(c.ID)
		if now.State != models.Withdrawn || now.Detail != models.DetailAccessEnded {
			t.Errorf("cancellation %d is %s, %s, want withdrawn, accessEnded", c.ID, now.State, now.Detail)
		}
		if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE cancellation_id = $1 AND action = 'cancellation.moved'
			AND actor_id = $2 AND after->>'state' = 'withdrawn' AND after->>'detail' = 'accessEnded'`, c.ID, o.Admin.UserID); n != 1 {
			t.Errorf("cancellation %d has %d entries of its withdrawal by the administrator, want 1", c.ID, n)
		}
	}
	if got := o.Cancellation(sent.ID).State; got != models.Accepted {
		t.Errorf("what had left is %s, want accepted", got)
	}
	if got := o.Cancellation(others.ID).State; got != models.Requested {
		t.Errorf("what somebody else asked for is %s, want requested", got)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.disabled'
		AND (after->>'requestsTakenBack')::int = 2`); n != 1 {
		t.Errorf("entries of the disabling that say 2 = %d, want 1", n)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM ended_requests`); n != 0 {
		t.Errorf("requests that still go back = %d, want 0", n)
	}
	o.CheckInvariants(t)
}

// TestWhatWaitsMayBeKept, and is then sent.
func TestWhatWaitsMayBeKept(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
	c, err := o.Cancellations.Request(t.Context(), u.Actor(), o.CancelRequest(o.Sale(100)))
	if err != nil {
		t.Fatalf("Request() = %v", err)
	}
	if err := o.Accounts.DisableUserOnly(t.Context(), o.Admin, u.ID, 1); err != nil {
		t.Fatalf("DisableUserOnly() = %v", err)
	}
	o.Dispatch(c.ID)
	if got := o.Cancellation(c.ID).State; got != models.Accepted {
		t.Errorf("what was kept is %s, want accepted", got)
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'user.disabled'
		AND (after->>'requestsKept')::bool`); n != 1 {
		t.Errorf("entries of the disabling that say so = %d, want 1", n)
	}
}

// TestNothingLeavesBetweenTheEndAndTheWithdrawal: a process that dies after the disabling
// leaves the withdrawals to others, and until then nothing is sent.
func TestNothingLeavesBetweenTheEndAndTheWithdrawal(t *testing.T) {
	t.Parallel()
	for fact, finish := range map[string]func(*modelstest.Office, int64) error{
		"a job takes it":     func(o *modelstest.Office, id int64) error { o.Dispatch(id); return nil },
		"the sweep finds it": func(o *modelstest.Office, _ int64) error { return o.Operations.Sweep(t.Context()) },
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			o.Accounts.NotifyEnded(o.Cancellations.EndRequestsOf, nil) // dies before
			u := modelstest.User(t, o.DB, o.Clock.Now(), "ana@example.mx", models.Manager, o.Store)
			c, err := o.Cancellations.Request(t.Context(), u.Actor(), o.CancelRequest(o.Sale(100)))
			if err != nil {
				t.Fatalf("Request() = %v", err)
			}
			if err := o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1); err != nil {
				t.Fatalf("DisableUser() = %v", err)
			}
			if got := o.Cancellation(c.ID).State; got != models.Requested {
				t.Fatalf("before anybody withdraws it is %s, want requested", got)
			}
			if err := finish(o, c.ID); err != nil {
				t.Errorf("%s: %v", fact, err)
			}
			if got := o.Cancellation(c.ID); got.State != models.Withdrawn || got.Attempts != 0 {
				t.Errorf("%s: it is %s after %d attempts, want withdrawn after none", fact, got.State, got.Attempts)
			}
		})
	}
}

// TestRequestsAndADisablingAtOnce: whatever comes first, nothing of a disabled person waits.
func TestRequestsAndADisablingAtOnce(t *testing.T) {
	t.Parallel()
	base := modelstest.NewOffice(t)
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			o := base.Branch(t)
			u := modelstest.User(t, o.DB, o.Clock.Now(), "ana"+modelstest.NextSerial()+"@example.mx", models.Manager, o.Store)
			requests := make([]func() error, 6)
			for j := range requests {
				r := o.CancelRequest(o.SaleAt(o.NewTerminal(o.Store), 100))
				requests[j] = func() error { _, err := o.Cancellations.Request(t.Context(), u.Actor(), r); return err }
			}
			requests[i] = func() error { return o.Accounts.DisableUser(t.Context(), o.Admin, u.ID, 1) }
			modelstest.AtOnce(len(requests), func(j int) {
				if err := requests[j](); err != nil && !errors.Is(err, models.ErrAccessEnded) {
					t.Errorf("act %d = %v, want nil or %v", j, err, models.ErrAccessEnded)
				}
			})
			if n, err := o.Cancellations.WaitingOf(t.Context(), u.ID); err != nil || n != 0 {
				t.Errorf("requests of the disabled person that wait = %d, %v, want 0", n, err)
			}
		})
	}
	base.CheckInvariants(t)
}

// TestWhatWaitsGoesBackWithItsKey, unless it is kept.
func TestWhatWaitsGoesBackWithItsKey(t *testing.T) {
	t.Parallel()
	base := modelstest.NewOffice(t)
	for _, keep := range []bool{false, true} {
		o := base.Branch(t)
		key, secret, err := o.APIKeys.CreateKey(t.Context(), o.Admin, apikeys.Input{
			Name: fmt.Sprint("Punto de venta ", keep), Scopes: []apikeys.Scope{apikeys.ScopeCancellationsWrite}, StoreIDs: []int64{o.Store.ID},
			Pace: apikeys.PaceNormal, Days: 30,
		})
		if err != nil {
			t.Fatalf("CreateKey() = %v", err)
		}
		program, _, err := o.APIKeys.Authenticate(t.Context(), models.Actor{Address: "192.0.2.9"}, secret)
		if err != nil {
			t.Fatalf("Authenticate() = %v", err)
		}
		c, err := o.Cancellations.Request(t.Context(), program, o.CancelRequest(o.Sale(100)))
		if err != nil {
			t.Fatalf("Request() = %v", err)
		}
		revoke, want := o.APIKeys.RevokeKey, models.Withdrawn
		if keep {
			revoke, want = o.APIKeys.RevokeKeyOnly, models.Requested
		}
		if err := revoke(t.Context(), o.Admin, key.ID, 1); err != nil {
			t.Fatalf("RevokeKey() = %v", err)
		}
		if got := o.Cancellation(c.ID).State; got != want {
			t.Errorf("with keep %v the request of the revoked key is %s, want %s", keep, got, want)
		}
	}
}

// TestWhatEndsIsRolledBackWithIt: an ending that is not committed takes nothing back.
func TestWhatEndsIsRolledBackWithIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	c := o.Request(o.Sale(100))
	undone := errors.New("undone")
	err := o.DB.InTx(t.Context(), func(tx database.Tx) error {
		if n, err := o.Cancellations.EndRequestsOf(tx, o.Admin, o.Manager.UserID); err != nil || n != 1 {
			t.Errorf("EndRequestsOf() = %d, %v, want 1", n, err)
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if err := o.Cancellations.WithdrawEnded(t.Context()); err != nil {
		t.Errorf("WithdrawEnded() = %v", err)
	}
	if got := o.Cancellation(c.ID).State; got != models.Requested {
		t.Errorf("it is %s, want requested", got)
	}
}
