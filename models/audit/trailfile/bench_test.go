package trailfile

import (
	"bytes"
	"runtime"
	"testing"
)

// BenchmarkVerify verifies a complete export of 200,000 entries; the requirement is
// a million in five seconds.
func BenchmarkVerify(b *testing.B) {
	const size = 200_000
	file, _ := testExport(b, size, nil)
	check := Check{Keys: sampleVerifiers(b)}
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if v := Verify(bytes.NewReader(file), check); v.State != Intact {
			b.Fatal(v.Findings)
		}
	}
	b.ReportMetric(float64(b.N)*size/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkMoves judges three moves of each of a million cancellations, of which every
// tenth is confirmed by a fourth, and measures what is remembered of them. (The others are
// doubts that stay open: far more than any trail has.)
func BenchmarkMoves(b *testing.B) {
	const size = 1_000_000
	states := []uint32{0, stateOf([]byte(`"requested"`)), stateOf([]byte(`"sending"`)), stateOf([]byte(`"unknown"`)), confirmed}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before, s, n := heap(), &Moves{}, int64(0)
		for c := int64(1); c <= size; c++ {
			for i := int32(1); i <= 3 || i == 4 && c%10 == 0; i++ {
				if wrong := s.Judge(Move{c, i, states[i-1], states[i], n, n}); wrong != "" {
					b.Fatal(wrong)
				}
				n++
			}
		}
		b.ReportMetric(float64(heap()-before)/size, "B/cancellation")
		runtime.KeepAlive(s)
	}
}
