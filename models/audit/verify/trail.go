package verify

import (
	"io"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// TrailCheck says what the trail in the database is verified against.
type TrailCheck struct {
	// Keys are the public keys that whoever verifies trusts; nil leaves the
	// signatures unread, and the verdict says so.
	Keys note.Verifiers
	// Checkpoints are signed notes that were kept outside the database. Without
	// one of them a tail that was cut together with its checkpoints is invisible.
	Checkpoints []string
	// Progress is told now and then how many leaves of how many were looked at,
	// from any goroutine, one call at a time; nil for nobody.
	Progress func(done, total int64)
	// Archives are the files of months that were put away. Without a month's
	// file nobody can say what its entries were.
	Archives []io.Reader
}

// State is what a verification comes to.
type State string

// The verdicts. Undecided is never a mild word for altered: it says that what
// would decide was not there or not to be trusted.
const (
	Intact    State = "intact"
	Altered   State = "altered"
	Undecided State = "undecided"
)

// Verdict is what verifying the trail came to.
type Verdict struct {
	State       State
	Size        int64     // entries that are sealed
	Root        tlog.Hash // of the tree as it was computed anew
	SealedAt    time.Time // of the last checkpoint; zero when nothing was sealed
	Checked     int64     // entries that were read and hashed anew
	Archived    int64     // sealed entries of months that were put away and are not here: only their hashes are
	Unsealed    int64     // entries that wait for the sealer: nothing vouches for them yet
	Checkpoints int64     // kept in the database, all compared
	Outside     int       // of TrailCheck.Checkpoints, how many were compared
	Signed      bool      // whether signatures were checked
	Findings    []Finding
	More        int64    // findings beyond those
	First       *Finding // the first in the trail's order; nil when there is none
}

// Finding is one thing that is not as it was sealed.
type Finding struct {
	Code    string // one of Find…; a key that the views translate
	EntryID int64  // 0 when no entry is meant
	N       int64  // leaf, or where in the tree it is; -1 when it has no place there
	Detail  string // what exactly: columns, hashes, sizes; for whoever looks into it
	At      time.Time
	Month   string // of FindArchived: 2026-11, UTC
	Count   int64  // of FindArchived: entries of it that are not here

	position int64 // in the trail's order
}

// Undecided reports whether the finding leaves open what happened.
func (f *Finding) Undecided() bool {
	return f.Code == FindUnknownKey || f.Code == FindNotCheckpoint || f.Code == FindNothingSealed ||
		f.Code == FindArchived || f.Code == FindNotArchive
}

// Args are what the words for the code are filled with.
func (f *Finding) Args() []any {
	return []any{"Entry", f.EntryID, "N", f.N, "Detail", f.Detail, "Month", f.Month, "Count", f.Count}
}

// What a verification may find. The words for each are in views/locale; all take
// Entry, N and Detail.
const (
	FindFields        = "verify.fields"        // columns say something else than the entry's bytes
	FindBytes         = "verify.bytes"         // bytes, number, era or transaction are not what was sealed
	FindMalformed     = "verify.malformed"     // the bytes are no well-formed entry
	FindMissing       = "verify.missing"       // sealed, and gone
	FindInserted      = "verify.inserted"      // among sealed entries, and not sealed
	FindDuplicate     = "verify.twin"          // a copy of another entry
	FindBackDated     = "verify.backDated"     // says that it is older than what was sealed before it
	FindFutureDated   = "verify.futureDated"   // says that it is younger than its checkpoint
	FindOrder         = "verify.order"         // sealed out of the order of commits
	FindLeafMissing   = "verify.leafMissing"   // the row of a sealed leaf is gone
	FindLeafTime      = "verify.leafTime"      // the sealed row has another time than its entry
	FindNode          = "verify.node"          // a node of the tree is not what its leaves give
	FindNodeMissing   = "verify.nodeMissing"   // a node that must be kept is gone
	FindCheckpoint    = "verify.checkpoint"    // a kept checkpoint contradicts itself
	FindRoot          = "verify.root"          // a kept checkpoint and the tree disagree
	FindBadSignature  = "verify.badSignature"  // a checkpoint was changed after signing
	FindOtherKey      = "verify.otherKey"      // a kept checkpoint is signed by another key
	FindBeyond        = "verify.beyond"        // leaves or nodes beyond the last checkpoint: checkpoints were taken away
	FindTruncated     = "verify.tailCut"       // a checkpoint outside has more entries
	FindSplit         = "verify.split"         // a checkpoint outside tells of another past
	FindArchive       = "verify.archive"       // what is said of a month that was put away is not so
	FindArchived      = "verify.archived"      // entries of a month that was put away, and its file was not given
	FindNotArchive    = "verify.notArchive"    // what was given as the file of a month does not fit
	FindUnknownKey    = "verify.unknownKey"    // a checkpoint outside is by a key not trusted here
	FindNotCheckpoint = "verify.notCheckpoint" // what was given as one is none
	FindNothingSealed = "verify.nothingSealed" // nothing was ever sealed
)

// ArchivedMonth is what the entry of putting a month away says (after, of
// audit.archived): its entries are in a file. That excuses nothing by itself.
type ArchivedMonth struct {
	Month   string `json:"month"` // 2026-11, UTC
	From    int64  `json:"from"`  // its leaves lie in [From, To), others between them
	To      int64  `json:"to"`
	Entries int64  `json:"entries"`
	SHA256  string `json:"sha256"` // of the file that it was put into, hex
	// Leaves is, in hex, the SHA-256 of a line for each leaf that was put away, in
	// order: its number, a blank, its hash in base64, a newline. It binds which
	// entries the month had.
	Leaves string `json:"leaves"`
	// Since is when it was put away, in an entry that only tells it again because
	// the first one was put away itself; nil in that.
	Since *time.Time `json:"since,omitempty"`
}
