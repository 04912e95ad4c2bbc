package handlers

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views"
)

// exportDifferences answers GET /reconciliations/:id/differences.csv.
func (h *Handlers) exportDifferences(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	who, ctx := actor(c), context.WithoutCancel(c.UserContext())
	rec, err := h.Cancellations.Reconciliation(ctx, who, id)
	if err != nil {
		return h.missed(c, err)
	}
	dir, err := h.DB.Directory(ctx)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="veinte-%s-%d.csv"`, rec.BusinessDay, id))
	zone := h.Cancellations.Window().Calendar.Zone()
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		out := views.NewDifferences(ctx, w, dir.Stores, zone)
		err := h.Cancellations.EachDifference(ctx, who, id, func(items []models.ReportItem) error { return out.Write(items) })
		if err = errors.Join(err, out.Flush()); err != nil {
			h.Logger.WarnContext(ctx, "differences were not sent to the end", "reconciliation", id, "error", err)
		}
	})
	return nil
}
