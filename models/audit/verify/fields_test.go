package verify

import (
	"math/rand/v2"
	"testing"
)

// TestTimesAreWrittenAsEntriesHaveThem, whatever the time before was.
func TestTimesAreWrittenAsEntriesHaveThem(t *testing.T) {
	t.Parallel()
	var c fieldCheck
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 20_000 {
		at := r.Int64N(1<<50) - 1<<49
		switch {
		case i%4 > 0 && c.day != nil: // of the same day, or just beside it
			at = c.dayBegan + r.Int64N(90_000_000_000) - 1_000_000_000
		case i%100 == 0:
			at = at / 86_400_000_000 * 86_400_000_000
		}
		got, want := string(c.instant(at)), fromPostgres(at).Format(`"2006-01-02T15:04:05.000000Z"`)
		if got != want {
			t.Fatalf("instant(%d) = %s, want %s (seed %d)", at, got, want, seed)
		}
	}
}
