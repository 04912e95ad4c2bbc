package report

import (
	"fmt"
	"strings"
	"time"

	"veinte/models"
)

// Table is a provider's file as its reader gives it, row by row.
type Table interface {
	// Header returns the names of the columns.
	Header() []string
	// Next returns the cells of the next row and the number of its line in the
	// file; io.EOF after the last. The cells are good until the next call.
	Next() (cells []Cell, line int, err error)
}

// Cell is a cell of a report.
type Cell struct {
	Text   string
	Number bool // it was a number in a workbook: plain digits, zeros in front lost
	Broken bool // an error, a formula, or what else is no value
}

// MissingColumns says that a file is not what a profile is for: columns that the
// profile names are not in it.
type MissingColumns struct {
	Missing []string // headers that the profile names
	Header  []string // what the file has instead
}

func (e *MissingColumns) Error() string {
	return fmt.Sprintf("report has no column %s", strings.Join(e.Missing, ", "))
}

// ReportRow is a line of a report as it was understood.
type ReportRow struct {
	Number       int // of the line in the file
	Meaning      Meaning
	SerialNumber string
	MerchantID   string
	OrderID      string
	Folio        string
	AuthCode     string
	Last4        string
	Amount       *models.Money // without its sign; nil when there is none that can be read
	At           *time.Time    // nil when the line gives no time of day
	Day          models.Day    // in the zone of the cut-off; "" when the line gives none
	// Problem is a code of why the line could not be understood, "" when it could;
	// Column and Value say where.
	Problem string
	Column  string
	Value   string
}

// Problems of a line.
const (
	problemWord           = "word"           // a value of the status column that the profile does not know
	problemAmount         = "amount"         // no amount that can be read
	problemSign           = "sign"           // a sale with a negative amount
	problemTime           = "time"           // a date or time that cannot be read
	problemSerial         = "serial"         // a serial number that is not ten digits
	problemIdentity       = "identity"       // nothing that says which sale it is about
	problemCard           = "cardNumber"     // a card number where the order number belongs
	problemTooLong        = "tooLong"        // a cell that no sale can have
	problemShort          = "short"          // fewer cells than columns: half a line
	problemBroken         = "broken"         // a cell that is an error or a formula
	problemNotTransaction = "notTransaction" // a sum or a heading: no terminal and no status
)
