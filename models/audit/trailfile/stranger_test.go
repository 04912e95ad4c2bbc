package trailfile

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestAWitnessThatForkedIsNamed: one that signed two pasts which contradict each other, and
// nobody else; a larger past beside a smaller one that was right is no contradiction.
func TestAWitnessThatForkedIsNamed(t *testing.T) {
	t.Parallel()
	c := &cases{t: t}
	c.stamps.t = t
	c.forks()
	for _, k := range c.all {
		check := Check{Keys: sampleVerifiers(t)}
		must(t, k.asks(&check, nil))
		for _, w := range k.with {
			check.Checkpoints = append(check.Checkpoints, Notes(string(w))...)
		}
		v := Verify(bytes.NewReader(k.file), check)
		got := slices.ContainsFunc(v.Findings, func(f Finding) bool {
			return f.Code == WitnessForked && strings.HasPrefix(f.Detail, "contadora.example ")
		})
		named := k.Name != "fork-kept-by-the-witness" && k.Name != "fork-of-a-smaller-one-that-was-right" && k.Name != "fork-not-of-this-witness"
		if got != named || v.State != Altered {
			t.Errorf("%s: %s, witness named %t, want %t: %v", k.Name, v.State, got, named, v.Findings)
		}
	}
}

// TestWhoVouchesIsSaid: the word over most entries of each stranger, and of those the
// earliest; how many witnesses signed; from where on nobody has.
func TestWhoVouchesIsSaid(t *testing.T) {
	t.Parallel()
	c := &cases{t: t}
	c.stamps.t = t
	w := newTestTree(t, caseSize, caseEntry)
	file := c.bringing(c.edited(),
		c.cosigned(w.note(2), sealedAt, firstCosigner),
		c.cosigned(c.cosigned(w.note(4), sealedAt.Add(60e9), firstCosigner), sealedAt, firstCosigner, secondCosigner),
		c.stamped(w.note(3), "right"))
	k := (&conformance{}).trustingWitnesses(2, firstWitness, secondWitness, thirdWitness).trustingRoots(c, "right")
	check := Check{Keys: sampleVerifiers(t)}
	must(t, k.asks(&check, k.roots))
	v := Verify(bytes.NewReader(file), check)
	s := v.Strangers
	if v.State != Intact || s.To != 4 || s.Present != 2 || v.Attested != 3 || v.Compared != 0 || s.Unasked != 0 {
		t.Fatalf("Verify = %+v", v)
	}
	if len(s.Vouches) != 3 || s.Vouches[0].Size != 4 || !s.Vouches[0].Time.Equal(sealedAt) || s.Vouches[2].Size != 3 ||
		s.Vouches[2].Authority != "Sellos de prueba" {
		t.Errorf("those who vouch are %+v", s.Vouches)
	}
	if !slices.ContainsFunc(v.Remarks, func(f Finding) bool { return f.Code == NotVouched && f.Detail == "from n 4" }) {
		t.Errorf("nothing says from where on nobody vouches: %v", v.Remarks)
	}
	v = Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t)})
	if v.State != Intact || v.Strangers.Unasked != 5 || v.Strangers.To != 0 {
		t.Errorf("Verify without wishes = %+v", v)
	}
}
