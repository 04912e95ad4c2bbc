package audit

import (
	"context"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	trailexport "veinte/models/audit/export"
	"veinte/models/sales"
	auditview "veinte/views/audit"
	"veinte/views/export"
	"veinte/views/ui"
)

// salesFilter reads the filter of a file of sales: that of the list, on any range of
// days.
func (h *Handlers) salesFilter(c *fiber.Ctx) (sales.ExportFilter, ui.Errors) {
	now := h.Clock.Now()
	f, wrong := sales.ParseExport(kit.Query(c), now, h.Window().Calendar.Day(now))
	return f, kit.ErrorsOf(wrong)
}

func salesQuery(f *sales.ExportFilter) string {
	q := url.Values{}
	for _, v := range f.Values() {
		q.Set(v[0], v[1])
	}
	return q.Encode()
}

// ExportSales handles GET /sales.csv and /sales.xlsx: the sales that a filter matches,
// all of them, as a file.
func (h *Handlers) ExportSales(format trailexport.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		f, errs := h.salesFilter(c)
		for field, code := range errs {
			kit.LeadBack(c, "/sales/export?"+kit.Clip(string(c.Request().URI().QueryString()), maxEchoed))
			return h.SalesFiles.Refused(c.UserContext(), kit.Actor(c), format, f, models.Invalid(field, code))
		}
		if c.Method() == fiber.MethodHead {
			c.Set(fiber.HeaderContentType, kit.FileTypes[format])
			return nil // nothing leaves
		}
		head, err := h.salesHead(c, f)
		if err != nil {
			return err
		}
		who := kit.Actor(c)
		x, err := h.SalesFiles.Start(c.UserContext(), who, format, f, salesQuery(&f))
		if err != nil {
			return err
		}
		head.ID = x.ID
		h.Stream(c, "veinte-ventas-"+head.At.In(head.Zone).Format("20060102-150405")+"."+string(format), kit.FileTypes[format],
			func(ctx context.Context, out *kit.Pipe) error {
				if format == trailexport.XLSX {
					return h.SalesFiles.Run(ctx, who, x, f, export.NewSalesXLSX(ctx, x.To(out), head))
				}
				return h.SalesFiles.Run(ctx, who, x, f, export.NewSalesCSV(ctx, x.To(out), head))
			})
		return nil
	}
}

func (h *Handlers) salesHead(c *fiber.Ctx, f sales.ExportFilter) (*export.SalesHead, error) {
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	reasons, err := h.AllReasons(c.UserContext())
	if err != nil {
		return nil, err
	}
	stores := dir.Visible(kit.Actor(c))
	return &export.SalesHead{
		ExportHead: export.ExportHead{
			Practice: h.Practice, Of: trailexport.Sales, At: h.Clock.Now(), Zone: h.Window().Calendar.Zone(), By: kit.Actor(c),
			Reasons: reasons, Stores: stores, Filters: export.SalesFilterFacts(c.UserContext(), f, stores),
		},
		ByID: dir.Stores,
	}, nil
}

// ShowSalesExport handles GET /sales/export: which sales would leave, in which form, and
// with fragment=exports what was taken before.
func (h *Handlers) ShowSalesExport(c *fiber.Ctx) error {
	page, err := h.Export.Exports(c.UserContext(), kit.Actor(c), c.Query("older"))
	if err != nil {
		return err
	}
	v := &auditview.SalesExportView{
		ExportsView: auditview.ExportsView{Page: h.Page(c), List: *page, Of: trailexport.Sales, Older: c.Query("older") != ""},
	}
	if c.Query("fragment") == "exports" {
		return h.RenderPolled(c, v.Page, auditview.ExportsList(&v.ExportsView))
	}
	f, errs := h.salesFilter(c)
	v.Query, v.Errors, v.Filter = salesQuery(&f), errs, f
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	if len(errs) == 0 {
		v.Filters = export.SalesFilterFacts(c.UserContext(), f, v.Stores)
		v.Count, err = h.SalesFiles.Estimate(c.UserContext(), kit.Actor(c), f)
		if err != nil {
			return err
		}
	}
	return kit.Render(c, kit.StatusOf(errs), auditview.SalesExport(v))
}
