package trace

import (
	"fmt"
	"slices"
)

// Check checks the moves of any number of cancellations, each one's in the order of
// commits, and compares their ends with the rows. It returns the violations, by
// cancellation and entry.
func Check(moves []Move, rows map[int64]Row) []Violation {
	histories := map[int64]*history{}
	var order []int64
	for _, m := range moves {
		h := histories[m.Cancellation]
		if h == nil {
			h = &history{id: m.Cancellation}
			histories[m.Cancellation] = h
			order = append(order, m.Cancellation)
		}
		h.read(m)
	}
	for id := range rows {
		if histories[id] == nil {
			histories[id] = &history{id: id}
			order = append(order, id)
		}
	}
	slices.Sort(order)
	var found []Violation
	for _, id := range order {
		h := histories[id]
		row, ok := rows[id]
		h.end(row, ok)
		found = append(found, h.found...)
	}
	return found
}

// history is one cancellation as far as it was read.
type history struct {
	id      int64
	state   string // "" before it begins
	entries int
	sent    int // moves to sending so far
	last    int64
	found   []Violation
}

func (h *history) wrong(entry int64, rule, format string, args ...any) {
	h.found = append(h.found, Violation{h.id, entry, rule, fmt.Sprintf(format, args...)})
}

// read reads the next entry. After a violation it continues from the entry's state,
// so that one mistake is reported once.
func (h *history) read(m Move) {
	h.entries++
	if m.Entry <= h.last {
		h.wrong(m.Entry, RuleContiguous, "it comes after entry %d", h.last)
	}
	h.last = m.Entry
	if h.entries == 1 {
		h.begin(m)
	} else {
		h.step(m)
	}
	if !mayMake(m.Role, m.From, m.To) {
		h.wrong(m.Entry, RuleActor, "%q moves it from %q to %q", m.Role, m.From, m.To)
	}
	h.state = m.To
}

// begin checks the first entry: requested by a person, or canceled on the terminal.
func (h *history) begin(m Move) {
	asked := m.Action == Requested && m.To == "requested"
	byHand := m.Action == Moved && m.To == "confirmed"
	if m.From != "" || !asked && !byHand {
		h.wrong(m.Entry, RuleFirstState, "its first entry is %s from %q to %q", m.Action, m.From, m.To)
	}
	if m.Attempt != 0 {
		h.wrong(m.Entry, RuleAttempts, "it begins with attempt %d", m.Attempt)
	}
}

func (h *history) step(m Move) {
	switch {
	case m.Action != Moved || m.From == "":
		h.wrong(m.Entry, RuleFirstState, "%s from %q to %q in the middle of it", m.Action, m.From, m.To)
	case h.state == "confirmed":
		h.wrong(m.Entry, RuleConfirmed, "moved to %q", m.To)
	case m.From != h.state:
		h.wrong(m.Entry, RuleContiguous, "from %q, but it was %q", m.From, h.state)
	}
	if m.From != "confirmed" && m.From != "" && !CanMove(m.From, m.To) {
		h.wrong(m.Entry, RuleTable, "from %q to %q", m.From, m.To)
	}
	h.attempts(m)
}

// attempts checks the attempt numbers. Each sending is the next attempt. Later moves
// name that attempt or none; only the current one can be rejected or go back to
// requested.
func (h *history) attempts(m Move) {
	if m.To == "sending" {
		h.sent++
		if m.Attempt != h.sent {
			h.wrong(m.Entry, RuleAttempts, "sent as attempt %d, want %d", m.Attempt, h.sent)
		}
		return
	}
	if m.Attempt > h.sent {
		h.wrong(m.Entry, RuleAttempts, "it names attempt %d of %d", m.Attempt, h.sent)
	}
	byAttempt := m.From == "sending" && m.To != "confirmed" || m.To == "rejected"
	if byAttempt && m.Attempt != h.sent {
		h.wrong(m.Entry, RuleAttempts, "to %q by attempt %d, but attempt %d was under way", m.To, m.Attempt, h.sent)
	}
}

// end compares the history with the cancellation's row.
func (h *history) end(row Row, ok bool) {
	switch {
	case !ok:
		h.wrong(0, RuleKnown, "%d entries and no row", h.entries)
		return
	case h.entries == 0:
		h.wrong(0, RuleKnown, "%s, and not one entry", row.State)
		return
	}
	if row.State != h.state {
		h.wrong(0, RuleFinal, "the row says %q, the trail %q", row.State, h.state)
	}
	if row.Version != h.entries {
		h.wrong(0, RuleVersion, "version %d, %d entries", row.Version, h.entries)
	}
	if row.Attempts != h.sent {
		h.wrong(0, RuleAttempts, "the row counts %d, the trail %d", row.Attempts, h.sent)
	}
}
