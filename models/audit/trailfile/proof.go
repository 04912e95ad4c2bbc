package trailfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

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
}

// proofFile is a proof as a file has it: one JSON object.
type proofFile struct {
	Format     string   `json:"format"`
	N          *int64   `json:"n"`
	ID         int64    `json:"id"`
	Era        int      `json:"era"`
	TxID       string   `json:"txid"`
	Entry      string   `json:"entry"`
	Proof      []string `json:"proof"` // base64; from the leaf up
	Checkpoint string   `json:"checkpoint"`
}

// MarshalJSON writes the proof as FORMAT.md has it.
func (p Proof) MarshalJSON() ([]byte, error) {
	f := proofFile{
		Format: ProofFormat, N: &p.N, ID: p.Leaf.ID, Era: p.Leaf.Era, TxID: strconv.FormatUint(p.Leaf.TxID, 10),
		Entry: string(p.Leaf.Canonical), Proof: make([]string, len(p.Proof)), Checkpoint: p.Checkpoint,
	}
	for i, h := range p.Proof {
		f.Proof[i] = h.String()
	}
	return json.Marshal(f)
}

// errProof is wrapped by what is no proof.
var errProof = errors.New("not a proof of an entry")

// UnmarshalJSON reads a proof; it does not judge it.
func (p *Proof) UnmarshalJSON(text []byte) error {
	var f proofFile
	if err := strictJSON(text, &f); err != nil {
		return fmt.Errorf("%w: %w", errProof, err)
	}
	txid, err := strconv.ParseUint(f.TxID, 10, 64)
	if f.Format != ProofFormat || f.N == nil || err != nil {
		return errProof
	}
	*p = Proof{N: *f.N, Leaf: Leaf{ID: f.ID, Era: f.Era, TxID: txid, Canonical: []byte(f.Entry)}, Checkpoint: f.Checkpoint}
	for _, text := range f.Proof {
		h, err := tlog.ParseHash(text)
		if err != nil {
			return fmt.Errorf("%w: a hash is not of 32 bytes in base64", errProof)
		}
		p.Proof = append(p.Proof, h)
	}
	return nil
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
		err = errProof
	} else {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return whole(NotProof, "")
	}
	if v.Checkpoint, err = Open(p.Checkpoint, c.Keys); err != nil {
		return whole(codeOf(err), err.Error())
	}
	v.Origin, v.Size, v.Entries = v.Checkpoint.Origin, v.Checkpoint.Size, 1
	v.LeftOut = v.Size - 1
	f := Finding{N: p.N, ID: p.Leaf.ID}
	if p.N < 0 || p.N >= v.Size || v.Size > MaxLeaves ||
		tlog.CheckRecord(p.Proof, v.Size, v.Checkpoint.Root, p.N, p.Leaf.Hash()) != nil {
		f.Code, f.Detail = BadProof, fmt.Sprintf("checkpoint of %d entries", v.Size)
		v.found(f)
	} else if _, err := Split(p.Leaf.Canonical, nil); err != nil {
		f.Code, f.Detail = BadEntry, err.Error()
		v.found(f)
	}
	return &p, v.conclude()
}

// codeOf is the finding for the error of Open for a file's own checkpoint.
func codeOf(err error) Code {
	switch {
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
