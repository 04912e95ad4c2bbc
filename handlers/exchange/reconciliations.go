package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	trailexport "veinte/models/audit/export"
	"veinte/models/imports"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	exchangeview "veinte/views/exchange"
	"veinte/views/export"
	"veinte/views/ui"
)

// ListReconciliations handles GET /reconciliations.
func (h *Handlers) ListReconciliations(c *fiber.Ctx) error {
	v := &exchangeview.ReconciliationsView{Page: h.Page(c), Day: kit.Clip(c.Query("date"), 20)}
	status := fiber.StatusOK
	day := models.Day("")
	if v.Day != "" {
		var err error
		if day, err = models.ParseDay(v.Day); err != nil {
			status, v.Errors = fiber.StatusUnprocessableEntity, ui.Errors{"date": "date.invalid"}
		}
	}
	list, err := h.Reconciliation.Reconciliations(c.UserContext(), kit.Actor(c), day, c.Query("cursor"))
	if err != nil {
		return err
	}
	profiles, err := h.profilesInUse(c)
	if err != nil {
		return err
	}
	v.List, v.Profiles = *list, len(profiles)
	return kit.Render(c, status, exchangeview.Reconciliations(v))
}

// profilesInUse lists the profiles by which a report can be read.
func (h *Handlers) profilesInUse(c *fiber.Ctx) ([]reconciliation.ReportProfile, error) {
	all, err := h.Reconciliation.ReportProfiles(c.UserContext(), kit.Actor(c))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p reconciliation.ReportProfile) bool { return p.RetiredAt != nil }), nil
}

// NewReconciliation handles GET /reconciliations/new.
func (h *Handlers) NewReconciliation(c *fiber.Ctx) error {
	// The last day that is over: its report is complete.
	calendar := h.Window().Calendar
	today := calendar.Day(h.Clock.Now()).Time(calendar.Zone())
	return h.reportForm(c, fiber.StatusOK, exchangeview.ReportForm{Day: string(calendar.Day(today.AddDate(0, 0, -1)))})
}

func (h *Handlers) reportForm(c *fiber.Ctx, status int, form exchangeview.ReportForm) error {
	profiles, err := h.profilesInUse(c)
	if err != nil {
		return err
	}
	if len(profiles) == 1 && form.ProfileID == 0 {
		form.ProfileID = profiles[0].ID
		if form.Until == "" {
			form.Until = profiles[0].Mapping.CompleteUntil
		}
	}
	return kit.Render(c, status, exchangeview.ReconciliationNew(&exchangeview.ReconciliationNewView{
		Page: h.Page(c), Profiles: profiles, Form: form,
	}))
}

// Reconcile handles POST /reconciliations: a provider's report to compare with our
// sales. The body is read only after the user is known.
func (h *Handlers) Reconcile(c *fiber.Ctx) error {
	if !kit.IsUpload(c) {
		return h.reportForm(c, fiber.StatusUnprocessableEntity, exchangeview.ReportForm{
			ProfileID: kit.ChosenID(c.FormValue("profile")), Day: kit.Clip(c.FormValue("day"), 20),
			Until: kit.Clip(c.FormValue("until"), 20), Errors: ui.Errors{"file": "report.noFile"},
		})
	}
	var form exchangeview.ReportForm
	var up reconciliation.Upload
	var rec *reconciliation.Reconciliation
	err := h.TakeUpload(c, func(fields map[string]string) error {
		form = exchangeview.ReportForm{ProfileID: kit.ChosenID(fields["profile"]), Day: fields["day"], Until: fields["until"]}
		up = reconciliation.Upload{
			ProfileID: form.ProfileID, Day: form.Day, Until: form.Until, Again: fields["again"] == "on", AnyDay: fields["anyDay"] == "on",
		}
		return kit.CheckToken(c, fields["csrf"])
	}, func(u *kit.Upload) (err error) {
		rec, err = h.compareUpload(c, u, up)
		return err
	})
	if err != nil {
		return h.refuseReport(c, form, err)
	}
	return h.Done(c, fmt.Sprintf("/reconciliations/%d", rec.ID), "flash.compared")
}

// compareUpload compares the report that has arrived.
func (h *Handlers) compareUpload(c *fiber.Ctx, u *kit.Upload, up reconciliation.Upload) (*reconciliation.Reconciliation, error) {
	if u.Missing() {
		return nil, models.Invalid("file", "report.noFile")
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(u.File, 0, u.Size)); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	var m report.Mapping // of no profile: the form says so
	p, err := h.Reconciliation.ReportProfile(c.UserContext(), kit.Actor(c), up.ProfileID)
	switch {
	case err == nil:
		m = p.Mapping
	case !errors.Is(err, models.ErrNotFound):
		return nil, err
	}
	table, done, err := report.OpenReport(u.File, u.Size, m)
	if err != nil {
		return nil, err
	}
	defer func() { _ = done() }() // the file is gone with it
	up.FileName, up.FileBytes, up.FileHash, up.Table = u.Name, u.Size, hex.EncodeToString(hash.Sum(nil)), table
	return h.Reconciliation.Reconcile(c.UserContext(), kit.Actor(c), up)
}

// refuseReport shows the form again and says why.
func (h *Handlers) refuseReport(c *fiber.Ctx, form exchangeview.ReportForm, err error) error {
	status := fiber.StatusUnprocessableEntity
	var same *reconciliation.SameFile
	switch {
	case errors.As(err, &form.Missing):
	case errors.As(err, &form.AnotherDay):
		status, err = fiber.StatusConflict, kit.ErrConflict
	case errors.As(err, &same):
		status, form.SameAs, err = fiber.StatusConflict, same.ID, kit.ErrConflict
	case report.FileProblemOf(err) != nil:
		form.Problem = report.FileProblemOf(err)
		if errors.Is(err, imports.ErrTooLarge) {
			status = fiber.StatusRequestEntityTooLarge
		}
	default:
		errs, refusal, ok := kit.Refused(err)
		if !ok || errs[""] != "" {
			return err
		}
		status, form.Errors = refusal, errs
	}
	return kit.ShownIn(err, h.reportForm(c, status, form))
}

