package compare

import (
	"time"

	"veinte/models"
)

// Kind is in which way a row and the trail differ.
type Kind string

// The kinds of differences.
const (
	Changed    Kind = "changed"    // the row has another value than its entries
	Missing    Kind = "missing"    // entries are about a row that is not there
	Unrecorded Kind = "unrecorded" // the row is there, and no entry made it
	Duplicate  Kind = "duplicate"  // there are two where one entry, or one row, must be
)

// Difference is one value in which a row and the trail differ. It never has a secret,
// nor more of a card than its last four digits.
type Difference struct {
	ComparisonID int64 `json:"-"`
	N            int   `json:"-"`
	Kind         Kind  `json:"kind"`
	// Table and Field are the database's names; Field is "" where the whole row is meant.
	Table string `json:"table" gorm:"column:of_table"`
	Row   string `json:"row" gorm:"column:of_row"` // its number, or what people call it by
	Field string `json:"field,omitempty"`
	// Recorded is the value that the trail has, Found the one that stands there now.
	Recorded string `json:"recorded"`
	Found    string `json:"found"`
	EntryID  int64  `json:"entry,omitempty"` // the entry that says Recorded
	SaleID   int64  `json:"sale,omitempty"`  // whose page shows it
	StoreID  int64  `json:"-"`
}

// TableName is the table of stored differences.
func (Difference) TableName() string { return "comparison_differences" }

// Is reports whether two differences are the same one, found twice.
func (d *Difference) Is(o *Difference) bool {
	return d.Kind == o.Kind && d.Table == o.Table && d.Row == o.Row && d.Field == o.Field && d.Recorded == o.Recorded && d.Found == o.Found
}

// State is the result of a comparison.
type State string

// The verdicts. Undecided: there was nothing to compare with.
const (
	Intact    State = "intact"
	Altered   State = "altered"
	Undecided State = "undecided"
)

// Outcome is how the trail calls the result.
func (s State) Outcome() models.Outcome {
	switch s {
	case Intact:
		return models.OutcomeSuccess
	case Altered:
		return models.OutcomeFailure
	}
	return models.OutcomeUnknown
}

// Table is how far one table was compared.
type Table struct {
	Name     string `json:"name"`
	Compared int64  `json:"compared"` // rows that entries speak of, compared with them
	// NotBound are rows that no entry says anything of: nothing shows whether they were
	// changed. Since is the first entry from which on such rows are bound; 0 while none is.
	NotBound int64 `json:"notBound,omitempty"`
	Since    int64 `json:"boundSince,omitempty"`
	Archived int64 `json:"archived,omitempty"` // rows whose entries are in archived months
	Differs  int64 `json:"differences,omitempty"`
	// Roles may change the table without leaving an entry: its owner, and superusers.
	Roles []string `json:"roles,omitempty"`
}

// Result is the result of a comparison.
type Result struct {
	State       State        `json:"state"`
	At          time.Time    `json:"at"`
	Entries     int64        `json:"entries"` // that were read
	LastEntry   int64        `json:"lastEntry"`
	Tables      []*Table     `json:"tables"`
	Months      []string     `json:"archivedMonths,omitempty"`
	Differences []Difference `json:"-"`
	More        int64        `json:"moreDifferences,omitempty"` // beyond those
}

// maxDifferences is how many differences a result names. A table that was emptied must
// not give one for each of its rows.
const maxDifferences = 1000

// table returns the counts of a table.
func (r *Result) table(name string) *Table {
	for _, t := range r.Tables {
		if t.Name == name {
			return t
		}
	}
	t := &Table{Name: name}
	r.Tables = append(r.Tables, t)
	return t
}

// Compared, NotBound, Archived and Differs are the sums over the tables.
func (r *Result) Compared() (n int64) { return r.sum(func(t *Table) int64 { return t.Compared }) }

// NotBound is how many rows nothing binds.
func (r *Result) NotBound() (n int64) { return r.sum(func(t *Table) int64 { return t.NotBound }) }

// Archived is how many rows have their entries in archived months.
func (r *Result) Archived() (n int64) { return r.sum(func(t *Table) int64 { return t.Archived }) }

// Differs is how many differences there are, those included that are not named.
func (r *Result) Differs() (n int64) { return r.sum(func(t *Table) int64 { return t.Differs }) }

func (r *Result) sum(of func(*Table) int64) (n int64) {
	for _, t := range r.Tables {
		n += of(t)
	}
	return n
}

// add adds a difference.
func (r *Result) add(d Difference) {
	d.Recorded, d.Found, d.Row = models.Legible(d.Recorded, 300), models.Legible(d.Found, 300), models.Legible(d.Row, 200)
	if n := len(r.Differences); n > 0 && r.Differences[n-1].Is(&d) {
		return // two pieces of evidence say the same of it
	}
	r.table(d.Table).Differs++
	if len(r.Differences) >= maxDifferences {
		r.More++
		return
	}
	r.Differences = append(r.Differences, d)
}

// conclude derives the verdict.
func (r *Result) conclude() {
	switch {
	case r.Differs() > 0:
		r.State = Altered
	case r.Compared() == 0:
		r.State = Undecided
	default:
		r.State = Intact
	}
}
