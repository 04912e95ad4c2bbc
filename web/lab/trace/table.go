package trace

import "slices"

// States lists the states of a cancellation (domain, section 6).
var States = []string{
	"requested", "withdrawn", "expired", "sending", "accepted", "rejected", "unknown", "confirmed", "notCanceled",
}

// table has the moves of a cancellation, row by row as in the domain.
var table = []struct{ from, to string }{
	{"requested", "withdrawn"}, // withdrawn before sending
	{"requested", "expired"},   // the window closed before sending
	{"requested", "sending"},   // a worker takes it
	{"requested", "unknown"},   // requested in another database, from which it may have been sent
	{"sending", "requested"},   // proof that nothing was written
	{"sending", "accepted"},    // 2xx and code 00
	{"sending", "rejected"},    // a known refusal, or a negative of this attempt
	{"sending", "unknown"},     // everything else
	{"accepted", "unknown"},    // no result in time
	{"accepted", "rejected"},   // a negative of this attempt
	{"unknown", "rejected"},    // the same
	{"unknown", "notCanceled"}, // an inquiry, or a supervisor
	// A positive confirms a cancellation in any other state.
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

// The roles in the trail on which a move depends.
const (
	roleManager    = "manager"
	roleSupervisor = "supervisor"
	roleSystem     = "system"
	roleTerminal   = "terminal"
)

// mayMake reports whether a role may make a move.
func mayMake(role, from, to string) bool {
	switch {
	case from == "" && to == "confirmed": // canceled on the device, as the terminal's post or the provider's report states
		return role == roleTerminal || role == roleSupervisor
	case from == "": // requested
		return role == roleManager || role == roleSupervisor
	case to == "confirmed": // a result or an inquiry; a ticket or a report; a response that means it
		return role == roleTerminal || role == roleSupervisor || role == roleSystem
	case to == "withdrawn": // withdrawn; never sent; or the sale turned out to be canceled, found by any role
		return role == roleManager || role == roleSupervisor || role == roleSystem || role == roleTerminal
	case to == "notCanceled":
		return role == roleTerminal || role == roleSupervisor
	case to == "rejected":
		return role == roleTerminal || role == roleSystem
	}
	return role == roleSystem
}
