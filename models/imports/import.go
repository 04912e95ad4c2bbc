package imports

import (
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/table"
)

// Import is a file that somebody gave to be imported, and what became of it.
type Import struct {
	ID       int64
	Kind     Kind
	State    State
	Version  int
	FileName string
	FileSize int64  // bytes
	FileHash []byte // SHA-256
	Notes    []byte `gorm:"type:jsonb"` // see ReadNotes
	RowCount int
	// DoneCount is how far the pass under way is, in rows. It is only told.
	DoneCount int
	// What the rows are, or were when they were imported.
	NewCount      int
	KnownCount    int // told before with the same content
	ConflictCount int // told before with other content
	RefusedCount  int
	WarnedCount   int    // good, but worth a second look
	Partial       bool   // only the right rows were asked for
	HeldBack      bool   // it was confirmed, and then a row was wrong after all: nothing was imported
	Actor         []byte `gorm:"type:jsonb"` // in whose name it is carried out
	GivenBy       string
	ConfirmedBy   string
	CreatedAt     time.Time
	ChangedAt     time.Time
	BeatAt        time.Time // when somebody last worked on it
}

// Kind is what a file holds.
type Kind string

// The kinds of imports.
const (
	OfSales     Kind = "sales"
	OfTerminals Kind = "terminals"
)

// State is how far an import is.
type State string

// The states of an import.
const (
	Checking  State = "checking"  // a job looks at every row; nothing is written
	Checked   State = "checked"   // waits for a person to confirm it
	Importing State = "importing" // confirmed
	Imported  State = "imported"
	Discarded State = "discarded" // by a person, or by nobody for a day
	Undone    State = "undone"
)

// importsWorkingSQL are the states, in SQL, in which an import still needs its rows.
const importsWorkingSQL = "('" + string(Checking) + "', '" + string(Checked) + "', '" + string(Importing) + "')"

// Working reports whether a job is at it, or will be.
func (s State) Working() bool { return s == Checking || s == Importing }

// Wrong is how many rows cannot be imported.
func (i *Import) Wrong() int { return i.ConflictCount + i.RefusedCount }

// ReadNotes are what to know of the file: what was ignored, how it was read.
func (i *Import) ReadNotes() []table.Note {
	var notes []table.Note
	_ = json.Unmarshal(i.Notes, &notes) // written by us
	return notes
}

// Row is one row of a file as it was understood.
type Row struct {
	Line int `json:"l"` // in the file, from 1
	// Values are in the order of the kind's columns: canonical where a cell was
	// understood, else its text. Card numbers are masked.
	Values   []string      `json:"v"`
	Status   intake.Status `json:"s,omitempty"`
	Problems []Problem     `json:"p,omitempty"` // why it is refused, or contradicts
	Warnings []string      `json:"w,omitempty"` // codes of what a person should look at
}

// wrong reports whether the row cannot be imported.
func (r *Row) wrong() bool { return r.Status == intake.Refused || r.Status == intake.Conflict }

// Problem is what is wrong with a row, or one of its cells. Code and Args
// are words' key and what to fill in.
type Problem struct {
	Column string `json:"c,omitempty"` // "" for the row as a whole
	Code   string `json:"k"`
	Detail string `json:"d,omitempty"` // what stands there, clipped, without card numbers
	N      int    `json:"n,omitempty"`
	Max    int    `json:"m,omitempty"`
}

// Args are the names and values that the words for Code may use.
func (p Problem) Args() []any {
	return []any{"Column", p.Column, "Detail", p.Detail, "N", p.N, "Most", p.Max}
}

// FileError is why a file cannot be read at all.
type FileError = table.Error

// count counts the rows of a pass by what they are.
func (i *Import) count(rows []*Row) {
	for _, r := range rows {
		switch r.Status {
		case intake.Created:
			i.NewCount++
		case intake.Known:
			i.KnownCount++
		case intake.Conflict:
			i.ConflictCount++
		case intake.Refused:
			i.RefusedCount++
		}
		if len(r.Warnings) > 0 && !r.wrong() {
			i.WarnedCount++
		}
	}
	i.DoneCount += len(rows)
}

func (i *Import) resetCounts() {
	i.DoneCount, i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount, i.WarnedCount = 0, 0, 0, 0, 0, 0
}

// attributes is what the trail says of an import.
func (i *Import) attributes() map[string]any {
	return map[string]any{
		"importId": i.ID, "kind": i.Kind, "fileName": i.FileName, "sha256": fmt.Sprintf("%x", i.FileHash), "rows": i.RowCount,
		"importState": i.State,
	}
}

// stateAttributes is how an import stood before an act.
func stateAttributes(state State) map[string]any { return map[string]any{"importState": state} }

// attributesWithCounts adds what its rows were.
func (i *Import) attributesWithCounts() map[string]any {
	m := i.attributes()
	m["created"], m["known"], m["conflicts"], m["refused"], m["partial"] = i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount, i.Partial
	return m
}

// carriedOutFor is the actor in whose name the import is carried out.
func (i *Import) carriedOutFor() (a models.Actor, err error) {
	if err := json.Unmarshal(i.Actor, &a); err != nil {
		return a, fmt.Errorf("decode actor of import %d: %w", i.ID, err)
	}
	return a, nil
}
