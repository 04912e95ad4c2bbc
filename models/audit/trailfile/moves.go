package trailfile

import (
	"fmt"
	"math"
	"strconv"

	"veinte/models/audit/trailfile/jsontext"
)

// Move is what an entry says of the life of a cancellation: it opened it, or moved it
// from a state to another.
type Move struct {
	Cancellation int64
	Sequence     int32  // 1 opens the cancellation; 0 in entries of releases that did not number moves
	From, To     uint32 // the states; 0 is none
	At           int64  // microseconds since 1970; 0 when it cannot be read
	N            int64  // leaf
}

// confirmed is the state that no cancellation leaves.
var confirmed = stateOf([]byte(`"confirmed"`))

// stateOf is a number for the name of a state, as JSON has it: its FNV-1a hash; 0 for no
// name. A trail has millions of moves, and a release may have states that this one does
// not know.
func stateOf(name []byte) uint32 {
	if len(name) < 3 || name[0] != '"' {
		return 0
	}
	h := uint32(2166136261)
	for _, c := range unescaped(name) {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// MoveOf is the move that an entry tells, by its fields; false when it tells none.
func MoveOf(fields []Field) (m Move, ok bool) {
	var at, before, after []byte
	for _, f := range fields {
		switch string(f.Key) {
		case "at":
			at = unescaped(f.Value)
		case "action":
			if a := string(unescaped(f.Value)); a != `"cancellation.requested"` && a != `"cancellation.moved"` {
				return Move{}, false
			}
			ok = true
		case "cancellationId":
			m.Cancellation, _ = strconv.ParseInt(string(f.Value), 10, 64)
		case "before":
			before = f.Value
		case "after":
			after = f.Value
		}
	}
	if !ok || m.Cancellation <= 0 {
		return Move{}, false
	}
	m.At, _ = instantOf(at)
	m.From, _ = stateIn(before)
	m.To, m.Sequence = stateIn(after)
	return m, true
}

// stateIn reads state and sequence of an object that is well-formed.
func stateIn(object []byte) (state uint32, sequence int32) {
	if len(object) == 0 || object[0] != '{' {
		return 0, 0
	}
	rest, more := jsontext.Blanks(object[1:]), true
	for more {
		var f Field
		if f.Key, f.Value, rest, more = jsontext.Member(rest); f.Value == nil {
			break
		}
		switch name, _ := textOf(f.Key); name {
		case "state":
			state = stateOf(f.Value)
		case "sequence":
			n, err := strconv.ParseInt(string(f.Value), 10, 32)
			if err == nil && n > 0 {
				sequence = int32(n)
			}
		}
	}
	return state, sequence
}

// Moves judges whether the moves of each cancellation follow one another, as FORMAT.md
// defines. It is given the moves of a trail, those of a cancellation in their order.
//
// It remembers some 70 bytes of a cancellation (BenchmarkMoves measures them), for as
// long as it may still move: one that was rejected, too, may be confirmed months later.
// Confirmed is final, so two bits are left of those.
type Moves struct {
	last map[int64]lastMove
	over map[int64]uint64 // of 32 cancellations: see confirmedBit and numberedBit
	gaps uint32           // so far
}

// The bits of a cancellation that is confirmed, and of one whose moves were numbered.
const (
	confirmedBit = 1
	numberedBit  = 2
)

// lastMove is the last move of a cancellation.
type lastMove struct {
	n, at int64
	to    uint32
	gaps  uint32 // that were before it
	// sequence is its number, as it says or follows from the moves before it; 0: not known.
	sequence int32
}

// Gap says that entries are not there, or are not what was sealed: there may have been
// moves among them.
func (s *Moves) Gap() {
	if s.gaps < math.MaxUint32 {
		s.gaps++
	}
}

// Judge returns what is wrong with the next move; "" when nothing is.
func (s *Moves) Judge(m Move) string {
	if s.last == nil {
		s.last, s.over = map[int64]lastMove{}, map[int64]uint64{}
	}
	group, shift := m.Cancellation>>5, m.Cancellation&31*2
	switch over := s.over[group] >> shift & 3; {
	case over == confirmedBit && m.Sequence == 0:
		return "" // an older release could seal two moves in each other's place
	case over != 0:
		return fmt.Sprintf("cancellation %d was confirmed before, and that is final", m.Cancellation)
	}
	before, known := s.last[m.Cancellation]
	wrong := s.compare(m, before, known)
	next := lastMove{n: m.N, at: m.At, to: m.To, gaps: s.gaps, sequence: m.Sequence}
	if m.Sequence == 0 && before.sequence > 0 && before.gaps == s.gaps {
		next.sequence = before.sequence + 1 // of an older server beside a newer one
	}
	if m.To != confirmed {
		s.last[m.Cancellation] = next
		return wrong
	}
	delete(s.last, m.Cancellation)
	s.over[group] |= confirmedBit << shift
	if next.sequence > 0 {
		s.over[group] |= numberedBit << shift
	}
	return wrong
}

// compare compares a move with the last one of its cancellation.
func (s *Moves) compare(m Move, before lastMove, known bool) string {
	whole := before.gaps == s.gaps // nothing is left out between the two
	switch {
	case m.Sequence == 0:
		if before.sequence > 0 && whole && m.From != before.to {
			return fmt.Sprintf("it does not begin in the state in which n %d left cancellation %d", before.n, m.Cancellation)
		}
	case !known && whole && m.Sequence > 1:
		return fmt.Sprintf("it is move %d of cancellation %d, and none is before it", m.Sequence, m.Cancellation)
	case m.Sequence == 1 && (known || m.From != 0):
		return fmt.Sprintf("it opens cancellation %d a second time", m.Cancellation)
	case before.sequence == 0:
		// Nothing before it, or of an older release, which did not number them.
	case m.Sequence <= before.sequence || whole && m.Sequence != before.sequence+1:
		return fmt.Sprintf("it is move %d of cancellation %d, behind move %d in n %d", m.Sequence, m.Cancellation, before.sequence, before.n)
	case m.Sequence == before.sequence+1 && m.From != before.to:
		return fmt.Sprintf("it does not begin in the state in which n %d left cancellation %d", before.n, m.Cancellation)
	case m.N < before.n:
		return fmt.Sprintf("it is sealed before n %d, which it follows", before.n)
	case m.At != 0 && m.At < before.at: // before.at is 0 when it cannot be read
		return fmt.Sprintf("its time is before that of n %d, which it follows", before.n)
	}
	return ""
}
