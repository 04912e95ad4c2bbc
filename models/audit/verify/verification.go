package verify

import (
	"encoding/json"
	"time"

	"veinte/models"
)

// Verification is one verification of the whole trail that a user requested on a
// page, with its progress and its result.
type Verification struct {
	ID        int64
	State     RunState
	Actor     []byte `gorm:"type:jsonb"` // in whose name it is done
	ActorID   int64
	ActorName string
	StartedAt time.Time
	BegunAt   *time.Time // nil while no process has begun it
	SeenAt    time.Time  // when its process last reported
	EndedAt   *time.Time
	Done      int64
	Total     int64  // 0 before it is known
	Result    []byte `gorm:"type:jsonb"` // see Verified; nil while there is none
}

// TableName is the table of verifications.
func (Verification) TableName() string { return "trail_checks" }

// RunState is how far a verification is.
type RunState string

// The states of a verification. Only the first is not its end.
const (
	RunRunning     RunState = "running"
	RunIntact      RunState = "intact"
	RunAltered     RunState = "altered"
	RunUndecided   RunState = "undecided"
	RunInterrupted RunState = "interrupted" // its process ended; the trail's state is unknown
	RunFailed      RunState = "failed"      // the database did not respond; the trail's state is unknown
)

// verificationRunningSQL is the state as SQL writes it.
const verificationRunningSQL = "'" + string(RunRunning) + "'"

// outcome is how the trail calls the end.
func (s RunState) outcome() models.Outcome {
	switch s {
	case RunIntact:
		return models.OutcomeSuccess
	case RunAltered, RunFailed:
		return models.OutcomeFailure
	}
	return models.OutcomeUnknown
}

// Nightly reports whether the server began the verification by itself.
func (v *Verification) Nightly() bool { return v.ActorID == 0 }

// Share is how much was verified, in percent; below 100 before the end.
func (v *Verification) Share() int {
	if v.Total <= 0 {
		return 0
	}
	return int(min(99, v.Done*100/v.Total))
}

// Verified is the result of a verification, as it is stored.
type Verified struct {
	Size        int64     `json:"size"` // entries that are sealed
	Root        string    `json:"root"` // base64
	SealedAt    time.Time `json:"sealedAt"`
	Checked     int64     `json:"checked"`
	Archived    int64     `json:"archived,omitempty"`
	Unsealed    int64     `json:"unsealed,omitempty"`
	Checkpoints int64     `json:"checkpoints"`
	Outside     int       `json:"outside"` // checkpoints outside the database that were compared
	Signed      bool      `json:"signed"`  // whether signatures were checked
	Wrong       int64     `json:"wrong"`   // things that are not as they were sealed
	First       *Finding  `json:"first,omitempty"`
	Findings    []Finding `json:"findings,omitempty"` // the first few
	Whole       *Whole    `json:"whole,omitempty"`    // nil of a verification of an earlier release
	Remarks     []Finding `json:"remarks,omitempty"`  // the first few, which accuse nobody
}

// maxStoredFindings is how many findings the page shows of a verification.
const maxStoredFindings = 20

func storedVerdict(v *Verdict) *Verified {
	r := &Verified{
		Size: v.Size, Root: v.Root.String(), SealedAt: v.SealedAt, Checked: v.Checked, Archived: v.Archived, Unsealed: v.Unsealed,
		Checkpoints: v.Checkpoints, Outside: v.Outside, Signed: v.Signed, Wrong: int64(len(v.Findings)) + v.More,
		Whole: &v.Whole,
	}
	for _, f := range v.Findings[:min(len(v.Findings), maxStoredFindings)] {
		r.Findings = append(r.Findings, f.legible())
	}
	for _, f := range v.Remarks[:min(len(v.Remarks), maxStoredFindings)] {
		r.Remarks = append(r.Remarks, f.legible())
	}
	if v.First != nil {
		first := v.First.legible()
		r.First = &first
	}
	return r
}

func (f Finding) legible() Finding {
	f.Detail = models.Legible(f.Detail, 500)
	return f
}

// Verified reads the result of the verification; nil while there is none.
func (v *Verification) Verified() *Verified {
	if v.Result == nil {
		return nil
	}
	var r Verified
	_ = json.Unmarshal(v.Result, &r) // written by us
	return &r
}
