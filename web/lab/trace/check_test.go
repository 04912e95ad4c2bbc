package trace_test

import (
	"slices"
	"testing"

	"veinte/web/lab/trace"
)

// entries is a history as entries 1, 2, ... of case 7.
func entries(moves ...trace.Move) []trace.Move {
	for i := range moves {
		moves[i].Cancellation, moves[i].Entry = 7, int64(i+1)
		if moves[i].Action == "" {
			moves[i].Action = trace.Moved
		}
		if moves[i].Role == "" {
			moves[i].Role = "system"
		}
	}
	return moves
}

func begun(moves ...trace.Move) []trace.Move {
	first := trace.Move{Action: trace.Requested, To: "requested", Role: "manager"}
	return entries(append([]trace.Move{first}, moves...)...)
}

func step(from, to string, attempt int) trace.Move {
	return trace.Move{From: from, To: to, Attempt: attempt}
}

func by(role string, m trace.Move) trace.Move {
	m.Role = role
	return m
}

func row(state string, version, attempts int) map[int64]trace.Row {
	return map[int64]trace.Row{7: {State: state, Version: version, Attempts: attempts}}
}

func TestTrueHistories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact  string
		moves []trace.Move
		rows  map[int64]trace.Row
	}{
		{"nothing at all", nil, nil},
		{"asked for", begun(), row("requested", 1, 0)},
		{"taken back", begun(by("manager", step("requested", "withdrawn", 0))), row("withdrawn", 2, 0)},
		{
			"sent and confirmed",
			begun(step("requested", "sending", 1), step("sending", "accepted", 1), by("terminal", step("accepted", "confirmed", 1))),
			row("confirmed", 4, 1),
		},
		{
			"not sent, sent again, in doubt, resolved, and canceled after all",
			begun(
				step("requested", "sending", 1), step("sending", "requested", 1), step("requested", "sending", 2), step("sending", "unknown", 2),
				by("supervisor", step("unknown", "notCanceled", 2)), by("terminal", step("notCanceled", "confirmed", 2)),
			),
			row("confirmed", 7, 2),
		},
		{"canceled by hand", entries(by("terminal", step("", "confirmed", 0))), row("confirmed", 1, 0)},
		{"canceled by hand, as a report says", entries(by("supervisor", step("", "confirmed", 0))), row("confirmed", 1, 0)},
		{
			"a negative faster than the answer",
			begun(step("requested", "sending", 1), by("terminal", step("sending", "rejected", 1))), row("rejected", 3, 1),
		},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			if found := trace.Check(tt.moves, tt.rows); len(found) > 0 {
				t.Errorf("Check() = %v, want nothing", found)
			}
		})
	}
}

