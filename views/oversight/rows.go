package oversight

import (
	"context"
	"net/url"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// noneKey is why there is no row; the same with Hint is what to do.
func (v *OversightView) noneKey() string {
	if v.Report.Filter.By == models.ByApprover && v.Report.Total.Requested > 0 {
		return "oversight.noneApproved"
	}
	return "oversight.none"
}

// RowName names what a row is of.
func (v *OversightView) RowName(ctx context.Context, r *models.OversightRow) string {
	switch v.Report.Filter.By {
	case models.ByReason:
		return words.ReasonLabel(ctx, v.Reasons, r.Key)
	case models.ByTerminal:
		return v.terminal(r.ID)
	case models.ByStore:
		return ui.StoreName(v.Stores, r.ID)
	}
	return whoName(ctx, r.Key, r.Name)
}

func (v *OversightView) terminal(id int64) string {
	t := v.Terminals[id]
	return ui.TerminalName(t.Label, t.SerialNumber)
}

// whoName names a person, a program, or nobody: somebody at the terminal itself.
func whoName(ctx context.Context, key, name string) string {
	switch {
	case key == "":
		return locale.T(ctx, "oversight.onTerminal")
	case key[0] == 'k':
		return locale.T(ctx, "oversight.program", "Name", name)
	}
	return name
}

// rowLink leads to the cases behind a row; "" where there is no such page.
func (v *OversightView) rowLink(r *models.OversightRow) string {
	switch {
	case v.Report.Filter.By == models.ByPerson && r.Key != "" && r.Canceled > 0:
		return findingOf(v.period(), models.FindPerson, r.Key)
	case v.Report.Filter.By == models.ByApprover && r.Canceled > 0:
		return findingOf(v.period(), models.FindApprover, r.Key)
	case v.Report.Filter.By == models.ByReason && r.Key != "":
		return v.inTrail(models.AuditFilter{Reason: r.Key})
	case v.Report.Filter.By == models.ByTerminal && v.Terminals[r.ID].SerialNumber != "":
		return v.inTrail(models.AuditFilter{Serial: v.Terminals[r.ID].SerialNumber})
	case v.Report.Filter.By == models.ByStore && r.ID != 0:
		return v.inTrail(models.AuditFilter{StoreID: r.ID})
	}
	return ""
}

// inTrail leads to what was asked for in the period: the requests behind a row,
// each with what came of it.
func (v *OversightView) inTrail(f models.AuditFilter) string {
	asked := v.Report.Filter
	f.Action, f.From, f.To = models.ActionCaseRequested, asked.From, asked.To
	if f.StoreID == 0 {
		f.StoreID = asked.StoreID
	}
	q := url.Values{}
	for _, value := range f.Values() {
		q.Set(value[0], value[1])
	}
	return ui.Address("/audit", q)
}

// rowSerial tells terminals apart: labels such as "Caja 1" are in every store.
func (v *OversightView) rowSerial(r *models.OversightRow) models.SerialNumber {
	if t := v.Terminals[r.ID]; v.Report.Filter.By == models.ByTerminal && t.Label != "" {
		return t.SerialNumber
	}
	return ""
}

func (v *OversightView) period() models.OversightFilter {
	f := v.Report.Filter
	return models.OversightFilter{From: f.From, To: f.To, StoreID: f.StoreID}
}
