package verify

import (
	"io"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// TrailCheck is what the trail in the database is verified against.
type TrailCheck struct {
	// Keys are the public keys that the verifier trusts; with nil the signatures are
	// not verified, and the verdict states that.
	Keys note.Verifiers
	// Checkpoints are signed notes that were stored outside the database. Without
	// one of them a tail that was cut together with its checkpoints is not detected.
	Checkpoints []string
	// Progress is called now and then with how many leaves of how many were
	// verified, from any goroutine, one call at a time; it may be nil.
	Progress func(done, total int64)
	// Archives are the files of archived months. Without a month's file its entries
	// are unknown.
	Archives []io.Reader
}

// State is the result of a verification.
type State string

// The verdicts. Undecided does not mean slightly altered: it means that the evidence
// to decide was missing or not trusted.
const (
	Intact    State = "intact"
	Altered   State = "altered"
	Undecided State = "undecided"
)

// Verdict is the result of verifying the trail, with its details.
type Verdict struct {
	State       State
	Size        int64     // entries that are sealed
	Root        tlog.Hash // of the tree as it was computed anew
	SealedAt    time.Time // of the last checkpoint; zero when nothing was sealed
	Checked     int64     // entries that were read and hashed anew
	Archived    int64     // sealed entries of archived months that are not here: only their hashes are
	Unsealed    int64     // entries that wait for the sealer: nothing proves them yet
	Checkpoints int64     // stored in the database, all compared
	Outside     int       // of TrailCheck.Checkpoints, how many were compared
	Signed      bool      // whether signatures were checked
	Findings    []Finding
	More        int64    // findings beyond those
	First       *Finding // the first in the trail's order; nil when there is none
	Whole       Whole
	Remarks     []Finding // what is said of the trail and accuses nobody
}

// Finding is one thing that is not as it was sealed. A verification stores it as JSON.
type Finding struct {
	Code    string    `json:"code"`             // one of Find…; a key that the views translate
	EntryID int64     `json:"entry,omitempty"`  // 0 when no entry is meant
	N       int64     `json:"n"`                // leaf, or position in the tree; -1 when it has none
	Detail  string    `json:"detail,omitempty"` // the details: columns, hashes, sizes; for whoever investigates
	At      time.Time `json:"at,omitzero"`
	Month   string    `json:"month,omitempty"` // of FindArchived: 2026-11, UTC
	Count   int64     `json:"count,omitempty"` // of FindArchived: entries of it that are not here

	position int64 // in the trail's order
}

// Undecided reports whether the finding leaves open what happened.
func (f *Finding) Undecided() bool {
	return f.Code == FindUnknownKey || f.Code == FindOtherKey || f.Code == FindNotCheckpoint || f.Code == FindNothingSealed ||
		f.Code == FindLost || f.Code == FindArchived || f.Code == FindNotArchive
}

// Args are the arguments of the message for the code.
func (f *Finding) Args() []any {
	return []any{"Entry", f.EntryID, "N", f.N, "Detail", f.Detail, "Month", f.Month, "Count", f.Count}
}

// The codes of findings. Their messages are in views/locale; all take Entry, N and
// Detail.
const (
	FindFields        = "verify.fields"        // columns differ from the entry's bytes
	FindBytes         = "verify.bytes"         // bytes, number, era or transaction are not what was sealed
	FindMalformed     = "verify.malformed"     // the bytes are no well-formed entry
	FindMissing       = "verify.missing"       // sealed, but the entry is missing
	FindInserted      = "verify.inserted"      // among sealed entries, and not sealed
	FindDuplicate     = "verify.twin"          // a copy of another entry
	FindBackDated     = "verify.backDated"     // its time is older than what was sealed before it
	FindFutureDated   = "verify.futureDated"   // its time is younger than its checkpoint
	FindOrder         = "verify.order"         // sealed out of the order of commits
	FindMove          = "verify.move"          // the moves of its cancellation do not follow one another
	FindLeafMissing   = "verify.leafMissing"   // the row of a sealed leaf is missing
	FindLeafTime      = "verify.leafTime"      // the sealed row has another time than its entry
	FindNode          = "verify.node"          // a node of the tree is not what its leaves hash to
	FindNodeMissing   = "verify.nodeMissing"   // a node that must be stored is missing
	FindCheckpoint    = "verify.checkpoint"    // a stored checkpoint contradicts itself
	FindRoot          = "verify.root"          // a stored checkpoint and the tree disagree
	FindAttested      = "verify.attested"      // what somebody else signed is not over the checkpoint that is there
	FindBadSignature  = "verify.badSignature"  // a checkpoint was changed after signing
	FindOtherKey      = "verify.otherKey"      // a stored checkpoint is signed by another key
	FindBeyond        = "verify.beyond"        // leaves or nodes beyond the last checkpoint: checkpoints were deleted
	FindTruncated     = "verify.tailCut"       // a checkpoint outside has more entries
	FindSplit         = "verify.split"         // a checkpoint outside is of another past
	FindLost          = "verify.lost"          // a checkpoint outside is of entries that were lost before the trail began anew
	FindArchive       = "verify.archive"       // the claim that a month is archived is not true
	FindArchived      = "verify.archived"      // entries of an archived month whose file was not supplied
	FindNotArchive    = "verify.notArchive"    // what was supplied as the file of a month does not fit
	FindUnknownKey    = "verify.unknownKey"    // a checkpoint outside is by a key not trusted here
	FindNotCheckpoint = "verify.notCheckpoint" // what was supplied as a checkpoint is none
	FindNothingSealed = "verify.nothingSealed" // nothing was ever sealed

	RemarkClock = "verify.clockJumped" // the server's clock was put right
)

// ArchivedMonth is the content of the entry that records the archiving of a month
// (after, of audit.archived): its entries are in a file. The record proves nothing
// by itself.
type ArchivedMonth struct {
	Month   string `json:"month"` // 2026-11, UTC
	From    int64  `json:"from"`  // its leaves are in [From, To), with others between them
	To      int64  `json:"to"`
	Entries int64  `json:"entries"`
	SHA256  string `json:"sha256"` // of the file that it was put into, hex
	// Leaves is, in hex, the SHA-256 of a line for each archived leaf, in order: its
	// number, a blank, its hash in base64, a newline. It binds which entries the
	// month had.
	Leaves string `json:"leaves"`
	// Since is when the month was archived. It is set in an entry that repeats the
	// record because the first one was archived itself, and nil in the first one.
	Since *time.Time `json:"since,omitempty"`
}
