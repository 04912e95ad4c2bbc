package models

import (
	"encoding/json"
	"time"
)

// Verification is one verification of the whole trail that somebody asked for on
// a page: how far it is, and what it came to.
type Verification struct {
	ID        int64
	State     VerificationState
	Actor     []byte `gorm:"type:jsonb"` // in whose name it is done
	ActorID   int64
	ActorName string
	StartedAt time.Time
	BegunAt   *time.Time // nil while no process has taken it up
	SeenAt    time.Time  // when its process last said that it is at it
	EndedAt   *time.Time
	Done      int64
	Total     int64  // 0 before it is known
	Result    []byte `gorm:"type:jsonb"` // see Verified; nil while there is none
}

// TableName is where verifications are kept.
func (Verification) TableName() string { return "trail_checks" }

// VerificationState is how far a verification is.
type VerificationState string

// The states of a verification. Only the first is not its end.
const (
	VerificationRunning     VerificationState = "running"
	VerificationIntact      VerificationState = "intact"
	VerificationAltered     VerificationState = "altered"
	VerificationUndecided   VerificationState = "undecided"
	VerificationInterrupted VerificationState = "interrupted" // its process ended; it says nothing of the trail
	VerificationFailed      VerificationState = "failed"      // the database did not answer; neither does this
)

// verificationRunningSQL is the state as SQL writes it.
const verificationRunningSQL = "'" + string(VerificationRunning) + "'"

// outcome is how the trail calls the end.
func (s VerificationState) outcome() Outcome {
	switch s {
	case VerificationIntact:
		return OutcomeSuccess
	case VerificationAltered, VerificationFailed:
		return OutcomeFailure
	}
	return OutcomeUnknown
}

// Share is how much was looked at, in percent; never all of it before the end.
func (v *Verification) Share() int {
	if v.Total <= 0 {
		return 0
	}
	return int(min(99, v.Done*100/v.Total))
}

// Verified is what a verification came to, as it is kept.
type Verified struct {
	Size        int64              `json:"size"` // entries that are sealed
	Root        string             `json:"root"` // base64
	SealedAt    time.Time          `json:"sealedAt"`
	Checked     int64              `json:"checked"`
	Archived    int64              `json:"archived,omitempty"`
	Unsealed    int64              `json:"unsealed,omitempty"`
	Checkpoints int64              `json:"checkpoints"`
	Outside     int                `json:"outside"` // checkpoints outside the database that were compared
	Signed      bool               `json:"signed"`  // whether signatures were checked
	Wrong       int64              `json:"wrong"`   // things that are not as they were sealed
	First       *VerifiedFinding   `json:"first,omitempty"`
	Findings    []*VerifiedFinding `json:"findings,omitempty"` // the first few
}

// VerifiedFinding is one thing that is not as it was sealed.
type VerifiedFinding struct {
	Code    string     `json:"code"`
	EntryID int64      `json:"entry,omitempty"`
	N       int64      `json:"n"` // -1 when it has no place
	Detail  string     `json:"detail,omitempty"`
	At      *time.Time `json:"at,omitempty"`
	Month   string     `json:"month,omitempty"` // that was put away, of so many entries
	Count   int64      `json:"count,omitempty"`
}

// Args are what the words for the code are filled with.
func (f *VerifiedFinding) Args() []any {
	return []any{"Entry", f.EntryID, "N", f.N, "Detail", f.Detail, "Month", f.Month, "Count", f.Count}
}

// mostKeptFindings is how many findings the page shows of a verification.
const mostKeptFindings = 20

// keptVerdict is a verdict as it is kept.
func keptVerdict(v *TrailVerdict) *Verified {
	kept := &Verified{
		Size: v.Size, Root: v.Root.String(), SealedAt: v.SealedAt, Checked: v.Checked, Archived: v.Archived, Unsealed: v.Unsealed,
		Checkpoints: v.Checkpoints, Outside: v.Outside, Signed: v.Signed, Wrong: int64(len(v.Findings)) + v.More,
	}
	if v.First != nil {
		kept.First = keptFinding(v.First)
	}
	for i := range v.Findings[:min(len(v.Findings), mostKeptFindings)] {
		kept.Findings = append(kept.Findings, keptFinding(&v.Findings[i]))
	}
	return kept
}

func keptFinding(f *TrailFinding) *VerifiedFinding {
	kept := &VerifiedFinding{Code: f.Code, EntryID: f.EntryID, N: f.N, Detail: legible(f.Detail, 500), Month: f.Month, Count: f.Count}
	if !f.At.IsZero() {
		kept.At = &f.At
	}
	return kept
}

// Verified reads what the verification came to; nil while it came to nothing.
func (v *Verification) Verified() *Verified {
	if v.Result == nil {
		return nil
	}
	var r Verified
	_ = json.Unmarshal(v.Result, &r) // written by us
	return &r
}
