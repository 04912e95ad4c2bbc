package handlers

import (
	"context"
	"io"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/audit"
	trailexport "veinte/models/audit/export"
	auditview "veinte/views/audit"
	"veinte/views/export"
	"veinte/views/ui"
)

// exportKinds are the media types of exported files.
var exportKinds = map[trailexport.Format]string{
	trailexport.CSV:   "text/csv; charset=utf-8",
	trailexport.JSONL: "application/jsonl; charset=utf-8",
	trailexport.XLSX:  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// exportAudit answers GET /audit.csv and its like: the entries that the page
// with the same query shows, all of them, as a file.
func (h *Handlers) exportAudit(format trailexport.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		f, errs := auditFilter(c)
		f.Cursor = "" // a file has no pages
		for field, code := range errs {
			return h.refusedExport(c, format, &f, models.Invalid(field, code))
		}
		if c.Method() == fiber.MethodHead {
			c.Set(fiber.HeaderContentType, exportKinds[format])
			return nil // nothing leaves
		}
		head, err := h.exportHead(c, f)
		if err != nil {
			return err
		}
		who := actor(c)
		x, err := h.Export.StartExport(c.UserContext(), who, trailexport.Request{Format: format, Filter: f, Query: filterQuery(&f)})
		if err != nil {
			return err
		}
		head.ID = x.ID
		h.stream(c, "veinte-bitacora-"+head.At.In(head.Zone).Format("20060102-150405")+"."+string(format), exportKinds[format],
			func(ctx context.Context, out *exportPipe) error {
				if format == trailexport.JSONL {
					return h.Export.RunSealedExport(ctx, who, x, f, out)
				}
				return h.Export.RunExport(ctx, who, x, f, exportWriter(ctx, format, out, head))
			})
		return nil
	}
}

func exportWriter(ctx context.Context, format trailexport.Format, out io.Writer, head *export.ExportHead) trailexport.Writer {
	if format == trailexport.XLSX {
		return export.NewExportXLSX(ctx, out, head)
	}
	return export.NewExportCSV(ctx, out, head)
}

// refusedExport tells the trail that a file was asked for which there cannot be.
func (h *Handlers) refusedExport(c *fiber.Ctx, format trailexport.Format, f *audit.Filter, refusal *models.Error) error {
	r := trailexport.Request{Format: format, Filter: *f}
	c.Locals(backKey, "/audit?"+clip(string(c.Request().URI().QueryString()), mostEchoed))
	return h.Export.RefusedExport(c.UserContext(), actor(c), r, refusal)
}

// backKey is where the answer to a refused download leads back to: the form in
// which the filter can be mended.
const backKey = "back"

// exportHead gathers what a file says of itself.
func (h *Handlers) exportHead(c *fiber.Ctx, f audit.Filter) (*export.ExportHead, error) {
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	people, err := h.people(c)
	if err != nil {
		return nil, err
	}
	reasons, err := h.Rules.AllReasons(c.UserContext())
	if err != nil {
		return nil, err
	}
	return &export.ExportHead{
		Practice: h.Practice, At: h.Clock.Now(), Zone: h.Rules.Window().Calendar.Zone(), By: actor(c), Reasons: reasons,
		Stores: dir.Visible(actor(c)), People: people,
		Filters: export.AuditFilterFacts(c.UserContext(), f, dir.Visible(actor(c)), people, reasons),
	}, nil
}

// filterQuery is a filter as its address has it, without what belongs to one
// page alone.
func filterQuery(f *audit.Filter) string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// showExports answers GET /audit/exports, and the polled part of it with
// fragment=exports: what can be taken out, and what is being taken out.
func (h *Handlers) showExports(c *fiber.Ctx) error {
	page, err := h.Export.Exports(c.UserContext(), actor(c), c.Query("older"))
	if err != nil {
		return err
	}
	v := &auditview.ExportsView{Page: h.page(c), List: *page, Older: c.Query("older") != ""}
	if c.Query("fragment") == "exports" {
		return h.renderPolled(c, v.Page, auditview.ExportsList(v))
	}
	f, errs := auditFilter(c)
	v.Query, v.Errors = filterQuery(&f), errs
	if v.Checkpoint, err = h.Sealing.LatestCheckpoint(c.UserContext()); err != nil {
		return err
	}
	if len(errs) == 0 {
		head, err := h.exportHead(c, f)
		if err != nil {
			return err
		}
		v.Filters = head.Filters
		v.Count, err = h.Export.EstimateAudit(c.UserContext(), actor(c), f)
		if known, _, ok := refused(err); ok {
			v.Errors, err = known, nil
		}
		if err != nil {
			return err
		}
	}
	status := fiber.StatusOK
	if len(v.Errors) > 0 {
		status = fiber.StatusUnprocessableEntity
	}
	return render(c, status, auditview.Exports(v))
}

// stopExport answers POST /audit/exports/:id/stop.
func (h *Handlers) stopExport(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	if err := h.Export.StopExport(c.UserContext(), actor(c), id); err != nil {
		if known, _, ok := refused(err); ok {
			return h.redirectWith(c, "/audit/exports", ui.FlashProblem, known[""])
		}
		return err
	}
	return h.done(c, "/audit/exports", "flash.exportStopping")
}

// printAudit answers GET /audit/print: the entries as paper shows them.
func (h *Handlers) printAudit(c *fiber.Ctx) error {
	f, errs := auditFilter(c)
	for field, code := range errs {
		return h.refusedExport(c, trailexport.PrintRequest, &f, models.Invalid(field, code))
	}
	head, err := h.exportHead(c, f)
	if err != nil {
		return err
	}
	page, err := h.Export.PrintAudit(c.UserContext(), actor(c), f, c.Query("after"))
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, auditview.AuditPrint(&auditview.AuditPrintView{
		Page: h.page(c), Head: head, List: page, Query: filterQuery(&f),
	}))
}
