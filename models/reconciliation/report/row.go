package report

import (
	"fmt"
	"strings"
	"time"

	"veinte/models"
)

// Table reads a provider's file row by row.
type Table interface {
	// Header returns the names of the columns.
	Header() []string
	// Next returns the cells of the next row and the number of its line in the file;
	// io.EOF after the last. The cells are valid until the next call.
	Next() (cells []Cell, line int, err error)
}

// Cell is a cell of a report.
type Cell struct {
	Text   string
	Number bool // it was a number in a workbook: plain digits, without leading zeros
	Broken bool // an error, a formula, or anything else without a value
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
	problemTime           = "time"           // an unreadable date or time
	problemSerial         = "serial"         // a serial number that is not ten digits
	problemIdentity       = "identity"       // nothing that identifies the sale
	problemCard           = "cardNumber"     // a card number where the order number belongs
	problemTooLong        = "tooLong"        // a cell longer than any sale can have
	problemShort          = "short"          // fewer cells than columns: half a line
	problemBroken         = "broken"         // a cell that is an error or a formula
	problemNotTransaction = "notTransaction" // a sum or a heading: no terminal and no status
)
