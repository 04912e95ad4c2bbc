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

// exportWrongRows answers GET /imports/:id/wrong.csv: the rows that cannot be
// imported, with a column that says why, to be mended and given again.
func (h *Handlers) exportWrongRows(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	who, ctx := actor(c), context.WithoutCancel(c.UserContext())
	story, err := h.Cancellations.ImportStory(ctx, who, id)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="veinte-%d.csv"`, id))
	columns := models.ImportColumns(story.Kind)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		out := views.NewWrongRows(ctx, w, columns)
		err := h.Cancellations.ImportRemarks(ctx, who, id, func(r *models.ImportRow) bool { return out.Write(r) == nil })
		if err = errors.Join(err, out.Flush()); err != nil {
			h.Logger.WarnContext(ctx, "wrong rows were not sent to the end", "import", id, "error", err)
		}
	})
	return nil
}
