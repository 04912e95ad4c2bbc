package report

import (
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/table"
)

// Table reads a provider's file row by row.
type Table interface {
	// Header returns the names of the columns.
	Header() []string
	// Next returns the cells of the next row and the number of its line in the file;
	// io.EOF after the last. The cells are valid until the next call.
	Next() (cells []Cell, line int, err error)
	// Notes are what a person should know about the file, once it was read.
	Notes() []table.Note
}

// Cell is a cell of a report.
type Cell struct {
	Text   string
	Number bool // it was a number in a workbook: plain digits, without leading zeros
	// When is what a workbook's cell is as a date, 2026-11-20 14:03:05 or without the
	// time, or as a time of day; "" for any other cell. A number may be one too.
	When   string
	Broken string // the problem of a cell without a value; "" when it has one
}

// MissingColumns means that a file does not fit a profile: columns that the profile
// names are not in it.
type MissingColumns struct {
	Missing []string // headers that the profile names
	Header  []string // headers of the file
}

func (e *MissingColumns) Error() string {
	return fmt.Sprintf("report has no column %s", strings.Join(e.Missing, ", "))
}

// ReportRow is a parsed line of a report.
type ReportRow struct {
	Number       int // of the line in the file
	Meaning      Meaning
	SerialNumber string
	MerchantID   string
	OrderID      string
	Folio        string
	AuthCode     string
	Last4        string
	Amount       *models.Money // without its sign; nil when there is no readable one
	At           *time.Time    // nil when the line has no time of day
	Day          models.Day    // in the zone of the cut-off; "" when the line has none
	// Problem is a code for why the line could not be parsed, "" when it could;
	// Column and Value are where.
	Problem string
	Column  string
	Value   string
}

// Problems of a line.
const (
	problemWord           = "word"           // a value of the status column that the profile does not have
	problemAmount         = "amount"         // no readable amount
	problemSign           = "sign"           // a sale with a negative amount
	problemTime           = "time"           // an unreadable date, or date and time
	problemHour           = "hour"           // an unreadable time of day, or another one than the date's
	problemSerial         = "serial"         // a serial number that is not ten digits
	problemIdentity       = "identity"       // nothing that identifies the sale
	problemCard           = "cardNumber"     // a card number where the order number belongs
	problemTooLong        = "tooLong"        // a cell longer than any sale can have
	problemShort          = "short"          // fewer cells than columns: half a line
	problemLong           = "long"           // more cells than columns: they may have moved
	problemBroken         = "broken"         // a cell that is an error or a formula
	problemLostDigits     = "lostDigits"     // a number of which a spreadsheet dropped digits
	problemDate           = "date"           // a date where a number or a name belongs
	problemNotTransaction = "notTransaction" // an order or a date without terminal and status
)
