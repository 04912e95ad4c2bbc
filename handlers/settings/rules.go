package settings

import (
	"cmp"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/rules"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

const rulesPath = "/settings/rules"

// ShowRules handles GET /settings/rules.
func (h *Handlers) ShowRules(c *fiber.Ctx) error {
	return h.rulesForm(c, fiber.StatusOK, h.Rules.Schedule().Input(h.Clock.Now()), nil)
}

func (h *Handlers) rulesForm(c *fiber.Ctx, status int, in rules.Input, errs ui.Errors) error {
	names, err := h.rulesNames(c)
	if err != nil {
		return err
	}
	schedule, p := h.Rules.Schedule(), h.Page(c)
	v := &settingsview.RulesView{Page: p, RulesNames: names, Form: in, Shown: schedule.At(p.Now), Shared: h.Shared, Errors: errs}
	for _, past := range slices.Backward(schedule.History()) {
		if past.Planned(p.Now) {
			v.Planned = append(v.Planned, past) // the soonest first
		}
	}
	return kit.Render(c, status, settingsview.Rules(v))
}

func (h *Handlers) rulesNames(c *fiber.Ctx) (names settingsview.RulesNames, err error) {
	if names.Stores, err = h.Stores(c); err != nil {
		return names, err
	}
	names.Reasons, err = h.Rules.AllReasons(c.UserContext())
	return names, err
}

// PreviewRules handles POST /settings/rules: the effect of the change.
func (h *Handlers) PreviewRules(c *fiber.Ctx) error {
	in, err := rulesInput(c)
	if err != nil {
		return err
	}
	in.Click = rand.Text()
	return h.rulesPreview(c, fiber.StatusOK, in, nil)
}

func (h *Handlers) rulesPreview(c *fiber.Ctx, status int, in rules.Input, errs ui.Errors) error {
	plan, err := h.Rules.PlanRules(c.UserContext(), kit.Actor(c), in)
	if err != nil {
		return h.rulesRefused(c, in, err)
	}
	names, err := h.rulesNames(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, settingsview.RulesPreview(&settingsview.RulesPreviewView{
		Page: h.Page(c), RulesNames: names, Form: in, Plan: *plan, Errors: errs,
	}))
}

// EditRules handles POST /settings/rules/draft: back to the form, with what was
// typed.
func (h *Handlers) EditRules(c *fiber.Ctx) error {
	in, err := rulesInput(c)
	if err != nil {
		return err
	}
	return h.rulesForm(c, fiber.StatusOK, in, nil)
}

// ChangeRules handles POST /settings/rules/versions: the confirmation.
func (h *Handlers) ChangeRules(c *fiber.Ctx) error {
	in, err := rulesInput(c)
	if err != nil {
		return err
	}
	err = h.Rules.Change(c.UserContext(), kit.Actor(c), in)
	if errs, status, _ := kit.Refused(err); errs["proof"] != "" {
		return kit.ShownIn(err, h.rulesPreview(c, status, in, errs))
	}
	if err != nil {
		return h.rulesRefused(c, in, err)
	}
	return h.Done(c, rulesPath, "flash.rulesChanged")
}

// rulesRefused shows the form again with every refused field. If another user
// changed the rules first, it shows the current ones.
func (h *Handlers) rulesRefused(c *fiber.Ctx, in rules.Input, err error) error {
	if errors.Is(err, models.ErrStale) {
		in = h.Rules.Schedule().Rebase(in, h.Clock.Now())
		return kit.ShownIn(err, h.rulesForm(c, fiber.StatusConflict, in, ui.Errors{"": "rules.changedMeanwhile"}))
	}
	return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.rulesForm(c, status, in, errs) })
}

// TakeBackRules handles POST /settings/rules/:id/withdrawal.
func (h *Handlers) TakeBackRules(c *fiber.Ctx, id int64) error {
	return h.FinishAt(c, h.Rules.WithdrawChange(c.UserContext(), kit.Actor(c), id), rulesPath, "flash.rulesTakenBack")
}

// versionsPerPage is how many versions of the rules a page of the history has.
const versionsPerPage = 50

// ListRules handles GET /settings/rules/history.
func (h *Handlers) ListRules(c *fiber.Ctx) error {
	after, err := kit.QueryID(c, "after")
	if err != nil {
		return err
	}
	names, err := h.rulesNames(c)
	if err != nil {
		return err
	}
	v := &settingsview.RulesVersionsView{Page: h.Page(c), RulesNames: names, Versions: h.Rules.Schedule().History()}
	if after != 0 {
		i := slices.IndexFunc(v.Versions, func(past rules.PastRules) bool { return past.ID == after })
		if i < 0 {
			return models.ErrNotFound
		}
		v.Versions = v.Versions[i+1:]
	}
	if len(v.Versions) > versionsPerPage {
		v.Versions = v.Versions[:versionsPerPage]
		v.Next = v.Versions[versionsPerPage-1].ID
	}
	return kit.Render(c, fiber.StatusOK, settingsview.RulesVersions(v))
}

// rulesInput reads the form. A form without the version of its rules is refused.
func rulesInput(c *fiber.Ctx) (rules.Input, error) {
	in := rules.Input{
		Cutoff: c.FormValue("cutoff"), Margin: c.FormValue("margin"), Answer: c.FormValue("answer"),
		Result: c.FormValue("result"), Quiet: c.FormValue("quiet"),
		PrintReceipt: c.FormValue("printReceipt") == "on", ManagersResolve: c.FormValue("managersSettle") == "on",
		LaterCutoff: c.FormValue("laterCutoff") == "on",
		From:        c.FormValue("from"), Note: c.FormValue("note"), Click: c.FormValue("click"),
		Receipts: receiptInputs(c),
	}
	revision, at, ok := strings.Cut(c.FormValue("seen"), ".")
	n, errRevision := strconv.ParseInt(revision, 10, 32)
	micros, errAt := strconv.ParseInt(at, 10, 64)
	if !ok || errRevision != nil || errAt != nil {
		return in, kit.ErrBadInput
	}
	in.Seen = rules.Shown{Revision: int(n), At: time.UnixMicro(micros)}
	return in, nil
}

// receiptInputs reads receipt.<reason>, receiptStore.<id> and the store that was
// added, in an order of their own: fields come in any.
func receiptInputs(c *fiber.Ctx) []rules.ReceiptInput {
	var receipts []rules.ReceiptInput
	for key, value := range c.Request().PostArgs().All() {
		if code, ok := strings.CutPrefix(string(key), "receipt."); ok {
			receipts = append(receipts, rules.ReceiptInput{Reason: code, Print: string(value)})
		} else if id, ok := strings.CutPrefix(string(key), "receiptStore."); ok {
			receipts = append(receipts, rules.ReceiptInput{StoreID: kit.ChosenID(id), Print: string(value)})
		}
	}
	if id := kit.ChosenID(c.FormValue("addStore")); id != 0 {
		receipts = append(receipts, rules.ReceiptInput{StoreID: id, Print: c.FormValue("addReceipt")})
	}
	slices.SortStableFunc(receipts, func(a, b rules.ReceiptInput) int {
		return cmp.Or(cmp.Compare(a.StoreID, b.StoreID), cmp.Compare(a.Reason, b.Reason))
	})
	return receipts
}
