package table

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// header is the first row: the position of each column.
type header struct {
	texts []string       // as in the file
	at    map[string]int // canonical name → position
}

// readHeader finds the columns in the first row. It reports unknown ones.
func readHeader(line int, texts []string, columns []Column, most int) (header, []Note, error) {
	for len(texts) > 0 && tidy(texts[len(texts)-1]) == "" {
		texts = texts[:len(texts)-1]
	}
	h := header{at: map[string]int{}}
	if len(texts) > most {
		return h, nil, ErrTooManyCols.counts(len(texts), most).at(line)
	}
	names := nameTable(columns)
	first := map[string]bool{}
	for _, c := range columns {
		first[c.Name] = c.First
	}
	var unknown, twice []string
	for i, text := range texts {
		text = unescape(tidy(text))
		h.texts = append(h.texts, text)
		name, known := names[normal(text)]
		if columns == nil {
			name, known = text, text != ""
		}
		switch _, has := h.at[name]; {
		case !known && text != "":
			unknown = append(unknown, Shown(text))
		case !known:
		case has && first[name]:
			unknown = append(unknown, Shown(text))
		case has:
			twice = append(twice, Shown(text))
		default:
			h.at[name] = i
		}
	}
	if len(twice) > 0 {
		return h, nil, list(ErrDuplicate, twice).at(line)
	}
	if missing := h.missing(columns); len(missing) > 0 {
		return h, nil, list(ErrMissing, missing).at(line)
	}
	var notes []Note
	if len(unknown) > 0 {
		notes = append(notes, Note{"table.note.unknownColumns", listed(unknown)})
	}
	return h, notes, nil
}

func (h *header) missing(columns []Column) []string {
	var missing []string
	for _, c := range columns {
		if _, has := h.at[c.Name]; c.Required && !has {
			missing = append(missing, c.Name)
		}
	}
	return missing
}

// nameTable maps every accepted header to its column.
func nameTable(columns []Column) map[string]string {
	names := map[string]string{}
	for _, c := range columns {
		names[normal(c.Name)] = c.Name
		for _, s := range c.Synonyms {
			names[normal(s)] = c.Name
		}
	}
	return names
}

// Fold normalizes a header or a word for comparing: letters and digits only, without
// case and accents.
func Fold(s string) string { return normal(s) }

// normal normalizes a header for comparing: letters and digits only, without case
// and accents. "N.º de Serie" is "nodeserie".
func normal(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKD.String(s))
}

// known counts how many of the texts are headers of the columns.
func known(texts []string, columns []Column) int {
	names, n := nameTable(columns), 0
	for _, text := range texts {
		if _, ok := names[normal(text)]; ok {
			n++
		}
	}
	return n
}

// listedMost limits the names in an error or a note.
const listedMost = 20

func listed(names []string) string {
	if len(names) > listedMost {
		return strings.Join(names[:listedMost], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

func list(e *Error, names []string) *Error {
	c := *e
	c.Detail, c.N = listed(names), len(names)
	return &c
}
