package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"veinte/models"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// practiceDay makes what people practice on: stores, terminals, and every day sales
// that can be canceled.
type practiceDay struct {
	server  *server
	box     *sandboxProcess
	clock   models.Clock
	results string // address where terminals post
}

// practiceAdmin is the actor that makes the stores and the terminals.
var practiceAdmin = models.Actor{Name: "practice", Role: models.Administrator, AllStores: true}

var practiceStores = []terminals.StoreInput{
	{Code: "PRACTICA-1", Name: "Tienda de práctica", TimeZone: "America/Mexico_City"},
	{Code: "PRACTICA-2", Name: "Otra tienda de práctica", TimeZone: "America/Cancun"},
}

// practiceTills are the terminals of each store. Each always handles a cancellation
// in the same way and is named after it, so that the user can choose what to
// practice.
var practiceTills = []struct {
	label string
	fault map[string]any // of the sandbox; nil: no fault
}{
	{"Caja 1", nil},
	{"Caja 2 (rechaza)", map[string]any{"fault": "declined"}},
	{"Caja 3 (no contesta)", map[string]any{"fault": "dropAfterReading", "acts": false}},
	{"Caja 4 (tarda)", map[string]any{"fault": "lateResult"}},
}

func practiceSerial(store, till int) string { return fmt.Sprintf("14800%02d%03d", store+1, till+1) }

func practiceMerchant(store, till int) string { return fmt.Sprintf("80%02d%02d", store+1, till+1) }

// places makes the missing stores and terminals. A second start makes none.
func (d *practiceDay) places(ctx context.Context) error {
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil || len(dir.Stores) > 0 {
		return err
	}
	for s, store := range practiceStores {
		made, err := d.server.services.Terminals.CreateStore(ctx, practiceAdmin, store)
		if err != nil {
			return err
		}
		for t, till := range practiceTills {
			_, err := d.server.services.Terminals.CreateTerminal(ctx, practiceAdmin, terminals.Input{
				SerialNumber: practiceSerial(s, t), Label: till.label, MerchantID: practiceMerchant(s, t), StoreID: made.ID,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// live registers the terminals and their faults with the sandbox, and makes each
// day's sales until ctx ends.
func (d *practiceDay) live(ctx context.Context) {
	tell := func(what string, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			d.server.log.Error(what, "error", err)
		}
	}
	tell("the terminals of the practice are not set up", d.setUp(ctx))
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	begun := models.Day("")
	for {
		if today := d.server.services.Rules.Window().Calendar.Day(d.clock.Now()); today != begun {
			err := d.sales(ctx, today)
			if err == nil {
				begun = today
			}
			tell("today has no sales to practise on yet", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-minute.C:
		}
	}
}

func (d *practiceDay) setUp(ctx context.Context) error {
	if err := d.box.control(ctx, http.MethodPut, "/control/config", map[string]any{"responseURL": d.results}); err != nil {
		return err
	}
	if err := d.box.control(ctx, http.MethodDelete, "/control/faults", nil); err != nil {
		return err
	}
	for s, store := range practiceStores {
		for t, till := range practiceTills {
			serial := practiceSerial(s, t)
			err := d.box.control(ctx, http.MethodPut, "/control/terminals/"+serial, map[string]any{
				"merchantId": practiceMerchant(s, t), "storeName": store.Name, "city": store.Code,
			})
			if err == nil && till.fault != nil {
				rule := map[string]any{"serialNumber": serial, "times": -1}
				for name, value := range till.fault {
					rule[name] = value
				}
				err = d.box.control(ctx, http.MethodPost, "/control/faults", rule)
			}
			if err != nil {
				return err
			}
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/live", map[string]any{"every": "2m", "always": true})
}

// salesPerTill is enough for a shift of practice.
const salesPerTill = 8

// sales makes a day's sales, once. Each is posted by its terminal.
func (d *practiceDay) sales(ctx context.Context, today models.Day) error {
	page, err := d.server.services.Sales.DaySales(ctx, models.System("practice", ""), sales.Filter{Day: today})
	if err != nil || page.Filtered.Sales.Count >= int64(len(practiceStores)*len(practiceTills)) {
		return err
	}
	now := d.clock.Now()
	open := min(8*time.Hour, now.Sub(today.Time(d.server.services.Rules.Window().Calendar.Zone())))
	var sales []map[string]any
	for s := range practiceStores {
		for t := range practiceTills {
			for range salesPerTill {
				sales = append(sales, map[string]any{
					"serialNumber": practiceSerial(s, t),
					"amount":       fmt.Sprintf("%d.%02d", 40+rand.IntN(2400), 50*rand.IntN(2)),
					"soldAt":       now.Add(-time.Duration(rand.Int64N(int64(max(open, time.Second))))).Format(time.RFC3339),
					"last4":        fmt.Sprintf("%04d", rand.IntN(10_000)),
					"cardBrand":    demoBrands[rand.IntN(len(demoBrands))],
				})
			}
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", sales)
}
