package table

import (
	"bufio"
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
	line, cells, err := firstRow(s)
	if err != nil {
		return err
	}
	texts := make([]string, len(cells))
	for i := range cells {
		texts[i] = cells[i].raw
	}
	header, more, err := readHeader(line, texts, columns, t.limits.Columns)
	if err != nil {
		return err
	}
	s.width = len(header.texts)
	t.header, t.notes, t.source = header, append(t.notes, more...), s
	return nil
}

// firstRow is the first row that is not blank.
func firstRow(s source) (int, []Cell, error) {
	for {
		line, cells, err := s.next()
		var wrong *rowError
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil, ErrEmpty
		case errors.As(err, &wrong):
			return 0, nil, wrong.why.at(line)
		case err != nil || !blank(cells):
			return line, cells, err
		}
	}
}

// separators, in the order of preference when the header does not decide.
var separators = []rune{',', ';', '\t', '|'}

// findSeparator reads the header and chooses the separator with which most of its
// fields are columns, then the one with most fields. A first line "sep=;" is Excel's
// way to state the separator, and is skipped.
func (s *csvSource) findSeparator(lines *bufio.Reader, columns []Column) (rune, error) {
	for {
		ahead, err := peekLine(lines)
		if err != nil {
			return 0, err
		}
		if ahead == "" {
			return 0, ErrEmpty
		}
		content := strings.TrimSpace(ahead)
		told := len(content) == 5 && strings.EqualFold(content[:4], "sep=")
		if content != "" && !told {
			return bestSeparator(content, columns), nil
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

// peekLine returns the next line with its end, as far as it is buffered.
func peekLine(lines *bufio.Reader) (string, error) {
	for n := 512; ; n *= 2 {
		ahead, err := lines.Peek(min(n, lines.Size()))
		if i := strings.IndexByte(string(ahead), '\n'); i >= 0 {
			return string(ahead[:i+1]), nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if err != nil || n >= lines.Size() {
			return string(ahead), nil
		}
	}
}

func bestSeparator(line string, columns []Column) rune {
	best, bestKnown, bestFields := ',', -1, 0
	for _, s := range separators {
		r := csv.NewReader(strings.NewReader(line))
		r.Comma, r.LazyQuotes = s, true
		fields, err := r.Read()
		if err != nil {
			continue
		}
		if k := known(fields, columns); k > bestKnown || k == bestKnown && len(fields) > bestFields {
			best, bestKnown, bestFields = s, k, len(fields)
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

func (s *csvSource) next() (int, []Cell, error) {
	s.guard.read = 0
	record, err := s.csv.Read()
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong) && s.ends.seen && wrong.Err == csv.ErrQuote && s.atEnd():
		// A quotation mark that is not closed includes everything that follows.
		return 0, nil, ErrCutInQuotes.at(wrong.StartLine + s.skippedLines)
	case errors.As(err, &wrong):
		return wrong.StartLine + s.skippedLines, nil, &rowError{ErrQuotes}
	case err != nil:
		return 0, nil, err
	}
	line, _ := s.csv.FieldPos(0)
	line += s.skippedLines
	if len(record) < s.width && s.ends.seen && !s.ends.newline && s.atEnd() {
		return 0, nil, ErrCut.at(line)
	}
	s.cells = s.cells[:0]
	for _, field := range record {
		s.cells = append(s.cells, Cell{raw: field})
	}
	return line, s.cells, nil
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
