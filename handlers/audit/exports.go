package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit"
	trailexport "veinte/models/audit/export"
	auditview "veinte/views/audit"
	"veinte/views/export"
)

// ExportAudit handles GET /audit.csv and its like: the entries that the page
// with the same query shows, all of them, as a file.
func (h *Handlers) ExportAudit(format trailexport.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		f, errs := auditFilter(c, h.Clock.Now())
		f.Cursor = "" // a file has no pages
		for field, code := range errs {
			return h.refusedExport(c, format, &f, models.Invalid(field, code))
		}
		if c.Method() == fiber.MethodHead {
			c.Set(fiber.HeaderContentType, kit.FileTypes[format])
			return nil // nothing leaves
		}
		head, err := h.exportHead(c, f)
		if err != nil {
			return err
		}
		who := kit.Actor(c)
		x, err := h.Export.StartExport(c.UserContext(), who, trailexport.Request{Format: format, Filter: f, Query: filterQuery(&f)})
		if err != nil {
			return err
		}
		head.ID = x.ID
		h.Stream(c, "veinte-bitacora-"+head.At.In(head.Zone).Format("20060102-150405")+"."+string(format), kit.FileTypes[format],
			func(ctx context.Context, out *kit.Pipe) error {
				if format == trailexport.JSONL {
					return h.Export.RunSealedExport(ctx, who, x, f, out)
				}
				return h.Export.RunExport(ctx, who, x, f, exportWriter(ctx, format, x.To(out), head))
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

// refusedExport records in the trail that a file was requested which cannot be made.
func (h *Handlers) refusedExport(c *fiber.Ctx, format trailexport.Format, f *audit.Filter, refusal *models.Error) error {
	r := trailexport.Request{Format: format, Filter: *f}
	kit.LeadBack(c, "/audit?"+kit.Clip(string(c.Request().URI().QueryString()), maxEchoed))
	return h.Export.RefusedExport(c.UserContext(), kit.Actor(c), r, refusal)
}

// exportHead gathers the facts for the head of a file.
func (h *Handlers) exportHead(c *fiber.Ctx, f audit.Filter) (*export.ExportHead, error) {
	names, err := h.names(c)
	if err != nil {
		return nil, err
	}
	return &export.ExportHead{
		Practice: h.Practice, At: h.Clock.Now(), Zone: h.Window().Calendar.Zone(), By: kit.Actor(c), Reasons: names.Reasons,
		Stores: names.Stores, People: names.People,
		Filters: export.AuditFilterFacts(c.UserContext(), f, names.Stores, names.People, names.Reasons),
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

// ShowExports handles GET /audit/exports, and the polled part of it with
// fragment=exports: the available and the running exports.
func (h *Handlers) ShowExports(c *fiber.Ctx) error {
	page, err := h.Export.Exports(c.UserContext(), kit.Actor(c), c.Query("older"))
	if err != nil {
		return err
	}
	v := &auditview.ExportsView{Page: h.Page(c), List: *page, Older: c.Query("older") != ""}
	if c.Query("fragment") == "exports" {
		return h.RenderPolled(c, v.Page, auditview.ExportsList(v))
	}
	f, errs := auditFilter(c, h.Clock.Now())
	v.Query, v.Errors = filterQuery(&f), errs
	if v.Checkpoint, err = h.Checkpoint(c.UserContext()); err != nil {
		return err
	}
	if len(errs) == 0 {
		head, err := h.exportHead(c, f)
		if err != nil {
			return err
		}
		v.Filters = head.Filters
		v.Count, err = h.Export.EstimateAudit(c.UserContext(), kit.Actor(c), f)
		if known, _, ok := kit.Refused(err); ok {
			v.Errors, err = known, nil
		}
		if err != nil {
			return err
		}
	}
	return kit.Render(c, kit.StatusOf(v.Errors), auditview.Exports(v))
}

// ShowExport handles GET /audit/exports/:id: one export, and with sha256 whether a file
// of that hash is what left.
func (h *Handlers) ShowExport(c *fiber.Ctx, id int64) error {
	d, err := h.Export.Detail(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	v := &auditview.ExportView{Page: h.Page(c), Detail: *d, Typed: kit.Clip(c.Query("sha256"), maxEchoed)}
	if kit.Actor(c).May(models.ReadAudit) {
		if v.Checkpoint, err = h.Checkpoint(c.UserContext()); err != nil {
			return err
		}
	}
	if d.End != nil {
		v.Altered = d.End.Altered()
	}
	if c.Context().QueryArgs().Has("sha256") {
		var wrong *models.Error
		if v.Compared, err = trailexport.ParseSHA256(v.Typed); errors.As(err, &wrong) {
			v.Errors = kit.ErrorsOf([]*models.Error{wrong})
		}
	}
	return kit.Render(c, kit.StatusOf(v.Errors), auditview.ExportDetail(v))
}

// ExportNote handles GET /audit/exports/:id/note: what the trail says of a file, signed.
func (h *Handlers) ExportNote(c *fiber.Ctx, id int64) error {
	signed, err := h.Export.Note(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	kit.Attach(c, fmt.Sprintf("veinte-export-%d-note.txt", id), fiber.MIMETextPlainCharsetUTF8)
	return c.SendString(signed)
}

// StopExport handles POST /audit/exports/:id/stop.
func (h *Handlers) StopExport(c *fiber.Ctx, id int64) error {
	who := kit.Actor(c)
	err := h.Export.StopExport(c.UserContext(), who, id)
	list := "/audit/exports"
	if !who.May(models.ReadAudit) {
		list = "/sales/export"
	}
	return h.FinishAt(c, err, list, "flash.exportStopping")
}

// PrintAudit handles GET /audit/print: the entries in their printed form.
func (h *Handlers) PrintAudit(c *fiber.Ctx) error {
	f, errs := auditFilter(c, h.Clock.Now())
	for field, code := range errs {
		return h.refusedExport(c, trailexport.PrintRequest, &f, models.Invalid(field, code))
	}
	head, err := h.exportHead(c, f)
	if err != nil {
		return err
	}
	page, err := h.Export.PrintAudit(c.UserContext(), kit.Actor(c), f, c.Query("after"))
	if err != nil {
		return err
	}
	compared, err := h.Verify.Standings(c.UserContext(), page.Entries)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, auditview.AuditPrint(&auditview.AuditPrintView{
		Page: h.Page(c), Head: head, List: page, Query: filterQuery(&f), Standings: compared,
	}))
}
