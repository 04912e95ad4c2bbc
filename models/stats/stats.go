// Package stats measures whether a count is out of the ordinary. It is correct for
// small counts too: one of two is half, and proves nothing. It knows nothing of
// sales.
package stats

import "math"

// Doubt is the significance alpha: the chance of calling something out of the
// ordinary that is not, one in a hundred for each comparison.
const Doubt = 0.01

// AtLeast returns the lower bound of a share of which k of n were seen, at
// confidence 1 - Doubt: the exact one-sided bound of Clopper and Pearson ("The use
// of confidence or fiducial limits", Biometrika 26, 1934). It is 0 for k = 0, and
// for small n far below k/n.
func AtLeast(k, n int64) float64 {
	if k <= 0 || n <= 0 {
		return 0
	}
	if k >= n {
		return math.Pow(Doubt, 1/float64(n))
	}
	// The share at which k or more are seen with probability Doubt.
	low, high := 0.0, float64(k)/float64(n)
	for range 60 {
		middle := (low + high) / 2
		if Binomial(k, n, middle) < Doubt {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Comparison is the ratio of a count to what it is compared with.
type Comparison struct {
	Times   float64 // as counted; +Inf when there was nothing to compare with
	AtLeast float64 // the lower bound, at confidence 1 - Doubt
}

// Out reports whether the count is higher than chance explains.
func (c Comparison) Out() bool { return c.AtLeast > 1 }

// Compare compares a count with that of others: share is the part of both together
// that ours would have without any difference, such as our part of the sales. Given
// the sum of both, ours is then binomial (Przyborowski and Wilenski, "Homogeneity of
// results in testing samples from Poisson series", Biometrika 31, 1940), so the
// bound includes the uncertainty about the others.
func Compare(ours, others int64, share float64) Comparison {
	if share <= 0 || share >= 1 || ours <= 0 {
		return Comparison{}
	}
	expected := share / (1 - share)
	c := Comparison{Times: math.Inf(1)}
	if others > 0 {
		c.Times = float64(ours) / float64(others) / expected
	}
	part := AtLeast(ours, ours+others)
	c.AtLeast = part / (1 - part) / expected
	return c
}

// Binomial returns the probability of k or more of n, each with probability p.
func Binomial(k, n int64, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n || p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return beta(float64(k), float64(n-k+1), p)
}

// Poisson returns the probability of k or more events with the given mean.
func Poisson(k int64, mean float64) float64 {
	if k <= 0 {
		return 1
	}
	if mean <= 0 {
		return 0
	}
	// The tail is added up from its largest term on: computed as 1 minus the rest, a
	// small tail would be lost in rounding.
	if float64(k) <= mean {
		less := 0.0
		for i := range k {
			less += math.Exp(term(i, mean))
		}
		return math.Max(1-less, 0)
	}
	tail, add := 0.0, math.Exp(term(k, mean))
	for i := k; add > tail*1e-12; i++ {
		tail += add
		add *= mean / float64(i+1)
	}
	return math.Min(tail, 1)
}

// term is the logarithm of the probability of exactly i.
func term(i int64, mean float64) float64 {
	factorial, _ := math.Lgamma(float64(i) + 1)
	return float64(i)*math.Log(mean) - mean - factorial
}

// beta is the regularised incomplete beta function I_x(a, b), by its continued
// fraction (DLMF 8.17.22) with Lentz's method.
func beta(a, b, x float64) float64 {
	if x > (a+1)/(a+b+2) {
		return 1 - beta(b, a, 1-x) // where the fraction converges fast
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1), tiny)
	fraction := d
	for m := 1.0; m <= 10_000; m++ {
		for _, numerator := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d = 1 / nonzero(1+numerator*d, tiny)
			c = nonzero(1+numerator/c, tiny)
			fraction *= c * d
		}
		if math.Abs(c*d-1) < 1e-13 {
			break
		}
	}
	return front * fraction
}

func nonzero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}
