package table

import (
	"fmt"
	"strings"
)

// Error states why a file, a row or a cell cannot be read. Code is a key that the
// views translate, with the values in Args.
type Error struct {
	Code   string
	Line   int    // in the file, from 1; 0: the file as a whole
	Column string // the canonical name; "" when the error is not about a column
	Detail string // what was found or is missing, clipped, without card numbers
	Head   string // of an error about the head: what was taken for it
	N      int    // how many there are, where the text has a number
	Max    int    // how many are allowed
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code)
	if e.Line > 0 {
		fmt.Fprintf(&b, ": line %d", e.Line)
	}
	if e.Column != "" {
		b.WriteString(": " + e.Column)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Is makes errors.Is match by code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Args are the names and values that the text of Code may use.
func (e *Error) Args() []any {
	return []any{"Line", e.Line, "Column", e.Column, "Detail", e.Detail, "N", e.N, "Most", e.Max, "Head", e.Head}
}

// The reasons to refuse a whole file.
var (
	ErrEmpty       = &Error{Code: "table.empty"}       // nothing in it
	ErrNoRows      = &Error{Code: "table.noRows"}      // a header and nothing below
	ErrTooLarge    = &Error{Code: "table.tooLarge"}    // more bytes, or more when unpacked, than Limits allow
	ErrTooManyRows = &Error{Code: "table.tooManyRows"} //
	ErrTooManyCols = &Error{Code: "table.tooManyColumns"}
	ErrHTML        = &Error{Code: "table.html"}     // a web page, saved or sent under another name
	ErrOldExcel    = &Error{Code: "table.oldExcel"} // .xls, or an .xlsx behind a password
	ErrOpenDoc     = &Error{Code: "table.openDocument"}
	ErrNoTable     = &Error{Code: "table.noTable"}   // an image, a PDF, another archive
	ErrNotText     = &Error{Code: "table.notText"}   // control characters, incomplete characters
	ErrMixed       = &Error{Code: "table.mixedText"} // two encodings in one file
	ErrCut         = &Error{Code: "table.cut"}       // the file is incomplete
	ErrCutInQuotes = &Error{Code: "table.cutInQuotes"}
	ErrBomb        = &Error{Code: "table.bomb"} // unpacks to far more than its size
	ErrMissing     = &Error{Code: "table.missingColumns"}
	ErrDuplicate   = &Error{Code: "table.duplicateColumns"}
	ErrRowTooLong  = &Error{Code: "table.rowTooLong"}
)

// The reasons to refuse a row or a cell.
var (
	ErrTooFew      = &Error{Code: "table.tooFewFields"}
	ErrTooMany     = &Error{Code: "table.tooManyFields"}
	ErrQuotes      = &Error{Code: "table.quotes"}
	ErrCellTooLong = &Error{Code: "table.cellTooLong"}
	ErrCellNotText = &Error{Code: "table.cellNotText"}
	ErrCard        = &Error{Code: "table.cardNumber"}
	ErrFormula     = &Error{Code: "table.formula"}
	ErrFault       = &Error{Code: "table.fault"} // #N/A, #REF!
	ErrLostDigits  = &Error{Code: "table.lostDigits"}
	ErrNoDigits    = &Error{Code: "table.noDigits"}
	ErrNoAmount    = &Error{Code: "table.noAmount"}
	ErrTwoAmounts  = &Error{Code: "table.twoAmounts"} // 1,250: is the comma a group or a decimal separator?
	ErrNoTime      = &Error{Code: "table.noTime"}
	ErrNoClock     = &Error{Code: "table.noClock"}    // a date without the time of day
	ErrNoHour      = &Error{Code: "table.noHour"}     // no time of day
	ErrTwoHours    = &Error{Code: "table.twoHours"}   // the date has another time of day than the column beside it
	ErrMonthFirst  = &Error{Code: "table.monthFirst"} // 11/20/2026
	ErrShortYear   = &Error{Code: "table.shortYear"}  // 20/11/26
	ErrSerialDate  = &Error{Code: "table.serialDate"} // 46346.57 outside a workbook
	ErrNeverWas    = &Error{Code: "table.neverWas"}   // skipped when clocks went forward
	ErrTwice       = &Error{Code: "table.twice"}      // occurred twice when clocks went back
	ErrNoSuchDay   = &Error{Code: "table.noSuchDay"}  // 31/02/2026
)

// with returns a copy that has the detail.
func (e *Error) with(detail string) *Error {
	c := *e
	c.Detail = Shown(detail)
	return &c
}

func (e *Error) at(line int) *Error {
	c := *e
	c.Line = line
	return &c
}

func (e *Error) counts(n, most int) *Error {
	c := *e
	c.N, c.Max = n, most
	return &c
}
