package handlers

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/closings"
	oversightview "veinte/views/oversight"
)

// listClosings answers GET /closings?before.
func (h *Handlers) listClosings(c *fiber.Ctx) error {
	status, before := fiber.StatusOK, c.Query("before")
	list, err := h.Closings.Closings(c.UserContext(), actor(c), before)
	errs, wrong, ok := refused(err)
	if ok && wrong == fiber.StatusUnprocessableEntity {
		status, before = wrong, ""
		list, err = h.Closings.Closings(c.UserContext(), actor(c), "")
	}
	if err != nil {
		return err
	}
	return render(c, status, oversightview.Closings(&oversightview.ClosingsView{Page: h.page(c), List: *list, Before: before, Errors: errs}))
}

// showClosing answers GET /closings/:day?store.
func (h *Handlers) showClosing(c *fiber.Ctx) error {
	store, err := queryID(c, "store")
	if err != nil {
		return err
	}
	r, err := h.Closings.ClosingReport(c.UserContext(), actor(c), c.Params("day"), closings.Shown)
	if err != nil {
		return err
	}
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v := &oversightview.ClosingView{Page: h.page(c), Report: *r, Store: store, Labels: map[models.SerialNumber]string{}}
	for _, t := range dir.Terminals {
		v.Labels[t.SerialNumber] = t.Label
	}
	if store != 0 && v.Chosen() == nil {
		return models.ErrNotFound
	}
	return render(c, fiber.StatusOK, oversightview.Closing(v))
}

// exportClosing answers GET /closings/:day/report.csv: the frozen figures, as far
// as the reader's stores go.
func (h *Handlers) exportClosing(c *fiber.Ctx) error {
	r, err := h.Closings.ClosingReport(c.UserContext(), actor(c), c.Params("day"), closings.CSV)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="veinte-cierre-%s.csv"`, r.Day))
	return oversightview.WriteClosing(c.UserContext(), c.Response().BodyWriter(), r, h.Rules.Window().Calendar.Zone())
}

// exportClosingJSON answers GET /closings/:day/report.json: the very bytes whose
// SHA-256 the page shows.
func (h *Handlers) exportClosingJSON(c *fiber.Ctx) error {
	r, err := h.Closings.ClosingReport(c.UserContext(), actor(c), c.Params("day"), closings.JSON)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="veinte-cierre-%s.json"`, r.Day))
	return c.Send(r.Canonical)
}
