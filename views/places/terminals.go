package places

import (
	"net/url"

	"veinte/models"
	"veinte/models/sales"
	"veinte/models/terminals"
	"veinte/views/ui"
)

// TerminalsView is the list of terminals.
type TerminalsView struct {
	ui.Page
	Filter   terminals.Filter
	Stores   []models.Store
	List     terminals.Page
	Problems map[terminals.Problem]int64 // of the whole map, for the head
	Wrong    map[int64]terminals.Problem // the worst of each terminal of the page that has one
	Errors   ui.Errors                   // of the filter
}

// url is the address of the list with another cursor.
func (v *TerminalsView) url(cursor string) string {
	f := v.Filter
	q := url.Values{}
	ui.Set(q, "q", f.Query)
	ui.SetID(q, "store", f.StoreID)
	ui.Set(q, "state", string(f.State))
	ui.Set(q, "problem", string(f.Problem))
	if f.Days != 0 {
		q.Set("days", ui.Itoa(int64(f.Days)))
	}
	ui.Set(q, "cursor", cursor)
	return ui.Address("/terminals", q)
}

// problems is how many there are of the whole map.
func (v *TerminalsView) problems() (n int64) {
	for _, count := range v.Problems {
		n += count
	}
	return n
}

// TerminalNewView is the form of a new terminal, at GET /terminals/new.
type TerminalNewView struct {
	ui.Page
	Stores []models.Store
	Form   TerminalForm
}

// TerminalForm is what was entered of a terminal.
type TerminalForm struct {
	SerialNumber string
	Label        string
	MerchantID   string
	StoreID      int64
	Errors       ui.Errors
}

// TerminalAt is what the pages of one terminal know of it.
type TerminalAt struct {
	ui.Page
	Terminal models.TerminalPlace
	History  []models.AssignmentLine // newest first
	Stores   []models.Store
	Day      sales.TerminalDay
}

// TerminalView is one terminal as a place: where it stands, its day, its past.
type TerminalView struct {
	TerminalAt
	Problems []terminals.TerminalProblem // worst first
	Address  terminals.AddressUse        // where it last posted
	// Namesakes are the serial numbers of others of the store that have its name.
	Namesakes []string
	// HasAddresses is whether terminals have addresses of their own.
	HasAddresses bool
	// Moved and Planned say that the reader has just moved it, or planned to.
	Moved, Planned bool
	Errors         ui.Errors // of an act of the page
}

// TerminalMoveView is the form by which a terminal goes to another store.
type TerminalMoveView struct {
	TerminalAt
	Form MoveForm
}

// TerminalEditView is what a terminal is called, and its merchant id.
type TerminalEditView struct {
	ui.Page
	Terminal models.TerminalPlace
	Label    LabelForm
	Merchant MoveForm
}

// LabelForm renames a terminal.
type LabelForm struct {
	Label  string
	Errors ui.Errors
}

// MoveForm moves a terminal to a store, where it may get another merchant id.
type MoveForm struct {
	StoreID    int64
	MerchantID string
	From       string // local date and time, as entered
	Why        error  // of a refusal: its particulars
	Errors     ui.Errors
}

// TerminalMovesView is many terminals that are to move, or have.
type TerminalMovesView struct {
	ui.Page
	Stores    []models.Store
	Terminals []models.TerminalPlace
	Form      MovesForm
}

// MovesForm moves many terminals to one store.
type MovesForm struct {
	StoreID int64
	From    string          // local date and time, as entered
	Why     map[int64]error // by terminal: why it cannot be moved, nil when it can
	Errors  ui.Errors
}

// TerminalHealthView is what is wrong with the map of terminals.
type TerminalHealthView struct {
	ui.Page
	Filter   terminals.HealthFilter
	DaysText string // as entered
	List     terminals.HealthPage
	Errors   ui.Errors
}

// url is the address of the page with another kind or cursor.
func (v *TerminalHealthView) url(kind terminals.Problem, cursor string) string {
	q := url.Values{}
	ui.Set(q, "problem", string(kind))
	if len(v.Errors) == 0 && v.Filter.Days != 0 {
		q.Set("days", ui.Itoa(int64(v.Filter.Days)))
	}
	ui.Set(q, "cursor", cursor)
	return ui.Address("/terminals/health", q)
}
