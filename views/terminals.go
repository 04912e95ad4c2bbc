package views

import "veinte/models"

// TerminalsView is the list of terminals.
type TerminalsView struct {
	Page
	Filter    TerminalFilter
	Stores    []models.Store
	Terminals []models.TerminalPlace
}

// TerminalFilter narrows the list. Zero values do not filter.
type TerminalFilter struct {
	StoreID int64
	Query   string
	State   string // active, retired or "" for both
}

// TerminalNewView is the form of a new terminal, at GET /terminals/new.
type TerminalNewView struct {
	Page
	Stores []models.Store
	Form   TerminalForm
}

// TerminalForm is what was entered of a terminal.
type TerminalForm struct {
	SerialNumber string
	Label        string
	MerchantID   string
	StoreID      int64
	Errors       Errors
}

// TerminalView is one terminal: its label, its place, its past.
type TerminalView struct {
	Page
	Terminal models.TerminalPlace
	History  []models.AssignmentLine // newest first
	Stores   []models.Store
	Label    LabelForm
	Move     MoveForm
}

// LabelForm renames a terminal.
type LabelForm struct {
	Label  string
	Errors Errors
}

// MoveForm moves a terminal to a store, where it may get another merchant id.
type MoveForm struct {
	StoreID    int64
	MerchantID string
	Errors     Errors
}
