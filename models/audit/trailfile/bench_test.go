package trailfile

import (
	"bytes"
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
