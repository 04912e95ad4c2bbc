package stats

import (
	"math"
	"testing"
)

func TestAtLeast(t *testing.T) {
	t.Parallel()
	// Values that can be computed manually: 0.01^(1/n) for n of n, and 1-0.99^(1/n)
	// for one.
	for _, tt := range []struct {
		k, n int64
		want float64
	}{
		{0, 10, 0},
		{1, 1, 0.01},
		{2, 2, 0.1},
		{1, 2, 1 - math.Sqrt(0.99)},
		{1, 10, 1 - math.Pow(0.99, 0.1)},
		{3, 3, math.Pow(0.01, 1.0/3)},
		{10, 10, math.Pow(0.01, 0.1)},
	} {
		if got := AtLeast(tt.k, tt.n); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("AtLeast(%d, %d) = %.10f, want %.10f", tt.k, tt.n, got, tt.want)
		}
	}
	// Check that the bound has the promised probability.
	for _, n := range []int64{2, 7, 50, 1000, 200_000} {
		for _, k := range []int64{1, n / 3, n - 1} {
			if k == 0 {
				continue
			}
			p := AtLeast(k, n)
			if got := Binomial(k, n, p); math.Abs(got-Doubt) > 1e-6 {
				t.Errorf("at the bound of %d of %d, so many come with a chance of %.8f, want %.2f", k, n, got, Doubt)
			}
			if p >= float64(k)/float64(n) {
				t.Errorf("AtLeast(%d, %d) = %.4f, want less than what was seen", k, n, p)
			}
		}
	}
}

// slow adds up the terms of the definition.
func slow(k, n int64, p float64) float64 {
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n) + 1)
		b, _ := math.Lgamma(float64(i) + 1)
		c, _ := math.Lgamma(float64(n-i) + 1)
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func TestBinomialIsTheSumOfItsTerms(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{1, 2, 9, 40, 300} {
		for k := int64(1); k <= n; k += 1 + n/7 {
			for _, p := range []float64{0.001, 0.1, 0.5, 0.97} {
				got, want := Binomial(k, n, p), slow(k, n, p)
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("Binomial(%d, %d, %g) = %g, want %g", k, n, p, got, want)
				}
			}
		}
	}
	for _, tt := range []struct{ got, want float64 }{
		{Binomial(0, 5, 0.2), 1},
		{Binomial(6, 5, 0.2), 0},
		{Binomial(1, 5, 0), 0},
		{Binomial(1, 5, 1), 1},
	} {
		if tt.got != tt.want {
			t.Errorf("at the edge = %g, want %g", tt.got, tt.want)
		}
	}
}

func TestPoisson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		k    int64
		mean float64
		want float64
	}{
		{0, 3, 1},
		{1, 0, 0},
		{1, 2, 1 - math.Exp(-2)},
		{3, 1, 1 - math.Exp(-1)*2.5},
		{3, 0.001, 1.665416e-10},
		{200, 100, 9.1e-19},
	} {
		if got := Poisson(tt.k, tt.mean); math.Abs(got-tt.want) > 1e-3*tt.want+1e-300 && !(tt.k == 200 && got < 1e-15 && got > 0) {
			t.Errorf("Poisson(%d, %g) = %g, want %g", tt.k, tt.mean, got, tt.want)
		}
	}
}

// Small counts must not come first in a list.
func TestFewProveNothing(t *testing.T) {
	t.Parallel()
	half := 1.0 / 9 // a week beside eight others
	for _, tt := range []struct {
		fact         string
		ours, others int64
		share        float64
		out          bool
	}{
		{"one of two", 1, 1, half, false},
		{"one and never before", 1, 0, half, false},
		{"two and never before", 2, 0, half, false},
		{"as ever", 5, 40, half, false},
		{"a little more than ever", 8, 40, half, false},
		{"three times as many", 15, 40, half, true},
		{"three times as many, of very few", 3, 8, half, false},
		{"ten and never before", 10, 0, half, true},
		{"fewer than ever", 1, 400, half, false},
		{"nothing to compare with", 10, 10, 0, false},
	} {
		c := Compare(tt.ours, tt.others, tt.share)
		if c.Out() != tt.out {
			t.Errorf("%s: Compare(%d, %d, %.2f) = %.2f times, at least %.2f, want out = %t",
				tt.fact, tt.ours, tt.others, tt.share, c.Times, c.AtLeast, tt.out)
		}
		if c.AtLeast > c.Times {
			t.Errorf("%s: at least %.2f of %.2f times", tt.fact, c.AtLeast, c.Times)
		}
	}
	few, many := Compare(3, 3, half), Compare(30, 30, half)
	if few.Times != many.Times || few.AtLeast >= many.AtLeast {
		t.Errorf("few: %+v, many: %+v, want the same ratio and a lower bound for few", few, many)
	}
	if c := Compare(15, 40, half); math.Abs(c.Times-3) > 1e-9 {
		t.Errorf("15 in a week beside 40 in eight = %.3f times, want 3", c.Times)
	}
}
