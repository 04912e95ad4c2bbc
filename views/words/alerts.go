package words

import (
	"context"
	"strings"

	"veinte/models/alerts"
	"veinte/views/locale"
	"veinte/views/ui"
)

// AlertSays is what an alert found, in a sentence.
func AlertSays(ctx context.Context, a *alerts.Alert) string {
	f := a.Read()
	who := f.Person
	if who == "" {
		who = locale.T(ctx, "role.system")
	}
	key := "alertSays." + string(a.Kind)
	if a.Kind == alerts.KindTables {
		table, row, _ := strings.Cut(f.Row, " ")
		return ui.CountOf(ctx, key, f.Count, "Row", TableRow(ctx, table, row))
	}
	switch {
	case a.Kind == alerts.KindTrail && f.Action == "sealing.still":
		key += "Still"
	case a.Kind == alerts.KindTrail && f.Action == "sealing.held":
		key += "Held"
	case a.Kind == alerts.KindTrail && f.Action == "sealing.nowhere":
		key += "Nowhere"
	case a.Kind == alerts.KindRate && f.Percent == 0:
		key += "New"
	case a.Kind == alerts.KindRights && strings.HasPrefix(a.Subject, "group "):
		key += "Group"
	case a.Kind == alerts.KindRights && f.Role == "" && f.AskedBy != "":
		key += "KeyConfirmed"
	case a.Kind == alerts.KindRights && f.Role == "":
		key += "Key"
	case a.Kind == alerts.KindRights && f.AskedBy != "":
		key += "Confirmed"
	}
	before := locale.T(ctx, "alertSays.noneBefore")
	if f.Known > 0 {
		before = locale.T(ctx, "alertSays.noneKnown", "Count", int(f.Known), "N", ui.Number(f.Known))
	}
	role := ""
	if f.Role != "" {
		role = ui.RoleWord(ctx, f.Role)
	}
	return locale.T(ctx, key, "Who", who, "Count", ui.Number(f.Count), "Minutes", ui.Number(int64(f.Minutes)), "Amount", ui.Money(f.Amount),
		"Order", f.Order, "Serial", f.Serial, "Store", a.StoreName, "Sales", ui.Number(f.Sales), "Percent", ui.Number(f.Percent),
		"Day", ui.Day(ctx, f.Day), "Canceled", ui.Number(f.Canceled), "Doubt", ui.Number(f.Doubt), "What", ActionWord(ctx, f.Action),
		"Of", f.Of, "Role", role, "Asked", f.AskedBy, "Hours", Lasted(f.Minutes), "Before", before)
}

// TableRow names a row of a table: Venta 41.
func TableRow(ctx context.Context, table, row string) string {
	if key := "compareTable." + table; locale.Has(key) {
		table = locale.T(ctx, key)
	}
	return strings.TrimSpace(table + " " + row)
}

// Span writes minutes as people say them: in hours where they are whole ones.
func Span(minutes int) string {
	if minutes >= 60 && minutes%60 == 0 {
		return ui.Number(int64(minutes/60)) + " h"
	}
	return ui.Number(int64(minutes)) + " min"
}

// Lasted writes how long something has lasted, beyond two hours in whole ones.
func Lasted(minutes int) string {
	if minutes >= 120 {
		minutes -= minutes % 60
	}
	return Span(minutes)
}
