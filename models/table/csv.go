package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// openText starts to read a CSV file.
func (t *Table) openText(r io.ReaderAt, size int64, columns []Column) error {
	decoded, notes, err := text(r, size)
	if err != nil {
		return err
	}
	t.notes = notes
	ends := &lineEnd{r: decoded}
	guard := &guard{r: ends, most: t.limits.Columns*t.limits.Cell*4 + 64<<10}
	lines := bufio.NewReaderSize(guard, 64<<10)
	s := &csvSource{guard: guard, ends: ends}
	separator, err := s.findSeparator(lines, columns)
	if err != nil {
		return err
	}
	s.csv = csv.NewReader(lines)
	s.csv.Comma = separator
	s.csv.FieldsPerRecord = -1
	s.csv.ReuseRecord = true
	if err := t.openHead(s, columns); err != nil {
		return err
	}
	s.width = len(t.header.texts)
	return nil
}

// separators, in the order of preference when the header does not decide.
var separators = []rune{',', ';', '\t', '|'}

// findSeparator reads the first lines and chooses the separator with which most
// fields of one of them are columns, then the one with most fields: titles may stand
// above the head. A first line "sep=;" is Excel's way to state the separator, and is
// skipped.
func (s *csvSource) findSeparator(lines *bufio.Reader, columns []Column) (rune, error) {
	for {
		first, err := peekLines(lines)
		if err != nil {
			return 0, err
		}
		if len(first) == 0 {
			return 0, ErrEmpty
		}
		ahead := first[0]
		content := strings.TrimSpace(ahead)
		told := len(content) == 5 && strings.EqualFold(content[:4], "sep=")
		if content != "" && !told {
			return bestSeparator(first, columns), nil
		}
		if _, err := lines.Discard(len(ahead)); err != nil {
			return 0, fmt.Errorf("read file: %w", err)
		}
		s.skippedLines++
		s.skippedBytes += int64(len(ahead))
		if told && strings.ContainsRune(string(separators), rune(content[4])) {
			return rune(content[4]), nil
		}
	}
}

// peekLines returns the next lines with their ends, as many as a head is searched in
// and as far as they are buffered. The last one may be incomplete.
func peekLines(lines *bufio.Reader) ([]string, error) {
	for n := 512; ; n *= 2 {
		ahead, err := lines.Peek(min(n, lines.Size()))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err == nil && n < lines.Size() && bytes.Count(ahead, []byte{'\n'}) < headRows {
			continue
		}
		first := strings.SplitAfterN(string(ahead), "\n", headRows+1)
		if last := len(first) - 1; last > 0 { // the rest, or nothing
			first = first[:last]
		}
		if len(first) == 1 && first[0] == "" {
			return nil, nil
		}
		return first, nil
	}
}

func bestSeparator(lines []string, columns []Column) rune {
	best, bestKnown, bestFields := ',', -1, 0
	for _, s := range separators {
		mostKnown, fields := -1, 0
		for _, line := range lines {
			r := csv.NewReader(strings.NewReader(line))
			r.Comma, r.LazyQuotes = s, true
			if cells, err := r.Read(); err == nil {
				mostKnown, fields = max(mostKnown, known(cells, columns)), fields+len(cells)
			}
		}
		if mostKnown > bestKnown || mostKnown == bestKnown && fields > bestFields {
			best, bestKnown, bestFields = s, mostKnown, fields
		}
	}
	return best
}

// csvSource reads CSV.
type csvSource struct {
	csv          *csv.Reader
	guard        *guard
	ends         *lineEnd
	skippedLines int // before the csv reader's first
	skippedBytes int64
	width        int // of the header; 0 while it is read
	cells        []Cell
}

func (s *csvSource) next() (sourceRow, error) {
	s.guard.read = 0
	record, err := s.csv.Read()
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong) && s.ends.seen && wrong.Err == csv.ErrQuote && s.atEnd():
		// A quotation mark that is not closed includes everything that follows.
		return sourceRow{}, ErrCutInQuotes.at(wrong.StartLine + s.skippedLines)
	case errors.As(err, &wrong):
		return sourceRow{line: wrong.StartLine + s.skippedLines}, &rowError{ErrQuotes}
	case err != nil:
		return sourceRow{}, err
	}
	line, _ := s.csv.FieldPos(0)
	line += s.skippedLines
	open := s.ends.seen && !s.ends.newline && s.atEnd()
	if open && len(record) < s.width {
		return sourceRow{}, ErrCut.at(line)
	}
	s.cells = s.cells[:0]
	for _, field := range record {
		s.cells = append(s.cells, Cell{raw: field})
	}
	return sourceRow{line: line, cells: s.cells, open: open}, nil
}

// atEnd reports whether nothing follows.
func (s *csvSource) atEnd() bool { return s.skippedBytes+s.csv.InputOffset() >= s.ends.total }

// lineEnd records how the file ends.
type lineEnd struct {
	r       io.Reader
	total   int64
	seen    bool // the end of the file was read
	newline bool // the last byte so far is a line's end
}

func (l *lineEnd) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.newline = p[n-1] == '\n'
		l.total += int64(n)
	}
	l.seen = l.seen || errors.Is(err, io.EOF)
	return n, err
}

// guard refuses an endless row before all of it is in memory.
type guard struct {
	r    io.Reader
	read int // since the last row
	most int
}

func (g *guard) Read(p []byte) (int, error) {
	if g.read > g.most {
		return 0, ErrRowTooLong
	}
	n, err := g.r.Read(p)
	g.read += n
	return n, err
}
