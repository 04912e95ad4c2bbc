package models_test

import (
	"slices"
	"testing"

	"veinte/models"
)

// TestTheLifeOfACase is the table of moves, written manually: x is a move.
func TestTheLifeOfACase(t *testing.T) {
	t.Parallel()
	to := []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Accepted,
		models.Rejected, models.Unknown, models.NotCanceled, models.Confirmed,
	}
	life := []struct {
		from  models.State
		moves string
		open  bool
	}{
		//                   req wd exp snd acc rej unk not con
		{models.Requested, "  .  x  x   x   .   .   x   .   x  ", true},
		{models.Withdrawn, "  .  .  .   .   .   .   .   .   x  ", false},
		{models.Expired, "    .  .  .   .   .   .   .   .   x  ", false},
		{models.Sending, "    x  .  .   .   x   x   x   .   x  ", true},
		{models.Accepted, "   .  .  .   .   .   x   x   .   x  ", true},
		{models.Rejected, "   .  .  .   .   .   .   .   .   x  ", false},
		{models.Unknown, "    .  .  .   .   .   x   .   x   x  ", true},
		{models.NotCanceled, ".  .  .   .   .   .   .   .   x  ", false},
		{models.Confirmed, "  .  .  .   .   .   .   .   .   .  ", false},
	}
	pairs := 0
	for _, row := range life {
		cells := slices.DeleteFunc([]rune(row.moves), func(r rune) bool { return r == ' ' })
		for i, cell := range cells {
			pairs++
			if got, want := row.from.CanMove(to[i]), cell == 'x'; got != want {
				t.Errorf("%s.CanMove(%s) = %t, want %t", row.from, to[i], got, want)
			}
		}
		if got := row.from.Open(); got != row.open {
			t.Errorf("%s.Open() = %t, want %t", row.from, got, row.open)
		}
	}
	if pairs != 81 {
		t.Errorf("pairs looked at = %d, want 81", pairs)
	}
	for _, s := range append(to, "", "nothing") {
		if models.State("").CanMove(s) || s.CanMove("") || s.CanMove("nothing") {
			t.Errorf("a state that is none moves to or from %q", s)
		}
	}
}
