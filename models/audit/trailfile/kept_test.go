package trailfile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// testTree is a trail that proves its entries.
type testTree struct {
	t      testing.TB
	keys   *Keys
	hashes []tlog.Hash // as tlog stores them
	leaves []Leaf
	size   int64
}

func newTestTree(t testing.TB, size int64, entry func(n int64) Leaf) *testTree {
	t.Helper()
	keys, err := ParseKeys(samplePrivate)
	if err != nil {
		t.Fatal(err)
	}
	tree := &testTree{t: t, keys: keys}
	for n := range size {
		tree.leaves = append(tree.leaves, entry(n))
		more, err := tlog.StoredHashes(n, tree.leaves[n].Bytes(), tree)
		if err != nil {
			t.Fatal(err)
		}
		tree.hashes, tree.size = append(tree.hashes, more...), n+1
	}
	return tree
}

// ReadHashes is tlog's.
func (w *testTree) ReadHashes(at []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(at))
	for i, x := range at {
		out[i] = w.hashes[x]
	}
	return out, nil
}

// note signs a checkpoint of the first size entries, that many seconds after one o'clock.
func (w *testTree) note(size int64) string {
	w.t.Helper()
	root, err := tlog.TreeHash(size, w)
	if err != nil {
		w.t.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC).Add(time.Duration(size) * time.Second)
	signed, err := Checkpoint{Origin: w.keys.Origin(), Size: size, Root: root, Time: at}.Sign(w.keys.Signers()...)
	if err != nil {
		w.t.Fatal(err)
	}
	return signed
}

// proof proves leaf n under the checkpoint of size entries, and that it continues others.
func (w *testTree) proof(n, size int64, kept ...int64) Proof {
	w.t.Helper()
	proof, err := tlog.ProveRecord(size, n, w)
	if err != nil {
		w.t.Fatal(err)
	}
	p := Proof{N: n, Leaf: w.leaves[n], Proof: proof, Checkpoint: w.note(size)}
	for _, k := range kept {
		p.Consistency = append(p.Consistency, w.consistency(min(k, size), max(k, size)))
	}
	return p
}

func (w *testTree) consistency(from, to int64) Consistency {
	w.t.Helper()
	proof, err := tlog.ProveTree(to, from, w)
	if err != nil {
		w.t.Fatal(err)
	}
	return Consistency{from, to, proof}
}

