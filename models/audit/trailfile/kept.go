package trailfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/strangers"
)

// Consistency proves that the tree of the first From entries is the beginning of that of
// the first To. It is what the API answers, and what a proof's file may hold.
type Consistency struct {
	From  int64
	To    int64
	Proof tlog.TreeProof
}

// consistencyFile is a proof of consistency as a file has it.
type consistencyFile struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	Proof []string `json:"proof"` // base64
}

// MarshalJSON writes the proof as FORMAT.md has it.
func (c Consistency) MarshalJSON() ([]byte, error) {
	return json.Marshal(consistencyFile{c.From, c.To, hashTexts(c.Proof)})
}

// UnmarshalJSON reads a proof of consistency; it does not judge it.
func (c *Consistency) UnmarshalJSON(text []byte) error {
	o, err := readObject(text, "from", "to", "proof")
	if err != nil {
		return err
	}
	if c.From, err = o.number("from"); err == nil {
		c.To, err = o.number("to")
	}
	if err == nil {
		c.Proof, err = o.hashes("proof")
	}
	if err == nil && (c.From < 1 || c.To < c.From || c.To > MaxLeaves) {
		err = fmt.Errorf("consistency of %d and %d entries", c.From, c.To)
	}
	return err
}

// maxConsistency is how long a file with a proof of consistency may be.
const maxConsistency = 64 << 10

// ReadConsistency reads a file with one proof of consistency.
func ReadConsistency(in io.Reader) (c Consistency, err error) {
	text, err := io.ReadAll(io.LimitReader(in, maxConsistency+1))
	if err == nil && len(text) > maxConsistency {
		err = errors.New("too long")
	}
	if err == nil {
		err = c.UnmarshalJSON(bytes.TrimSpace(text))
	}
	if err != nil {
		return c, fmt.Errorf("no proof of consistency: %w", err)
	}
	return c, nil
}

// keptCheckpoints compares a file with the checkpoints that were stored elsewhere, and with
// those that it brings along because strangers have signed them.
type keptCheckpoints struct {
	v       *Verdict
	own     Checkpoint // the file's
	proofs  []Consistency
	given   int
	rest    []keptOne // the smallest first; those that are not compared yet
	right   int64     // entries of the largest of them that was right
	not     []Finding // why others could not be compared
	brought []Finding // the same of those that the file brings
	judge   *strangers.Judge
}

// keptOne is a checkpoint to compare with.
type keptOne struct {
	Checkpoint
	signed  string
	brought bool // by the file itself; nobody relies on it
}

// newKept is for a file with that checkpoint, which is signed by a key that is trusted when
// opened.
func newKept(v *Verdict, c Check, signed string, opened bool) keptCheckpoints {
	k := keptCheckpoints{v: v, own: v.Checkpoint, judge: strangers.NewJudge(c.Wishes, v.Checkpoint.Origin)}
	if opened {
		k.judge.Compared(strangers.Note{Origin: k.own.Origin, Size: k.own.Size, Time: k.own.Time, Signed: signed}, true)
	}
	return k
}

// open opens the checkpoints that were given, and those that the file brings. What cannot be
// opened, or not be compared, accuses nobody; only where nothing of what was given was
// compared does it leave the verdict open.
func (k *keptCheckpoints) open(c Check, brought []string, useful func(size int64) bool) {
	k.given = len(c.Checkpoints)
	k.proofs = append(k.proofs, c.Consistency...)
	for i, text := range c.Checkpoints {
		k.openOne(c, fmt.Sprintf("checkpoint %d of those given", i+1), keptOne{signed: text}, useful)
	}
	for i, text := range brought {
		k.openOne(c, fmt.Sprintf("checkpoint %d of those in the file", i+1), keptOne{signed: text, brought: true}, useful)
	}
	slices.SortStableFunc(k.rest, func(a, b keptOne) int { return cmp.Compare(a.Size, b.Size) })
}

func (k *keptCheckpoints) openOne(c Check, which string, one keptOne, useful func(size int64) bool) {
	if claim, err := Unverified(one.signed); err == nil && !useful(claim.Size) {
		k.cannot(one, NotComparable, fmt.Sprintf("%s has %d entries, the file's %d, and no proof of consistency of the two was given",
			which, claim.Size, k.own.Size))
		return
	}
	kept, err := Open(one.signed, c.Keys)
	switch {
	case errors.Is(err, ErrForeignKey):
		k.cannot(one, ForeignKey, which+": "+err.Error())
	case errors.Is(err, ErrUnknownKey):
		k.cannot(one, UnknownKey, which+": "+err.Error())
	case err != nil:
		k.cannot(one, NoCheckpoint, which+": "+err.Error())
	case !notes.SameTrail(kept.Origin, k.own.Origin):
		k.cannot(one, ForeignKey, fmt.Sprintf("%s is of another trail, %s", which, kept.Origin))
	case kept.Size == 0:
		k.cannot(one, NotComparable, which+" is of no entries, and so of every trail")
	default:
		one.Checkpoint = kept
		k.rest = append(k.rest, one)
	}
}

