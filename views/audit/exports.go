package audit

import (
	"context"
	"net/url"

	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ExportsView is where files of the trail are asked for and watched.
type ExportsView struct {
	ui.Page
	Filters    []ui.FilterFact
	Query      string // the filters as an address has them
	Of         export.Subject
	Count      export.Count
	List       export.Page
	Older      bool                // the list does not begin with the latest
	Errors     ui.Errors           // of the filters
	Checkpoint *sealing.Checkpoint // the last; nil when nothing was ever sealed
}

func (v *ExportsView) url(path string) string {
	if v.Query == "" {
		return path
	}
	return path + "?" + v.Query
}

// fragment is where the list asks for itself again.
func (v *ExportsView) fragment() string {
	return ui.Address(exportPage(v.Of), url.Values{"fragment": {"exports"}})
}

func (v *ExportsView) older() string {
	return ui.Address(exportPage(v.Of), url.Values{"older": {v.List.Next}})
}

// exportPage is where files of a subject are asked for.
func exportPage(of export.Subject) string {
	if of == export.Sales {
		return "/sales/export"
	}
	return "/audit/exports"
}

// exportPath is the page of an export.
func exportPath(x *export.Export) string { return exportPage(x.Subject) + "/" + ui.Itoa(x.ID) }

func leftKey(of export.Subject) string {
	if of == export.Sales {
		return "salesExport.left"
	}
	return "exports.left"
}

// exportBytes is about how much an entry takes in each format, measured.
var exportBytes = map[export.Format]int64{export.CSV: 420, export.XLSX: 225, export.JSONL: 700}

// size is about how large a file becomes.
func (v *ExportsView) size(f export.Format) string {
	return ui.BytesWord(v.Count.Entries * exportBytes[f])
}

func (v *ExportsView) count(ctx context.Context) string {
	if v.Count.Exact {
		return locale.T(ctx, "exports.count", "Count", int(v.Count.Entries), "N", ui.Number(v.Count.Entries))
	}
	return locale.T(ctx, "exports.about", "N", ui.Number(v.Count.Entries))
}

// exportWord returns the state of an export; a canceled one still runs until it
// stops.
func exportWord(ctx context.Context, x *export.Export) string {
	if x.State == export.Running && x.StopBy != "" {
		return locale.T(ctx, "exports.stopping")
	}
	return locale.T(ctx, "exportState."+string(x.State))
}

func exportLook(s export.State) (look, picture string) {
	switch s {
	case export.Done:
		return "confirmed", "circle-check"
	case export.Running:
		return "requested", "clock"
	case export.Stopped:
		return "rejected", "ban"
	case export.Failed:
		return "rejected", "circle-x"
	}
	return "unknown", "circle-question-mark"
}