func TestForgedHistories(t *testing.T) {
	t.Parallel()
	sent := step("requested", "sending", 1)
	tests := []struct {
		fact  string
		moves []trace.Move
		rows  map[int64]trace.Row
		rules []string
	}{
		{
			"confirmed is left", begun(by("supervisor", step("requested", "confirmed", 0)), step("confirmed", "unknown", 0)), row("unknown", 3, 0),
			[]string{trace.RuleConfirmed},
		},
		{
			"confirmed twice", begun(by("terminal", step("requested", "confirmed", 0)), by("terminal", step("confirmed", "confirmed", 0))),
			row("confirmed", 3, 0),
			[]string{trace.RuleConfirmed},
		},
		{
			"confirmed is left by an entry that hides it", begun(by("terminal", step("requested", "confirmed", 0)), sent), row("sending", 3, 1),
			[]string{trace.RuleConfirmed},
		},
		{"a move that does not exist", begun(sent, step("sending", "expired", 1)), row("expired", 3, 1), []string{trace.RuleTable}},
		{"a state that does not exist", begun(step("requested", "done", 0)), row("done", 2, 0), []string{trace.RuleTable}},
		{"a gap", begun(step("sending", "accepted", 0)), row("accepted", 2, 0), []string{trace.RuleContiguous}},
		{"an entry is missing in the middle", begun(sent, step("accepted", "unknown", 1)), row("unknown", 3, 1), []string{trace.RuleContiguous}},
		{"no beginning", entries(step("requested", "expired", 0)), row("expired", 1, 0), []string{trace.RuleFirstState}},
		{
			"it begins in the middle of life", entries(by("manager", trace.Move{Action: trace.Requested, To: "sending"})), row("sending", 1, 0),
			[]string{trace.RuleFirstState},
		},
		{
			"it begins twice", begun(by("manager", trace.Move{Action: trace.Requested, To: "requested"})), row("requested", 2, 0),
			[]string{trace.RuleFirstState},
		},
		{"attempt 1 twice", begun(sent, step("sending", "requested", 1), sent), row("sending", 4, 2), []string{trace.RuleAttempts}},
		{"the first attempt is number 2", begun(step("requested", "sending", 2)), row("sending", 2, 1), []string{trace.RuleAttempts}},
		{"a sending without an attempt", begun(step("requested", "sending", 0)), row("sending", 2, 1), []string{trace.RuleAttempts}},
		{"the negative of attempt 1 rejects attempt 2", begun(sent, step("sending", "requested", 1), step("requested", "sending", 2),
			by("terminal", step("sending", "rejected", 1))), row("rejected", 5, 2), []string{trace.RuleAttempts}},
		{
			"a negative without an attempt", begun(sent, by("terminal", step("sending", "rejected", 0))), row("rejected", 3, 1),
			[]string{trace.RuleAttempts},
		},
		{
			"an attempt that was never sent", begun(by("terminal", step("requested", "confirmed", 1))), row("confirmed", 2, 0),
			[]string{trace.RuleAttempts},
		},
		{"by hand, and yet an attempt", entries(by("terminal", step("", "confirmed", 1))), row("confirmed", 1, 0), []string{trace.RuleAttempts}},
		{"the row counts another attempt", begun(sent), row("sending", 2, 2), []string{trace.RuleAttempts}},
		{
			"a doubt is ended by a clock", begun(sent, step("sending", "unknown", 1), step("unknown", "notCanceled", 1)), row("notCanceled", 4, 1),
			[]string{trace.RuleActor},
		},
		{
			"a terminal asks", entries(by("terminal", trace.Move{Action: trace.Requested, To: "requested"})), row("requested", 1, 0),
			[]string{trace.RuleActor},
		},
		{"a person sends", begun(by("manager", sent)), row("sending", 2, 1), []string{trace.RuleActor}},
		{"a manager begins with the end", entries(by("manager", step("", "confirmed", 0))), row("confirmed", 1, 0), []string{trace.RuleActor}},
		{
			"an administrator confirms", begun(by("administrator", step("requested", "confirmed", 0))), row("confirmed", 2, 0),
			[]string{trace.RuleActor},
		},
		{"the row stands elsewhere", begun(sent), row("accepted", 2, 1), []string{trace.RuleFinal}},
		{"a move without an entry", begun(), row("requested", 2, 0), []string{trace.RuleVersion}},
		{"a case without a trail", nil, row("requested", 1, 0), []string{trace.RuleKnown}},
		{"a trail without a case", begun(), nil, []string{trace.RuleKnown}},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			found := trace.Check(tt.moves, tt.rows)
			var rules []string
			for _, v := range found {
				rules = append(rules, v.Rule)
				if v.Cancellation != 7 {
					t.Errorf("violation of case %d, want 7", v.Cancellation)
				}
			}
			slices.Sort(rules)
			slices.Sort(tt.rules)
			if !slices.Equal(rules, tt.rules) {
				t.Errorf("Check() = %v, want it to break %q", found, tt.rules)
			}
		})
	}
}

// Cancellations are checked one by one, and a case's own entries must be in order.
func TestEntriesOutOfOrder(t *testing.T) {
	t.Parallel()
	moves := begun(step("requested", "sending", 1))
	moves[1].Entry = 1
	other := begun()[0]
	other.Cancellation = 8
	rows := row("sending", 2, 1)
	rows[8] = trace.Row{State: "requested", Version: 1}
	found := trace.Check([]trace.Move{moves[0], other, moves[1]}, rows)
	if len(found) != 1 || found[0].Rule != trace.RuleContiguous || found[0].Cancellation != 7 {
		t.Errorf("Check() = %v, want the order of case 7 alone", found)
	}
}
