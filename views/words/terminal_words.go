package words

import (
	"context"
	"errors"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/terminals"
	"veinte/views/locale"
	"veinte/views/ui"
)

func TerminalStates(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Text: locale.T(ctx, "terminal.allStates")},
		{Value: "active", Text: locale.T(ctx, "terminal.active")},
		{Value: "retired", Text: locale.T(ctx, "terminal.retiredState")},
		{Value: "planned", Text: locale.T(ctx, "terminal.plannedState")},
	}
}

func TerminalURL(id int64) templ.SafeURL { return templ.SafeURL("/terminals/" + ui.Itoa(id)) }

// ChooseLabel says what a box chooses: its row is not heard with it.
func ChooseLabel(ctx context.Context, t *models.TerminalPlace) string {
	return locale.T(ctx, "moves.chooseOne", "Name", ui.TerminalName(t.Label, t.SerialNumber), "Serial", string(t.SerialNumber))
}

// PlanWords says where a terminal is to go, and when.
func PlanWords(ctx context.Context, p ui.Page, plan *models.AssignmentLine) string {
	return locale.T(ctx, "move.to", "Store", plan.StoreName, "When", inZone(ctx, p, plan.ValidFrom))
}

// inZone writes an instant with the name of the cut-off's zone.
func inZone(ctx context.Context, p ui.Page, t time.Time) string {
	return ui.DateTime(ctx, t, p.Zone()) + " " + ui.ZoneName(ctx, p.Zone().String())
}

// MoveRefusal says why a terminal cannot be moved, with what is in the way; ""
// when nothing is.
func MoveRefusal(ctx context.Context, p ui.Page, err error) string {
	var told *terminals.MoveRefusal
	if errors.As(err, &told) {
		return locale.T(
			ctx, "said."+told.Err.Code, "Count", told.Sales, "N", ui.Number(told.Sales), "Store", told.Store, "When", inZone(ctx, p, told.Since),
		)
	}
	var refused *models.Error
	if errors.As(err, &refused) {
		return locale.T(ctx, refused.Code)
	}
	return ""
}

// StoreCodes names a person's stores by their short codes.
func StoreCodes(ctx context.Context, u *models.User, stores []models.Store) string {
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
