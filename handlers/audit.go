package handlers

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views"
)

// listAudit answers GET /audit.
func (h *Handlers) listAudit(c *fiber.Ctx) error {
	f, errs, err := auditFilter(c)
	if err != nil {
		return err
	}
	page, err := h.Cancellations.Audit(c.UserContext(), actor(c), f)
	if known, _, ok := refused(err); ok && known[""] == "" {
		for field, code := range known {
			errs[field] = code
		}
		f.Cursor = ""
		page, err = &models.AuditPage{}, nil
	}
	if err != nil {
		return err
	}
	dir, err := h.DB.Directory(c.UserContext())
	if err != nil {
		return err
	}
	people, err := h.people(c)
	if err != nil {
		return err
	}
	reasons, err := h.DB.AllReasons(c.UserContext())
	if err != nil {
		return err
	}
	status := fiber.StatusOK
	if len(errs) > 0 {
		status = fiber.StatusUnprocessableEntity
	}
	return render(c, status, views.Audit(&views.AuditView{
		Page: h.page(c), Filter: f, Stores: dir.Visible(actor(c)), People: people, Reasons: reasons, List: *page, Errors: errs,
	}))
}

// auditFilter reads the query. What cannot be read does not filter and is named.
func auditFilter(c *fiber.Ctx) (models.AuditFilter, views.Errors, error) {
	errs := views.Errors{}
	f := models.AuditFilter{Cursor: c.Query("cursor"), Query: clip(c.Query("q"), 80)}
	for name, day := range map[string]*models.Day{"from": &f.From, "to": &f.To} {
		if s := c.Query(name); s != "" {
			d, err := models.ParseDay(s)
			if err != nil {
				errs[name] = "date.invalid"
			}
			*day = d
		}
	}
	if a := models.Action(c.Query("action")); slices.Contains(models.Actions, a) {
		f.Action = a
	} else if a != "" {
		errs["action"] = "filter.invalid"
	}
	if o := models.Outcome(c.Query("outcome")); slices.Contains(models.Outcomes, o) {
		f.Outcome = o
	} else if o != "" {
		errs["outcome"] = "filter.invalid"
	}
	var err error
	for name, id := range map[string]*int64{"store": &f.StoreID, "person": &f.ActorID, "sale": &f.SaleID} {
		if *id, err = queryID(c, name); err != nil {
			return f, nil, err
		}
	}
	return f, errs, nil
}

// people lists who can be chosen in the filter.
func (h *Handlers) people(c *fiber.Ctx) ([]views.Person, error) {
	users, err := h.DB.Colleagues(c.UserContext(), actor(c))
	if err != nil {
		return nil, err
	}
	people := make([]views.Person, 0, len(users))
	for _, u := range users {
		people = append(people, views.Person{ID: u.ID, Name: u.Name})
	}
	return people, nil
}

// listResults answers GET /results.
func (h *Handlers) listResults(c *fiber.Ctx) error {
	f := models.ResultFilter{
		Status: models.ResultStatus(c.Query("status")), SerialNumber: clip(c.Query("serial"), 40), Cursor: c.Query("cursor"),
	}
	if !slices.Contains(views.ResultStatuses, f.Status) {
		f.Status = ""
	}
	page, err := h.DB.Results(c.UserContext(), actor(c), f)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.Results(&views.ResultsView{Page: h.page(c), Filter: f, List: *page}))
}
