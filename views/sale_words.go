package views

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

// saleTime writes when a sale was made: 20 nov 2026, 19:41 hora CDMX, and the
// store's own time where its clock differs, since that is what the ticket says.
func saleTime(ctx context.Context, p Page, s *models.Sale, store *models.Store) string {
	text := dateTime(ctx, s.SoldAt, p.zone()) + " " + zoneName(ctx, p.zone().String())
	if zone := store.Zone(); !sameClock(zone, p.zone(), s.SoldAt) {
		text += " (" + locale.T(ctx, "cutoff.local", "Time", clock(s.SoldAt, zone), "Place", zoneName(ctx, store.TimeZone)) + ")"
	}
	return text
}

func cardText(s *models.Sale) string {
	if s.Last4 == "" {
		return s.CardBrand
	}
	return strings.TrimSpace(s.CardBrand + " ·· " + s.Last4)
}
