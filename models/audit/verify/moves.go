package verify

import (
	"sync"
	"time"

	"veinte/models/audit/trailfile"
)

// toldMove is what an entry says of a cancellation's life. Of no cancellation, it is a
// gap: entries that are archived, or not what they were.
type toldMove struct {
	trailfile.Move
	entry int64
}

// moveOrder judges the moves of each cancellation, as FORMAT.md defines. The entries of
// one are written one after the other, so their numbers have the order of their moves;
// where the leaves have another, that is a finding.
type moveOrder struct {
	mu      sync.Mutex
	judge   trailfile.Moves
	next    int                // the piece whose turn it is
	waiting map[int][]toldMove // pieces that were read before their turn: a few
}

// judgeMoves judges the moves of a piece, after those of the pieces before it.
func (t *trailRun) judgeMoves(piece int, moves []toldMove) {
	o := &t.moves
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[piece] = moves
	for {
		moves, there := o.waiting[o.next]
		if !there {
			return
		}
		delete(o.waiting, o.next)
		o.next++
		for _, m := range moves {
			t.judgeMove(m)
		}
	}
}

func (t *trailRun) judgeMove(m toldMove) {
	if m.Cancellation == 0 {
		t.moves.judge.Gap()
		return
	}
	wrong := t.moves.judge.Judge(m.Move)
	if wrong == "" {
		return
	}
	f := Finding{Code: FindMove, EntryID: m.entry, N: m.N, Detail: wrong}
	if m.At != 0 {
		f.At = time.UnixMicro(m.At).UTC()
	}
	t.found(m.N, f)
}

// move takes the move of a sealed entry that was compared with its columns.
func (w *entryRun) move(e *entryRow, l *leafRow, asSealed bool) {
	if !asSealed {
		w.gap()
		return
	}
	if m, ok := trailfile.MoveOf(w.fields.fields); ok {
		m.N = l.n
		w.moves = append(w.moves, toldMove{Move: m, entry: e.id})
	}
}

// gap notes that an entry is not there, or is not what it was.
func (w *entryRun) gap() {
	if n := len(w.moves); n == 0 || w.moves[n-1].Cancellation != 0 {
		w.moves = append(w.moves, toldMove{})
	}
}
