package oversight

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/oversight"
	"veinte/views/export"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

// overseen reads a filter of oversight. Values that cannot be read are reported by
// field and stay as typed.
func overseen(value func(name string) string) (oversight.Filter, ui.Errors) {
	errs := ui.Errors{}
	f := oversight.Filter{
		StoreID: kit.ChosenID(value("store")), By: oversight.By(kit.Clip(value("by"), 20)),
		Kind: oversight.FindingKind(kit.Clip(value("kind"), 20)), Subject: kit.Clip(value("subject"), 200),
	}
	for name, day := range map[string]*models.Day{"from": &f.From, "to": &f.To} {
		if s := kit.Clip(value(name), 20); s != "" {
			if _, err := models.ParseDay(s); err != nil {
				errs[name] = "date.invalid"
			}
			*day = models.Day(s)
		}
	}
	for name, n := range map[string]*int{"minutes": &f.Minutes, "times": &f.Times, "days": &f.Days} {
		if s := value(name); s != "" {
			var err error
			if *n, err = strconv.Atoi(s); err != nil || *n <= 0 {
				*n, errs[name] = 0, "filter.invalid"
			}
		}
	}
	return f, errs
}

// runQuery runs the query and records that the user read the result. Errors of the
// filter are returned by field, without a result.
func runQuery[R any](
	h *Handlers, c *fiber.Ctx, page string, f oversight.Filter, errs ui.Errors,
	ask func(context.Context, models.Actor, oversight.Filter) (*R, error),
) (*R, ui.Errors, int, error) {
	if len(errs) > 0 {
		return nil, errs, fiber.StatusUnprocessableEntity, nil
	}
	result, err := ask(c.UserContext(), kit.Actor(c), f)
	if refusal, status, ok := kit.Refused(err); ok {
		return nil, refusal, status, nil
	}
	if err != nil {
		return nil, nil, 0, err
	}
	return result, nil, fiber.StatusOK, h.Oversight.Read(c.UserContext(), kit.Actor(c), page, f)
}

func (h *Handlers) overseeing(c *fiber.Ctx, page string) (*oversightview.OversightView, int, error) {
	f, errs := overseen(kit.Query(c))
	report, errs, status, err := runQuery(h, c, page, f, errs, h.Oversight.Report)
	if err != nil {
		return nil, 0, err
	}
	v := &oversightview.OversightView{Page: h.Page(c), Filter: f, Report: report, Errors: errs}
	if report != nil {
		v.Filter = report.Filter
	}
	v.Stores, v.Terminals, v.Reasons, err = h.names(c)
	return v, status, err
}

// names is what names the numbers of figures and findings.
func (h *Handlers) names(c *fiber.Ctx) ([]models.Store, map[int64]models.Terminal, []models.Reason, error) {
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return nil, nil, nil, err
	}
	reasons, err := h.AllReasons(c.UserContext())
	return dir.Visible(kit.Actor(c)), dir.Terminals, reasons, err
}

// ShowOversight handles GET /oversight.
func (h *Handlers) ShowOversight(c *fiber.Ctx) error {
	v, status, err := h.overseeing(c, "report")
	if err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.OversightReport(v))
}

// ExportOversight handles GET /oversight.csv.
func (h *Handlers) ExportOversight(c *fiber.Ctx) error {
	v, status, err := h.overseeing(c, "report.csv")
	if err != nil {
		return err
	}
	if v.Report == nil {
		return kit.Render(c, status, oversightview.OversightReport(v))
	}
	f := v.Report.Filter
	by := locale.T(c.UserContext(), "oversight.csvBy."+string(f.By))
	kit.Attach(c, locale.T(c.UserContext(), "oversight.csvFile.report", "By", by, "From", f.From, "To", f.To), kit.CSV)
	return export.WriteOversight(c.UserContext(), c.Response().BodyWriter(), v)
}

// patterns reads findings, and what their pages show around them.
func (h *Handlers) patterns(c *fiber.Ctx, page string, f oversight.Filter, errs ui.Errors) (*oversightview.PatternsView, int, error) {
	found, errs, status, err := runQuery(h, c, page, f, errs, h.Oversight.Findings)
	if err != nil {
		return nil, 0, err
	}
	v := &oversightview.PatternsView{Page: h.Page(c), Filter: f, Found: found, Errors: errs}
	if found != nil {
		v.Filter = found.Filter
	}
	v.Stores, v.Terminals, v.Reasons, err = h.names(c)
	return v, status, err
}

