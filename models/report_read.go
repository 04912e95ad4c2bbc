package models

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ReportTable is a provider's file as its reader gives it, row by row.
type ReportTable interface {
	// Header returns the names of the columns.
	Header() []string
	// Next returns the cells of the next row and the number of its line in the
	// file; io.EOF after the last.
	Next() (cells []string, line int, err error)
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
	Meaning      ReportMeaning
	SerialNumber string
	MerchantID   string
	OrderID      string
	Folio        string
	AuthCode     string
	Last4        string
	Amount       *Money     // without its sign; nil when there is none that can be read
	At           *time.Time // nil when the line gives no time of day
	Day          Day        // in the zone of the cut-off; "" when the line gives none
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
	problemNotTransaction = "notTransaction" // a sum or a heading: no terminal and no status
)

// reportReader reads the rows of a table by a mapping.
type reportReader struct {
	mapping  Mapping
	words    map[string]ReportMeaning // folded
	at       map[ReportField]int
	most     int // the last column that the mapping needs
	zone     *time.Location
	calendar Calendar
}

// newReportReader finds the mapping's columns in a header.
//
// Errors: *MissingColumns, report.sameHeader when a column of the mapping is
// there twice.
func newReportReader(m Mapping, header []string, calendar Calendar) (*reportReader, error) {
	zone, err := time.LoadLocation(m.Zone)
	if err != nil {
		return nil, fmt.Errorf("zone of profile: %w", err)
	}
	r := &reportReader{mapping: m, words: map[string]ReportMeaning{}, at: map[ReportField]int{}, zone: zone, calendar: calendar}
	for word, meaning := range m.Words {
		r.words[fold(word)] = meaning
	}
	folded := make([]string, len(header))
	for i, name := range header {
		folded[i] = fold(name)
	}
	var missing []string
	for _, field := range ReportFields {
		name := m.Columns[field]
		if name == "" {
			continue
		}
		i := slices.Index(folded, fold(name))
		if i < 0 {
			missing = append(missing, name)
			continue
		}
		if slices.Contains(folded[i+1:], folded[i]) {
			return nil, Invalid("file", "report.sameHeader")
		}
		r.at[field], r.most = i, max(r.most, i)
	}
	if len(missing) > 0 {
		return nil, &MissingColumns{Missing: missing, Header: legibleHeader(header)}
	}
	return r, nil
}

// legibleHeader is a header of strangers as a page can show it.
func legibleHeader(header []string) []string {
	shown := make([]string, 0, min(len(header), 40))
	for _, name := range header[:min(len(header), 40)] {
		if name = legibleCell(name, 40); name != "" {
			shown = append(shown, name)
		}
	}
	return shown
}

// read understands one row. Nothing is guessed: what cannot be understood is
// said in Problem.
func (r *reportReader) read(cells []string, line int) ReportRow {
	row := ReportRow{Number: line}
	raw := func(f ReportField) string {
		i, ok := r.at[f]
		if !ok || i >= len(cells) {
			return ""
		}
		return strings.TrimFunc(cells[i], func(c rune) bool { return unicode.IsSpace(c) || c == '\u00a0' || c == '\ufeff' })
	}
	wrong := func(f ReportField, problem string) {
		if row.Problem == "" {
			row.Problem, row.Column, row.Value = problem, r.mapping.Columns[f], legibleCell(raw(f), 60)
		}
	}
	r.identify(&row, raw, wrong)
	if len(cells) <= r.most && (len(cells) <= r.at[ReportAmount] || len(cells) <= r.at[ReportStatus]) {
		wrong(ReportAmount, problemShort)
	}
	r.readTime(&row, raw, wrong)
	negative := r.readAmount(&row, raw, wrong)
	r.readMeaning(&row, raw, wrong, negative)
	if row.Problem != "" && raw(ReportSerialNumber) == "" && raw(ReportMerchantID) == "" && raw(ReportStatus) == "" && raw(ReportAuthCode) == "" {
		row.Problem = problemNotTransaction
	}
	return row
}

