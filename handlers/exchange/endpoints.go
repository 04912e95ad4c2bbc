package exchange

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/webhooks"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// ListEndpoints handles GET /endpoints.
func (h *Handlers) ListEndpoints(c *fiber.Ctx) error {
	endpoints, err := h.Webhooks.Endpoints(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.Endpoints(&exchangeview.EndpointsView{
		Page: h.Page(c), HasKey: h.Webhooks.HasKey(), Endpoints: endpoints,
	}))
}

// NewEndpoint handles GET /endpoints/new?kind: every step but the one that says
// no more than that a byte is about to leave.
func (h *Handlers) NewEndpoint(c *fiber.Ctx) error {
	form := exchangeview.EndpointForm{Kind: webhooks.EndpointKind(c.Query("kind")), AllStores: true}
	switch form.Kind {
	case webhooks.RelayEndpoint:
	case webhooks.WebhookEndpoint:
		for _, e := range webhooks.WebhookEvents {
			if e != webhooks.EventSending {
				form.Events = append(form.Events, e)
			}
		}
	default:
		return models.ErrNotFound
	}
	return h.endpointForm(c, fiber.StatusOK, 0, form)
}

func (h *Handlers) endpointForm(c *fiber.Ctx, status int, id int64, form exchangeview.EndpointForm) error {
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, exchangeview.EndpointEdit(&exchangeview.EndpointFormView{
		Page: h.Page(c), ID: id, Stores: stores, AllowPrivate: h.Webhooks.AllowsPrivate(), Form: form,
	}))
}

// readEndpointForm reads the form.
func readEndpointForm(c *fiber.Ctx) exchangeview.EndpointForm {
	form := exchangeview.EndpointForm{
		Kind: webhooks.EndpointKind(c.FormValue("kind")), Name: c.FormValue("name"), URL: c.FormValue("url"),
		AllStores: c.FormValue("allStores") == "on", StoreIDs: kit.ChosenIDs(c, "stores"),
	}
	for _, e := range c.Request().PostArgs().PeekMulti("events") {
		form.Events = append(form.Events, webhooks.EventType(e))
	}
	return form
}

func endpointInput(f exchangeview.EndpointForm) webhooks.Input {
	return webhooks.Input{Kind: f.Kind, Name: f.Name, URL: f.URL, Events: f.Events, AllStores: f.AllStores, StoreIDs: f.StoreIDs}
}

// CreateEndpoint handles POST /endpoints with the secret, which is shown only once.
// A repeated form is refused because the name exists.
func (h *Handlers) CreateEndpoint(c *fiber.Ctx) error {
	form := readEndpointForm(c)
	if form.Kind != webhooks.RelayEndpoint && form.Kind != webhooks.WebhookEndpoint {
		return kit.ErrBadInput // the form is not ours
	}
	e, secret, err := h.Webhooks.CreateEndpoint(c.UserContext(), kit.Actor(c), endpointInput(form))
	if err != nil {
		return kit.ShowAgain(err, h.endpointAgain(c, 0, &form))
	}
	return kit.Render(c, fiber.StatusCreated, exchangeview.EndpointSecret(&exchangeview.EndpointSecretView{
		Page: h.Page(c), Endpoint: *e, Secret: secret,
	}))
}

func endpointPath(id int64) string { return fmt.Sprintf("/endpoints/%d", id) }

// ShowEndpoint handles GET /endpoints/:id.
func (h *Handlers) ShowEndpoint(c *fiber.Ctx, id int64) error {
	return h.endpointPage(c, id, fiber.StatusOK, "", nil)
}

// endpointPage draws an endpoint with its log. Filter values that cannot be read are
// ignored and reported.
func (h *Handlers) endpointPage(c *fiber.Ctx, id int64, status int, since models.Day, errs ui.Errors) error {
	e, err := h.Webhooks.Endpoint(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	stuck, err := h.Webhooks.Stuck(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	v := &exchangeview.EndpointView{Endpoint: *e, Stores: stores, Stuck: stuck, Since: since, Errors: errs}
	f := webhooks.Filter{EndpointID: id, State: webhooks.State(c.Query("state")), Cursor: c.Query("cursor")}
	log, err := h.Webhooks.Log(c.UserContext(), kit.Actor(c), f)
	if known, wrong, ok := kit.Refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		f = webhooks.Filter{EndpointID: id}
		v.Errors, status = known, wrong
		log, err = h.Webhooks.Log(c.UserContext(), kit.Actor(c), f)
	}
	if err != nil {
		return err
	}
	v.Page, v.State, v.Cursor, v.Log = h.Page(c), f.State, f.Cursor, *log
	if v.Since == "" {
		v.Since = h.Window().Calendar.Day(h.Clock.Now())
	}
	return kit.Render(c, status, exchangeview.Endpoint(v))
}

// EditEndpoint handles GET /endpoints/:id/edit.
func (h *Handlers) EditEndpoint(c *fiber.Ctx, id int64) error {
	e, err := h.Webhooks.Endpoint(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	if e.State == webhooks.EndpointRetired {
		return c.Redirect(endpointPath(id), fiber.StatusSeeOther)
	}
	return h.endpointForm(c, fiber.StatusOK, id, exchangeview.EndpointForm{
		Kind: e.Kind, Name: e.Name, URL: e.ShownURL, Events: e.Events, AllStores: e.AllStores, StoreIDs: e.StoreIDs, Version: e.Version,
	})
}

// ChangeEndpoint handles POST /endpoints/:id.
func (h *Handlers) ChangeEndpoint(c *fiber.Ctx, id int64) error {
	form := readEndpointForm(c)
	return h.Change(c, func(version int) error {
		known, err := h.Webhooks.Endpoint(c.UserContext(), kit.Actor(c), id)
		if err != nil {
			return err
		}
		form.Kind, form.Version = known.Kind, version // whatever the form says
		return h.Webhooks.ChangeEndpoint(c.UserContext(), kit.Actor(c), id, version, endpointInput(form))
	}, endpointPath(id), "flash.saved", h.endpointAgain(c, id, &form))
}

// endpointAgain shows the form with what was entered and why it was refused.
func (h *Handlers) endpointAgain(c *fiber.Ctx, id int64, form *exchangeview.EndpointForm) kit.Again {
	return func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.endpointForm(c, status, id, *form)
	}
}