// TestAProofIsComparedWithKeptCheckpoints: a trail that was written anew under the same key
// proves its entries as well as the first one; a kept checkpoint tells them apart.
func TestAProofIsComparedWithKeptCheckpoints(t *testing.T) {
	t.Parallel()
	w := newTestTree(t, 40, testEntry)
	forked := newTestTree(t, 40, func(n int64) Leaf {
		e := testEntry(n)
		if n == 5 {
			e.Canonical = bytes.Replace(e.Canonical, []byte(`"success"`), []byte(`"failure"`), 1)
		}
		return e
	})
	damaged := w.proof(7, 30, 20)
	damaged.Consistency[0].Proof[0][3] ^= 1
	zero, err := Checkpoint{Origin: w.keys.Origin(), Root: (&Edge{}).Root(), Time: time.Now()}.Sign(w.keys.Signers()...)
	if err != nil {
		t.Fatal(err)
	}
	var month strings.Builder // every checkpoint of a month, as the directory has them
	for size := int64(1); size <= 40; size++ {
		month.WriteString(w.note(size) + "\n")
	}
	tests := []struct {
		fact          string
		proof         Proof
		kept          []string
		compared, not int
		state         State
		code          Code
		words         string
	}{
		{"no checkpoint", w.proof(7, 30), nil, 0, 0, Intact, "", ""},
		{"the same checkpoint", w.proof(7, 30), []string{w.note(30)}, 1, 0, Intact, "", ""},
		{"another past of the same size", w.proof(7, 30), []string{forked.note(30)}, 1, 0, Altered, OtherTrail, "30 entries"},
		{"the changed entry itself", forked.proof(5, 30), []string{w.note(30)}, 1, 0, Altered, OtherTrail, "n 0 to n 29"},
		{"an earlier one, with its proof", w.proof(7, 30, 20), []string{w.note(20)}, 1, 0, Intact, "", ""},
		{"an earlier one of another past", forked.proof(7, 30, 20), []string{w.note(20)}, 1, 0, Altered, BadConsistency, "20 and 30"},
		{"an earlier one, with a damaged proof", damaged, []string{w.note(20)}, 1, 0, Altered, BadConsistency, "20 and 30"},
		{"an earlier one, without a proof", w.proof(7, 30), []string{w.note(20)}, 0, 1, Undecided, NotComparable, "20 entries"},
		{"an earlier one, with the proof of another", w.proof(7, 30, 19), []string{w.note(20)}, 0, 1, Undecided, NotComparable, ""},
		{"a later one, with its proof", w.proof(7, 30, 40), []string{w.note(40)}, 1, 0, Intact, "", ""},
		{"a later one of another past", forked.proof(7, 30, 40), []string{w.note(40)}, 1, 0, Altered, BadConsistency, "30 and 40"},
		{"a later one, without a proof", w.proof(7, 30), []string{w.note(40)}, 0, 1, Undecided, NotComparable, "40 entries"},
		{"one of no entries", w.proof(7, 30), []string{zero}, 0, 1, Undecided, NotComparable, ""},
		{"what is no checkpoint", w.proof(7, 30), []string{"x"}, 0, 1, Undecided, NoCheckpoint, "checkpoint 1"},
		{
			"one that was changed", w.proof(7, 30),
			[]string{strings.Replace(w.note(30), "\ntime 2026", "\ntime 2025", 1)},
			0, 1, Undecided, NoCheckpoint, "",
		},
		{"one of two", w.proof(7, 30, 20), []string{w.note(20), w.note(21)}, 1, 1, Intact, "", ""},
		{"every one of the month", w.proof(7, 30, 20), Notes(month.String()), 2, 38, Intact, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			file, err := tt.proof.File()
			if err != nil {
				t.Fatal(err)
			}
			_, v := VerifyProof(bytes.NewReader(file), Check{Keys: sampleVerifiers(t), Checkpoints: tt.kept})
			if v.State != tt.state || v.Compared != tt.compared || v.NotCompared != tt.not {
				t.Errorf("VerifyProof = %s with %d compared and %d not, %v; want %s, %d, %d", v.State, v.Compared, v.NotCompared, v.Findings,
					tt.state, tt.compared, tt.not)
			}
			if tt.code != "" && (len(v.Findings) == 0 || v.Findings[0].Code != tt.code || !strings.Contains(v.Findings[0].String(), tt.words)) {
				t.Errorf("VerifyProof found %v, want %s: %s", v.Findings, tt.code, tt.words)
			}
			if len(tt.kept) > 0 && v.Compared == 0 && v.State == Intact {
				t.Error("nothing was compared, and it is called intact")
			}
			out := python(t, map[State]int{Intact: 0, Altered: 1, Undecided: 2}[tt.state], file, samplePublic, tt.kept...)
			if want := fmt.Sprintf("%d checkpoints compared", tt.compared); tt.state == Intact && !strings.Contains(out, want) {
				t.Errorf("verify.py says %q, want %s", out, want)
			}
		})
	}
}

// TestAProofOfConsistencyIsGivenApart: an old proof, and an export, are compared by what the
// API answers.
func TestAProofOfConsistencyIsGivenApart(t *testing.T) {
	t.Parallel()
	w := newTestTree(t, 40, testEntry)
	apart, err := w.consistency(20, 40).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadConsistency(bytes.NewReader(append(apart, '\n')))
	if err != nil {
		t.Fatal(err)
	}
	check := Check{Keys: sampleVerifiers(t), Checkpoints: []string{w.note(40)}, Consistency: []Consistency{c}}
	file, _ := exportOf(t, 20, testEntry, nil)
	if v := Verify(bytes.NewReader(file), check); v.State != Intact || v.Compared != 1 {
		t.Errorf("Verify of an older export = %s with %d compared, %v", v.State, v.Compared, v.Findings)
	}
	python(t, 0, file, samplePublic, w.note(40), string(apart))
	// 19 ends in the middle of a subtree of what was left out.
	c = w.consistency(19, 40)
	if apart, err = c.MarshalJSON(); err != nil {
		t.Fatal(err)
	}
	check.Checkpoints, check.Consistency = []string{w.note(19)}, []Consistency{c}
	part, _ := exportOf(t, 40, testEntry, odd)
	if v := Verify(bytes.NewReader(part), check); v.State != Intact || v.Compared != 1 {
		t.Errorf("Verify of a part = %s with %d compared, %v", v.State, v.Compared, v.Findings)
	}
	python(t, 0, part, samplePublic, w.note(19), string(apart))
	check.Consistency = nil
	if v := Verify(bytes.NewReader(part), check); v.State != Undecided || v.Compared != 0 || v.Findings[0].Code != NotComparable {
		t.Errorf("Verify of a part without it = %s with %d compared, %v", v.State, v.Compared, v.Findings)
	}
	for _, text := range []string{
		"", "{}", `{"from":0,"to":1,"proof":[]}`, `{"from":2,"to":1,"proof":[]}`, `{"from":1,"to":2,"proof":["x"]}`,
	} {
		if _, err := ReadConsistency(strings.NewReader(text)); err == nil {
			t.Errorf("ReadConsistency took %q", text)
		}
	}
}
