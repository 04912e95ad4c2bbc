package sales

import (
	"veinte/models"
	"veinte/views/ui"
)

// CorrectionView is the form that corrects a typed sale, with the one that takes it back.
type CorrectionView struct {
	ui.Page
	Sale           models.Sale
	Form           models.SaleInput // what was typed
	Note, UndoNote string
	Errors         ui.Errors
}

func (v *CorrectionView) salePath() string { return "/sales/" + ui.Itoa(v.Sale.ID) }

// mayCorrect reports whether the reader may correct the sale or take it back. What
// another door said of it is decided when they do.
func (v *SaleDetailView) mayCorrect() bool {
	s := &v.Detail.Sale
	return v.Actor.May(models.AddManualSales) && s.Source == models.SourceManual && s.State == models.SaleCancelable &&
		len(v.Detail.Cancellations) == 0 && !s.ReportedAgain && len(v.Detail.Results) == 0
}
