package web

import (
	"context"

	"veinte/models"
	"veinte/models/terminals"
)

// oddities adds problems to the map of terminals, for the administrator's page: a
// spare terminal that never posted and has another's merchant id, an unregistered
// terminal, and a planned move. None of them makes the day's sales.
func (d *demoDay) oddities(ctx context.Context, admin models.Actor) error {
	const last = 2 // of demoStores
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil {
		return err
	}
	stores := dir.Visible(admin) // by code: Roma Norte, Cancún Centro, Tijuana Río
	spare, err := d.server.services.Terminals.CreateTerminal(ctx, admin, terminals.Input{
		SerialNumber: demoSerial(last, len(demoLabels)), Label: "Caja de repuesto", MerchantID: demoMerchant(last, 0), StoreID: stores[last].ID,
	})
	if err != nil {
		return err
	}
	err = d.server.services.Terminals.MoveTerminal(ctx, admin, spare.ID, 1, terminals.MoveInput{
		StoreID: stores[0].ID, MerchantID: demoMerchant(last, 0),
		From: string(d.server.services.Rules.Window().Calendar.Day(d.clock.Now().AddDate(0, 0, 30))) + "T08:00",
	})
	if err != nil {
		return err
	}
	amount := models.Money(31500)
	return d.server.services.Results.Receive(ctx, models.Post{
		Kind: models.ResultSale, Body: `{"transType":"A","responseCode":"00","amount":"315.00"}`,
		SerialNumber: "1490099001", MerchantID: "909901", OrderID: "demo-1490099001", Amount: &amount,
		ResponseCode: "00", Last4: "0042", CardBrand: "VISA", Address: "127.0.0.1",
	})
}
