package imports

import (
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/table"
)

// Import is a file that somebody uploaded to be imported, and its state.
type Import struct {
	ID       int64
	Kind     Kind
	State    State
	Version  int
	FileName string
	FileSize int64  // bytes
	FileHash []byte // SHA-256
	Notes    []byte `gorm:"type:jsonb"`                     // see ReadNotes
	Statuses []byte `gorm:"type:jsonb;column:status_words"` // see StatusWords
	RowCount int
	// DoneCount is how many rows the running pass has done. It is only for display.
	DoneCount int
	// The counts of the rows, now or when they were imported.
	NewCount      int
	KnownCount    int // reported before with the same content
	ConflictCount int // reported before with other content
	RefusedCount  int
	LeftOutCount  int    // no sales, by the file's own status column
	WarnedCount   int    // correct, but worth a check
	Partial       bool   // only the correct rows were requested
	HeldBack      bool   // it was confirmed, and then a row turned out wrong: nothing was imported
	Actor         []byte `gorm:"type:jsonb"` // on whose behalf it is carried out
	UploadedBy    string `gorm:"column:given_by"`
	ConfirmedBy   string
	CreatedAt     time.Time
	ChangedAt     time.Time
	BeatAt        time.Time // when somebody last worked on it
	// rowsDigest binds the sales that it wrote; "" before, and of terminals.
	rowsDigest string
}

// Kind is what a file holds.
type Kind string

// The kinds of imports.
const (
	OfSales     Kind = "sales"
	OfTerminals Kind = "terminals"
)

// State is the state of an import.
type State string

// The states of an import.
const (
	Checking  State = "checking"  // a job checks every row; nothing is written
	Checked   State = "checked"   // waits for a person to confirm it
	Importing State = "importing" // confirmed
	Imported  State = "imported"
	Discarded State = "discarded" // by a person, or because nobody confirmed it for a day
	Undone    State = "undone"
)

// importsWorkingSQL are the states, in SQL, in which an import still needs its rows.
const importsWorkingSQL = "('" + string(Checking) + "', '" + string(Checked) + "', '" + string(Importing) + "')"

// Working reports whether a job works on it, or will.
func (s State) Working() bool { return s == Checking || s == Importing }

// Wrong is how many rows cannot be imported.
func (i *Import) Wrong() int { return i.ConflictCount + i.RefusedCount }

// Nothing reports whether there is nothing to import: no new row, and none of sales
// that says more of a known one. Such rows have a warning.
func (i *Import) Nothing() bool { return i.NewCount == 0 && (i.Kind != OfSales || i.WarnedCount == 0) }

// ReadNotes returns the notes about the file: what was ignored, how it was read.
func (i *Import) ReadNotes() []table.Note {
	var notes []table.Note
	_ = json.Unmarshal(i.Notes, &notes) // written by us
	return notes
}

// Row is one parsed row of a file.
type Row struct {
	Line int `json:"l"` // in the file, from 1
	// Values are in the order of the kind's columns: canonical where a cell was
	// parsed, else its text. Card numbers are masked.
	Values   []string      `json:"v"`
	Status   intake.Status `json:"s,omitempty"`
	Problems []Problem     `json:"p,omitempty"` // why it is refused, or contradicts
	Warnings []string      `json:"w,omitempty"` // codes of what a person should check
	Notes    []Problem     `json:"n,omitempty"` // how cells were read that a person should check: results of formulas
	Zone     string        `json:"z,omitempty"` // the store's, by whose clock the time was read; "" where the file has the zone
}

// wrong reports whether the row cannot be imported.
func (r *Row) wrong() bool { return r.Status == intake.Refused || r.Status == intake.Conflict }

// warned reports whether the row can be imported, and deserves a second look.
func (r *Row) warned() bool { return !r.wrong() && (len(r.Warnings) > 0 || len(r.Notes) > 0) }

// Problem is what is wrong with a row, or one of its cells. Code is the key of a
// text and Args are its values.
type Problem struct {
	Column string `json:"c,omitempty"` // "" for the row as a whole
	Code   string `json:"k"`
	Detail string `json:"d,omitempty"` // the value, clipped, without card numbers
	N      int    `json:"n,omitempty"`
	Max    int    `json:"m,omitempty"`
}

// Args are the names and values that the text of Code may use.
func (p Problem) Args() []any {
	return []any{"Column", p.Column, "Detail", p.Detail, "N", p.N, "Most", p.Max}
}

// FileError is why a file cannot be read at all.
type FileError = table.Error

// count counts the rows of a pass by status.
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
		case LeftOut:
			i.LeftOutCount++
		}
		if r.warned() {
			i.WarnedCount++
		}
	}
	i.DoneCount += len(rows)
}

func (i *Import) resetCounts() {
	i.DoneCount, i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount, i.LeftOutCount, i.WarnedCount = 0, 0, 0, 0, 0, 0, 0
}

// attributes are what the trail records of an import.
func (i *Import) attributes() map[string]any {
	return map[string]any{
		"importId": i.ID, "kind": i.Kind, "fileName": i.FileName, "sha256": fmt.Sprintf("%x", i.FileHash), "rows": i.RowCount,
		"importState": i.State,
	}
}

// attributesUploaded adds what its status columns hold.
func (i *Import) attributesUploaded() map[string]any {
	m := i.attributes()
	if words := i.StatusWords(); len(words) > 0 {
		m["statusWords"] = meaningsOf(words)
	}
	return m
}

// stateAttributes is the state of an import before an action.
func stateAttributes(state State) map[string]any { return map[string]any{"importState": state} }

// attributesWithCounts adds the counts of its rows.
func (i *Import) attributesWithCounts() map[string]any {
	m := i.attributes()
	m["created"], m["known"], m["conflicts"], m["refused"] = i.NewCount, i.KnownCount, i.ConflictCount, i.RefusedCount
	m["partial"] = i.Partial
	if i.rowsDigest != "" {
		m["rowsSha256"] = i.rowsDigest
	}
	if i.LeftOutCount > 0 {
		m["leftOut"] = i.LeftOutCount
	}
	return m
}

// carriedOutFor is the actor on whose behalf the import is carried out.
func (i *Import) carriedOutFor() (a models.Actor, err error) {
	if err := json.Unmarshal(i.Actor, &a); err != nil {
		return a, fmt.Errorf("decode actor of import %d: %w", i.ID, err)
	}
	return a, nil
}
