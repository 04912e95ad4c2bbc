package sales_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// TestTheSumsOfADayAreThoseOfItsSales writes sales directly to the table, many in
// one statement, in any state, and moves them in batches.
func TestTheSumsOfADayAreThoseOfItsSales(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	second := o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(), "SECOND"))
	terminals := []*models.Terminal{o.Terminal, second}
	states := []string{"cancelable", "requested", "sending", "accepted", "confirmed", "rejected", "unknown", "notCanceled", "expired"}
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		var rows []string
		for range rapid.IntRange(1, 8).Draw(rt, "sales") {
			n++
			i := rapid.IntRange(0, 1).Draw(rt, "terminal")
			rows = append(rows, fmt.Sprintf("(%d, %d, '%s', 'M', 'S%d', %d, 'MXN', now(), now(), '2026-11-%02d', now(), '', '', '', '', '%s')",
				i+1, terminals[i].ID, terminals[i].SerialNumber, n, rapid.IntRange(1, 1e9).Draw(rt, "amount"),
				rapid.IntRange(19, 20).Draw(rt, "day"), rapid.SampledFrom(states).Draw(rt, "state")))
		}
		statements := []string{`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, state) VALUES ` + strings.Join(rows, ", ") +
			` ON CONFLICT DO NOTHING`}
		for range rapid.IntRange(0, 3).Draw(rt, "moves") {
			statements = append(statements, fmt.Sprintf(`UPDATE sales SET state = '%s' WHERE state <> 'confirmed' AND id %% %d = %d`,
				rapid.SampledFrom(states).Draw(rt, "to"), rapid.IntRange(1, 5).Draw(rt, "modulus"), rapid.IntRange(0, 2).Draw(rt, "rest")))
		}
		tx, err := o.Owner.Begin() // who owes the trail nothing
		if err != nil {
			rt.Fatalf("begin: %v", err)
		}
		defer func() { _ = tx.Rollback() }()
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				rt.Fatalf("%s: %v", s, err)
			}
		}
		if rapid.IntRange(0, 4).Draw(rt, "roll back") == 0 {
			return
		}
		if err := tx.Commit(); err != nil {
			rt.Fatalf("commit: %v", err)
		}
		for _, broken := range o.InvariantErrors() {
			if strings.HasPrefix(broken, "the day's sums") {
				rt.Fatalf("broken: %s", broken)
			}
		}
	})
	for _, who := range []models.Actor{o.Manager, o.Supervisor} {
		page, err := o.Sales.DaySales(t.Context(), who, sales.Filter{Day: modelstest.SalesToday})
		if err != nil {
			t.Fatalf("DaySales() = %v", err)
		}
		narrowed, err := o.Sales.DaySales(t.Context(), who, sales.Filter{Day: modelstest.SalesToday, Query: "S"}) // all, counted row by row
		if err != nil || page.Filtered != narrowed.Filtered {
			t.Errorf("sums stored = %+v, counted = %+v, %v", page.Filtered, narrowed.Filtered, err)
		}
	}
}

// TestNothingChangesWithoutItsEntry refuses every entry of the trail and checks that
// the acts are not committed either.
func TestNothingChangesWithoutItsEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, requested := o.StateOf(models.Requested)
	there := o.Branch(t)
	sale, doubt := there.StateOf(models.Unknown)
	fresh := o.Sale(900)
	modelstest.Exec(t, o.Owner, `REVOKE INSERT ON audit_entries FROM veinte_app`)
	o.Queue.Take(t)
	acts := map[string]func() error{
		"Request": func() error {
			_, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(fresh))
			return err
		},
		"Withdraw": func() error { _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, requested.ID); return err },
		"Dispatch": func() error { _, err := o.Cancellations.Dispatch(t.Context(), requested.ID); return err },
		"Settle": func() error {
			return o.Cancellations.Resolve(t.Context(), o.Supervisor, doubt.ID, cancellations.Resolution{Outcome: models.Confirmed, Folio: "1"})
		},
		"AskToVerify": func() error { return o.Cancellations.AskToVerify(t.Context(), o.Supervisor, doubt.ID) },
		"Audit":       func() error { _, err := o.Audit.Audit(t.Context(), o.Supervisor, audit.Filter{}); return err },
		"CreateStore": func() error {
			_, err := o.Terminals.CreateStore(t.Context(), o.Admin, terminals.StoreInput{Code: "X", Name: "X", TimeZone: "UTC"})
			return err
		},
		"RetireTerminal": func() error { return o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 1) },
		"MoveTerminal": func() error {
			return o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, 1, terminals.MoveInput{StoreID: o.Store.ID, MerchantID: "OTHER"})
		},
		"RelabelTerminal": func() error { return o.Terminals.RelabelTerminal(t.Context(), o.Admin, o.Terminal.ID, 1, "x") },
		"ready":           func() error { return o.DB.Ready(t.Context()) },
	}
	for name, act := range acts {
		var refused *models.Error
		if err := act(); err == nil || errors.As(err, &refused) {
			t.Errorf("%s without an entry = %v, want an error that is no refusal", name, err)
		}
	}
	// Stored, to be read when the trail can be written again.
	there.Post(modelstest.CancelPost(sale, modelstest.CurrentKey(there, doubt)))
	if got := o.Cancellation(requested.ID); got.State != models.Requested || got.Version != 1 || len(o.API.Orders()) != 0 ||
		len(o.Queue.Take(t)) != 0 {
		t.Errorf("case is %s, version %d, %d orders left; want as before, no task either", got.State, got.Version, len(o.API.Orders()))
	}
	if got := modelstest.Count(t, o.Owner, `SELECT count(*) FROM terminals WHERE version <> 1`) + modelstest.Count(t, o.Owner,
		`SELECT count(*) FROM stores WHERE code = 'X'`); got != 0 {
		t.Errorf("changes without an entry = %d, want 0", got)
	}
	modelstest.Exec(t, o.Owner, `GRANT INSERT ON audit_entries TO veinte_app`)
	o.Clock.Advance(10 * time.Second)
	modelstest.Sweep(t, o)
	if got := there.Cancellation(doubt.ID).State; got != models.Confirmed {
		t.Errorf("after the trail is back the case is %s, want confirmed by the stored result", got)
	}
	o.CheckInvariants(t)
}
