package oversight

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/oversight"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// noneKey is why there is no row; the same with Hint is what to do.
func (v *OversightView) noneKey() string {
	if v.Report.Filter.By == oversight.ByApprover && v.Report.Total.Requested > 0 {
		return "oversight.noneApproved"
	}
	return "oversight.none"
}

// RowName names what a row is of.
func (v *OversightView) RowName(ctx context.Context, r *oversight.Row) string {
	switch v.Report.Filter.By {
	case oversight.ByReason:
		return v.reason(ctx, r.Key)
	case oversight.ByTerminal:
		t := v.Terminals[r.ID]
		name := ui.TerminalName(t.Label, t.SerialNumber)
		if s := ui.StoreOf(v.Stores, r.StoreID); s != nil && len(v.Stores) > 1 && v.Filter.StoreID == 0 {
			return ui.InStore(s.Code, name)
		}
		return name
	case oversight.ByStore:
		return ui.StoreName(v.Stores, r.ID)
	}
	return whoName(ctx, r.Key, r.Name)
}

// reason names a reason; what was done at the terminal itself has none.
func (v *OversightView) reason(ctx context.Context, code string) string {
	if code == "" {
		return locale.T(ctx, "oversight.noReason")
	}
	return words.ReasonLabel(ctx, v.Reasons, code)
}

// personURL leads to all that a person or a program asked to cancel; "" where nobody
// asked. A red flag has a page of its own, which says why it is one.
func (v *OversightView) personURL(key string) string {
	return v.actsOf(key, models.ActionCancellationRequested)
}

// actsOf leads to what somebody did in the period.
func (v *OversightView) actsOf(key string, action models.Action) string {
	if key == "" {
		return ""
	}
	id, err := strconv.ParseInt(key[1:], 10, 64)
	if err != nil {
		return ""
	}
	return v.inTrail(audit.Filter{ActorID: id, Action: action})
}

// reasonURL leads to what was asked for with a reason; "" where none was given.
func (v *OversightView) reasonURL(code string) string {
	if code == "" {
		return ""
	}
	return v.inTrail(audit.Filter{Reason: code})
}

// daysURL is the week of the period by day.
func (v *OversightView) daysURL() string {
	q := url.Values{}
	ui.SetID(q, "store", v.Filter.StoreID)
	return ui.Address("/oversight/days", q)
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

// rowLink leads to the cancellations of a row; "" where there is no such page.
func (v *OversightView) rowLink(r *oversight.Row) string {
	switch {
	case v.Report.Filter.By == oversight.ByPerson && r.Key != "" && r.Canceled > 0:
		return v.personURL(r.Key)
	case v.Report.Filter.By == oversight.ByApprover && r.Canceled > 0:
		return v.actsOf(r.Key, models.ActionCancellationMoved)
	case v.Report.Filter.By == oversight.ByReason:
		return v.reasonURL(r.Key)
	case v.Report.Filter.By == oversight.ByTerminal && v.Terminals[r.ID].SerialNumber != "":
		return v.inTrail(audit.Filter{Serial: v.Terminals[r.ID].SerialNumber})
	case v.Report.Filter.By == oversight.ByStore && r.ID != 0:
		return v.inTrail(audit.Filter{StoreID: r.ID})
	}
	return ""
}

// inTrail leads to what was asked for in the period: the requests behind a row,
// each with what came of it.
func (v *OversightView) inTrail(f audit.Filter) string {
	asked := v.Report.Filter
	f.Action, f.From, f.To = cmp.Or(f.Action, models.ActionCancellationRequested), asked.From, asked.To
	if f.StoreID == 0 {
		f.StoreID = asked.StoreID
	}
	q := url.Values{}
	for _, value := range f.Values() {
		q.Set(value[0], value[1])
	}
	return ui.Address("/audit", q)
}

// rowSerial distinguishes terminals: labels such as "Caja 1" are in every store.
func (v *OversightView) rowSerial(r *oversight.Row) models.SerialNumber {
	if t := v.Terminals[r.ID]; v.Report.Filter.By == oversight.ByTerminal && t.Label != "" {
		return t.SerialNumber
	}
	return ""
}
