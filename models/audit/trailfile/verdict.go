package trailfile

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// State is the result of verifying a file.
type State string

// The states, and the exit codes that the commands give for them.
const (
	Intact    State = "intact"    // 0
	Altered   State = "altered"   // 1
	Undecided State = "undecided" // 2: the file is no export, or incomplete, or not signed by a trusted key
)

// Verifiers are public keys that are trusted.
type Verifiers = note.Verifiers

// Check is what a file is verified against.
type Check struct {
	Keys        Verifiers // the trusted keys
	Checkpoints []string  // signed notes that were stored elsewhere
	Progress    func(bytes int64)
	Entry       func(n int64, hash tlog.Hash) // called for every entry of the file; may be nil
}

// Verdict is the result of verifying a file, with its details.
type Verdict struct {
	State      State      `json:"state"`
	Origin     string     `json:"origin,omitempty"`
	Checkpoint Checkpoint `json:"-"`       // that the file is verified by; zero when it has none
	Size       int64      `json:"size"`    // entries of the trail under the checkpoint
	Entries    int64      `json:"entries"` // in the file
	LeftOut    int64      `json:"leftOut"` // by its filters, or because they are archived
	Complete   bool       `json:"complete"`
	Amount     int64      `json:"amountCentavos"`
	Compared   int        `json:"checkpointsCompared"` // of those stored elsewhere
	Findings   []Finding  `json:"findings"`            // the first is the first in the file
	More       int64      `json:"moreFindings,omitempty"`
}

// Finding is one thing that is wrong with a file.
type Finding struct {
	Code   Code   `json:"code"`
	Line   int64  `json:"line,omitempty"` // from 1
	N      int64  `json:"n"`              // leaf; -1 for none
	ID     int64  `json:"id,omitempty"`   // entry
	Detail string `json:"detail,omitempty"`
}

// Code identifies a kind of finding.
type Code string

// What may be wrong with a file. The first few leave open what happened.
const (
	Unreadable     Code = "unreadable"     // the file cannot be read
	NotExport      Code = "notExport"      // it is something else
	NotProof       Code = "notProof"       // it is something else
	Truncated      Code = "truncated"      // its end is missing
	UnknownKey     Code = "unknownKey"     // signed, but by no key that is trusted here
	NotComparable  Code = "notComparable"  // a checkpoint stored elsewhere ends where the file cannot be compared
	NoCheckpoint   Code = "noCheckpoint"   // what was passed as a checkpoint is none
	Unexplained    Code = "unexplained"    // entries are left out, and no filter explains why
	BadSignature   Code = "badSignature"   // the checkpoint was changed after signing
	BadCheckpoint  Code = "badCheckpoint"  // the text in place of the checkpoint is none
	BadLine        Code = "badLine"        // a line that is neither entry nor gap nor footer
	BadOrder       Code = "badOrder"       // leaves are missing, duplicate or out of order
	BadMove        Code = "badMove"        // a cancellation's moves do not follow one another, or its time goes back
	BadEntry       Code = "badEntry"       // the bytes are no well-formed entry
	BadBytes       Code = "badBytes"       // the entry is not what was sealed
	BadFooter      Code = "badFooter"      // count, sum or hash of the footer are not those of the file
	BadProof       Code = "badProof"       // the entry is not in the trail of the checkpoint
	BadRoot        Code = "badRoot"        // the entries do not give the signed root
	OtherTrail     Code = "otherTrail"     // a checkpoint stored elsewhere is of another past
	NotAsAnnounced Code = "notAsAnnounced" // the header and the content of the file differ
)

func (c Code) undecided() bool {
	switch c {
	case Unreadable, NotExport, NotProof, Truncated, UnknownKey, NotComparable, NoCheckpoint, Unexplained:
		return true
	}
	return false
}

var words = map[Code]string{
	Unreadable:     "the file cannot be read",
	NotExport:      "the file is no export of a trail",
	NotProof:       "the file is no proof of an entry",
	BadProof:       "the entry is not in the trail that the checkpoint signs: it was changed, or never there",
	Truncated:      "the file is truncated: it has no footer",
	UnknownKey:     "the checkpoint is not signed by the key that was given",
	NotComparable:  "a checkpoint cannot be compared with this file",
	NoCheckpoint:   "what was given as a checkpoint is none",
	Unexplained:    "it is not complete, and no filter says why",
	BadSignature:   "the checkpoint was changed after it was signed",
	BadCheckpoint:  "the header has no checkpoint",
	BadLine:        "the line is none of an export",
	BadOrder:       "entries are missing, repeated or out of order",
	BadMove:        "the cancellation's moves do not follow one another",
	BadEntry:       "the entry is not well-formed",
	BadBytes:       "the entry is not what was sealed: it was changed",
	BadFooter:      "the footer does not fit the file",
	BadRoot:        "the entries do not give the root that was signed: some were changed, and their hashes with them",
	OtherTrail:     "a checkpoint that was kept elsewhere tells of another past",
	NotAsAnnounced: "the header says something else than the file holds",
}

// String describes the finding in English.
func (f Finding) String() string {
	var where []string
	if f.N >= 0 {
		where = append(where, fmt.Sprintf("entry n %d", f.N))
	}
	if f.ID != 0 {
		where = append(where, fmt.Sprintf("id %d", f.ID))
	}
	if f.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", f.Line))
	}
	text := words[f.Code]
	if len(where) > 0 {
		text = strings.Join(where, ", ") + ": " + text
	}
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	return text
}

// maxFindings is how many findings a verdict names.
const maxFindings = 100

func (v *Verdict) found(f Finding) {
	if len(v.Findings) == maxFindings {
		v.More++
		return
	}
	v.Findings = append(v.Findings, f)
}

func (v *Verdict) conclude() *Verdict {
	v.State = Intact
	for _, f := range v.Findings {
		if !f.Code.undecided() {
			v.State = Altered
			return v
		}
		v.State = Undecided
	}
	return v
}
