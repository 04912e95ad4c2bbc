package trace

import "slices"

// States lists the states of a case (domain, section 6).
var States = []string{
	"requested", "withdrawn", "expired", "sending", "accepted", "rejected", "unknown", "confirmed", "notCanceled",
}

// table is the life of a case, row by row as the domain writes it.
var table = []struct{ from, to string }{
	{"requested", "withdrawn"}, // taken back before sending
	{"requested", "expired"},   // the window closed before sending
	{"requested", "sending"},   // a worker takes it
	{"sending", "requested"},   // proof that nothing was written
	{"sending", "accepted"},    // 2xx and code 00
	{"sending", "rejected"},    // a refusal that is known, or a negative of this attempt
	{"sending", "unknown"},     // everything else
	{"accepted", "unknown"},    // no result in time
	{"accepted", "rejected"},   // a negative of this attempt
	{"unknown", "rejected"},    // the same
	{"unknown", "notCanceled"}, // an inquiry, or a supervisor
	// Any but confirmed becomes confirmed by a positive.
	{"requested", "confirmed"},
	{"withdrawn", "confirmed"},
	{"expired", "confirmed"},
	{"sending", "confirmed"},
	{"accepted", "confirmed"},
	{"rejected", "confirmed"},
	{"unknown", "confirmed"},
	{"notCanceled", "confirmed"},
}

// CanMove reports whether the table has the move.
func CanMove(from, to string) bool {
	return slices.ContainsFunc(table, func(m struct{ from, to string }) bool { return m.from == from && m.to == to })
}

// The roles that the trail names, as far as a move depends on them.
const (
	roleManager    = "manager"
	roleSupervisor = "supervisor"
	roleSystem     = "system"
	roleTerminal   = "terminal"
)

// mayMake says who makes a move; any who is not named does not.
func mayMake(role, from, to string) bool {
	switch {
	case from == "" && to == "confirmed": // canceled by hand on the device, as it or the provider's report tells
		return role == roleTerminal || role == roleSupervisor
	case from == "": // asked for
		return role == roleManager || role == roleSupervisor
	case to == "confirmed": // a result or an inquiry; a ticket or a report; an acknowledgement that means it
		return role == roleTerminal || role == roleSupervisor || role == roleSystem
	case to == "withdrawn": // taken back; never sent; or the sale turned out to be canceled, by whoever found out
		return role == roleManager || role == roleSupervisor || role == roleSystem || role == roleTerminal
	case to == "notCanceled":
		return role == roleTerminal || role == roleSupervisor
	case to == "rejected":
		return role == roleTerminal || role == roleSystem
	}
	return role == roleSystem
}
