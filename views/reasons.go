package views

import "veinte/models"

// ReasonsView is the list of why a sale is canceled, with the form of a new one.
type ReasonsView struct {
	Page
	Reasons []models.Reason // those in use first, each group in its order
	New     ReasonForm
	Errors  Errors // of what concerns no field
}

// ReasonView is one reason, to be renamed.
type ReasonView struct {
	Page
	Reason models.Reason
	Form   ReasonForm
}

// ReasonForm is what was entered of a reason.
type ReasonForm struct {
	LabelES, LabelEN string
	Errors           Errors
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
func (v *ReasonsView) used() []models.Reason    { return v.Reasons[:v.lastInUse()+1] }

func reasonPath(r *models.Reason) string { return "/settings/reasons/" + r.Code }
