package models

import (
	"encoding/json"
	"fmt"
	"time"

	"veinte/models/table"
)

// Import is a file that somebody gave to be imported, and what became of it.
type Import struct {
	ID       int64
	Kind     ImportKind
	State    ImportState
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

// ImportKind is what a file holds.
type ImportKind string

// The kinds of imports.
const (
	ImportOfSales     ImportKind = "sales"
	ImportOfTerminals ImportKind = "terminals"
)

// ImportState is how far an import is.
type ImportState string

// The states of an import.
const (
	ImportChecking  ImportState = "checking"  // a job looks at every row; nothing is written
	ImportChecked   ImportState = "checked"   // waits for a person to confirm it
	ImportImporting ImportState = "importing" // confirmed
	ImportImported  ImportState = "imported"
	ImportDiscarded ImportState = "discarded" // by a person, or by nobody for a day
	ImportUndone    ImportState = "undone"
)

// importsWorkingSQL are the states, in SQL, in which an import still needs its rows.
const importsWorkingSQL = "('" + string(ImportChecking) + "', '" + string(ImportChecked) + "', '" + string(ImportImporting) + "')"

// Working reports whether a job is at it, or will be.
func (s ImportState) Working() bool { return s == ImportChecking || s == ImportImporting }

// Wrong is how many rows cannot be imported.
func (i *Import) Wrong() int { return i.ConflictCount + i.RefusedCount }

// ReadNotes are what to know of the file: what was ignored, how it was read.
func (i *Import) ReadNotes() []table.Note {
	var notes []table.Note
	_ = json.Unmarshal(i.Notes, &notes) // written by us
	return notes
}

// ImportRow is one row of a file as it was understood.
type ImportRow struct {
	Line int `json:"l"` // in the file, from 1
	// Values are in the order of the kind's columns: canonical where a cell was
	// understood, else its text. Card numbers are masked.
	Values   []string        `json:"v"`
	Status   SaleStatus      `json:"s,omitempty"`
	Problems []ImportProblem `json:"p,omitempty"` // why it is refused, or contradicts
	Warnings []string        `json:"w,omitempty"` // codes of what a person should look at
}

// wrong reports whether the row cannot be imported.
func (r *ImportRow) wrong() bool { return r.Status == SaleRefused || r.Status == SaleConflict }

// ImportProblem is what is wrong with a row, or one of its cells. Code and Args
// are words' key and what to fill in.
type ImportProblem struct {
	Column string `json:"c,omitempty"` // "" for the row as a whole
	Code   string `json:"k"`
	Detail string `json:"d,omitempty"` // what stands there, clipped, without card numbers
	N      int    `json:"n,omitempty"`
	Most   int    `json:"m,omitempty"`
}

// Args are the names and values that the words for Code may use.
func (p ImportProblem) Args() []any {
	return []any{"Column", p.Column, "Detail", p.Detail, "N", p.N, "Most", p.Most}
}

// FileError is why a file cannot be read at all.
type FileError = table.Error

// count counts the rows of a pass by what they are.
func (i *Import) count(rows []*ImportRow) {
	for _, r := range rows {
		switch r.Status {
		case SaleCreated:
			i.NewCount++
		case SaleKnown:
			i.KnownCount++
		case SaleConflict:
			i.ConflictCount++
		case SaleRefused:
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

// told is what the trail says of an import.
func (i *Import) told() map[string]any {
	return map[string]any{
		"importId": i.ID, "kind": i.Kind, "fileName": i.FileName, "sha256": fmt.Sprintf("%x", i.FileHash), "rows": i.RowCount,
		"importState": i.State,
	}
}

// toldIn is how an import stood before an act.
func toldIn(state ImportState) map[string]any { return map[string]any{"importState": state} }

// toldWithCounts adds what its rows were.
func (i *Import) toldWithCounts() map[string]any {
	m := i.told()
	m["created"], m["known"], m["conflicts"], m["refused"], m["partial"] = i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount, i.Partial
	return m
}

func encodeActor(a Actor) ([]byte, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode actor: %w", err)
	}
	return b, nil
}

// carriedOutFor is the actor in whose name the import is carried out.
func (i *Import) carriedOutFor() (a Actor, err error) {
	if err := json.Unmarshal(i.Actor, &a); err != nil {
		return a, fmt.Errorf("decode actor of import %d: %w", i.ID, err)
	}
	return a, nil
}
