package models

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"veinte/models/cards"
)

// reportReader reads the rows of a table by a mapping.
type reportReader struct {
	mapping  Mapping
	words    map[string]ReportMeaning // folded
	at       map[ReportField]int
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
		if meaning != "" { // of a form half filled in
			r.words[fold(word)] = meaning
		}
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
		r.at[field] = i
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
func (r *reportReader) read(cells []ReportCell, line int) ReportRow {
	l := &reportLine{reportReader: r, cells: cells, row: ReportRow{Number: line}}
	short := len(cells) <= r.at[ReportAmount] || len(cells) <= r.at[ReportStatus]
	if short {
		l.wrong(ReportAmount, problemShort)
	}
	l.identify()
	l.readTime()
	l.readMeaning(l.readAmount())
	for _, f := range ReportFields {
		if l.cell(f).Broken {
			l.wrong(f, problemBroken)
		}
	}
	if l.row.Problem != "" && !short && l.none(ReportSerialNumber, ReportMerchantID, ReportStatus, ReportAuthCode, ReportLast4) {
		l.row.Problem = problemNotTransaction
	}
	if l.row.Meaning == MeansIgnore {
		l.row.Problem, l.row.Column, l.row.Value = "", "", "" // whatever else it says
	}
	return l.row
}

// reportLine is a line being read.
type reportLine struct {
	*reportReader
	cells []ReportCell
	row   ReportRow
}

func (l *reportLine) cell(f ReportField) ReportCell {
	if i, ok := l.at[f]; ok && i < len(l.cells) {
		return l.cells[i]
	}
	return ReportCell{}
}

func (l *reportLine) text(f ReportField) string {
	return strings.TrimFunc(l.cell(f).Text, func(c rune) bool { return unicode.IsSpace(c) || c == '\u00a0' || c == '\ufeff' })
}

func (l *reportLine) none(fields ...ReportField) bool {
	for _, f := range fields {
		if l.text(f) != "" {
			return false
		}
	}
	return true
}

// wrong notes the first problem of the line.
func (l *reportLine) wrong(f ReportField, problem string) {
	if l.row.Problem == "" {
		l.row.Problem, l.row.Column, l.row.Value = problem, l.mapping.Columns[f], legibleCell(l.text(f), 60)
	}
}

// identify reads what says which sale the line is about.
func (l *reportLine) identify() {
	l.row.MerchantID = l.name(ReportMerchantID, 40)
	l.row.Folio = l.name(ReportFolio, 80)
	l.row.AuthCode = l.name(ReportAuthCode, 20)
	l.row.Last4 = lastDigits(l.text(ReportLast4))
	l.readOrder()
	l.readSerial()
	if l.row.OrderID == "" && l.row.Folio == "" && l.row.AuthCode == "" {
		l.wrong(ReportOrderID, problemIdentity)
	}
}

// name reads a text that identifies, without card numbers.
func (l *reportLine) name(f ReportField, most int) string {
	s := l.text(f)
	if len(s) > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		l.wrong(f, problemTooLong)
		return ""
	}
	return cards.Mask(s)
}

// readOrder reads the order number. One that holds a card number is not kept:
// masked, it would be the number of every order whose card ends alike.
func (l *reportLine) readOrder() {
	order := l.name(ReportOrderID, 80)
	if order != "" && order != l.text(ReportOrderID) {
		l.wrong(ReportOrderID, problemCard)
		return
	}
	l.row.OrderID = order
}

func (l *reportLine) readSerial() {
	serial := l.text(ReportSerialNumber)
	if serial == "" {
		return
	}
	if l.cell(ReportSerialNumber).Number && len(serial) < 10 {
		serial = strings.Repeat("0", 10-len(serial)) + serial
	}
	if _, err := ParseSerialNumber(serial); err != nil {
		l.wrong(ReportSerialNumber, problemSerial)
		return
	}
	l.row.SerialNumber = serial
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

func (l *reportLine) readTime() {
	said := l.text(ReportSoldAt)
	if said == "" {
		return
	}
	if hour := l.text(ReportHour); hour != "" {
		// A workbook keeps a time of day as one of the first day that it knows.
		if _, of, found := strings.Cut(hour, " "); found && strings.HasPrefix(hour, "1899-12-3") {
			hour = of
		}
		said = strings.TrimSuffix(said, " 00:00:00") + " " + hour
	}
	at, clock, ok := parseReportTime(said, l.mapping.Dates, l.zone)
	switch {
	case !ok:
		l.wrong(ReportSoldAt, problemTime)
	case clock:
		at = at.UTC()
		l.row.At, l.row.Day = &at, l.calendar.Day(at)
	default:
		// A date without a time is nobody's instant: taken as it stands.
		l.row.Day = Day(at.Format(time.DateOnly))
	}
}

func (l *reportLine) readAmount() (negative bool) {
	style := l.mapping.Amounts
	if l.cell(ReportAmount).Number && style == AmountsComma {
		style = AmountsPoint // a workbook's own numbers have no other
	}
	amount, negative, ok := parseReportAmount(l.text(ReportAmount), style)
	if !ok {
		l.wrong(ReportAmount, problemAmount)
		return false
	}
	l.row.Amount = &amount
	return negative
}

// readMeaning says what the line is. A sign that contradicts the word is a
// problem, unless the profile says that it tells cancellations.
func (l *reportLine) readMeaning(negative bool) {
	meaning := MeansSale
	if l.mapping.Columns[ReportStatus] != "" {
		known := false
		if meaning, known = l.words[fold(l.text(ReportStatus))]; !known {
			l.wrong(ReportStatus, problemWord)
			return
		}
	}
	if negative && meaning == MeansSale {
		if !l.mapping.NegativeCancels {
			l.wrong(ReportAmount, problemSign)
			return
		}
		meaning = MeansCancellation
	}
	l.row.Meaning = meaning
}

// legibleCell is a cell of strangers as it can be kept and shown.
func legibleCell(s string, most int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	return clip(cards.Mask(s), most)
}
