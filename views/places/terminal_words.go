package places

import (
	"context"
	"slices"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// retirement is the act the page offers: taking out of use, or back into it.
func (v *TerminalView) retirement() string {
	if v.Terminal.RetiredAt != nil {
		return "restoration"
	}
	return "retirement"
}

// name is what people call the terminal.
func (v *TerminalAt) name() string { return ui.TerminalName(v.Terminal.Label, v.Terminal.SerialNumber) }

// store is where the terminal stands; nil where it stands nowhere.
func (v *TerminalAt) store() *models.Store { return ui.StoreOf(v.Stores, v.Terminal.StoreID) }

// place is where the terminal stands, in words.
func (v *TerminalAt) place(ctx context.Context) string {
	if v.Terminal.StoreID == 0 {
		return locale.T(ctx, "terminal.nowhere")
	}
	return v.Terminal.StoreName
}

// sincePlace is since when it stands there, "" where it stands nowhere.
func (v *TerminalAt) sincePlace(ctx context.Context) string {
	if v.Terminal.Since == nil {
		return ""
	}
	return ui.SinceText(ctx, *v.Terminal.Since, v.Zone())
}

// before is the store in which it stood before it came where it stands; "" for none.
func (v *TerminalAt) before() string {
	for i := range v.History {
		if a := &v.History[i]; a.Tense(v.Now) == models.TensePast && a.StoreID != v.Terminal.StoreID {
			return a.StoreName
		}
	}
	return ""
}

// lastAnswer is what the service last said of the terminal, and when.
func (v *TerminalView) lastAnswer(ctx context.Context) string {
	words := words.DetailWord(ctx, v.Terminal.LastAnswer)
	if v.Terminal.LastAnswerAt == nil || words == "" {
		return ""
	}
	return words + " (" + ui.Since(ctx, v.Page, v.Terminal.LastAnswerAt) + ")"
}

// movedTitle says that a move was made, with the names that tell that it was the right one.
func (v *TerminalView) movedTitle(ctx context.Context) string {
	if v.Planned && v.Terminal.Plan != nil {
		return locale.T(ctx, "moved.planned", "Terminal", v.name(), "Store", v.Terminal.Plan.StoreName)
	}
	return locale.T(ctx, "moved.now", "Terminal", v.name(), "Store", v.place(ctx))
}

// movedSays says what holds from now on.
func (v *TerminalView) movedSays(ctx context.Context) string {
	if v.Planned && v.Terminal.Plan != nil {
		return locale.T(ctx, "moved.plannedSays", "When", ui.SinceZoned(ctx, v.Page, &v.Terminal.Plan.ValidFrom), "Store", v.place(ctx))
	}
	says := locale.T(ctx, "moved.nowSays", "When", ui.Since(ctx, v.Page, v.Terminal.Since), "Store", v.place(ctx))
	if was := v.before(); was != "" {
		says += " " + locale.T(ctx, "moved.before", "Store", was)
	}
	return says
}

// movedTo is the store that the panel of a move leads to.
func (v *TerminalView) movedTo() (id int64, name string) {
	if v.Planned && v.Terminal.Plan != nil {
		return v.Terminal.Plan.StoreID, v.Terminal.Plan.StoreName
	}
	return v.Terminal.StoreID, v.Terminal.StoreName
}

// ChosenStore is where the person wants the terminal to go. Where it already stands is no
// choice: nobody moves it there.
func (v *TerminalMoveView) ChosenStore() int64 {
	if len(v.Form.Errors) == 0 && v.Form.StoreID == v.Terminal.StoreID {
		return 0
	}
	return v.Form.StoreID
}

// elsewhere are the stores to which the terminal can go.
func (v *TerminalMoveView) elsewhere() []models.Store {
	return slices.DeleteFunc(slices.Clone(v.Stores), func(s models.Store) bool { return s.ID == v.Terminal.StoreID })
}

// otherMerchant reports whether the merchant id is asked for in sight: it is to change too,
// is wrong, or there is none that the terminal could keep.
func (v *TerminalMoveView) otherMerchant() bool {
	return v.Terminal.MerchantID == "" || v.Form.MerchantID != v.Terminal.MerchantID || v.Form.Errors["merchantId"] != ""
}

// means is what the move would mean, a sentence each.
func (v *TerminalMoveView) means(ctx context.Context) []string {
	var says []string
	for _, s := range v.Day.Stores {
		says = append(says, locale.T(ctx, "move.stays", "Count", s.Sales.Count, "N", ui.Number(s.Sales.Count),
			"Amount", ui.Money(s.Sales.Amount), "Store", ui.StoreName(v.Stores, s.StoreID)))
	}
	if len(says) == 0 {
		says = append(says, locale.T(ctx, "move.staysNone"))
	}
	if open := v.Day.Total.Pending.Count + v.Day.Total.Doubt.Count; open > 0 {
		says = append(says, ui.CountOf(ctx, "move.underway", open))
	}
	if store := ui.StoreName(v.Stores, v.ChosenStore()); store != "" {
		says = append(says, locale.T(ctx, "move.thenIn", "Store", store))
	} else {
		says = append(says, locale.T(ctx, "move.then"))
	}
	if v.Terminal.Plan != nil {
		says = append(says, locale.T(ctx, "move.planStays", "Store", v.Terminal.Plan.StoreName,
			"When", ui.SinceZoned(ctx, v.Page, &v.Terminal.Plan.ValidFrom)))
	}
	return says
}

// problems are those of both forms, for the summary at the top.
func (v *TerminalEditView) problems() ui.Errors {
	all := ui.Errors{}
	for _, errs := range []ui.Errors{v.Label.Errors, v.Merchant.Errors} {
		for field, key := range errs {
			all[field] = key
		}
	}
	return all
}

// moveLabel says which terminal the way to its move moves: its row is not heard with it.
func moveLabel(ctx context.Context, t *models.TerminalPlace) string {
	return locale.T(ctx, "terminal.moveTitle", "Terminal", ui.TerminalName(t.Label, t.SerialNumber)) + ", " +
		locale.T(ctx, "terminal.serialShort") + " " + string(t.SerialNumber)
}
