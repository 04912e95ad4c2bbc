package table

import (
	"strconv"
	"strings"
)

// Note is something that a person should know about a file that is read anyway. Code
// is a key that the views translate.
type Note struct {
	Code   string
	Detail string
}

// Notes are the notes for the person who uploaded the file. Those about rows are
// complete when all rows are read.
func (t *Table) Notes() []Note {
	if t.hidden.n == 0 {
		return t.notes
	}
	return append(t.notes[:len(t.notes):len(t.notes)], Note{"table.note.hiddenRows", t.hidden.String()})
}

// lines collects lines of a file as ranges: 3, 5–9.
type lines struct {
	n      int
	ranges [][2]int
}

func (l *lines) add(line int) {
	l.n++
	if last := len(l.ranges) - 1; last >= 0 && l.ranges[last][1]+1 >= line {
		l.ranges[last][1] = line
		return
	}
	if len(l.ranges) <= listedMost {
		l.ranges = append(l.ranges, [2]int{line, line})
	}
}

func (l *lines) String() string {
	names := make([]string, len(l.ranges))
	for i, r := range l.ranges {
		names[i] = itoa(r[0])
		if r[1] > r[0] {
			names[i] += "–" + itoa(r[1])
		}
	}
	return itoa(l.n) + " (" + strings.TrimSpace(listed(names)) + ")"
}

func itoa(n int) string { return strconv.Itoa(n) }
