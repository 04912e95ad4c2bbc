package report

import (
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/cards"
	"veinte/models/table"
)

// Findings are what was noticed about a report's file beside its lines.
type Findings struct {
	Fields []Field  `json:"fields,omitempty"` // what the profile reads of it
	Unread []string `json:"unread,omitempty"` // columns that the profile does not read, the first few
	// CardRows counts the lines in which a whole card number stood, and CardColumns are
	// the columns that had it. The numbers themselves are not stored.
	CardRows    int          `json:"cardRows,omitempty"`
	CardColumns []string     `json:"cardColumns,omitempty"`
	Notes       []table.Note `json:"notes,omitempty"`
}

// comparedFields are those in which a line and a sale of ours are compared. The others
// only help to find the sale.
var comparedFields = []Field{FieldOrderID, FieldSerialNumber, FieldMerchantID, FieldAmount, FieldStatus, FieldSoldAt}

// Compared reports whether a field is compared; of the date that is the day.
func (f Field) Compared() bool { return slices.Contains(comparedFields, f) }

// Findings returns what was noticed, once every line was read.
func (r *Reader) Findings(notes []table.Note) Findings {
	f := Findings{CardRows: r.cards.rows}
	read := map[int]bool{}
	for _, field := range Fields {
		if i, ok := r.at[field]; ok {
			f.Fields, read[i] = append(f.Fields, field), true
		}
	}
	var unread []string
	for i, name := range r.header {
		if !read[i] {
			unread = append(unread, name)
		}
		if i < len(r.cards.columns) && r.cards.columns[i] {
			f.CardColumns = append(f.CardColumns, PrintableCell(name, 40))
		}
	}
	f.Unread = printableHeader(unread)
	for _, n := range notes {
		if n.Code != noteUnknownColumns { // Unread has them, without those of another sheet
			f.Notes = append(f.Notes, table.Note{Code: n.Code, Detail: models.Truncate(n.Detail, 200)})
		}
	}
	return f
}

const noteUnknownColumns = "table.note.unknownColumns"

// cardCount counts lines with whole card numbers.
type cardCount struct {
	rows    int
	columns []bool
}

func (r *Reader) countCards(cells []Cell) {
	n, found := &r.cards, false
	card, mapped := r.at[FieldLast4]
	for i, c := range cells {
		switch {
		case len(c.Text) < 13:
			continue
		case mapped && i == card:
			if !cards.Holds(c.Text) {
				continue
			}
		case !cards.InReference(c.Text, r.now): // an order number may be in any column
			continue
		}
		for len(n.columns) <= i {
			n.columns = append(n.columns, false)
		}
		n.columns[i], found = true, true
	}
	if found {
		n.rows++
	}
}

// sumWords begin the lines of sums, folded.
var sumWords = []string{"total", "totales", "subtotal", "subtotales", "sub total", "gran total", "grand total", "totals", "suma", "sumas"}

// ofNoSale reports whether the line is a sum, a heading or a note: it names no
// terminal and no operation that the profile knows.
func (l *lineReader) ofNoSale() bool {
	if _, known := l.words[fold(l.text(FieldStatus))]; known {
		return false
	}
	if _, err := models.ParseSerialNumber(padded(l.cell(FieldSerialNumber), l.text(FieldSerialNumber), 10)); err == nil {
		return false
	}
	return l.isSum() || l.isHead() ||
		l.none(FieldOrderID, FieldSerialNumber, FieldMerchantID, FieldStatus, FieldSoldAt, FieldFolio, FieldAuthCode, FieldLast4) ||
		len(l.cells) == len(l.header) && l.oneText()
}

func (l *lineReader) isSum() bool {
	for _, c := range l.cells {
		first := strings.TrimRight(fold(c.Text), ": ")
		if first == "" {
			continue
		}
		return slices.ContainsFunc(sumWords, func(word string) bool {
			return first == word || strings.HasPrefix(first, word+" ") || strings.HasPrefix(first, word+":")
		})
	}
	return false
}

// isHead reports whether the names of the columns are repeated, as on each page of a
// printed report.
func (l *lineReader) isHead() bool {
	for f := range l.at {
		if fold(l.text(f)) != fold(l.mapping.Columns[f]) {
			return false
		}
	}
	return true
}

// oneText reports whether only one cell of a whole line says something, in words.
func (l *lineReader) oneText() bool {
	said := 0
	for _, c := range l.cells {
		if s := strings.TrimSpace(c.Text); s != "" {
			said++
			if c.Number || c.When != "" || !strings.Contains(s, " ") {
				return false
			}
		}
	}
	return said == 1
}

// sum is the amount of a line of no sale, so that a person recognizes the line.
func (l *lineReader) sum() *models.Money {
	if amount, _, ok := parseReportAmount(l.text(FieldAmount), l.mapping.Amounts); ok {
		return &amount
	}
	return nil
}
