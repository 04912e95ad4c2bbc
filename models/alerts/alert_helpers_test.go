package alerts_test

import (
	"context"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/modelstest"
)

func asItIs(*alerts.RuleInput) {}

func count2(in *alerts.RuleInput) { in.Count, in.Minutes = "2", "60" }

func minutes(n string) func(*alerts.RuleInput) {
	return func(in *alerts.RuleInput) { in.Minutes = n }
}

func at(clock string, act func(*testing.T, *modelstest.Office)) func(*testing.T, *modelstest.Office) {
	return func(t *testing.T, o *modelstest.Office) {
		o.Clock.Set(modelstest.At(t, "2026-11-20T"+clock+"-06:00"))
		act(t, o)
	}
}

func silent(old time.Duration) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		o.Sale(100)
		o.Clock.Advance(old)
	}
}

func stray(_ *testing.T, o *modelstest.Office) {
	o.Post(models.Post{Body: `{}`, Kind: models.ResultCancellation, SerialNumber: "9999999999", OrderID: "nadie", ResponseCode: "00"})
}

func signIns(n int) func(*testing.T, *modelstest.Office) {
	return func(_ *testing.T, o *modelstest.Office) {
		for range n {
			_, _, _ = o.Entrance.Login(context.Background(), modelstest.From("192.0.2.66"), "nadie@tiendas.example", "x")
		}
	}
}

// rate cancels two of four today, after days with so many of a hundred canceled.
func rate(before int) func(*testing.T, *modelstest.Office) {
	return func(t *testing.T, o *modelstest.Office) {
		modelstest.Exec(t, o.Owner, `INSERT INTO day_totals (store_id, business_day, terminal_id, sales, amount,
				canceled, canceled_amount, open_cases, revision, last_received)
			VALUES ($1, '2026-11-10', $2, 100, 100, $3, $3, 0, 1, now())`, o.Store.ID, o.Terminal.ID, before)
		for range 2 {
			o.Terminal = o.NewTerminal(o.Store)
			o.StateOf(models.Confirmed)
			o.Sale(1)
		}
	}
}