func (k *keptCheckpoints) cannot(one keptOne, code Code, detail string) {
	to := &k.not
	if one.brought {
		to = &k.brought
	}
	*to = append(*to, Finding{Code: code, N: -1, Detail: detail})
}

// reach compares those of the size of the tree, and by proofs those that ended in a gap.
func (k *keptCheckpoints) reach(tree *Edge) {
	for len(k.rest) > 0 && k.rest[0].Size <= tree.Size {
		c := k.rest[0]
		k.rest = k.rest[1:]
		switch {
		case c.Size == tree.Size:
			k.compared(c, c.Root == tree.Root())
		case !k.byProof(c):
			k.cannot(c, NotComparable, fmt.Sprintf("the one of %d entries ends among entries that were left out; verify a complete export, "+
				"or give a proof of consistency from %d to %d", c.Size, c.Size, k.own.Size))
		}
	}
}

// count counts a checkpoint that was compared, and passes what strangers signed below it.
func (k *keptCheckpoints) count(c keptOne, same bool) {
	if c.brought {
		k.v.Attested++
	} else {
		k.v.Compared++
	}
	if same {
		k.right = max(k.right, min(c.Size, k.own.Size))
	}
	k.judge.Compared(strangers.Note{Origin: c.Origin, Size: c.Size, Time: c.Time, Signed: c.signed}, same)
}

// compared counts a checkpoint that was compared, and says if it tells of another past.
func (k *keptCheckpoints) compared(c keptOne, same bool) {
	k.count(c, same)
	if !same {
		k.differs(c, OtherTrail, fmt.Sprintf("that of %d entries, %s: something from n %d to n %d is not what it was",
			c.Size, c.Time.Format(timeFormat), k.right, c.Size-1))
	}
}

// differs says that a checkpoint tells of another past than the file's; when that is of
// another beginning of the trail, what was lost between the two is.
func (k *keptCheckpoints) differs(c keptOne, code Code, detail string) {
	if c.Origin != k.own.Origin {
		code = Lost
	}
	if c.brought && code.undecided() {
		k.cannot(c, code, detail)
		return
	}
	k.v.found(Finding{Code: code, N: -1, Detail: detail})
}

// byProof compares a checkpoint of another size with the file's, by a proof of
// consistency; false when none was given. One of the same size needs none.
func (k *keptCheckpoints) byProof(c keptOne) bool {
	small, large := c.Checkpoint, k.own
	if c.Size > k.own.Size {
		small, large = k.own, c.Checkpoint
	}
	if small.Size == large.Size {
		k.compared(c, small.Root == large.Root)
		return true
	}
	for _, p := range k.proofs {
		if p.From != small.Size || p.To != large.Size || small.Size == 0 {
			continue
		}
		same := tlog.CheckTree(p.Proof, large.Size, large.Root, small.Size, small.Root) == nil
		if k.count(c, same); same {
			return true
		}
		k.differs(c, BadConsistency, fmt.Sprintf("of %d and %d entries; the one that was kept is of %s",
			small.Size, large.Size, c.Time.Format(timeFormat)))
		return true
	}
	return false
}

// provable is for a file that has no tree of its own: only its root is known, and proofs.
func (k *keptCheckpoints) provable(size int64) bool {
	return size == k.own.Size || slices.ContainsFunc(k.proofs, func(p Consistency) bool {
		return p.From == min(size, k.own.Size) && p.To == max(size, k.own.Size)
	})
}

// end compares what is left: checkpoints that are larger than the file's.
func (k *keptCheckpoints) end() {
	for _, c := range k.rest {
		switch {
		case k.byProof(c):
		case c.Time.After(k.own.Time):
			k.cannot(c, NotComparable, fmt.Sprintf("one has %d entries and is from %s, the file's has %d: the file is older; verify a new one, "+
				"or give a proof of consistency from %d to %d", c.Size, c.Time.Format(timeFormat), k.own.Size, k.own.Size, c.Size))
		default:
			k.differs(c, CutSince, fmt.Sprintf("it has %d entries and is from %s; the file's has %d and is from %s",
				c.Size, c.Time.Format(timeFormat), k.own.Size, k.own.Time.Format(timeFormat)))
		}
	}
	k.counted()
	for i, f := range append(k.not, k.brought...) {
		switch {
		case i < len(k.not) && k.v.Compared == 0:
			k.v.found(f)
		case i < maxRemarks:
			k.v.remark(f)
		}
	}
}

// strangers concludes what strangers have signed: checkpoints of more than least entries.
func (k *keptCheckpoints) strangers(least int64) {
	r := k.judge.End(least, k.own.Size)
	for _, p := range r.Found {
		k.v.found(Finding{Code(p.Code), p.Line, p.N, p.ID, p.Detail})
	}
	for _, p := range r.Remarks {
		k.v.remark(Finding{Code(p.Code), p.Line, p.N, p.ID, p.Detail})
	}
	k.v.Strangers = r
}

// counted says how many were not compared.
func (k *keptCheckpoints) counted() { k.v.NotCompared = k.given - k.v.Compared }
