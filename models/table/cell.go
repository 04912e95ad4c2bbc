package table

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models/cards"
)

// Kind is the type of a cell. CSV has only Text and Formula.
type Kind uint8

// The kinds of cells.
const (
	Text    Kind = iota
	Number       // of a workbook; its text is the number as stored
	Date         // a number that the workbook shows as a date
	Bool         // TRUE or FALSE
	Formula      // computed by the workbook; read by Computed only
	Fault        // an error of the workbook, such as #N/A
)

// Cell is one field of a row.
type Cell struct {
	raw    string
	kind   Kind
	zeros  uint8 // of the number format 0000000000: the minimum number of digits shown
	clock  bool  // the date's format shows the time of day
	from04 bool  // the workbook counts days from 1904
	// Of a formula: as the workbook shows it, with its "="; the kind of its stored
	// result, which is raw; and whether there is one.
	formula string
	result  Kind
	stored  bool
	wrong   *Error
}

// Kind is what the cell held.
func (c Cell) Kind() Kind { return c.kind }

// Empty reports whether the cell shows nothing.
func (c Cell) Empty() bool {
	if c.kind == Formula { // =IF(A2="","",…), filled down, shows nothing
		return c.stored && c.result == Text && tidy(c.raw) == ""
	}
	return tidy(c.raw) == "" && c.wrong == nil
}

// check finds problems that make a cell unreadable in any column.
func (c *Cell) check(most int) {
	switch {
	case c.kind == Formula:
		c.wrong = ErrFormula.with(c.formula)
	case c.kind == Text && c.like():
		c.wrong = ErrFormula.with(c.raw)
	case c.kind == Fault:
		c.wrong = ErrFault.with(c.raw)
	case len(c.raw) > most && utf8.RuneCountInString(c.raw) > most:
		c.wrong = ErrCellTooLong.counts(utf8.RuneCountInString(c.raw), most).with(c.raw)
		c.raw = string([]rune(c.raw)[:most])
	case !utf8.ValidString(c.raw) || strings.ContainsFunc(c.raw, func(r rune) bool {
		return r == utf8.RuneError || r < utf8.RuneSelf && control(byte(r))
	}):
		c.wrong = ErrCellNotText.with(c.raw)
	}
}

// like reports a text that a spreadsheet would compute, like a formula. Some programs
// write a text with leading zeros as ="0149"; it is a text, and like removes the marks.
func (c *Cell) like() bool {
	s := tidy(c.raw)
	if !strings.HasPrefix(s, "=") {
		return false
	}
	if inner, ok := strings.CutPrefix(s, `="`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok && !strings.Contains(inner, `"`) {
			c.raw = inner
			return false
		}
	}
	return true
}

// Card refuses a text that contains a complete card number; it is nil for any other.
// In a number cell only the whole part can be one: the decimals of an amount or of a
// date are none.
func (c Cell) Card() *Error {
	text := c.Raw()
	if c.kind == Number || c.kind == Date {
		text, _, _ = strings.Cut(text, ".")
	}
	if cards.Likely(text) {
		return ErrCard.with(c.raw)
	}
	return nil
}

// NoClock refuses a date without its time of day.
func NoClock(c Cell) *Error { return ErrNoClock.with(c.Raw()) }

// CardIn refuses a card number in what a cell was read as; whether it is written in
// groups does not matter there.
func CardIn(value string) *Error {
	if whole, _, _ := strings.Cut(value, "."); cards.Likely(whole) {
		return ErrCard.with(whole)
	}
	return nil
}

// CardInNumber is Card for a column of order numbers, references and the like: see
// cards.InReference.
func (c Cell) CardInNumber() *Error {
	if cards.InReference(c.raw, time.Time{}) {
		return ErrCard.with(c.raw)
	}
	return nil
}

// Raw is the cell as in the file, for showing it again; at most as long as Limits
// allow. Of a formula it is the formula.
func (c Cell) Raw() string {
	if c.kind == Formula {
		return c.formula
	}
	return c.raw
}

// Formula is the formula of a cell that a workbook computes, also after Computed; ""
// for any other.
func (c Cell) Formula() string { return c.formula }

// Computed is the cell with the result that the workbook stored when it last computed
// the formula, which is what people saw in it. It returns false for a cell that is no
// formula, and where no result is stored or it is an error. The caller shows the
// formula: a result may be older than what it was computed from.
func (c Cell) Computed() (Cell, bool) {
	if c.kind != Formula || !c.stored || c.result == Fault {
		return c, false
	}
	c.kind, c.wrong = c.result, nil
	c.check(DefaultLimits.Cell)
	return c, true
}

// Value is the text of the cell, without surrounding spaces and without the ' that
// prevents spreadsheets from computing it. A number is written in full.
func (c Cell) Value() (string, *Error) {
	if c.wrong != nil {
		return "", c.wrong
	}
	switch c.kind {
	case Number:
		return c.number()
	case Date:
		return "", ErrNoDigits.with(c.raw)
	}
	s := unescape(tidy(c.raw))
	if lossy(s) {
		return "", ErrLostDigits.with(s)
	}
	return s, nil
}

// number writes the number of a workbook in full. Spreadsheets lose digits after the
// fifteenth.
func (c Cell) number() (string, *Error) {
	f, err := parseNumber(c.raw)
	if err != nil {
		return "", ErrNoDigits.with(c.raw)
	}
	if math.Abs(f) >= 1e15 {
		return "", ErrLostDigits.with(c.raw)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if f >= 0 && f == math.Trunc(f) && len(s) < int(c.zeros) {
		s = strings.Repeat("0", int(c.zeros)-len(s)) + s
	}
	return s, nil
}

// Digits is a number that is an identifier, such as a terminal's serial number:
// 1490000001.0 and 1.490000001E+09 are 1490000001, but 1.49E+09 has lost digits.
// Leading zeros stay where they are, and are restored only where the workbook's
// format shows them.
func (c Cell) Digits() (string, *Error) {
	s, wrong := c.Value()
	if wrong != nil || s == "" {
		return "", wrong
	}
	if exact, ok := expand(s); ok {
		s = exact
	}
	if whole, fraction, ok := strings.Cut(s, "."); ok && whole != "" && strings.Trim(fraction, "0") == "" {
		s = whole
	}
	if grouped(s, ',') {
		s = strings.ReplaceAll(s, ",", "")
	}
	if strings.Trim(s, "0123456789") != "" {
		return "", ErrNoDigits.with(c.raw)
	}
	return s, nil
}

// PaddedDigits is Digits with leading zeros up to the width, for cells that held a
// number: a spreadsheet drops them. A text is returned unchanged.
func (c Cell) PaddedDigits(width int) (string, *Error) {
	s, wrong := c.Digits()
	if wrong == nil && s != "" && c.kind == Number && len(s) < width {
		s = strings.Repeat("0", width-len(s)) + s
	}
	return s, wrong
}

// unescape removes the ' before a text that a spreadsheet would compute.
func unescape(s string) string {
	if len(s) > 1 && s[0] == '\'' && strings.ContainsRune("=+-@\t", rune(s[1])) {
		return s[1:]
	}
	return s
}

// tidy trims spaces of every width, and invisible marks, from both ends.
func tidy(s string) string {
	if s == "" || s[0] > ' ' && s[0] < utf8.RuneSelf && s[len(s)-1] > ' ' && s[len(s)-1] < utf8.RuneSelf {
		return s
	}
	return strings.TrimFunc(s, unseen)
}
