package verify

import (
	"testing"

	"veinte/models/audit/trailfile"
)

// TestPiecesAreJudgedInTheirOrder: pieces of the trail are read on every core, and a
// cancellation may have moves in several.
func TestPiecesAreJudgedInTheirOrder(t *testing.T) {
	t.Parallel()
	move := func(n int64, sequence int32, from, to uint32) toldMove {
		return toldMove{trailfile.Move{Cancellation: 7, Sequence: sequence, From: from, To: to, N: n}, n + 1}
	}
	pieces := [][]toldMove{{move(0, 1, 0, 4)}, nil, {move(1, 2, 4, 5)}, {{}, move(3, 4, 6, 8)}, {move(4, 5, 9, 6)}}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {1, 0, 4, 2, 3}} {
		run := &trailRun{v: &Verdict{}, moves: moveOrder{waiting: map[int][]toldMove{}}}
		for _, i := range order {
			run.judgeMoves(i, pieces[i])
		}
		if f := run.v.Findings; len(f) != 1 || f[0].Code != FindMove || f[0].N != 4 || f[0].EntryID != 5 {
			t.Errorf("pieces read as %v: %+v, want one finding, of n 4", order, f)
		}
	}
}
