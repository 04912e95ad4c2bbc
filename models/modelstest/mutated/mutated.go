// Package mutated gives fuzz tests more to begin with: inputs that are nearly right. So
// each ordinary run of the tests sends some thousand of them, always the same. It knows
// nothing of sales.
package mutated

import (
	"math/rand/v2"
	"testing"
)

// Inputs is how many are made of all seeds together.
const Inputs = 2000

// marks are what readers look at.
const marks = "\x00\"\\{}[],:;=\n\r\t '0-9e+.<>&/%\xff\xef\x80\u00e9"

// Add adds the seeds, and inputs that come of them by a few changes: bytes replaced, put
// in, left out and repeated, the end cut off, two of them joined.
func Add(f *testing.F, seeds [][]byte, add func([]byte)) {
	f.Helper()
	r := rand.New(rand.NewPCG(20, 0))
	for _, s := range seeds {
		add(s)
	}
	for range Inputs {
		input := append([]byte(nil), seeds[r.IntN(len(seeds))]...)
		for range 1 + r.IntN(4) {
			input = change(r, input, seeds)
		}
		add(input)
	}
}

func change(r *rand.Rand, input []byte, seeds [][]byte) []byte {
	at := r.IntN(len(input) + 1)
	until := min(at+r.IntN(8), len(input))
	head, middle, tail := input[:at:at], input[at:until:until], input[until:]
	switch r.IntN(6) {
	case 0: // replaced
		return append(append(head, marks[r.IntN(len(marks))]), tail...)
	case 1: // put in
		return append(append(head, marks[r.IntN(len(marks))]), input[at:]...)
	case 2: // left out
		return append(head, tail...)
	case 3: // repeated
		return append(append(append(head, middle...), middle...), input[at:]...)
	case 4: // cut off
		return head
	}
	other := seeds[r.IntN(len(seeds))]
	return append(head, other[r.IntN(len(other)+1):]...)
}
