package oversight

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/alerts"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

const alertRulesPath = "/settings/alerts"

// ListAlerts handles GET /alerts?show&cursor.
func (h *Handlers) ListAlerts(c *fiber.Ctx) error {
	return h.alertsPage(c, fiber.StatusOK, nil)
}

// alertsPage draws the raised alerts. Filter values that cannot be read are ignored
// and reported.
func (h *Handlers) alertsPage(c *fiber.Ctx, status int, v *oversightview.AlertsView) error {
	f := alerts.Filter{Unseen: c.Query("show") != "all", Cursor: c.Query("cursor")}
	if v == nil {
		v = &oversightview.AlertsView{}
	}
	list, err := h.Alerts.List(c.UserContext(), kit.Actor(c), f)
	if errs, wrong, ok := kit.Refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		f.Cursor, v.Errors, status = "", errs, wrong
		list, err = h.Alerts.List(c.UserContext(), kit.Actor(c), f)
	}
	if err != nil {
		return err
	}
	v.Page, v.Filter, v.List = h.Page(c), f, *list
	return kit.Render(c, status, oversightview.Alerts(v))
}

// AttendAlert handles POST /alerts/:id/attention.
func (h *Handlers) AttendAlert(c *fiber.Ctx, id int64) error {
	note := c.FormValue("note")
	err := h.Alerts.Attend(c.UserContext(), kit.Actor(c), id, note)
	return h.Finish(c, err, "/alerts", "flash.alertAttended", func(status int, errs ui.Errors) error {
		return h.alertsPage(c, status, &oversightview.AlertsView{Noted: id, Note: note, Errors: errs})
	})
}

// ListAlertRules handles GET /settings/alerts.
func (h *Handlers) ListAlertRules(c *fiber.Ctx) error {
	rules, err := h.Alerts.Rules(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	mails, err := h.Alerts.Mails(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, oversightview.AlertRules(&oversightview.AlertRulesView{
		Page: h.Page(c), Rules: rules, Mails: mails, CanMail: h.Alerts.CanMail(),
	}))
}

// ShowAlertRule handles GET /settings/alerts/:kind.
func (h *Handlers) ShowAlertRule(c *fiber.Ctx) error {
	r, err := h.Alerts.Rule(c.UserContext(), kit.Actor(c), alerts.Kind(c.Params("kind")))
	if err != nil {
		return err
	}
	return h.alertRuleForm(c, fiber.StatusOK, r.Input(), nil)
}

func (h *Handlers) alertRuleForm(c *fiber.Ctx, status int, in alerts.RuleInput, errs ui.Errors) error {
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.AlertRuleEdit(&oversightview.AlertRuleView{
		Page: h.Page(c), Form: in, Stores: stores, CanMail: h.Alerts.CanMail(), Errors: errs,
	}))
}

// ChangeAlertRule handles POST /settings/alerts/:kind.
func (h *Handlers) ChangeAlertRule(c *fiber.Ctx) error {
	in := alerts.RuleInput{
		Kind: alerts.Kind(c.Params("kind")), Active: c.FormValue("active") == "on",
		AllStores: c.FormValue("allStores") == "on", Webhook: c.FormValue("webhook") == "on",
		Count: c.FormValue("count"), Minutes: c.FormValue("minutes"), Amount: c.FormValue("amount"), Factor: c.FormValue("factor"),
		Quiet: c.FormValue("quiet"), Emails: c.FormValue("emails"), Language: c.FormValue("language"),
		StoreIDs: kit.ChosenIDs(c, "stores"),
	}
	return h.Change(c, func(version int) error {
		in.Version = version
		return h.Alerts.ChangeRule(c.UserContext(), kit.Actor(c), in)
	}, alertRulesPath, "flash.saved", func(status int, errs ui.Errors) error {
		return h.alertRuleForm(c, status, in, errs)
	})
}

// TestMail handles POST /settings/alerts/test.
func (h *Handlers) TestMail(c *fiber.Ctx) error {
	err := h.Alerts.SendTestMail(c.UserContext(), kit.Actor(c), locale.Of(c.UserContext()))
	return h.FinishAt(c, err, alertRulesPath, "flash.mailTested")
}
