// Package strangers judges what people who are not the shop have signed below its
// checkpoints: the time stamps of authorities, and the cosignatures of witnesses. It is
// told of each checkpoint that was compared with a file, and says for which entries others
// vouch, what is wrong with their lines, and what is missing of what was wished.
package strangers

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/stamp"
)

// Wishes are what whoever verifies wants of strangers. Zero wants nothing, and then only
// what is wrong by itself is found.
type Wishes struct {
	Witnesses []*cosign.Verifier // that are trusted
	Quorum    int                // how many of them; 0 for all
	Roots     *x509.CertPool     // of authorities for time stamps that are trusted; nil for none

	MaxAge        time.Duration // the newest word of a stranger is at most so old; 0 for any age
	StampedWithin time.Duration // each entry was stamped so soon; 0 for any time
	Now           time.Time     // for MaxAge and StampedWithin
}

// Any reports whether anything is wished.
func (w *Wishes) Any() bool {
	return len(w.Witnesses) > 0 || w.Roots != nil || w.MaxAge > 0 || w.StampedWithin > 0
}

// Names are those of the witnesses: keys of one name are one witness.
func (w *Wishes) Names() (names []string) {
	for _, v := range w.Witnesses {
		if !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
	}
	return names
}

func (w *Wishes) quorum() int {
	if w.Quorum > 0 {
		return w.Quorum
	}
	return len(w.Names())
}

// The kinds of what strangers sign.
const (
	AStamp       = "stamp"
	ACosignature = "cosignature"
)

// Vouch is the word of one stranger: that the first Size entries existed at Time.
type Vouch struct {
	Kind      string    `json:"kind"` // stamp or cosignature
	Name      string    `json:"name"` // of the witness; of a stamp, as its line calls the authority
	Authority string    `json:"authority,omitempty"`
	Size      int64     `json:"size"`
	Time      time.Time `json:"at"` // UTC
}

// Problem is one thing that is wrong, missing, or worth a remark.
type Problem struct {
	Code   string
	N      int64 // -1 for none
	ID     int64
	Line   int64
	Detail string
}

// The codes of problems. Those of the first few say that something was changed; the others
// that these strangers do not convince.
const (
	StampOther       = "stampOther"
	StampForged      = "stampForged"
	DatedAhead       = "datedAhead"
	CosignatureWrong = "cosignatureWrong"
	WitnessForked    = "witnessForked"

	StampUnreadable = "stampUnreadable"
	StampUntrusted  = "stampUntrusted"
	StampPurpose    = "stampPurpose"
	StampExpired    = "stampExpired"
	WitnessKey      = "witnessKey"
	NoStamp         = "noStamp"
	NoQuorum        = "noQuorum"
	TooOld          = "tooOld"
	StampedLate     = "stampedLate"
	NotVouched      = "notVouched" // a remark alone
)

// tolerance is by how much clocks may differ: that of the times in a trail.
const tolerance = 10 * time.Minute

// Note is a checkpoint that was compared with a file.
type Note struct {
	Origin string
	Size   int64
	Time   time.Time // of signing, by the shop
	Signed string    // the whole note
}

// Judge collects what strangers say.
type Judge struct {
	wishes Wishes
	own    string // the origin of the file

	found   []Problem // whatever else is there
	weak    []Problem // findings only where nothing better is there
	vouches []Vouch   // of checkpoints that are right
	forks   []Vouch   // cosignatures of checkpoints that are not
	entries []entry
	unasked int
}

type entry struct {
	n, id, line int64
	at          time.Time
}

// NewJudge judges what strangers say of a file with that origin.
func NewJudge(w Wishes, origin string) *Judge { return &Judge{wishes: w, own: origin} }

// Compared takes a checkpoint that was compared with the file, or is its own, and whether
// it is of the same past.
func (j *Judge) Compared(c Note, same bool) {
	text, below, err := notes.Cut(c.Signed)
	if err != nil {
		return
	}
	lines, _ := notes.Signatures(below)
	for _, l := range lines {
		switch {
		case stamp.Is(l):
			if same {
				j.stamp(c, text, l)
			}
		default:
			j.cosignature(c, text, l, same)
		}
	}
}

func (j *Judge) stamp(c Note, text string, l notes.Signature) {
	t, err := stamp.Parse(l.Bytes)
	if err == nil && !t.Of(text) {
		j.wrong(StampOther, c, l.Name, "")
		return
	}
	if j.wishes.Roots == nil {
		j.unasked++
		return
	}
	info, err := stamp.Verify(l.Bytes, text, j.wishes.Roots)
	switch {
	case err == nil && info.Time.Before(c.Time.Add(-tolerance)):
		j.wrong(DatedAhead, c, l.Name, "stamped "+info.Time.Format(timeFormat))
	case err == nil:
		j.vouches = append(j.vouches, Vouch{AStamp, l.Name, info.Authority, c.Size, info.Time})
	case errors.Is(err, stamp.ErrForged):
		j.wrong(StampForged, c, l.Name, err.Error())
	default:
		j.weakly(codeOf(err), c, l.Name, err.Error())
	}
}

func codeOf(err error) string {
	switch {
	case errors.Is(err, stamp.ErrMalformed):
		return StampUnreadable
	case errors.Is(err, stamp.ErrPurpose):
		return StampPurpose
	case errors.Is(err, stamp.ErrExpired):
		return StampExpired
	}
	return StampUntrusted
}

func (j *Judge) cosignature(c Note, text string, l notes.Signature, same bool) {
	named := false
	for _, w := range j.wishes.Witnesses {
		if w.Name() != l.Name {
			continue
		}
		if named = true; w.KeyHash() != l.Hash {
			continue
		}
		at, _ := cosign.Time(l.Bytes)
		switch right := w.Verify([]byte(text), l.Bytes); {
		case right && !same:
			if c.Origin == j.own {
				j.forks = append(j.forks, Vouch{ACosignature, l.Name, "", c.Size, at})
			}
		case !same:
		case !right:
			j.wrong(CosignatureWrong, c, l.Name, "")
		case at.Before(c.Time.Add(-tolerance)):
			j.wrong(DatedAhead, c, l.Name, "cosigned "+at.Format(timeFormat))
		default:
			j.vouches = append(j.vouches, Vouch{ACosignature, l.Name, "", c.Size, at})
		}
		return
	}
	trail, _ := notes.SplitOrigin(c.Origin)
	switch {
	case !same || l.Name == trail:
	case named:
		j.weakly(WitnessKey, c, l.Name, fmt.Sprintf("key %s+%08x", l.Name, l.Hash))
	default:
		j.unasked++
	}
}

func about(c Note, name, detail string) string {
	text := fmt.Sprintf("%s, the checkpoint of %d entries", name, c.Size)
	if detail != "" {
		text += ": " + detail
	}
	return text
}

func (j *Judge) wrong(code string, c Note, name, detail string) {
	j.found = append(j.found, Problem{Code: code, N: -1, Detail: about(c, name, detail)})
}

func (j *Judge) weakly(code string, c Note, name, detail string) {
	j.weak = append(j.weak, Problem{Code: code, N: -1, Detail: about(c, name, detail)})
}

// Entry takes an entry of the file, in order.
func (j *Judge) Entry(n, id, line int64, at time.Time) {
	if j.wishes.StampedWithin > 0 {
		j.entries = append(j.entries, entry{n, id, line, at})
	}
}
