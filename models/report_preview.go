package models

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// ReportPreview is how the beginning of a sample would be understood.
type ReportPreview struct {
	Header  []string
	Mapping Mapping // as given, or as suggested where nothing was given
	Rows    []ReportRow
	Missing []string     // columns of the mapping that the sample lacks
	Words   []ReportWord // what the status column holds, the most frequent first
	Lines   int          // that were looked at
	Whole   bool         // they are all
}

// ReportWord is a value of a status column.
type ReportWord struct {
	Word    string
	Lines   int
	Meaning ReportMeaning // "" when the mapping does not know it
}

// How much of a sample is looked at, and shown.
const (
	previewLines = 2000
	previewShown = 10
)

// PreviewReport reads the beginning of a sample by a mapping; one without
// columns is suggested from the sample itself. Nothing is kept.
//
// Errors: an error of the table.
func PreviewReport(table ReportTable, m Mapping, calendar Calendar) (*ReportPreview, error) {
	p := &ReportPreview{Header: table.Header()}
	lines, err := p.firstLines(table)
	if err != nil {
		return nil, err
	}
	if len(m.Columns) == 0 {
		zone, cut := m.Zone, m.Cut
		m = SuggestMapping(p.Header, textsOf(lines))
		m.Zone, m.Cut = zone, cut
	}
	p.Mapping = m
	if m.Zone == "" {
		m.Zone = calendar.Zone().String()
	}
	reader, err := newReportReader(m, p.Header, calendar)
	var missing *MissingColumns
	if errors.As(err, &missing) {
		p.Missing, err = missing.Missing, nil
		return p, err
	}
	if err != nil {
		return nil, err
	}
	words := map[string]*ReportWord{}
	for _, l := range lines {
		if len(p.Rows) < previewShown {
			p.Rows = append(p.Rows, reader.read(l.cells, l.number))
		}
		reader.noteWord(l.cells, words)
	}
	for _, w := range words {
		p.Words = append(p.Words, *w)
	}
	slices.SortFunc(p.Words, func(a, b ReportWord) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Word, b.Word))
	})
	p.Words = p.Words[:min(len(p.Words), mostWords)]
	return p, nil
}

type previewLine struct {
	cells  []ReportCell
	number int
}

func (p *ReportPreview) firstLines(table ReportTable) ([]previewLine, error) {
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

// noteWord counts what the status column says.
func (r *reportReader) noteWord(cells []ReportCell, words map[string]*ReportWord) {
	i, ok := r.at[ReportStatus]
	if !ok || i >= len(cells) {
		return
	}
	key := fold(cells[i].Text)
	if key == "" {
		return
	}
	if words[key] == nil {
		words[key] = &ReportWord{Word: legibleCell(cells[i].Text, 60), Meaning: r.words[key]}
	}
	words[key].Lines++
}
