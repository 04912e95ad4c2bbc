package audit

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/models/database"
	auditview "veinte/views/audit"
	"veinte/views/ui"
	"veinte/views/words"
)

// ListAudit handles GET /audit.
func (h *Handlers) ListAudit(c *fiber.Ctx) error {
	if clean, ok := cleanQuery(c); !ok {
		return c.Redirect(clean, fiber.StatusSeeOther)
	}
	f, errs := auditFilter(c, h.Clock.Now())
	v, actor := &auditview.AuditView{}, kit.Actor(c)
	err := database.Together(c.UserContext(), func(context.Context) (err error) {
		if v.First, err = h.Onboarding(c); err == nil {
			err = h.fillNames(c, v)
		}
		v.Page, v.Filter = h.Page(c), f
		return err
	}, func(ctx context.Context) (err error) {
		v.Verdict, err = h.Verify.LastVerdict(ctx)
		return err
	}, func(ctx context.Context) (err error) {
		v.Seals.Checkpoint, err = h.Checkpoint(ctx)
		return err
	})
	if err != nil {
		return err
	}
	v.Typed = typedFilter(c)
	f.Meanings = words.Meanings(f.Query, v.Reasons)
	if len(errs) == 0 { // a list of more than was asked for would be taken for the answer
		page, err := h.Audit.Audit(c.UserContext(), actor, f.Listed())
		if known, _, ok := kit.Refused(err); ok && known[""] == "" {
			errs, page, err = known, &audit.Page{}, nil
			v.Filter.Cursor = ""
		}
		if err != nil {
			return err
		}
		v.List = *page
	}
	if v.Filter.Action == models.ActionCancellationRequested {
		if v.Steps, err = h.Audit.Steps(c.UserContext(), actor, v.List.Entries); err != nil {
			return err
		}
	}
	err = database.Together(c.UserContext(), func(context.Context) (err error) {
		v.Terminals, err = h.terminalNames(c)
		return err
	}, func(ctx context.Context) error {
		return h.fillSeals(ctx, &v.Seals, auditview.Shown(v))
	}, func(ctx context.Context) (err error) {
		v.Came, err = h.Audit.CurrentStates(ctx, v.List.Entries)
		return err
	})
	if err != nil {
		return err
	}
	v.Errors = errs
	return kit.Render(c, kit.StatusOf(errs), auditview.Audit(v))
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
func auditFilter(c *fiber.Ctx, now time.Time) (audit.Filter, ui.Errors) {
	f, wrong := audit.ParseFilter(kit.Query(c), now)
	f.Cursor = c.Query("cursor")
	return f, kit.ErrorsOf(wrong)
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

// names is what names a filter's numbers and offers what can be chosen, without the
// page around it.
func (h *Handlers) names(c *fiber.Ctx) (*auditview.AuditView, error) {
	v := &auditview.AuditView{}
	return v, h.fillNames(c, v)
}

func (h *Handlers) fillNames(c *fiber.Ctx, v *auditview.AuditView) error {
	actor := kit.Actor(c)
	return database.Together(c.UserContext(), func(context.Context) (err error) {
		v.Stores, err = h.Stores(c)
		return err
	}, func(ctx context.Context) error {
		users, err := h.Colleagues(ctx, actor)
		for _, u := range users {
			v.People = append(v.People, words.Person{ID: u.ID, Name: u.Name})
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.Reasons, err = h.AllReasons(ctx)
		return err
	})
}

// sealStatus says what of the entries is sealed, and what is not as it was sealed.
func (h *Handlers) sealStatus(c *fiber.Ctx, entries []models.AuditEntry) (s auditview.Seals, err error) {
	if s.Checkpoint, err = h.Checkpoint(c.UserContext()); err != nil {
		return s, err
	}
	return s, h.fillSeals(c.UserContext(), &s, entries)
}

func (h *Handlers) fillSeals(ctx context.Context, s *auditview.Seals, entries []models.AuditEntry) (err error) {
	if s.Checkpoint == nil {
		return nil
	}
	s.Standings, err = h.Verify.Standings(ctx, entries)
	return err
}

// terminalNames are what people call the terminals that the person sees, by serial
// number.
func (h *Handlers) terminalNames(c *fiber.Ctx) (map[string]string, error) {
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	all, own := kit.Actor(c).AllStores, map[int64]bool(nil)
	if !all {
		if own, err = h.OwnTerminals(c.UserContext(), kit.Actor(c)); err != nil {
			return nil, err
		}
	}
	names := make(map[string]string, len(dir.Terminals))
	for id, t := range dir.Terminals {
		if all || own[id] {
			names[string(t.SerialNumber)] = t.Label
		}
	}
	return names, nil
}

// ShowEntry handles GET /audit/:id.
func (h *Handlers) ShowEntry(c *fiber.Ctx, id int64) error {
	actor, names, v := kit.Actor(c), &auditview.AuditView{}, &auditview.EntryView{Address: h.BaseURL + c.Path()}
	err := database.Together(c.UserContext(), func(ctx context.Context) error {
		detail, err := h.Verify.EntryDetail(ctx, actor, id)
		if err == nil {
			v.Detail = *detail
		}
		return err
	}, func(context.Context) (err error) {
		if err = h.fillNames(c, names); err == nil {
			v.Terminals, err = h.terminalNames(c)
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.Seals.Checkpoint, err = h.Checkpoint(ctx)
		return err
	})
	if errors.Is(err, verify.ErrEntryArchived) {
		return h.showGone(c, id)
	}
	if err != nil {
		return err
	}
	shown := append([]models.AuditEntry{v.Detail.Entry}, v.Detail.Same...)
	err = database.Together(c.UserContext(), func(context.Context) error {
		v.Page = h.Page(c)
		return h.fillSeals(c.UserContext(), &v.Seals, shown)
	}, func(ctx context.Context) (err error) {
		v.Came, err = h.Audit.CurrentStates(ctx, shown[:1])
		return err
	})
	if err != nil {
		return err
	}
	v.Stores, v.People, v.Reasons = names.Stores, names.People, names.Reasons
	return kit.Render(c, fiber.StatusOK, auditview.EntryDetail(v))
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
