package report

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

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
	// Spreadsheets drop leading zeros. Authorizations have six characters (ISO 8583,
	// field 38).
	l.row.AuthCode = padded(l.cell(FieldAuthCode), l.name(FieldAuthCode, 20), 6)
	l.row.Last4 = lastDigits(padded(l.cell(FieldLast4), l.text(FieldLast4), 4))
	l.readOrder()
	l.readSerial()
	if l.row.OrderID == "" && l.row.Folio == "" && l.row.AuthCode == "" {
		l.wrong(l.firstOf(FieldOrderID, FieldFolio, FieldAuthCode), problemIdentity)
	}
}

// name reads an identifying text, without card numbers.
func (l *lineReader) name(f Field, most int) string {
	s := l.text(f)
	if c := l.cell(f); c.When != "" && !c.Number {
		l.wrong(f, problemDate)
		return ""
	}
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
	serial = padded(l.cell(FieldSerialNumber), serial, 10)
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

// padded restores the leading zeros of a cell that is a number in a workbook.
func padded(c Cell, s string, width int) string {
	if c.Number && s != "" && len(s) < width {
		return strings.Repeat("0", width-len(s)) + s
	}
	return s
}

// firstOf is the first of the fields that has a column.
func (l *lineReader) firstOf(fields ...Field) Field {
	for _, f := range fields {
		if l.mapping.Columns[f] != "" {
			return f
		}
	}
	return ""
}

// when is the text of a cell with a date or a time of day, also where a workbook
// shows it as a number.
func (l *lineReader) when(f Field) string {
	if c := l.cell(f); c.When != "" {
		return c.When
	}
	return l.text(f)
}

func (l *lineReader) readTime() {
	said := l.when(FieldSoldAt)
	if said == "" {
		return
	}
	at, clock, ok := parseReportTime(said, l.mapping.Dates, l.zone)
	if !ok {
		l.wrong(FieldSoldAt, problemTime)
		return
	}
	if hour := l.when(FieldHour); hour != "" {
		if at, clock, ok = l.withHour(at, clock, hour); !ok {
			l.wrong(FieldHour, problemHour)
			return
		}
	}
	if clock {
		at = at.UTC()
		l.row.At, l.row.Day = &at, l.calendar.Day(at)
		return
	}
	// A date without a time is no instant: it is used unchanged.
	l.row.Day = models.Day(at.Format(time.DateOnly))
}

// withHour adds the time of day, which has a column of its own, to a date. Midnight is
// how a spreadsheet shows a date that has no time of day.
func (l *lineReader) withHour(date time.Time, clock bool, hour string) (at time.Time, hasClock, ok bool) {
	if day, of, found := strings.Cut(hour, " "); found && yearFirst.MatchString(day) {
		hour = of // the column repeats the date
	}
	at, hasClock, ok = parseReportTime(date.Format(time.DateOnly)+" "+hour, DatesISO, l.zone)
	h, m, s := date.Clock()
	if clock && h+m+s > 0 && !date.Truncate(time.Minute).Equal(at.Truncate(time.Minute)) {
		return at, false, false
	}
	return at, hasClock, ok && hasClock
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
