package oversight

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/closings"
	"veinte/views/export"
	oversightview "veinte/views/oversight"
)

// ListClosings handles GET /closings?before.
func (h *Handlers) ListClosings(c *fiber.Ctx) error {
	status, before := fiber.StatusOK, c.Query("before")
	list, err := h.Closings.Closings(c.UserContext(), kit.Actor(c), before)
	errs, wrong, ok := kit.Refused(err)
	if ok && wrong == fiber.StatusUnprocessableEntity {
		status, before = wrong, ""
		list, err = h.Closings.Closings(c.UserContext(), kit.Actor(c), "")
	}
	if err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.Closings(&oversightview.ClosingsView{
		Page: h.Page(c), List: *list, Before: before, Errors: errs,
	}))
}

// ShowClosing handles GET /closings/:day?store&page.
func (h *Handlers) ShowClosing(c *fiber.Ctx) error {
	store, err := kit.QueryID(c, "store")
	if err != nil {
		return err
	}
	r, err := h.Closings.ClosingReport(c.UserContext(), kit.Actor(c), c.Params("day"), closings.Shown)
	if err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v := &oversightview.ClosingView{
		Page: h.Page(c), Report: *r, Store: store, At: c.QueryInt("page"), Labels: map[models.SerialNumber]string{},
	}
	if v.Compared, err = h.Compared(c.UserContext()); err != nil {
		return err
	}
	v.Seal = h.Seal(c.UserContext(), r.ClosedAt)
	for _, t := range dir.Terminals {
		v.Labels[t.SerialNumber] = t.Label
	}
	if store != 0 && v.Chosen() == nil {
		return models.ErrNotFound
	}
	return kit.Render(c, fiber.StatusOK, oversightview.Closing(v))
}

// ExportClosing handles GET /closings/:day/report.csv: the frozen figures of the
// user's stores.
func (h *Handlers) ExportClosing(c *fiber.Ctx) error {
	r, err := h.Closings.ClosingReport(c.UserContext(), kit.Actor(c), c.Params("day"), closings.CSV)
	if err != nil {
		return err
	}
	kit.Attach(c, fmt.Sprintf("veinte-cierre-%s.csv", r.Day), kit.CSV)
	return export.WriteClosing(c.UserContext(), c.Response().BodyWriter(), r, h.Window().Calendar.Zone())
}

// ExportClosingJSON handles GET /closings/:day/report.json: the exact bytes whose
// SHA-256 the page shows.
func (h *Handlers) ExportClosingJSON(c *fiber.Ctx) error {
	r, err := h.Closings.ClosingReport(c.UserContext(), kit.Actor(c), c.Params("day"), closings.JSON)
	if err != nil {
		return err
	}
	kit.Attach(c, fmt.Sprintf("veinte-cierre-%s.json", r.Day), fiber.MIMEApplicationJSON)
	return c.Send(r.Canonical)
}
