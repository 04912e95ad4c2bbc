package views

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
)

func terminalStates(ctx context.Context) []option {
	return []option{
		{"", locale.T(ctx, "terminal.allStates")},
		{"active", locale.T(ctx, "terminal.active")},
		{"retired", locale.T(ctx, "terminal.retiredState")},
	}
}

// retirement is the act the page offers: taking out of use, or back into it.
func (v *TerminalView) retirement() string {
	if v.Terminal.RetiredAt != nil {
		return "restoration"
	}
	return "retirement"
}

// problems are those of both forms, for the summary at the top.
func (v *TerminalView) problems() Errors {
	all := Errors{}
	for _, errs := range []Errors{v.Label.Errors, v.Move.Errors} {
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
	return beginning(ctx, *v.Terminal.Since, v.zone())
}

// chosenStore is where the person wants the terminal to go. Where it already
// stands is not a choice yet: nobody moves it there.
func (v *TerminalView) chosenStore() int64 {
	if len(v.Move.Errors) == 0 && v.Move.StoreID == v.Terminal.StoreID {
		return 0
	}
	return v.Move.StoreID
}

// lastAnswer is what the service last said of the terminal, and when.
func (v *TerminalView) lastAnswer(ctx context.Context) string {
	words := detailWord(ctx, v.Terminal.LastAnswer)
	if v.Terminal.LastAnswerAt == nil || words == "" {
		return ""
	}
	return words + " (" + since(ctx, v.Page, v.Terminal.LastAnswerAt) + ")"
}

// storeCodes names a person's stores by their short codes.
func storeCodes(ctx context.Context, u *models.User, stores []models.Store) string {
	if u.AllStores {
		return locale.T(ctx, "user.allStores")
	}
	text := ""
	for i := range stores {
		for _, id := range u.StoreIDs {
			if id != stores[i].ID {
				continue
			}
			if text != "" {
				text += ", "
			}
			text += stores[i].Code
		}
	}
	if text == "" {
		return locale.T(ctx, "user.noStores")
	}
	return text
}
