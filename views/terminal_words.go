package views

import (
	"context"
	"errors"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/views/locale"
)

func terminalStates(ctx context.Context) []option {
	return []option{
		{"", locale.T(ctx, "terminal.allStates")},
		{"active", locale.T(ctx, "terminal.active")},
		{"retired", locale.T(ctx, "terminal.retiredState")},
		{"planned", locale.T(ctx, "terminal.plannedState")},
	}
}

func terminalURL(id int64) templ.SafeURL { return templ.SafeURL("/terminals/" + itoa(id)) }

// chooseLabel says what a box chooses: its row is not heard with it.
func chooseLabel(ctx context.Context, t *models.TerminalPlace) string {
	return locale.T(ctx, "moves.chooseOne", "Name", terminalName(t.Label, t.SerialNumber), "Serial", string(t.SerialNumber))
}

// planWords says where a terminal is to go, and when.
func planWords(ctx context.Context, p Page, plan *models.AssignmentLine) string {
	return locale.T(ctx, "move.to", "Store", plan.StoreName, "When", inZone(ctx, p, plan.ValidFrom))
}

// inZone writes an instant with the name of the cut-off's zone.
func inZone(ctx context.Context, p Page, t time.Time) string {
	return dateTime(ctx, t, p.zone()) + " " + zoneName(ctx, p.zone().String())
}

// moveRefusal says why a terminal cannot be moved, with what is in the way; ""
// when nothing is.
func moveRefusal(ctx context.Context, p Page, err error) string {
	var told *models.MoveRefusal
	if errors.As(err, &told) {
		return locale.T(ctx, "said."+told.Err.Code, "Count", told.Sales, "N", number(told.Sales), "Store", told.Store, "When", inZone(ctx, p, told.Since))
	}
	var refused *models.Error
	if errors.As(err, &refused) {
		return locale.T(ctx, refused.Code)
	}
	return ""
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
	if len(v.Move.Errors) == 0 && !v.Move.Stays && v.Move.StoreID == v.Terminal.StoreID {
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
