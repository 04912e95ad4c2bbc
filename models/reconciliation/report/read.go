package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// NoteWord counts the value of the status column.
func (r *Reader) NoteWord(cells []Cell, words map[string]*StatusWord) {
	i, ok := r.at[FieldStatus]
	if !ok || i >= len(cells) {
		return
	}
	key := fold(cells[i].Text)
	if key == "" {
		return
	}
	if words[key] == nil {
		words[key] = &StatusWord{Word: PrintableCell(cells[i].Text, 60), Meaning: r.words[key]}
	}
	words[key].Lines++
}

// Reader reads the rows of a table by a mapping.
type Reader struct {
	mapping  Mapping
	words    map[string]Meaning // folded
	at       map[Field]int
	zone     *time.Location
	calendar models.Calendar
	now      time.Time // for cards.InReference
}

// NewReader finds the mapping's columns in a header.
//
// Errors: *MissingColumns, report.sameHeader when a column of the mapping is there
// twice.
func NewReader(m Mapping, header []string, calendar models.Calendar, now time.Time) (*Reader, error) {
	zone, err := time.LoadLocation(m.Zone)
	if err != nil {
		return nil, fmt.Errorf("zone of profile: %w", err)
	}
	r := &Reader{mapping: m, words: map[string]Meaning{}, at: map[Field]int{}, zone: zone, calendar: calendar, now: now}
	for word, meaning := range m.Words {
		if meaning != "" { // a form that is only partly filled in
			r.words[fold(word)] = meaning
		}
	}
	folded := make([]string, len(header))
	for i, name := range header {
		folded[i] = fold(name)
	}
	var missing []string
	for _, field := range Fields {
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
			return nil, models.Invalid("file", "report.sameHeader")
		}
		r.at[field] = i
	}
	if len(missing) > 0 {
		return nil, &MissingColumns{Missing: missing, Header: printableHeader(header)}
	}
	return r, nil
}

// printableHeader makes a file's header safe for a page.
func printableHeader(header []string) []string {
	shown := make([]string, 0, min(len(header), 40))
	for _, name := range header[:min(len(header), 40)] {
		if name = PrintableCell(name, 40); name != "" {
			shown = append(shown, name)
		}
	}
	return shown
}

// Read parses one row. Nothing is guessed: what cannot be parsed is reported in
// Problem.
func (r *Reader) Read(cells []Cell, line int) ReportRow {
	l := &lineReader{Reader: r, cells: cells, row: ReportRow{Number: line}}
	short := len(cells) <= r.at[FieldAmount] || len(cells) <= r.at[FieldStatus]
	if short {
		l.wrong(FieldAmount, problemShort)
	}
	l.identify()
	l.readTime()
	l.readMeaning(l.readAmount())
	for _, f := range Fields {
		if l.cell(f).Broken {
			l.wrong(f, problemBroken)
		}
	}
	if l.row.Problem != "" && !short && l.none(FieldSerialNumber, FieldMerchantID, FieldStatus, FieldAuthCode, FieldLast4) {
		l.row.Problem = problemNotTransaction
	}
	if l.row.Meaning == MeansIgnore {
		l.row.Problem, l.row.Column, l.row.Value = "", "", "" // the rest of the line does not matter
	}
	return l.row
}

// lineReader is a line being read.
type lineReader struct {
	*Reader
	cells []Cell
	row   ReportRow
}

func (l *lineReader) cell(f Field) Cell {
	if i, ok := l.at[f]; ok && i < len(l.cells) {
		return l.cells[i]
	}
	return Cell{}
}

func (l *lineReader) text(f Field) string {
	return strings.TrimFunc(l.cell(f).Text, func(c rune) bool { return unicode.IsSpace(c) || c == '\u00a0' || c == '\ufeff' })
}

func (l *lineReader) none(fields ...Field) bool {
	for _, f := range fields {
		if l.text(f) != "" {
			return false
		}
	}
	return true
}

// wrong stores the first problem of the line.
func (l *lineReader) wrong(f Field, problem string) {
	if l.row.Problem == "" {
		l.row.Problem, l.row.Column, l.row.Value = problem, l.mapping.Columns[f], PrintableCell(l.text(f), 60)
	}
}

