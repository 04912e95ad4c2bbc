package places

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/views/export"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// ListAddresses handles GET /terminals/addresses. It shows no address.
func (h *Handlers) ListAddresses(c *fiber.Ctx) error {
	return h.addressesPage(c, fiber.StatusOK, nil)
}

func (h *Handlers) addressesPage(c *fiber.Ctx, status int, errs ui.Errors) error {
	counts, err := h.Terminals.CountAddresses(c.UserContext())
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.Addresses(&placesview.AddressesView{
		Page: h.Page(c), Shared: h.Shared, HasAddresses: h.Terminals.HasAddresses(), Counts: counts, Errors: errs,
	}))
}

// ShowAddress handles POST /terminals/:id/address with the terminal's own address. It is
// not stored, and a redirect would put it into an address or a cookie.
func (h *Handlers) ShowAddress(c *fiber.Ctx, id int64) error {
	t, path, err := h.Terminals.OwnAddress(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.terminalPage(c, status, id, errs) })
	}
	hideReferrer(c)
	return kit.Render(c, fiber.StatusOK, placesview.TerminalAddress(&placesview.AddressView{
		Page: h.Page(c), Terminal: *t, Address: h.BaseURL + path,
	}))
}

// ExportAddresses handles POST /terminals/addresses/export with the own address of each
// terminal in use.
func (h *Handlers) ExportAddresses(c *fiber.Ctx) error {
	lines, err := h.Terminals.AllAddresses(c.UserContext(), kit.Actor(c))
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.addressesPage(c, status, errs) })
	}
	hideReferrer(c)
	h.Stream(c, "veinte-direcciones.csv", kit.CSV, func(_ context.Context, out *kit.Pipe) error {
		return export.Addresses(out, h.BaseURL, lines)
	})
	return nil
}

// hideReferrer keeps other pages from learning where the reader came from. No cache
// stores any page of ours.
func hideReferrer(c *fiber.Ctx) { c.Set(fiber.HeaderReferrerPolicy, "no-referrer") }
