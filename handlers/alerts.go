package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

const alertRulesPath = "/settings/alerts"

// listAlerts answers GET /alerts?show&cursor.
func (h *Handlers) listAlerts(c *fiber.Ctx) error {
	return h.alertsPage(c, fiber.StatusOK, nil)
}

// alertsPage draws the raised alerts. What cannot be read of the filter does not
// filter and is named.
func (h *Handlers) alertsPage(c *fiber.Ctx, status int, v *oversightview.AlertsView) error {
	f := alerts.Filter{Unseen: c.Query("show") != "all", Cursor: c.Query("cursor")}
	if v == nil {
		v = &oversightview.AlertsView{}
	}
	list, err := h.Alerts.List(c.UserContext(), actor(c), f)
	if errs, wrong, ok := refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		f.Cursor, v.Errors, status = "", errs, wrong
		list, err = h.Alerts.List(c.UserContext(), actor(c), f)
	}
	if err != nil {
		return err
	}
	v.Page, v.Filter, v.List = h.page(c), f, *list
	return render(c, status, oversightview.Alerts(v))
}

// attendAlert answers POST /alerts/:id/attention.
func (h *Handlers) attendAlert(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	note := c.FormValue("note")
	err = h.Alerts.Attend(c.UserContext(), actor(c), id, note)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.alertsPage(c, status, &oversightview.AlertsView{Noted: id, Note: note, Errors: errs}))
	}
	if err != nil {
		return err
	}
	return h.done(c, "/alerts", "flash.alertAttended")
}

// listAlertRules answers GET /settings/alerts.
func (h *Handlers) listAlertRules(c *fiber.Ctx) error {
	rules, err := h.Alerts.Rules(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	mails, err := h.Alerts.Mails(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, oversightview.AlertRules(&oversightview.AlertRulesView{Page: h.page(c), Rules: rules, Mails: mails, CanMail: h.Alerts.CanMail()}))
}

// showAlertRule answers GET /settings/alerts/:kind.
func (h *Handlers) showAlertRule(c *fiber.Ctx) error {
	r, err := h.Alerts.Rule(c.UserContext(), actor(c), alerts.Kind(c.Params("kind")))
	if err != nil {
		return err
	}
	return h.alertRuleForm(c, fiber.StatusOK, r.Input(), nil)
}

func (h *Handlers) alertRuleForm(c *fiber.Ctx, status int, in alerts.RuleInput, errs ui.Errors) error {
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, status, oversightview.AlertRuleEdit(&oversightview.AlertRuleView{Page: h.page(c), Form: in, Stores: stores, CanMail: h.Alerts.CanMail(), Errors: errs}))
}

// changeAlertRule answers POST /settings/alerts/:kind.
func (h *Handlers) changeAlertRule(c *fiber.Ctx) error {
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	in := alerts.RuleInput{
		Kind: alerts.Kind(c.Params("kind")), Version: version, Active: c.FormValue("active") == "on",
		AllStores: c.FormValue("allStores") == "on", Webhook: c.FormValue("webhook") == "on",
		Count: c.FormValue("count"), Minutes: c.FormValue("minutes"), Amount: c.FormValue("amount"), Factor: c.FormValue("factor"),
		Quiet: c.FormValue("quiet"), Emails: c.FormValue("emails"), Language: c.FormValue("language"),
	}
	for _, id := range c.Request().PostArgs().PeekMulti("stores") {
		in.StoreIDs = append(in.StoreIDs, chosenID(string(id)))
	}
	err = h.Alerts.ChangeRule(c.UserContext(), actor(c), in)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.alertRuleForm(c, status, in, severalRefused(err, errs)))
	}
	if err != nil {
		return err
	}
	return h.done(c, alertRulesPath, "flash.saved")
}

// testMail answers POST /settings/alerts/test.
func (h *Handlers) testMail(c *fiber.Ctx) error {
	err := h.Alerts.SendTestMail(c.UserContext(), actor(c), locale.Of(c.UserContext()))
	if errs, _, ok := refused(err); ok {
		return h.redirectWith(c, alertRulesPath, ui.FlashProblem, errs[""])
	}
	if err != nil {
		return err
	}
	return h.done(c, alertRulesPath, "flash.mailTested")
}

// unseenAlerts counts the alerts that nobody attended to. A page is drawn without
// the number rather than not at all.
func (h *Handlers) unseenAlerts(c *fiber.Ctx) int {
	if h.Alerts == nil || !actor(c).May(models.ReviewCancellations) {
		return 0
	}
	n, err := h.Alerts.Unseen(c.UserContext(), actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count alerts", "error", err)
	}
	return int(n)
}
