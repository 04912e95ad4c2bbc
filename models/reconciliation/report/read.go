package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	header   []string
	zone     *time.Location
	calendar models.Calendar
	now      time.Time // for cards.InReference
	cards    cardCount
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
	r := &Reader{mapping: m, words: map[string]Meaning{}, at: map[Field]int{}, header: header, zone: zone, calendar: calendar, now: now}
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
	for len(cells) > len(r.header) && strings.TrimSpace(cells[len(cells)-1].Text) == "" {
		cells = cells[:len(cells)-1]
	}
	r.countCards(cells)
	l := &lineReader{Reader: r, cells: cells, row: ReportRow{Number: line}}
	if l.ofNoSale() {
		return ReportRow{Number: line, Meaning: MeansIgnore, Amount: l.sum()}
	}
	short := len(cells) <= r.at[FieldAmount] || len(cells) <= r.at[FieldStatus]
	switch {
	case short:
		l.wrong(FieldAmount, problemShort)
	case len(cells) > len(r.header):
		l.wrong(FieldAmount, problemLong)
	}
	for _, f := range Fields {
		if why := l.cell(f).Broken; why != "" {
			l.wrong(f, why)
		}
	}
	l.identify()
	l.readTime()
	l.readMeaning(l.readAmount())
	if l.row.Problem != "" && !short && l.none(FieldSerialNumber, FieldMerchantID, FieldStatus, FieldAuthCode, FieldLast4) {
		l.row.Problem = problemNotTransaction
	}
	if l.row.Meaning == MeansIgnore {
		l.row.Problem, l.row.Column, l.row.Value = "", "", "" // the rest of the line does not matter
	}
	return l.row
}

// PrintableCell makes a cell of a file safe to store and show.
func PrintableCell(s string, most int) string {
	s = strings.Map(func(c rune) rune {
		if models.Invisible(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	return models.Truncate(cards.Mask(s), most)
}
