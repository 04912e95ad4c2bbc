package web

import (
	"context"

	"veinte/models"
)

// oddities give an administrator something to look at on the page of what is
// wrong with the map: a spare till that never posted and was typed in with
// another's merchant id, a terminal that nobody registered, and a move that is
// planned. None of them is where the day's sales are made.
func (d *demoDay) oddities(ctx context.Context, admin models.Actor) error {
	const last = 2 // of demoStores
	dir, err := d.server.db.Directory(ctx)
	if err != nil {
		return err
	}
	stores := dir.Visible(admin) // by code: Roma Norte, Cancún Centro, Tijuana Río
	spare, err := d.server.cancellations.CreateTerminal(ctx, admin, models.TerminalInput{
		SerialNumber: demoSerial(last, len(demoLabels)), Label: "Caja de repuesto", MerchantID: demoMerchant(last, 0), StoreID: stores[last].ID,
	})
	if err != nil {
		return err
	}
	err = d.server.cancellations.MoveTerminal(ctx, admin, spare.ID, 1, models.MoveInput{
		StoreID: stores[0].ID, MerchantID: demoMerchant(last, 0), From: string(d.server.cancellations.Window().Calendar.Day(d.clock.Now().AddDate(0, 0, 30))) + "T08:00",
	})
	if err != nil {
		return err
	}
	amount := models.Money(31500)
	return d.server.cancellations.Receive(ctx, models.Post{
		Kind: models.ResultSale, Body: `{"transType":"A","responseCode":"00","amount":"315.00"}`, SerialNumber: "1490099001", MerchantID: "909901",
		OrderID: "demo-1490099001", Amount: &amount, ResponseCode: "00", Last4: "0042", CardBrand: "VISA", Address: "127.0.0.1",
	})
}
