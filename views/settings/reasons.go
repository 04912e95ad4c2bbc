package settings

import (
	"veinte/models"
	"veinte/views/ui"
)

// ReasonsView is the list of why a sale is canceled, with the form of a new one.
type ReasonsView struct {
	ui.Page
	Reasons []models.Reason // those in use first, each group in its order
	New     ReasonForm
	Errors  ui.Errors // of what concerns no field
}

// ReasonView is one reason, to be renamed.
type ReasonView struct {
	ui.Page
	Reason models.Reason
	Form   ReasonForm
}

// ReasonForm is what was entered of a reason.
type ReasonForm struct {
	LabelES, LabelEN string
	Errors           ui.Errors
}

// lastInUse is the place of the last reason in use; -1 when there is none.
func (v *ReasonsView) lastInUse() int {
	last := -1
	for i := range v.Reasons {
		if v.Reasons[i].RetiredAt == nil {
			last = i
		}
	}
	return last
}

func (v *ReasonsView) retired() []models.Reason { return v.Reasons[v.lastInUse()+1:] }

func (v *ReasonsView) used() []models.Reason { return v.Reasons[:v.lastInUse()+1] }

func reasonPath(r *models.Reason) string { return "/settings/reasons/" + r.Code }
