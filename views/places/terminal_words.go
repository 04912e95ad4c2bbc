package places

import (
	"context"

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

// problems are those of both forms, for the summary at the top.
func (v *TerminalView) problems() ui.Errors {
	all := ui.Errors{}
	for _, errs := range []ui.Errors{v.Label.Errors, v.Move.Errors} {
		for field, key := range errs {
			all[field] = key
		}
	}
	return all
}

func (v *TerminalView) place(ctx context.Context) string {
	if v.Terminal.StoreID == 0 {
		return locale.T(ctx, "terminal.nowhere")
	}
	return v.Terminal.StoreName
}

func (v *TerminalView) sincePlace(ctx context.Context) string {
	if v.Terminal.Since == nil {
		return ""
	}
	return ui.SinceText(ctx, *v.Terminal.Since, v.Zone())
}

// ChosenStore is where the person wants the terminal to go. Where it already
// stands is not a choice yet: nobody moves it there.
func (v *TerminalView) ChosenStore() int64 {
	if len(v.Move.Errors) == 0 && !v.Move.Stays && v.Move.StoreID == v.Terminal.StoreID {
		return 0
	}
	return v.Move.StoreID
}

// lastAnswer is what the service last said of the terminal, and when.
func (v *TerminalView) lastAnswer(ctx context.Context) string {
	words := words.DetailWord(ctx, v.Terminal.LastAnswer)
	if v.Terminal.LastAnswerAt == nil || words == "" {
		return ""
	}
	return words + " (" + ui.Since(ctx, v.Page, v.Terminal.LastAnswerAt) + ")"
}
