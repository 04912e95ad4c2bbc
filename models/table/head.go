package table

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
)

// headRows is how many rows that are not blank are searched for the head. A report
// has its title, its store and its dates above it, and rarely more than ten lines.
const headRows = 20

// sourceRow is a row of a source.
type sourceRow struct {
	line   int // in the file, from 1
	cells  []Cell
	hidden bool // in the workbook
	open   bool // the file ends with it, and without a line end
	err    error
}

// rowsAhead reads rows of a source before it is known which one is the head, and
// returns those below it again.
type rowsAhead struct {
	source source
	rows   []sourceRow // that are not blank
	end    error       // why there are no more
	width  int         // of the head, once it is found
}

// read reads one more row that is not blank; false at the end.
func (a *rowsAhead) read() bool {
	for a.end == nil {
		row, err := a.source.next()
		var wrong *rowError
		switch {
		case errors.As(err, &wrong):
			row.err = err
		case err != nil:
			a.end = err
			return false
		case blank(row.cells):
			continue
		}
		row.cells = slices.Clone(row.cells)
		a.rows = append(a.rows, row)
		return true
	}
	return false
}

// below makes the row after the given one the first that next returns.
func (a *rowsAhead) below(i, width int) { a.rows, a.width = a.rows[i+1:], width }

func (a *rowsAhead) next() (sourceRow, error) {
	if len(a.rows) > 0 {
		row := a.rows[0]
		a.rows = a.rows[1:]
		if row.err == nil && row.open && len(row.cells) < a.width {
			return row, ErrCut.at(row.line)
		}
		return row, row.err
	}
	if a.end != nil {
		return sourceRow{}, a.end
	}
	return a.source.next()
}

// openHead finds the head of a source: its first row, unless titles stand above it.
// Where the columns are known, it is the first row that has those that are needed;
// else the first that looks like one. A head in two rows, with merged cells, is read
// as one.
func (t *Table) openHead(s source, columns []Column) error {
	a := &rowsAhead{source: s}
	find := findKnown
	if len(columns) == 0 {
		find = findLikely
	}
	at, found, notes, err := find(a, columns, t.limits.Columns)
	if err != nil {
		return err
	}
	if at.above > 0 {
		notes = append(notes, Note{"table.note.titles", itoa(at.line)})
	}
	t.header, t.notes = found, append(t.notes, notes...)
	a.below(at.index, len(found.texts))
	t.source = a
	return nil
}

// headAt is where a head ends.
type headAt struct {
	index int // of its last row among those read ahead
	line  int
	above int // rows above it
}

// findKnown finds the first row, or two rows, with all columns that are needed. If
// there is none, its error is about the row with most columns, and names it.
func findKnown(a *rowsAhead, columns []Column, most int) (headAt, header, []Note, error) {
	best := struct {
		err   error
		known int
	}{known: -1}
	for i := 0; i < headRows && a.read(); i++ {
		row := a.rows[i]
		if row.err != nil {
			if best.err == nil {
				best.err = rowErrorAt(row)
			}
			continue
		}
		texts := row.texts()
		h, notes, err := readHeader(row.line, texts, columns, most)
		if i > 0 && a.adjacent(i) && (err != nil || a.groups(i)) {
			if h, notes, err := readHeader(row.line, mergeHead(a.rows[i-1].texts(), texts), columns, most); err == nil {
				return headAt{i, row.line, i - 1}, h, notes, nil
			}
		}
		if err == nil {
			return secondRow(a, i, columns, most, h, notes)
		}
		n := known(texts, columns)
		if errors.Is(err, ErrTooManyCols) || errors.Is(err, ErrDuplicate) && n > 1 {
			return headAt{}, header{}, nil, headShown(err, texts)
		}
		if n > best.known {
			best.err, best.known = headShown(err, texts), n
		}
	}
	return headAt{}, header{}, nil, a.noHead(best.err)
}

// noHead is why there is no head: what was found, else why there are no rows.
func (a *rowsAhead) noHead(found error) error {
	switch {
	case found != nil:
		return found
	case a.end == nil || errors.Is(a.end, io.EOF):
		return ErrEmpty
	}
	return a.end
}

func rowErrorAt(row sourceRow) error {
	var wrong *rowError
	if errors.As(row.err, &wrong) {
		return wrong.why.at(row.line)
	}
	return row.err
}

// secondRow adds the row below a head when it belongs to it: names without digits
// under merged cells, and nothing under most of the columns that are needed.
func secondRow(a *rowsAhead, i int, columns []Column, most int, h header, notes []Note) (headAt, header, []Note, error) {
	at := headAt{i, a.rows[i].line, i}
	if !a.readAfter(i) || !a.adjacent(i+1) || !named(a.rows[i+1].cells) {
		return at, h, notes, nil
	}
	cells, needed, filled := a.rows[i+1].cells, 0, 0
	for _, c := range columns {
		if c.Required {
			needed++
			if p := h.at[c.Name]; p < len(cells) && !cells[p].Empty() {
				filled++
			}
		}
	}
	if filled*2 >= needed {
		return at, h, notes, nil
	}
	merged, more, err := readHeader(at.line, mergeHead(a.rows[i].texts(), a.rows[i+1].texts()), columns, most)
	if err != nil {
		return at, h, notes, nil // it is no head; as a row it will be wrong, and shown
	}
	return headAt{i + 1, at.line, i}, merged, more, nil
}