// ListPatterns handles GET /oversight/patterns.
func (h *Handlers) ListPatterns(c *fiber.Ctx) error {
	f, errs := overseen(kit.Query(c))
	f.Subject = ""
	v, status, err := h.patterns(c, "patterns", f, errs)
	if err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.Patterns(v))
}

// ExportPatterns handles GET /oversight/patterns.csv.
func (h *Handlers) ExportPatterns(c *fiber.Ctx) error {
	f, errs := overseen(kit.Query(c))
	f.Subject = ""
	v, status, err := h.patterns(c, "patterns.csv", f, errs)
	if err != nil {
		return err
	}
	if v.Found == nil {
		return kit.Render(c, status, oversightview.Patterns(v))
	}
	kit.Attach(c, locale.T(c.UserContext(), "oversight.csvFile.patterns", "From", v.Filter.From, "To", v.Filter.To), kit.CSV)
	return export.WritePatterns(c.UserContext(), c.Response().BodyWriter(), v)
}

// ShowFinding handles GET /oversight/finding, which the query names.
func (h *Handlers) ShowFinding(c *fiber.Ctx) error {
	f, errs := overseen(kit.Query(c))
	return h.findingPage(c, fiber.StatusOK, f, errs, "", nil)
}

// findingPage shows a finding; a filter that cannot be read is shown where it is
// typed, with the patterns.
func (h *Handlers) findingPage(c *fiber.Ctx, status int, f oversight.Filter, errs ui.Errors, note string, refused ui.Errors) error {
	v, found, err := h.patterns(c, "finding", f, errs)
	if err != nil {
		return err
	}
	if v.Found == nil {
		return kit.Render(c, found, oversightview.Patterns(v))
	}
	finding := v.Found.Of(f.Kind, f.Subject)
	if finding == nil {
		return models.ErrNotFound
	}
	v.Errors = refused
	v.Path = oversightview.FindingURL(f) // of what was posted too: it can be asked for again
	return kit.Render(c, status, oversightview.Finding(&oversightview.FindingView{PatternsView: *v, Finding: *finding, Note: note}))
}

// MarkFinding handles POST /oversight/marks.
func (h *Handlers) MarkFinding(c *fiber.Ctx) error {
	f, errs := overseen(kit.Form(c))
	note := c.FormValue("note")
	if len(errs) > 0 {
		return h.findingPage(c, fiber.StatusUnprocessableEntity, f, errs, note, nil)
	}
	last, err := strconv.ParseInt(c.FormValue("last"), 10, 64)
	if err != nil {
		last = kit.NoID // of a page that we never drew: nothing is newer than it
	}
	mark := oversight.MarkInput{Filter: f, Seen: c.FormValue("seen"), Last: last, Note: note}
	err = h.Oversight.Mark(c.UserContext(), kit.Actor(c), mark)
	return h.Finish(c, err, oversightview.FindingURL(f), "flash.reviewed", func(status int, errs ui.Errors) error {
		return h.findingPage(c, status, f, nil, kit.Clip(note, 600), errs)
	}, models.ErrForbidden)
}

// ShowPeriod handles GET /oversight/days?unit=week|month&from&store&by.
func (h *Handlers) ShowPeriod(c *fiber.Ctx) error {
	store, err := kit.QueryID(c, "store")
	if err != nil {
		return err
	}
	f := oversight.PeriodFilter{
		Unit: oversight.PeriodUnit(kit.Clip(c.Query("unit"), 20)), From: models.Day(kit.Clip(c.Query("from"), 20)), StoreID: store,
	}
	v := &oversightview.PeriodView{Page: h.Page(c), By: kit.ChartBy(c), Filter: f}
	status := fiber.StatusOK
	v.Figures, err = h.Oversight.Period(c.UserContext(), kit.Actor(c), f)
	if errs, wrong, ok := kit.Refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		v.Errors, status = errs, wrong
	} else if err != nil {
		return err
	} else {
		v.Filter = v.Figures.Filter
		first, last := v.Filter.Days()
		err = h.Oversight.Read(c.UserContext(), kit.Actor(c), "days", oversight.Filter{From: first, To: last, StoreID: store})
		if err != nil {
			return err
		}
	}
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.Period(v))
}
