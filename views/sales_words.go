package views

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

func (v *SalesView) heading(ctx context.Context) string {
	if v.live() {
		return locale.T(ctx, "sales.today")
	}
	return locale.T(ctx, "sales.ofDay", "Day", day(ctx, v.Filter.Day))
}

func stateOptions(ctx context.Context) []option {
	options := []option{{"", locale.T(ctx, "sales.allStates")}}
	for _, s := range models.SaleStates {
		options = append(options, option{string(s), stateWord(ctx, s)})
	}
	return options
}

func (v *SalesView) terminalLabel(id int64) string {
	t := v.Terminals[id]
	return terminalName(t.Label, t.SerialNumber)
}

// chipStore names a terminal's store where the page shows several.
func (v *SalesView) chipStore(t *models.TerminalTotals) string {
	if v.oneStore() != nil {
		return ""
	}
	for i := range v.Stores {
		if v.Stores[i].ID == t.StoreID {
			return v.Stores[i].Code
		}
	}
	return ""
}

// lastHeard is when one of the terminals last posted anything, for an empty
// day: it tells a quiet shop from a broken connection.
func (v *SalesView) lastHeard(ctx context.Context) string {
	last := v.lastReceived()
	if last.IsZero() {
		for _, t := range v.Terminals {
			if t.LastResultAt != nil && t.LastResultAt.After(last) {
				last = *t.LastResultAt
			}
		}
	}
	return since(ctx, v.Page, &last)
}

// storeZones looks the zones up once per page rather than once per row.
func (v *SalesView) storeZones() map[int64]*time.Location {
	zones := make(map[int64]*time.Location, len(v.Stores))
	for i := range v.Stores {
		zones[v.Stores[i].ID] = v.Stores[i].Zone()
	}
	return zones
}
