package audit

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	auditview "veinte/views/audit"
	"veinte/views/ui"
	"veinte/views/words"
)

// ListAudit handles GET /audit.
func (h *Handlers) ListAudit(c *fiber.Ctx) error {
	if clean, ok := cleanQuery(c); !ok {
		return c.Redirect(clean, fiber.StatusSeeOther)
	}
	f, errs := auditFilter(c)
	v, err := h.auditView(c, f)
	if err != nil {
		return err
	}
	v.Typed = typedFilter(c)
	f.Meanings = words.Meanings(f.Query, v.Reasons)
	if len(errs) == 0 { // a list of more than was asked for would be taken for the answer
		page, err := h.Audit.Audit(c.UserContext(), kit.Actor(c), f.Listed())
		if known, _, ok := kit.Refused(err); ok && known[""] == "" {
			errs, page, err = known, &audit.Page{}, nil
			v.Filter.Cursor = ""
		}
		if err != nil {
			return err
		}
		v.List = *page
	}
	if v.Seals, err = h.sealStatus(c, v.List.Entries); err != nil {
		return err
	}
	if v.Came, err = h.Audit.CurrentStates(c.UserContext(), v.List.Entries); err != nil {
		return err
	}
	if v.First, err = h.Onboarding(c); err != nil {
		return err
	}
	status := fiber.StatusOK
	if v.Errors = errs; len(errs) > 0 {
		status = fiber.StatusUnprocessableEntity
	}
	return kit.Render(c, status, auditview.Audit(v))
}

// cleanQuery returns the page's address without empty fields, so that a shared link
// shows only the filter in use. ok is true when there are none.
func cleanQuery(c *fiber.Ctx) (address string, ok bool) {
	q, ok := url.Values{}, true
	for name, value := range c.Request().URI().QueryArgs().All() {
		if len(value) == 0 {
			ok = false
			continue
		}
		q.Add(string(name), string(value))
	}
	if len(q) == 0 {
		return c.Path(), ok
	}
	return c.Path() + "?" + q.Encode(), ok
}

// auditFilter reads the query and reports every error by field.
func auditFilter(c *fiber.Ctx) (audit.Filter, ui.Errors) {
	f, wrong := audit.ParseFilter(func(name string) string { return c.Query(name) })
	errs := ui.Errors{}
	for _, e := range wrong {
		errs[e.Field] = e.Code
	}
	f.Cursor = c.Query("cursor")
	return f, errs
}

// maxEchoed is how much of a field is shown again after an error. Nobody types more
// than that.
const maxEchoed = 2000 // bytes

// typedFilter is what the form held.
func typedFilter(c *fiber.Ctx) map[string]string {
	typed := map[string]string{}
	for _, name := range audit.Names {
		typed[name] = kit.Clip(c.Query(name), maxEchoed)
	}
	return typed
}

// auditView is what names a filter's numbers and offers what can be chosen.
func (h *Handlers) auditView(c *fiber.Ctx, f audit.Filter) (*auditview.AuditView, error) {
	dir, err := h.Directory(c.UserContext())
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
	return &auditview.AuditView{Page: h.Page(c), Filter: f, Stores: dir.Visible(kit.Actor(c)), People: people, Reasons: reasons}, nil
}

// sealStatus says what of the entries is sealed.
func (h *Handlers) sealStatus(c *fiber.Ctx, entries []models.AuditEntry) (s auditview.Seals, err error) {
	if s.Checkpoint, err = h.Sealing.LatestCheckpoint(c.UserContext()); err != nil || s.Checkpoint == nil {
		return s, err
	}
	s.Numbers, err = h.Audit.SealedNumbers(c.UserContext(), entries)
	return s, err
}

// ShowEntry handles GET /audit/:id.
func (h *Handlers) ShowEntry(c *fiber.Ctx) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	detail, err := h.Verify.EntryDetail(c.UserContext(), kit.Actor(c), id)
	if errors.Is(err, verify.ErrEntryArchived) {
		return h.showGone(c, id)
	}
	if err != nil {
		return err
	}
	names, err := h.auditView(c, audit.Filter{})
	if err != nil {
		return err
	}
	v := &auditview.EntryView{
		Page: names.Page, Story: *detail, Stores: names.Stores, People: names.People, Reasons: names.Reasons,
		Address: c.BaseURL() + c.Path(),
	}
	if v.Came, err = h.Audit.CurrentStates(c.UserContext(), []models.AuditEntry{detail.Entry}); err != nil {
		return err
	}
	if v.Seals, err = h.sealStatus(c, append([]models.AuditEntry{detail.Entry}, detail.Same...)); err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, auditview.AuditStory(v))
}

// showGone handles an entry that was sealed and is no longer in the database. It
// shows where the entry is archived, if that is known. Only users who see every
// store get here.
func (h *Handlers) showGone(c *fiber.Ctx, id int64) error {
	gone, err := h.Verify.ArchivedEntry(c.UserContext(), id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusGone, auditview.GoneEntry(&auditview.GoneEntryView{Page: h.Page(c), Entry: *gone}))
}

// people lists who can be chosen in the filter.
func (h *Handlers) people(c *fiber.Ctx) ([]words.Person, error) {
	users, err := h.Accounts.Colleagues(c.UserContext(), kit.Actor(c))
	if err != nil {
		return nil, err
	}
	people := make([]words.Person, 0, len(users))
	for _, u := range users {
		people = append(people, words.Person{ID: u.ID, Name: u.Name})
	}
	return people, nil
}
