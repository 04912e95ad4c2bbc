package handlers

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	trailexport "veinte/models/audit/export"
	"veinte/models/reconciliation"
	"veinte/views/export"
)

// exportDifferences answers GET /reconciliations/:id/differences.csv.
func (h *Handlers) exportDifferences(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	who := actor(c)
	rec, err := h.Reconciliation.Reconciliation(c.UserContext(), who, id)
	if err != nil {
		return err
	}
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return err
	}
	zone := h.Rules.Window().Calendar.Zone()
	file := trailexport.FileExport{File: "differences", Of: id, Name: rec.FileName}
	return h.streamFile(c, file, fmt.Sprintf("veinte-%s-%d.csv", rec.BusinessDay, id), func(ctx context.Context, out *exportPipe) error {
		rows := export.NewDifferences(ctx, out, dir.Stores, zone)
		err := h.Reconciliation.EachDifference(ctx, who, id, func(items []reconciliation.ReportItem) error { return rows.Write(items) })
		return errors.Join(err, rows.Flush())
	})
}
