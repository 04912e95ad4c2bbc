package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	trailexport "veinte/models/audit/export"
	"veinte/models/reconciliation"
	"veinte/views/export"
)

// ExportDifferences handles GET /reconciliations/:id/differences.csv.
func (h *Handlers) ExportDifferences(c *fiber.Ctx, id int64) error {
	who := kit.Actor(c)
	rec, err := h.Reconciliation.Reconciliation(c.UserContext(), who, id)
	if err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	zone := h.Window().Calendar.Zone()
	file := trailexport.FileExport{File: "differences", Of: id, Name: rec.FileName}
	return h.StreamFile(c, file, fmt.Sprintf("veinte-%s-%d.csv", rec.BusinessDay, id), func(ctx context.Context, out *kit.Pipe) error {
		rows := export.NewDifferences(ctx, out, dir.Stores, zone)
		err := h.Reconciliation.EachDifference(ctx, who, id, func(items []reconciliation.ReportItem) error { return rows.Write(items) })
		return errors.Join(err, rows.Flush())
	})
}
