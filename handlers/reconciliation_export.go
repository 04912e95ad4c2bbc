package handlers

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views/export"
)

// exportDifferences answers GET /reconciliations/:id/differences.csv.
func (h *Handlers) exportDifferences(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	who := actor(c)
	rec, err := h.Cancellations.Reconciliation(c.UserContext(), who, id)
	if err != nil {
		return err
	}
	dir, err := h.DB.Directory(c.UserContext())
	if err != nil {
		return err
	}
	zone := h.Cancellations.Window().Calendar.Zone()
	file := models.FileExport{File: "differences", Of: id, Name: rec.FileName}
	return h.streamFile(c, file, fmt.Sprintf("veinte-%s-%d.csv", rec.BusinessDay, id), func(ctx context.Context, out *exportPipe) error {
		rows := export.NewDifferences(ctx, out, dir.Stores, zone)
		err := h.Cancellations.EachDifference(ctx, who, id, func(items []models.ReportItem) error { return rows.Write(items) })
		return errors.Join(err, rows.Flush())
	})
}