// identify reads what says which sale the line is about.
func (r *reportReader) identify(row *ReportRow, raw func(ReportField) string, wrong func(ReportField, string)) {
	for _, f := range []struct {
		field ReportField
		to    *string
		most  int
	}{
		{ReportOrderID, &row.OrderID, 80},
		{ReportSerialNumber, &row.SerialNumber, 40},
		{ReportMerchantID, &row.MerchantID, 40},
		{ReportFolio, &row.Folio, 80},
		{ReportAuthCode, &row.AuthCode, 20},
	} {
		cell := raw(f.field)
		if len(cell) > f.most || !utf8.ValidString(cell) || strings.ContainsFunc(cell, unicode.IsControl) {
			wrong(f.field, problemTooLong)
			continue
		}
		*f.to = maskCards(cell)
	}
	// An order number may have the length of a card number within: only a cell
	// that is nothing else is one.
	if order := raw(ReportOrderID); len(order) <= 80 && row.OrderID != order {
		if row.OrderID = ""; cardRun.FindString(order) == order {
			wrong(ReportOrderID, problemCard)
		} else if utf8.ValidString(order) && !strings.ContainsFunc(order, unicode.IsControl) {
			row.OrderID = order
		}
	}
	if _, err := ParseSerialNumber(row.SerialNumber); row.SerialNumber != "" && err != nil {
		wrong(ReportSerialNumber, problemSerial)
		row.SerialNumber = ""
	}
	row.Last4 = lastDigits(raw(ReportLast4))
	if row.OrderID == "" && row.Folio == "" && row.AuthCode == "" {
		wrong(ReportOrderID, problemIdentity)
	}
}

// lastDigits returns the last four digits of a card as reports write them:
// 1234, ****1234, or the whole number, of which nothing else is kept.
func lastDigits(s string) string {
	digits := strings.TrimLeftFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	digits = strings.NewReplacer(" ", "", "-", "").Replace(digits)
	if i := strings.LastIndexFunc(digits, func(c rune) bool { return c < '0' || c > '9' }); i >= 0 {
		digits = digits[i+1:]
	}
	if len(digits) < 4 {
		return ""
	}
	return digits[len(digits)-4:]
}

func (r *reportReader) readTime(row *ReportRow, raw func(ReportField) string, wrong func(ReportField, string)) {
	said := raw(ReportSoldAt)
	if said == "" {
		return
	}
	if hour := raw(ReportHour); hour != "" {
		said += " " + hour
	}
	at, clock, ok := parseReportTime(said, r.mapping.Dates, r.zone)
	switch {
	case !ok:
		wrong(ReportSoldAt, problemTime)
	case clock:
		at = at.UTC()
		row.At, row.Day = &at, r.calendar.Day(at)
	default:
		// A date without a time is nobody's instant: taken as it stands.
		row.Day = Day(at.Format(time.DateOnly))
	}
}

func (r *reportReader) readAmount(row *ReportRow, raw func(ReportField) string, wrong func(ReportField, string)) (negative bool) {
	amount, negative, ok := parseReportAmount(raw(ReportAmount), r.mapping.Amounts)
	if !ok {
		wrong(ReportAmount, problemAmount)
		return false
	}
	row.Amount = &amount
	return negative
}

// readMeaning says what the line is. A sign that contradicts the word is a
// problem, unless the profile says that it tells cancellations.
func (r *reportReader) readMeaning(row *ReportRow, raw func(ReportField) string, wrong func(ReportField, string), negative bool) {
	meaning := MeansSale
	if r.mapping.Columns[ReportStatus] != "" {
		known := false
		if meaning, known = r.words[fold(raw(ReportStatus))]; !known {
			wrong(ReportStatus, problemWord)
			return
		}
	}
	if negative && meaning == MeansSale {
		if !r.mapping.NegativeCancels {
			wrong(ReportAmount, problemSign)
			return
		}
		meaning = MeansCancellation
	}
	row.Meaning = meaning
	if meaning == MeansIgnore {
		row.Problem, row.Column, row.Value = "", "", "" // whatever else it says
	}
}

// legibleCell is a cell of strangers as it can be kept and shown.
func legibleCell(s string, most int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	return clip(maskCards(s), most)
}
