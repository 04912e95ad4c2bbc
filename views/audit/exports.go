package audit

import (
	"context"
	"net/url"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ExportsView is where files of the trail are asked for and watched.
type ExportsView struct {
	ui.Page
	Filters    []ui.FilterFact
	Query      string // the filters as an address has them
	Count      models.AuditCount
	List       models.ExportPage
	Older      bool               // the list does not begin with the latest
	Errors     ui.Errors          // of the filters
	Checkpoint *models.Checkpoint // the last; nil when nothing was ever sealed
}

func (v *ExportsView) url(path string) string {
	if v.Query == "" {
		return path
	}
	return path + "?" + v.Query
}

// fragment is where the list asks for itself again.
func (v *ExportsView) fragment() string {
	return ui.Address("/audit/exports", url.Values{"fragment": {"exports"}})
}

func (v *ExportsView) older() string {
	return ui.Address("/audit/exports", url.Values{"older": {v.List.Next}})
}

// exportBytes is about how much an entry takes in each format, measured.
var exportBytes = map[models.ExportFormat]int64{models.ExportCSV: 420, models.ExportXLSX: 225, models.ExportJSONL: 700}

// size is about how large a file becomes.
func (v *ExportsView) size(f models.ExportFormat) string {
	return ui.BytesWord(v.Count.Entries * exportBytes[f])
}

func (v *ExportsView) count(ctx context.Context) string {
	if v.Count.Exact {
		return locale.T(ctx, "exports.count", "Count", int(v.Count.Entries), "N", ui.Number(v.Count.Entries))
	}
	return locale.T(ctx, "exports.about", "N", ui.Number(v.Count.Entries))
}

// exportWord says where an export stands; one that is told to stop still runs.
func exportWord(ctx context.Context, x *models.Export) string {
	if x.State == models.ExportRunning && x.StopBy != "" {
		return locale.T(ctx, "exports.stopping")
	}
	return locale.T(ctx, "exportState."+string(x.State))
}

func exportLook(s models.ExportState) (look, picture string) {
	switch s {
	case models.ExportDone:
		return "confirmed", "circle-check"
	case models.ExportRunning:
		return "requested", "clock"
	case models.ExportStopped:
		return "rejected", "ban"
	case models.ExportFailed:
		return "rejected", "circle-x"
	}
	return "unknown", "circle-question-mark"
}
