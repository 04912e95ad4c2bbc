package reconciliation

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/reconciliation/report"
)

// Preview is the beginning of a sample as a mapping reads it.
type Preview struct {
	Header  []string
	Mapping report.Mapping // as given, or as suggested when none was given
	Rows    []report.ReportRow
	Missing []string            // columns of the mapping that the sample lacks
	Words   []report.StatusWord // what the status column holds, the most frequent first
	Lines   int                 // how many were read
	Whole   bool                // these are all lines
}

// How much of a sample is read, and shown.
const (
	previewLines = 2000
	previewShown = 10
)

// PreviewFile reads the beginning of a sample by a mapping; a mapping without
// columns is suggested from the sample. Nothing is stored.
//
// Errors: an error of the table.
func PreviewFile(table report.Table, m report.Mapping, calendar models.Calendar) (*Preview, error) {
	p := &Preview{Header: table.Header()}
	lines, err := p.firstLines(table)
	if err != nil {
		return nil, err
	}
	if len(m.Columns) == 0 {
		zone, cut := m.Zone, m.CompleteUntil
		m = report.SuggestMapping(p.Header, textsOf(lines))
		m.Zone, m.CompleteUntil = zone, cut
	}
	p.Mapping = m
	if m.Zone == "" {
		m.Zone = calendar.Zone().String()
	}
	reader, err := report.NewReader(m, p.Header, calendar, time.Time{})
	var missing *report.MissingColumns
	if errors.As(err, &missing) {
		p.Missing, err = missing.Missing, nil
		return p, err
	}
	if err != nil {
		return nil, err
	}
	words := map[string]*report.StatusWord{}
	for _, l := range lines {
		if len(p.Rows) < previewShown {
			p.Rows = append(p.Rows, reader.Read(l.cells, l.number))
		}
		reader.NoteWord(l.cells, words)
	}
	for _, w := range words {
		p.Words = append(p.Words, *w)
	}
	slices.SortFunc(p.Words, func(a, b report.StatusWord) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Word, b.Word))
	})
	p.Words = p.Words[:min(len(p.Words), report.MaxWords)]
	return p, nil
}

type previewLine struct {
	cells  []report.Cell
	number int
}

func (p *Preview) firstLines(table report.Table) ([]previewLine, error) {
	var lines []previewLine
	for len(lines) < previewLines {
		cells, number, err := table.Next()
		if errors.Is(err, io.EOF) {
			p.Whole = true
			break
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, previewLine{slices.Clone(cells), number})
	}
	p.Lines = len(lines)
	return lines, nil
}

func textsOf(lines []previewLine) [][]string {
	texts := make([][]string, len(lines))
	for i, l := range lines {
		for _, c := range l.cells {
			texts[i] = append(texts[i], c.Text)
		}
	}
	return texts
}