// identify reads the fields that identify the sale.
func (l *lineReader) identify() {
	l.row.MerchantID = l.name(FieldMerchantID, models.MaxMerchantID)
	l.row.Folio = l.name(FieldFolio, 80)
	l.row.AuthCode = l.name(FieldAuthCode, 20)
	l.row.Last4 = lastDigits(l.text(FieldLast4))
	l.readOrder()
	l.readSerial()
	if l.row.OrderID == "" && l.row.Folio == "" && l.row.AuthCode == "" {
		l.wrong(FieldOrderID, problemIdentity)
	}
}

// name reads an identifying text, without card numbers.
func (l *lineReader) name(f Field, most int) string {
	s := l.text(f)
	if utf8.RuneCountInString(s) > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		l.wrong(f, problemTooLong)
		return ""
	}
	if cards.InReference(s, l.now) {
		return cards.Mask(s)
	}
	return s
}

// readOrder reads the order number. One that contains a card number is dropped:
// masked, it would be the same for every order whose card has the same last digits.
func (l *lineReader) readOrder() {
	order := l.name(FieldOrderID, models.MaxOrderID)
	if order != "" && order != l.text(FieldOrderID) {
		l.wrong(FieldOrderID, problemCard)
		return
	}
	l.row.OrderID = order
}

func (l *lineReader) readSerial() {
	serial := l.text(FieldSerialNumber)
	if serial == "" {
		return
	}
	if l.cell(FieldSerialNumber).Number && len(serial) < 10 {
		serial = strings.Repeat("0", 10-len(serial)) + serial
	}
	if _, err := models.ParseSerialNumber(serial); err != nil {
		l.wrong(FieldSerialNumber, problemSerial)
		return
	}
	l.row.SerialNumber = serial
}

// lastDigits returns the last four digits of a card in the forms that reports use:
// 1234, ****1234, or the whole number, of which only these are returned.
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

func (l *lineReader) readTime() {
	said := l.text(FieldSoldAt)
	if said == "" {
		return
	}
	if hour := l.text(FieldHour); hour != "" {
		// A workbook stores a time of day as one of the first day that it has.
		if _, of, found := strings.Cut(hour, " "); found && strings.HasPrefix(hour, "1899-12-3") {
			hour = of
		}
		said = strings.TrimSuffix(said, " 00:00:00") + " " + hour
	}
	at, clock, ok := parseReportTime(said, l.mapping.Dates, l.zone)
	switch {
	case !ok:
		l.wrong(FieldSoldAt, problemTime)
	case clock:
		at = at.UTC()
		l.row.At, l.row.Day = &at, l.calendar.Day(at)
	default:
		// A date without a time is no instant: it is used unchanged.
		l.row.Day = models.Day(at.Format(time.DateOnly))
	}
}

func (l *lineReader) readAmount() (negative bool) {
	style := l.mapping.Amounts
	if l.cell(FieldAmount).Number && style == AmountsComma {
		style = AmountsPoint // numbers of a workbook have no other style
	}
	amount, negative, ok := parseReportAmount(l.text(FieldAmount), style)
	if !ok {
		l.wrong(FieldAmount, problemAmount)
		return false
	}
	l.row.Amount = &amount
	return negative
}

// readMeaning determines what the line is. A sign that contradicts the word is a
// problem, unless the profile states that a negative amount is a cancellation.
func (l *lineReader) readMeaning(negative bool) {
	meaning := MeansSale
	if l.mapping.Columns[FieldStatus] != "" {
		known := false
		if meaning, known = l.words[fold(l.text(FieldStatus))]; !known {
			l.wrong(FieldStatus, problemWord)
			return
		}
	}
	if negative && meaning == MeansSale {
		if !l.mapping.NegativeCancels {
			l.wrong(FieldAmount, problemSign)
			return
		}
		meaning = MeansCancellation
	}
	l.row.Meaning = meaning
}

// PrintableCell makes a cell of a file safe to store and show.
func PrintableCell(s string, most int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	return models.Truncate(cards.Mask(s), most)
}
