package trailfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/strangers"
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
	Consistency []Consistency
	Wishes      strangers.Wishes // what is wanted of strangers; zero for nothing
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
	// NotCompared is how many of those could not be compared. Where one was given, and
	// none could be, the state is never Intact.
	NotCompared int `json:"checkpointsNotCompared,omitempty"`
	// Attested is how many checkpoints were compared that the file brings along because
	// strangers have signed them; nobody relies on those.
	Attested  int              `json:"attestedCompared,omitempty"`
	Strangers strangers.Result `json:"strangers,omitzero"` // what others vouch for
	// Findings begin with those that decide, the first of them the first in the file.
	Findings []Finding `json:"findings"`
	More     int64     `json:"moreFindings,omitempty"`
	Remarks  []Finding `json:"remarks,omitempty"` // what is worth saying, and decides nothing
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
	UnknownKey     Code = "unknownKey"     // signed for this trail, but by no key that is trusted here
	ForeignKey     Code = "foreignKey"     // signed by the key of another trail
	NotComparable  Code = "notComparable"  // a checkpoint stored elsewhere ends where the file cannot be compared
	NoCheckpoint   Code = "noCheckpoint"   // what was passed as a checkpoint is none
	Unexplained    Code = "unexplained"    // entries are left out, and no filter explains why
	CutSince       Code = "cutSince"       // a checkpoint stored elsewhere is older and larger than the file's
	Lost           Code = "lost"           // a checkpoint stored elsewhere vouches for entries that were lost; the trail began anew
	BadCheckpoint  Code = "badCheckpoint"  // the text in place of the checkpoint is none
	BadSignature   Code = "badSignature"   // the checkpoint was changed after signing
	BadLine        Code = "badLine"        // a line that is neither entry nor gap nor footer
	BadOrder       Code = "badOrder"       // leaves are missing, duplicate or out of order
	BadMove        Code = "badMove"        // a cancellation's moves do not follow one another, or its time goes back
	BadEntry       Code = "badEntry"       // the bytes are no well-formed entry
	BadBytes       Code = "badBytes"       // the entry is not what was sealed
	BadColumns     Code = "badColumns"     // the database's columns were not what the entry's bytes say
	BadCopy        Code = "badCopy"        // the entry has the nonce of another one
	BackDated      Code = "backDated"      // its time is older than what was sealed before it
	FutureDated    Code = "futureDated"    // its time is younger than the checkpoint
	BadFooter      Code = "badFooter"      // count, sum or hash of the footer are not those of the file
	BadProof       Code = "badProof"       // the entry is not in the trail of the checkpoint
	BadRoot        Code = "badRoot"        // the entries do not give the signed root
	OtherTrail     Code = "otherTrail"     // a checkpoint stored elsewhere is of another past
	BadConsistency Code = "badConsistency" // a proof of consistency does not fit the two checkpoints
	NotAsAnnounced Code = "notAsAnnounced" // the header and the content of the file differ
	StampOther     Code = "stampOther"     // a stranger's time stamp is of another text
	StampForged    Code = "stampForged"    // a time stamp was changed after it was signed
	DatedAhead     Code = "datedAhead"     // strangers signed a checkpoint before its own time
	// A cosignature of a trusted witness that does not verify, and a witness that signed two
	// checkpoints which contradict each other.
	CosignatureWrong Code = "cosignatureWrong"
	WitnessForked    Code = "witnessForked"
	// Those that follow leave open what happened: strangers that do not convince.
	StampUnreadable Code = "stampUnreadable" // it is no time stamp
	StampUntrusted  Code = "stampUntrusted"  // it does not lead to a root that was given
	StampPurpose    Code = "stampPurpose"    // its certificate is not for time stamps
	StampExpired    Code = "stampExpired"    // its certificate was not valid when it stamped
	WitnessKey      Code = "witnessKey"      // a witness of that name has another key
	NoStamp         Code = "noStamp"         // no stamp that leads to a root that was given
	NoQuorum        Code = "noQuorum"        // fewer witnesses than were asked for
	TooOld          Code = "tooOld"          // the newest word of a stranger is too old
	StampedLate     Code = "stampedLate"     // the entry was not stamped in time
	// NotVouched is a remark: strangers vouch for the entries before these.
	NotVouched Code = "notVouched"
	// ClockPutRight is a remark: the server itself said so, in the trail.
	ClockPutRight Code = "clockPutRight"
)

