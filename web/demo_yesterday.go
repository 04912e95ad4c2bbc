package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/wiring"
)

// pastClock stands at an instant that has been. It belongs to one goroutine.
type pastClock struct{ at time.Time }

func (c *pastClock) Now() time.Time { return c.at }

// yesterday makes the sales of the day before, as they came in then: each was posted by
// its terminal some seconds after it was made. A post of today would say, and rightly,
// that they came a day late.
func (d *demoDay) yesterday(ctx context.Context, today models.Day) error {
	day := today.Plus(-1)
	if sold, err := d.sold(ctx, day); err != nil || sold > 0 {
		return err
	}
	window := d.server.services.Rules.Window()
	zone := window.Calendar.Zone()
	opened := day.Time(zone).Add(9 * time.Hour)
	made := demoSales(opened, opened.Add(13*time.Hour))
	slices.SortStableFunc(made, func(a, b map[string]any) int { return soldAt(a).Compare(soldAt(b)) })
	clock := &pastClock{opened}
	past := wiring.New(wiring.Config{DB: d.server.db, Clock: clock, Window: window})
	if _, err := past.Sealing.MakeMonths(ctx); err != nil { // it may have been last month
		return fmt.Errorf("make yesterday's month: %w", err)
	}
	for i, sale := range made {
		at, serial := soldAt(sale), sale["serialNumber"].(string)
		order := at.In(zone).Format("060102150405") + "-" + serial
		sale["orderId"], sale["silent"] = order, true
		amount, err := models.ParseMoney(sale["amount"].(string))
		if err != nil {
			return err
		}
		clock.at = at.Add(time.Duration(2+i%7) * time.Second)
		err = past.Results.Receive(ctx, models.Post{
			Kind: models.ResultSale, Body: fmt.Sprintf(`{"transType":"A","responseCode":"00","amount":%q}`, sale["amount"]),
			SerialNumber: serial, OrderID: order, Amount: &amount, ResponseCode: "00",
			Last4: sale["last4"].(string), CardBrand: sale["cardBrand"].(string), Address: "127.0.0.1",
		})
		if err != nil {
			return err
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", made)
}

// soldAt is when a sale was made for the sandbox.
func soldAt(sale map[string]any) time.Time {
	at, _ := time.Parse(time.RFC3339, sale["soldAt"].(string)) // as simulatedSale wrote it
	return at
}
