package audit

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/ui"
	"veinte/views/words"
)

// AuditView is a page of the trail, newest first.
type AuditView struct {
	ui.Page
	Filter  audit.Filter
	First   *salesview.Onboarding // nil when they are put away
	Typed   map[string]string     // what the form holds, where it was refused too; by name
	Stores  []models.Store
	People  []words.Person  // for the filter
	Reasons []models.Reason // retired ones too: old entries name them
	List    audit.Page
	Errors  ui.Errors                    // of the filter, and of the cursor
	Came    map[int64]audit.CurrentState // of requests, by case
	// Steps are the entries of the cancellations asked for, where the page lists those
	// alone: by cancellation, the newest first.
	Steps map[int64][]models.AuditEntry
	// Terminals are what people call them, by serial number.
	Terminals map[string]string
	Verdict   *verify.Verification // the last that came to one; nil when none did
	Seals
}

// Seals say what of the entries shown is sealed.
type Seals struct {
	Checkpoint *sealing.Checkpoint       // the last; nil when nothing was ever sealed
	Standings  map[int64]verify.Standing // of the entries that were compared, by id
}

// url is the page's address at a cursor.
func (v *AuditView) url(path, cursor string) string {
	q := v.query("")
	ui.Set(q, "cursor", cursor)
	return ui.Address(path, q)
}

// listed are the filters as the page reads them, for files and for keeping: there
// it is said outright that entries of reading are left out.
func (v *AuditView) listed() url.Values {
	f := v.Filter.Listed()
	q := url.Values{}
	for _, value := range f.Values() {
		q.Set(value[0], value[1])
	}
	return q
}

// requests reports whether the page lists what was asked to be canceled, whatever else
// is filtered.
func (v *AuditView) requests() bool {
	return v.Filter.Action == models.ActionCancellationRequested && v.Filter.SaleID == 0
}

// of is the same list of one action; of all of them when it is "".
func (v *AuditView) of(action models.Action) string {
	q := v.query("action")
	ui.Set(q, "action", string(action))
	return ui.Address("/audit", q)
}

// query are the filters without one of them.
func (v *AuditView) query(without string) url.Values {
	q := url.Values{}
	for _, f := range v.Filter.Values() {
		if f[0] != without {
			q.Set(f[0], f[1])
		}
	}
	return q
}

// typed is what the form holds in a field.
func (v *AuditView) typed(name string) string {
	if s, ok := v.Typed[name]; ok {
		return s
	}
	for _, f := range v.Filter.Values() {
		if f[0] == name {
			return f[1]
		}
	}
	return ""
}

// folded reports whether the fields besides the text wait behind their button: not
// where one of them is wrong.
func (v *AuditView) folded() bool {
	for name := range v.Errors {
		if name != "" && name != "q" {
			return false
		}
	}
	return true
}

// inRow are the fields that a desk has in its row; a phone has the text alone.
var inRow = []string{"q", "person", "store", "from", "to"}

// inUse is how many of the fields filter that wait behind a phone's button.
func (v *AuditView) inUse() (n int64) { return v.filtering("q") }

// filtering is how many fields filter besides these. The switch has the requests.
func (v *AuditView) filtering(besides ...string) (n int64) {
	for _, f := range v.Filter.Values() {
		if !slices.Contains(besides, f[0]) && (f[0] != "action" || !v.requests()) {
			n++
		}
	}
	return n
}

func (v *AuditView) filtersLabel(ctx context.Context) string {
	if n := v.inUse(); n > 0 {
		return locale.T(ctx, "audit.filtersInUse", "N", ui.Itoa(n))
	}
	return locale.T(ctx, "audit.filters")
}

// moreFilters says how many of the fields filter that wait behind a desk's button.
func (v *AuditView) moreFilters(ctx context.Context) string {
	if n := v.filtering(inRow...); n > 0 {
		return locale.T(ctx, "audit.moreInUse", "N", ui.Itoa(n))
	}
	return locale.T(ctx, "audit.moreFilters")
}

func (v *AuditView) chips(ctx context.Context) []ui.FilterChip {
	var chips []ui.FilterChip
	for _, f := range v.Filter.Values() {
		chips = append(chips, ui.FilterChip{
			Label: locale.T(ctx, "auditName."+f[0]), Value: v.chipValue(ctx, f[0], f[1]), Without: ui.Address("/audit", v.query(f[0])),
		})
	}
	return chips
}

// shownChips are those of the page, whose switch says whether it is of requests.
func (v *AuditView) shownChips(ctx context.Context) []ui.FilterChip {
	chips := v.chips(ctx)
	if v.requests() {
		own := v.of("")
		chips = slices.DeleteFunc(chips, func(c ui.FilterChip) bool { return c.Without == own })
	}
	return chips
}

func (v *AuditView) chipValue(ctx context.Context, name, text string) string {
	id, _ := strconv.ParseInt(text, 10, 64)
	switch name {
	case "store":
		return cmp.Or(v.names().Stores[id], text)
	case "person":
		return cmp.Or(v.names().People[id], text)
	case "role":
		return ui.RoleWord(ctx, v.Filter.Role)
	case "action":
		return words.ActionWord(ctx, v.Filter.Action)
	case "outcome":
		return words.OutcomeWord(ctx, v.Filter.Outcome)
	case "reason":
		return words.ReasonLabel(ctx, v.Reasons, text)
	case "min":
		return ui.Money(*v.Filter.Min)
	case "max":
		return ui.Money(*v.Filter.Max)
	case "from":
		return ui.Day(ctx, v.Filter.From)
	case "to":
		return ui.Day(ctx, v.Filter.To)
	case "sale":
		return cmp.Or(v.saleOrder(), text)
	case "reads":
		return ui.Maybe(ctx, "auditReads.", text)
	}
	return text
}

// saleOrder is the number of the one sale that the page is about.
func (v *AuditView) saleOrder() string {
	for i := range v.List.Entries {
		if o := v.List.Entries[i].OrderID; o != "" {
			return o
		}
	}
	return ""
}

func (v *AuditView) names() *words.AuditNames {
	names := words.NewAuditNames(v.Stores, v.People, v.Zone())
	names.Terminals = v.Terminals
	return names
}

// sameDayClock is when something came of what began another time: the day too,
// where it is another.
func sameDayClock(ctx context.Context, at, began time.Time, zone *time.Location) string {
	if at.In(zone).Format(time.DateOnly) == began.In(zone).Format(time.DateOnly) {
		return ui.Clock(at, zone)
	}
	return ui.DateTime(ctx, at, zone)
}

// auditOrder are the fields of the filter in the form's own order.
var auditOrder = []string{
	"q", "store", "person", "action", "outcome", "role=auditName.role", "from", "to", "min", "max",
	"terminal=auditName.terminal", "reason=auditName.reason", "address", "attempt", "sale",
}
