package handlers

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views"
)

const auditViewsPath = "/audit/views"

// listAuditViews answers GET /audit/views.
func (h *Handlers) listAuditViews(c *fiber.Ctx) error {
	all, err := h.DB.AuditViews(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	names, err := h.auditView(c, models.AuditFilter{})
	if err != nil {
		return err
	}
	v := &views.AuditViewsView{Page: names.Page, Views: all, Filters: names}
	if v.Seals, err = h.seals(c, nil); err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.AuditViews(v))
}

// openAuditView answers GET /audit/views/:id with the list that the view keeps.
func (h *Handlers) openAuditView(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	view, err := h.DB.AuditView(c.UserContext(), actor(c), id)
	if err != nil {
		return h.missed(c, err)
	}
	return c.Redirect("/audit?"+view.Filter, fiber.StatusSeeOther)
}

// newAuditView answers GET /audit/views/new: a name for the filter in the query.
func (h *Handlers) newAuditView(c *fiber.Ctx) error {
	f, errs := auditFilter(c)
	if len(errs) > 0 || f.Encode() == "" {
		return c.Redirect("/audit?"+string(c.Request().URI().QueryString()), fiber.StatusSeeOther) // where it is said what is wrong
	}
	return h.auditViewForm(c, fiber.StatusOK, &views.AuditViewForm{Query: f.Encode()})
}

func (h *Handlers) auditViewForm(c *fiber.Ctx, status int, v *views.AuditViewForm) error {
	names, err := h.auditView(c, models.AuditFilter{})
	if err != nil {
		return err
	}
	v.Page, v.Filters = names.Page, names
	if v.Seals, err = h.seals(c, nil); err != nil {
		return err
	}
	return render(c, status, views.AuditViewEdit(v))
}

// auditViewInput reads what a person gives of a view.
func auditViewInput(c *fiber.Ctx) models.AuditViewInput {
	return models.AuditViewInput{Name: c.FormValue("name"), Shared: c.FormValue("shared") == "on"}
}

// saveAuditView answers POST /audit/views.
func (h *Handlers) saveAuditView(c *fiber.Ctx) error {
	values, err := url.ParseQuery(c.FormValue("filter"))
	if err != nil {
		return errBadInput
	}
	f, wrong := models.ParseAuditFilter(values.Get)
	if len(wrong) > 0 {
		return errBadInput // our own form holds none such
	}
	in := auditViewInput(c)
	_, err = h.DB.SaveAuditView(c.UserContext(), actor(c), h.Clock.Now(), in, f)
	if errs, status, ok := refused(err); ok && status != fiber.StatusForbidden {
		return h.auditViewForm(c, status, &views.AuditViewForm{Name: in.Name, Shared: in.Shared, Query: f.Encode(), Errors: errs})
	}
	if err != nil {
		return err
	}
	return h.done(c, auditViewsPath, "flash.auditViewSaved")
}

// editAuditView answers GET /audit/views/:id/edit.
func (h *Handlers) editAuditView(c *fiber.Ctx) error {
	view, err := h.ownAuditView(c)
	if err != nil {
		return h.missed(c, err)
	}
	return h.auditViewForm(c, fiber.StatusOK, &views.AuditViewForm{
		ID: view.ID, Version: view.Version, Name: view.Name, Shared: view.Shared, Query: view.Filter,
	})
}

// ownAuditView is the view of the path, which only its owner may change.
func (h *Handlers) ownAuditView(c *fiber.Ctx) (*models.AuditView, error) {
	id, err := paramID(c)
	if err != nil {
		return nil, err
	}
	view, err := h.DB.AuditView(c.UserContext(), actor(c), id)
	if err == nil && view.OwnerID != actor(c).UserID {
		return nil, models.ErrNotFound
	}
	return view, err
}

// changeAuditView answers POST /audit/views/:id.
func (h *Handlers) changeAuditView(c *fiber.Ctx) error {
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	view, err := h.ownAuditView(c)
	if err != nil {
		return h.missed(c, err)
	}
	in := auditViewInput(c)
	err = h.DB.ChangeAuditView(c.UserContext(), actor(c), h.Clock.Now(), view.ID, version, in)
	if errs, status, ok := refused(err); ok && status != fiber.StatusForbidden {
		return h.auditViewForm(c, status, &views.AuditViewForm{
			ID: view.ID, Version: version, Name: in.Name, Shared: in.Shared, Query: view.Filter, Errors: errs,
		})
	}
	if err != nil {
		return h.missed(c, err)
	}
	return h.done(c, auditViewsPath, "flash.saved")
}

// removeAuditView answers POST /audit/views/:id/removal.
func (h *Handlers) removeAuditView(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	if err := h.DB.RemoveAuditView(c.UserContext(), actor(c), h.Clock.Now(), id, version); err != nil {
		return h.missed(c, err)
	}
	return h.done(c, auditViewsPath, "flash.auditViewRemoved")
}
