package words

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SaleTime writes when a sale was made: 20 nov 2026, 19:41 hora CDMX, and the
// store's own time where its clock differs, since that is what the ticket says.
func SaleTime(ctx context.Context, p ui.Page, s *models.Sale, store *models.Store) string {
	text := ui.DateTime(ctx, s.SoldAt, p.Zone()) + " " + ui.ZoneName(ctx, p.Zone().String())
	if zone := store.Zone(); !ui.SameClock(zone, p.Zone(), s.SoldAt) {
		text += " (" + locale.T(ctx, "cutoff.local", "Time", ui.Clock(s.SoldAt, zone), "Place", ui.ZoneName(ctx, store.TimeZone)) + ")"
	}
	return text
}

// CardText is what is shown of a card: Visa ·· 4242. Either part may be missing.
func CardText(s *models.Sale) string {
	if s.Last4 == "" {
		return CardBrand(s.CardBrand)
	}
	return strings.TrimSpace(CardBrand(s.CardBrand) + " ·· " + s.Last4)
}

// brands are the names of cards as they are printed on them; terminals send capitals.
var brands = map[string]string{
	"VISA": "Visa", "MASTERCARD": "Mastercard", "MC": "Mastercard",
	"AMEX": "Amex", "AMERICANEXPRESS": "Amex", "CARNET": "Carnet", "DISCOVER": "Discover", "MAESTRO": "Maestro",
	"DINERS": "Diners", "UNIONPAY": "UnionPay",
}

// CardBrand is a brand as people write it. One that nobody knows stays as it came.
func CardBrand(brand string) string {
	if name := brands[strings.ToUpper(strings.ReplaceAll(brand, " ", ""))]; name != "" {
		return name
	}
	return brand
}