func (c Code) undecided() bool {
	switch c {
	case Unreadable, NotExport, NotProof, Truncated, UnknownKey, ForeignKey, NotComparable, NoCheckpoint, CutSince, Lost, BadCheckpoint,
		Unexplained, StampUnreadable, StampUntrusted, StampPurpose, StampExpired, WitnessKey, NoStamp, NoQuorum, TooOld, StampedLate:
		return true
	}
	return false
}

var words = map[Code]string{
	Unreadable:       "the file cannot be read",
	NotExport:        "the file is no export of a trail",
	NotProof:         "the file is no proof of an entry",
	BadProof:         "the entry is not in the trail that the checkpoint signs: it was changed, or never there",
	Truncated:        "the file is truncated: it has no footer",
	UnknownKey:       "the checkpoint is not signed by the key that was given, but by another one of this trail's name",
	ForeignKey:       "the checkpoint is not signed by the key that was given, but by that of another trail",
	NotComparable:    "a checkpoint cannot be compared with this file",
	NoCheckpoint:     "what was given as a checkpoint is none",
	Unexplained:      "it is not complete, and no filter says why",
	BadSignature:     "the checkpoint was changed after it was signed",
	CutSince:         "a checkpoint that was kept is older than the file's and has more entries: the trail was cut, or a clock put right",
	Lost:             "a checkpoint that was kept is of entries that were lost: the trail began anew then, and says why (sealing.resumed)",
	BadCheckpoint:    "what stands in the place of its checkpoint is none",
	BadColumns:       "the database's columns did not say what the entry's bytes say",
	BadCopy:          "the entry is a copy of another one",
	BackDated:        "the entry's time is older than that of entries before it",
	FutureDated:      "the entry's time is younger than the checkpoint",
	BadConsistency:   "nothing proves that the file's checkpoint and one that was kept are of one past",
	StampOther:       "a time stamp below a checkpoint is of another text",
	StampForged:      "a time stamp was changed after its authority signed it",
	DatedAhead:       "a checkpoint was signed by strangers before its own time: it was dated ahead",
	CosignatureWrong: "a cosignature of a trusted witness is not of this checkpoint: one of them was changed",
	WitnessForked:    "a witness signed two pasts that contradict each other",
	StampUnreadable:  "a time stamp cannot be read",
	StampUntrusted:   "a time stamp does not lead to a root that was given",
	StampPurpose:     "a time stamp's certificate is not one for time stamps alone",
	StampExpired:     "a time stamp's certificate was not valid when it stamped",
	WitnessKey:       "a witness of that name signed with another key: it was replaced, or is somebody else's",
	NoStamp:          "no time stamp of an authority that is trusted",
	NoQuorum:         "fewer witnesses have signed than were asked for",
	TooOld:           "the newest time stamp or cosignature is too old",
	StampedLate:      "the entry was not stamped in time",
	NotVouched:       "strangers vouch for the entries before, not for these yet",
	ClockPutRight:    "the server's clock was put right",
	BadLine:          "the line is none of an export",
	BadOrder:         "entries are missing, repeated or out of order",
	BadMove:          "the cancellation's moves do not follow one another",
	BadEntry:         "the entry is not well-formed",
	BadBytes:         "the entry is not what was sealed: it was changed",
	BadFooter:        "the footer does not fit the file",
	BadRoot:          "the entries do not give the root that was signed: some were changed, and their hashes with them",
	OtherTrail:       "a checkpoint that was kept elsewhere tells of another past",
	NotAsAnnounced:   "the header says something else than the file holds",
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

// maxRemarks is how many remarks a verdict has.
const maxRemarks = 10

func (v *Verdict) remark(f Finding) {
	if len(v.Remarks) < maxRemarks {
		v.Remarks = append(v.Remarks, f)
	}
}

// conclude puts what decides first, in the order of the file, and what is of no line
// behind the lines.
func (v *Verdict) conclude() *Verdict {
	place := func(f Finding) int64 {
		if f.Line == 0 {
			return math.MaxInt64
		}
		return f.Line
	}
	slices.SortStableFunc(v.Findings, func(a, b Finding) int {
		if x, y := a.Code.undecided(), b.Code.undecided(); x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Compare(place(a), place(b))
	})
	switch {
	case len(v.Findings) == 0:
		v.State = Intact
	case v.Findings[0].Code.undecided():
		v.State = Undecided
	default:
		v.State = Altered
	}
	return v
}
