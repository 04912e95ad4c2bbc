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
