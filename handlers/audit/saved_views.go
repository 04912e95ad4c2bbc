package audit

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/sales"
	"veinte/models/savedviews"
	auditview "veinte/views/audit"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// ListViews handles the saved filters of one list.
type ListViews struct {
	*Handlers
	list models.ViewList
}

// ViewsOf returns the handlers for the saved filters of a list.
func (h *Handlers) ViewsOf(list models.ViewList) ListViews { return ListViews{h, list} }

// base is the path of the list of sales or of the trail.
func (h ListViews) base() string {
	if h.list == models.ViewsOfSales {
		return "/sales"
	}
	return "/audit"
}

// frame is what every page of views shows beside its own. It names the stores and
// terminals that the reader may see.
func (h ListViews) frame(c *fiber.Ctx) (auditview.SavedViewsFrame, error) {
	f := auditview.SavedViewsFrame{Page: h.Page(c), List: h.list, Base: h.base()}
	if h.list == models.ViewsOfAudit {
		names, err := h.names(c)
		if err != nil {
			return f, err
		}
		names.Page, f.InWords = f.Page, names.InWords
		f.Seals, err = h.sealStatus(c, nil)
		return f, err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return f, err
	}
	own, err := h.OwnTerminals(c.UserContext(), kit.Actor(c))
	names := &salesview.SalesView{Page: f.Page, Stores: dir.Visible(kit.Actor(c)), Terminals: dir.Terminals, Own: own}
	f.InWords = names.InWords
	return f, err
}

// List handles GET /…/views.
func (h ListViews) List(c *fiber.Ctx) error {
	all, err := h.SavedViews.SavedViews(c.UserContext(), kit.Actor(c), h.list)
	if err != nil {
		return err
	}
	frame, err := h.frame(c)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, auditview.SavedViews(&auditview.SavedViewsView{SavedViewsFrame: frame, Views: all}))
}

// Open handles GET /…/views/:id with the list, filtered as saved in the view.
func (h ListViews) Open(c *fiber.Ctx, id int64) error {
	view, err := h.SavedViews.SavedView(c.UserContext(), kit.Actor(c), h.list, id)
	if err != nil {
		return err
	}
	return c.Redirect(h.base()+"?"+view.Filter, fiber.StatusSeeOther)
}

// read reads a filter from the text of its names; false when something is wrong.
func (h ListViews) read(typed func(string) string) (models.ViewFilter, bool) {
	if h.list == models.ViewsOfSales {
		f, wrong := sales.ParseFilter(typed, h.Clock.Now())
		return &f, len(wrong) == 0
	}
	f, wrong := audit.ParseFilter(typed, h.Clock.Now())
	return &f, len(wrong) == 0
}

// New handles GET /…/views/new: a name for the filter in the query.
func (h ListViews) New(c *fiber.Ctx) error {
	f, ok := h.read(kit.Query(c))
	if !ok || f.Encode() == "" {
		return c.Redirect(h.base()+"?"+string(c.Request().URI().QueryString()), fiber.StatusSeeOther) // where it is said what is wrong
	}
	return h.form(c, fiber.StatusOK, &auditview.SavedViewForm{Query: f.Encode(), Day: dayOf(f)})
}

// dayOf is the day that a filter of sales names; "" for today's, whenever that is.
func dayOf(f models.ViewFilter) models.Day {
	if sales, ok := f.(*sales.Filter); ok {
		return sales.Day
	}
	return ""
}

func (h ListViews) form(c *fiber.Ctx, status int, v *auditview.SavedViewForm) (err error) {
	if v.SavedViewsFrame, err = h.frame(c); err != nil {
		return err
	}
	return kit.Render(c, status, auditview.SavedViewEdit(v))
}

// viewInput reads the form of a view.
func viewInput(c *fiber.Ctx) savedviews.Input {
	return savedviews.Input{Name: c.FormValue("name"), Shared: c.FormValue("shared") == "on"}
}

// Save handles POST /…/views.
func (h ListViews) Save(c *fiber.Ctx) error {
	values, err := url.ParseQuery(c.FormValue("filter"))
	if err != nil {
		return kit.ErrBadInput
	}
	f, ok := h.read(values.Get)
	if !ok {
		return kit.ErrBadInput // our own form holds none such
	}
	in, query, fixed := viewInput(c), f.Encode(), c.FormValue("day") == "on"
	form := &auditview.SavedViewForm{Name: in.Name, Shared: in.Shared, Query: query, Day: dayOf(f), FixedDay: fixed}
	if sales, ok := f.(*sales.Filter); ok && !fixed {
		sales.Day = "" // always today
	}
	_, err = h.SavedViews.SaveView(c.UserContext(), kit.Actor(c), in, f)
	return h.Finish(c, err, h.base()+"/views", "flash.auditViewSaved", func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.form(c, status, form)
	}, models.ErrForbidden)
}

// Edit handles GET /…/views/:id/edit.
func (h ListViews) Edit(c *fiber.Ctx, id int64) error {
	view, err := h.own(c, id)
	if err != nil {
		return err
	}
	return h.form(c, fiber.StatusOK, &auditview.SavedViewForm{
		ID: view.ID, Version: view.Version, Name: view.Name, Shared: view.Shared, Query: view.Filter,
	})
}

// own returns the view of the path, which only its owner may change.
func (h ListViews) own(c *fiber.Ctx, id int64) (*savedviews.View, error) {
	view, err := h.SavedViews.SavedView(c.UserContext(), kit.Actor(c), h.list, id)
	if err == nil && view.OwnerID != kit.Actor(c).UserID {
		return nil, models.ErrNotFound
	}
	return view, err
}

// Change handles POST /…/views/:id.
func (h ListViews) Change(c *fiber.Ctx, id int64) error {
	view, err := h.own(c, id)
	if err != nil {
		return err
	}
	in := viewInput(c)
	form := &auditview.SavedViewForm{ID: id, Name: in.Name, Shared: in.Shared, Query: view.Filter}
	return h.Kit.Change(c, func(version int) error {
		form.Version = version
		return h.SavedViews.ChangeView(c.UserContext(), kit.Actor(c), h.list, id, version, in)
	}, h.base()+"/views", "flash.saved", func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.form(c, status, form)
	}, models.ErrForbidden)
}

// Remove handles POST /…/views/:id/removal.
func (h ListViews) Remove(c *fiber.Ctx, id int64) error {
	version, err := kit.FormVersion(c)
	if err != nil {
		return err
	}
	if err := h.SavedViews.RemoveView(c.UserContext(), kit.Actor(c), h.list, id, version); err != nil {
		return err
	}
	return h.Done(c, h.base()+"/views", "flash.auditViewRemoved")
}