// ShowReconciliation handles GET /reconciliations/:id.
func (h *Handlers) ShowReconciliation(c *fiber.Ctx, id int64) error {
	return h.reconciliationPage(c, fiber.StatusOK, id, reconciliation.ItemFilter{
		Kind: reconciliation.ItemKind(c.Query("kind")), Open: c.Query("open") != "", Resolvable: c.Query("settle") != "",
		Cursor: c.Query("cursor"),
	}, nil)
}

// DiscardReport handles POST /reconciliations/:id/discarding.
func (h *Handlers) DiscardReport(c *fiber.Ctx, id int64) error {
	err := h.Reconciliation.DiscardReport(c.UserContext(), kit.Actor(c), id, c.FormValue("seen"), c.FormValue("note"))
	return h.Finish(c, err, fmt.Sprintf("/reconciliations/%d", id), "flash.reportDiscarded", func(status int, errs ui.Errors) error {
		return h.reconciliationPage(c, status, id, reconciliation.ItemFilter{}, func(v *exchangeview.ReconciliationView) {
			v.DiscardErrors, v.DiscardNote = errs, kit.Clip(c.FormValue("note"), 400)
		})
	}, models.ErrForbidden)
}

// refused is a change of the page that shows why its confirmation was refused.
func refused(errs ui.Errors) func(*exchangeview.ReconciliationView) {
	return func(v *exchangeview.ReconciliationView) { v.Errors = errs }
}

// shownFirst is how many of the resolvable items the card shows.
const shownFirst = 5

// reconciliationPage draws a report; change, if any, adds what was refused.
func (h *Handlers) reconciliationPage(
	c *fiber.Ctx, status int, id int64, f reconciliation.ItemFilter, change func(*exchangeview.ReconciliationView),
) error {
	ctx, who := c.UserContext(), kit.Actor(c)
	if f.Kind != "" && !slices.Contains(reconciliation.ItemKinds, f.Kind) {
		status, f.Kind, change = fiber.StatusUnprocessableEntity, "", refused(ui.Errors{"": "filter.invalid"})
	}
	rec, err := h.Reconciliation.Reconciliation(ctx, who, id)
	if err != nil {
		return err
	}
	v := &exchangeview.ReconciliationView{Page: h.Page(c), Report: *rec, Filter: f}
	if change != nil {
		change(v)
	}
	list, err := h.Reconciliation.ReportItems(ctx, who, id, f)
	if err != nil {
		return err
	}
	v.List = *list
	if rec.DiscardedAt == nil {
		if v.Discarding, err = h.Reconciliation.Discarding(ctx, who, id); err != nil {
			return err
		}
	}
	to, err := h.Reconciliation.ResolutionPreview(ctx, who, id)
	if err != nil {
		return err
	}
	v.Preview, v.Seal = to.Counts, to.Checksum
	if len(v.Preview) > 0 {
		first, err := h.Reconciliation.ReportItems(ctx, who, id, reconciliation.ItemFilter{Resolvable: true})
		if err != nil {
			return err
		}
		v.First = first.Items[:min(len(first.Items), shownFirst)]
	}
	dir, err := h.Directory(ctx)
	if err != nil {
		return err
	}
	v.Stores, v.Terminals = dir.Stores, map[string]int64{}
	for id, t := range dir.Terminals {
		v.Terminals[string(t.SerialNumber)] = id
	}
	return kit.Render(c, status, exchangeview.Reconciliation(v))
}

// ResolveByReport handles POST /reconciliations/:id/settlement: a supervisor
// confirms the items which the report resolves.
func (h *Handlers) ResolveByReport(c *fiber.Ctx, id int64) error {
	done, err := h.Reconciliation.ApplyReconciliation(c.UserContext(), kit.Actor(c), id, c.FormValue("seen"))
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			return h.reconciliationPage(c, status, id, reconciliation.ItemFilter{}, refused(errs))
		}, models.ErrForbidden)
	}
	code := "flash.reconciled"
	switch {
	case done.Left > 0:
		code = "flash.reconciledLeft"
	case done.Changed+done.Already > 0:
		code = "flash.reconciledPartly"
	}
	return h.Done(c, fmt.Sprintf("/reconciliations/%d", id), code)
}

// ReviewDifference handles POST /differences/:id/review.
func (h *Handlers) ReviewDifference(c *fiber.Ctx, id int64) error {
	of, err := h.Reconciliation.ReviewDifference(c.UserContext(), kit.Actor(c), id, c.FormValue("note"))
	kind := reconciliation.ItemKind(c.FormValue("kind"))
	if errs, status, ok := kit.Refused(err); ok && of != 0 {
		return kit.ShownIn(err, h.reconciliationPage(c, status, of, reconciliation.ItemFilter{Kind: kind}, refused(errs)))
	}
	if err != nil {
		return err
	}
	if shown, to := kit.Inbox(c); shown != "" {
		return h.Done(c, to, "flash.reviewed")
	}
	to := fmt.Sprintf("/reconciliations/%d", of)
	if slices.Contains(reconciliation.ItemKinds, kind) {
		to += "?kind=" + string(kind)
	}
	return h.Done(c, to, "flash.reviewed")
}

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
