package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/audit/export"
	"veinte/models/imports"
	exchangeview "veinte/views/exchange"
)

// ExportWrongRows handles GET /imports/:id/wrong.csv: the rows that cannot be
// imported, with a column for the reason, to be corrected and uploaded again.
func (h *Handlers) ExportWrongRows(c *fiber.Ctx, id int64) error {
	who := kit.Actor(c)
	detail, err := h.Imports.Detail(c.UserContext(), who, id)
	if err != nil {
		return err
	}
	columns := imports.Columns(detail.Kind)
	file := export.FileExport{File: "wrongRows", Of: id, Name: detail.FileName}
	return h.StreamFile(c, file, fmt.Sprintf("veinte-%d.csv", id), func(ctx context.Context, out *kit.Pipe) error {
		rows := exchangeview.NewWrongRows(ctx, out, columns)
		err := h.Imports.ImportRemarks(ctx, who, id, func(r *imports.Row) bool { return rows.Write(r) == nil })
		return errors.Join(err, rows.Flush())
	})
}