// readAfter reads the row after one that was read, if it was not read yet.
func (a *rowsAhead) readAfter(i int) bool { return i+1 < len(a.rows) || a.read() }

// adjacent reports whether the row stands directly below the one before it.
func (a *rowsAhead) adjacent(i int) bool {
	return a.rows[i].err == nil && a.rows[i-1].err == nil && a.rows[i].line == a.rows[i-1].line+1
}

// findLikely finds the head of a table whose columns nobody named: the first row
// that is about as wide as the widest and consists of names. If there is none, it is
// the first row.
func findLikely(a *rowsAhead, _ []Column, most int) (headAt, header, []Note, error) {
	for len(a.rows) < headRows && a.read() {
	}
	if len(a.rows) == 0 || a.rows[0].err != nil {
		var first error
		if len(a.rows) > 0 {
			first = rowErrorAt(a.rows[0])
		}
		return headAt{}, header{}, nil, a.noHead(first)
	}
	widest := 0
	for _, r := range a.rows {
		widest = max(widest, r.filled())
	}
	enough := widest
	if widest > 4 {
		enough = (widest*3 + 4) / 5 // a head may lack a name, and a row be longer
	}
	i := max(0, slices.IndexFunc(a.rows, func(r sourceRow) bool {
		return r.err == nil && r.filled() >= enough && named(r.cells)
	}))
	texts, last, above := a.rows[i].texts(), i, i
	switch {
	case i > 0 && a.adjacent(i) && a.groups(i):
		texts, above = mergeHead(a.rows[i-1].texts(), texts), i-1
	case i+1 < len(a.rows) && a.adjacent(i+1) && named(a.rows[i+1].cells) && fills(a.rows[i+1].cells, a.rows[i].cells):
		texts, last = mergeHead(texts, a.rows[i+1].texts()), i+1
	}
	h, notes, err := readHeader(a.rows[i].line, texts, nil, most)
	return headAt{last, a.rows[i].line, above}, h, notes, err
}

// groups reports whether the row above a head belongs to it: more names than a title
// has, and needed, because one stands where the head has none or because the head has
// the same name under two groups.
func (a *rowsAhead) groups(i int) bool {
	above, row := a.rows[i-1], a.rows[i]
	if above.filled() < 2 || !named(above.cells) {
		return false
	}
	seen := map[string]bool{}
	for _, text := range row.texts() {
		name := normal(text)
		if name != "" && seen[name] {
			return true
		}
		seen[name] = true
	}
	return fills(above.cells, row.cells)
}

// fills reports whether cells have a text where others have none.
func fills(cells, others []Cell) bool {
	for i := range cells {
		if !cells[i].Empty() && (i >= len(others) || others[i].Empty()) {
			return true
		}
	}
	return false
}

// filled counts the cells that show something.
func (r *sourceRow) filled() (n int) {
	for i := range r.cells {
		if !r.cells[i].Empty() {
			n++
		}
	}
	return n
}

func (r *sourceRow) texts() []string {
	texts := make([]string, len(r.cells))
	for i := range r.cells {
		texts[i] = r.cells[i].raw
	}
	return texts
}

// named reports whether the cells are names of columns: texts, most of which do not
// begin as amounts, dates and serial numbers do.
func named(cells []Cell) bool {
	names, values := 0, 0
	for i := range cells {
		switch text := tidy(cells[i].raw); {
		case cells[i].Empty():
		case cells[i].kind != Text:
			return false
		case strings.ContainsAny(text[:1], "0123456789-+$=("):
			values++
		default:
			names++
		}
	}
	return names > 2*values
}

// mergeHead reads two rows as one head: a group above its columns, or a name that
// spans both rows. A name under two groups is preceded by that of its group.
func mergeHead(upper, lower []string) []string {
	merged := make([]string, max(len(upper), len(lower)))
	groups := make([]string, len(merged))
	times := map[string]int{}
	group := ""
	for i := range merged {
		var above, name string
		if i < len(upper) {
			above = tidy(upper[i])
		}
		if i < len(lower) {
			name = tidy(lower[i])
		}
		group = cmp.Or(above, group)
		if name != "" {
			groups[i] = group
		}
		merged[i] = cmp.Or(name, above)
		times[normal(merged[i])]++
	}
	for i, name := range merged {
		if name != "" && groups[i] != "" && times[normal(name)] > 1 {
			merged[i] = groups[i] + " " + name
		}
	}
	return merged
}

// headShown adds to an error about a head what was taken for it.
func headShown(err error, texts []string) error {
	var known *Error
	if !errors.As(err, &known) {
		return err
	}
	var names []string
	for _, text := range texts {
		if text = Shown(tidy(text)); text != "" {
			names = append(names, text)
		}
	}
	c := *known
	c.Head = listed(names)
	return &c
}
