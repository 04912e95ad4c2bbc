package trailfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// ProofFormat is the format that a proof states.
const ProofFormat = "veinte-audit-proof/1"

// Proof shows with one public key that one entry is in the trail of a
// checkpoint. It needs no other entry.
type Proof struct {
	N          int64
	Leaf       Leaf
	Proof      tlog.RecordProof
	Checkpoint string // signed
	// Consistency proves that checkpoints of other sizes, which somebody has kept, are of
	// the same past. Files of older releases have none.
	Consistency []Consistency
	// Attested are checkpoints of the trail that strangers have signed, the oldest first;
	// Consistency has the proofs of their sizes. Verifiers of older releases refuse a proof
	// that has some.
	Attested []string
}

// proofFile is a proof as a file has it: one JSON object.
type proofFile struct {
	Format      string        `json:"format"`
	N           int64         `json:"n"`
	ID          int64         `json:"id"`
	Era         int           `json:"era"`
	TxID        string        `json:"txid"`
	Entry       string        `json:"entry"`
	Proof       []string      `json:"proof"` // base64; from the leaf up
	Checkpoint  string        `json:"checkpoint"`
	Consistency []Consistency `json:"consistency,omitempty"`
	Attested    []string      `json:"attested,omitempty"`
}

// MarshalJSON writes the proof as FORMAT.md has it.
func (p Proof) MarshalJSON() ([]byte, error) {
	return json.Marshal(proofFile{
		ProofFormat, p.N, p.Leaf.ID, p.Leaf.Era, strconv.FormatUint(p.Leaf.TxID, 10), string(p.Leaf.Canonical), hashTexts(p.Proof),
		p.Checkpoint, p.Consistency, p.Attested,
	})
}

// errProof is wrapped by what is no proof.
var errProof = errors.New("not a proof of an entry")

// UnmarshalJSON reads a proof; it does not judge it.
func (p *Proof) UnmarshalJSON(text []byte) error {
	if err := p.read(text); err != nil {
		return fmt.Errorf("%w: %w", errProof, err)
	}
	return nil
}

func (p *Proof) read(text []byte) error {
	o, err := readObject(text, "format", "n", "id", "era", "txid", "entry", "proof", "checkpoint", "?consistency", "?attested")
	if err != nil {
		return err
	}
	var all []error
	text1 := func(name string) string {
		s, err := o.text(name)
		all = append(all, err)
		return s
	}
	whole := func(name string, least, most int64) int64 {
		n, err := o.number(name)
		if err == nil && (n < least || n > most) {
			err = fmt.Errorf("%w: %s", errMember, name)
		}
		all = append(all, err)
		return n
	}
	if format := text1("format"); format != ProofFormat {
		all = append(all, fmt.Errorf("its format is %q; this program reads %s", shorten(format), ProofFormat))
	}
	*p = Proof{N: whole("n", 0, MaxLeaves-1), Leaf: Leaf{
		ID: whole("id", 1, math.MaxInt64), Era: int(whole("era", 1, math.MaxInt32)), Canonical: []byte(text1("entry")),
	}, Checkpoint: text1("checkpoint")}
	s := &scanner{rest: []byte(text1("txid"))}
	if p.Leaf.TxID = s.unsigned(); s.err != nil || len(s.rest) > 0 {
		all = append(all, fmt.Errorf("%w: txid", errMember))
	}
	p.Proof, err = o.hashes("proof")
	all = append(all, err)
	if list, there := o["consistency"]; there {
		if list[0] != '[' || json.Unmarshal(list, &p.Consistency) != nil {
			all = append(all, fmt.Errorf("%w: consistency", errMember))
		}
	}
	p.Attested, err = o.texts("attested")
	return errors.Join(append(all, err)...)
}

// maxProof is how long a proof may be: one entry, and less than a hundred hashes.
const maxProof = 2 * MaxLine

// VerifyProof verifies a proof, and compares it with the checkpoints that were
// stored elsewhere as far as they are the proof's own.
func VerifyProof(in io.Reader, c Check) (*Proof, *Verdict) {
	v := &Verdict{}
	whole := func(code Code, detail string) (*Proof, *Verdict) {
		v.found(Finding{Code: code, N: -1, Detail: detail})
		return nil, v.conclude()
	}
	text, err := io.ReadAll(io.LimitReader(in, maxProof+1))
	if err != nil {
		return whole(Unreadable, err.Error())
	}
	var p Proof
	if len(text) > maxProof {
		return whole(NotProof, "longer than any")
	}
	if err = p.read(text); err != nil {
		return whole(NotProof, err.Error())
	}
	if v.Checkpoint, err = Open(p.Checkpoint, c.Keys); err != nil {
		v.found(Finding{Code: codeOf(err), N: -1, Detail: err.Error()})
		// What it claims shows whether the rest at least fits together.
		if v.Checkpoint, _ = Unverified(p.Checkpoint); errors.Is(err, ErrNotCheckpoint) {
			return nil, v.conclude()
		}
	}
	v.Origin, v.Size, v.Entries = v.Checkpoint.Origin, v.Checkpoint.Size, 1
	v.LeftOut = v.Size - 1
	p.judge(v)
	kept := newKept(v, c, p.Checkpoint, err == nil)
	kept.proofs = p.Consistency
	kept.open(c, p.Attested, kept.provable)
	kept.end()
	p.judgeStrangers(&kept)
	return &p, v.conclude()
}

// judgeStrangers wants of strangers that they vouch for the entry of the proof.
func (p *Proof) judgeStrangers(k *keptCheckpoints) {
	var e entryRules
	if e.read(p.Leaf.Canonical) == nil {
		k.judge.Entry(p.N, p.Leaf.ID, 0, time.UnixMicro(e.at).UTC())
	}
	k.strangers(p.N)
}

// judge compares the entry with its checkpoint.
func (p *Proof) judge(v *Verdict) {
	f := Finding{N: p.N, ID: p.Leaf.ID}
	say := func(code Code, detail string) {
		f.Code, f.Detail = code, detail
		v.found(f)
	}
	if p.N >= v.Size || tlog.CheckRecord(p.Proof, v.Size, v.Checkpoint.Root, p.N, p.Leaf.Hash()) != nil {
		say(BadProof, fmt.Sprintf("checkpoint of %d entries", v.Size))
		return
	}
	var e entryRules
	if err := e.read(p.Leaf.Canonical); err != nil {
		say(BadEntry, err.Error())
	} else if e.at > v.Checkpoint.Time.UnixMicro()+tolerance {
		say(FutureDated, "the checkpoint is of "+v.Checkpoint.Time.Format(timeFormat))
	}
}

// codeOf is the finding for the error of Open for a file's own checkpoint.
func codeOf(err error) Code {
	switch {
	case errors.Is(err, ErrForeignKey):
		return ForeignKey
	case errors.Is(err, ErrUnknownKey):
		return UnknownKey
	case errors.Is(err, ErrBadSignature):
		return BadSignature
	}
	return BadCheckpoint
}

// File is the content of a proof's file: one line of JSON.
func (p Proof) File() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
