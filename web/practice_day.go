package web

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"time"

	"veinte/models"
	"veinte/models/terminals"
)

// practiceDay makes what people practice on: stores, terminals, and every day sales
// that can be canceled.
type practiceDay struct{ simulation }

// practiceAdmin is the actor that makes the stores and the terminals.
var practiceAdmin = models.Actor{Name: "practice", Role: models.Administrator, AllStores: true}

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

var practiceShops = &simulatedShops{
	actor: practiceAdmin, serials: "14800", merchant: "80",
	stores: []terminals.StoreInput{
		{Code: "PRACTICA-1", Name: "Tienda de práctica", TimeZone: "America/Mexico_City"},
		{Code: "PRACTICA-2", Name: "Otra tienda de práctica", TimeZone: "America/Cancun"},
	},
	labels: []string{practiceTills[0].label, practiceTills[1].label, practiceTills[2].label, practiceTills[3].label},
	ticket: func(store terminals.StoreInput) (head, city string) { return store.Name, store.Code },
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
	err := d.box.control(ctx, http.MethodDelete, "/control/faults", nil)
	if err = errors.Join(err, d.register(ctx, practiceShops)); err != nil {
		return err
	}
	for s := range practiceShops.stores {
		for t, till := range practiceTills {
			if till.fault == nil {
				continue
			}
			rule := map[string]any{"serialNumber": practiceShops.serial(s, t), "times": -1}
			maps.Copy(rule, till.fault)
			if err := d.box.control(ctx, http.MethodPost, "/control/faults", rule); err != nil {
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
	sold, err := d.sold(ctx, today)
	if err != nil || sold >= int64(len(practiceShops.stores)*len(practiceTills)) {
		return err
	}
	now := d.clock.Now()
	open := min(8*time.Hour, now.Sub(today.Time(d.server.services.Rules.Window().Calendar.Zone())))
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	var made []map[string]any
	for s := range practiceShops.stores {
		for t := range practiceTills {
			for range salesPerTill {
				amount := fmt.Sprintf("%d.%02d", 40+random.IntN(2400), 50*random.IntN(2))
				at := now.Add(-time.Duration(random.Int64N(int64(max(open, time.Second)))))
				made = append(made, simulatedSale(random, practiceShops.serial(s, t), amount, at))
			}
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", made)
}
