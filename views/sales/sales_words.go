package sales

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/sales"
	"veinte/models/savedviews"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

func (v *SalesView) heading(ctx context.Context) string {
	if v.ofToday() {
		return locale.T(ctx, "sales.today")
	}
	return locale.T(ctx, "sales.ofDay", "Day", ui.Day(ctx, v.Filter.Day))
}

// nearName is how people call a day that is near; "" for any other.
func (v *SalesView) nearName(ctx context.Context, d models.Day) string {
	switch d {
	case v.Today():
		return locale.T(ctx, "day.today")
	case v.Today().Plus(-1):
		return locale.T(ctx, "day.yesterday")
	}
	return ""
}

// rowDay is the list's day as each row of it says it: short.
func (v *SalesView) rowDay(ctx context.Context) string {
	if near := v.nearName(ctx, v.Filter.Day); near != "" {
		return near
	}
	return ui.DayShort(ctx, v.Filter.Day)
}

// dayName is a day as a list is headed by it.
func (v *SalesView) dayName(ctx context.Context, d models.Day) string {
	if near := v.nearName(ctx, d); near != "" {
		return near + ", " + ui.Day(ctx, d)
	}
	return ui.Day(ctx, d)
}

func (v *SalesView) terminalLabel(id int64) string {
	t := v.Terminals[id]
	return ui.TerminalName(t.Label, t.SerialNumber)
}

// storeCode names a terminal's store where the page shows several.
func (v *SalesView) storeCode(id int64) string {
	if s := ui.StoreOf(v.Stores, id); s != nil && v.oneStore() == nil {
		return s.Code
	}
	return ""
}

// lastHeard is when one of the terminals last posted anything. On an empty day it
// distinguishes a quiet shop from a broken connection.
func (v *SalesView) lastHeard(ctx context.Context) string {
	last := v.lastReceived()
	if last.IsZero() {
		for _, t := range v.Terminals {
			if t.LastResultAt != nil && t.LastResultAt.After(last) {
				last = *t.LastResultAt
			}
		}
	}
	return ui.Since(ctx, v.Page, &last)
}

// storeZones looks the zones up once per page rather than once per row.
func (v *SalesView) storeZones() map[int64]*time.Location {
	zones := make(map[int64]*time.Location, len(v.Stores))
	for i := range v.Stores {
		zones[v.Stores[i].ID] = v.Stores[i].Zone()
	}
	return zones
}

// chips are the filters in words, each with the list that lacks it. The day is no
// filter: it is the page. What is looked for stands in its field, which changes.
func (v *SalesView) chips(ctx context.Context) []ui.FilterChip {
	var chips []ui.FilterChip
	for _, value := range v.standing().Values() {
		name := value[0]
		if name == "date" || name == "q" {
			continue
		}
		without := v.url(func(f *sales.Filter) {
			f.Cursor = ""
			switch name {
			case "store":
				f.StoreID = 0
			case "terminal":
				f.TerminalID = 0
			case "state":
				f.State = ""
			}
		})
		label := locale.T(ctx, words.SaleFilterNames[name])
		chips = append(chips, ui.FilterChip{Label: label, Value: v.chipValue(ctx, name, value[1]), Without: without})
	}
	return chips
}

// filterWord is a state as the list's filter says it.
func filterWord(ctx context.Context, s models.SaleState) string {
	if s == models.SaleSoon || s == models.SaleRequested || s == models.SaleSending || s == models.SaleAccepted {
		return locale.T(ctx, "state."+string(s))
	}
	return words.CounterWord(ctx, s)
}

// stateOptions are the states that the list can be filtered by, in its words. What is
// under way is one of them; an address may still name one of its three parts.
func (v *SalesView) stateOptions(ctx context.Context) []ui.Option {
	options := []ui.Option{{Text: locale.T(ctx, "sales.allStates")}}
	for _, s := range models.SaleFilterStates {
		if s.Underway() && s != v.Filter.State {
			continue
		}
		options = append(options, ui.Option{Value: string(s), Text: filterWord(ctx, s)})
	}
	return options
}

func (v *SalesView) chipValue(ctx context.Context, name, text string) string {
	switch name {
	case "store":
		return cmp.Or(ui.StoreName(v.Stores, v.Filter.StoreID), text)
	case "terminal":
		if v.mayName(v.Filter.TerminalID) {
			return v.terminalLabel(v.Filter.TerminalID)
		}
	case "state":
		return filterWord(ctx, v.Filter.State)
	}
	return text
}

// mayName reports whether the reader may know what a terminal is called: it is in
// the list, or stands where they see sales.
func (v *SalesView) mayName(id int64) bool {
	if _, known := v.Terminals[id]; !known {
		return false
	}
	listed := func(t sales.TerminalTotals) bool { return t.TerminalID == id }
	return v.Actor.AllStores || v.Own[id] || slices.ContainsFunc(v.List.Totals, listed)
}

// savedNow reports whether the list is the one that a view keeps.
func (v *SalesView) savedNow(view *savedviews.View) bool {
	return v.standing().Encode() == view.Filter
}

// standing is the filter as it is stored: today's is every day's.
func (v *SalesView) standing() *sales.Filter {
	f := v.Filter
	if v.ofToday() {
		f.Day = ""
	}
	return &f
}

// keepURL leads to keeping the list's filter under a name.
func (v *SalesView) keepURL() string {
	return "/sales/views/new?" + v.standing().Encode()
}

// InWords says what a filter of sales, as an address has it, looks for.
func (v *SalesView) InWords(ctx context.Context, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	w := *v
	w.Filter, _ = sales.ParseFilter(values.Get, time.Time{})
	return ui.ChipsInWords(w.chips(ctx))
}
