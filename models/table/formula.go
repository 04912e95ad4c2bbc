package table

import (
	"strconv"
	"strings"
)

// sharedFormula is a formula that a workbook stores with the first of several cells;
// the others have it moved by their distance.
type sharedFormula struct {
	text         string
	line, column int
}

// formulaOf returns the formula of a cell. shared is the index of a shared one.
func (s *sheetSource) formulaOf(shared, text string, line, column int) string {
	if shared == "" {
		return text
	}
	if text != "" {
		if s.shared == nil {
			s.shared = map[string]sharedFormula{}
		}
		if len(s.shared) < maxParts { // a hostile sheet has one for every cell
			s.shared[shared] = sharedFormula{text, line, column}
		}
		return text
	}
	f, ok := s.shared[shared]
	if !ok {
		return "…"
	}
	return moved(f.text, line-f.line, column-f.column)
}

// moved moves the references of a formula, as filling it down or to the right does:
// B2 becomes B7 five rows below, $B$2 stays. Texts and names of functions stay.
func moved(formula string, lines, columns int) string {
	var out strings.Builder
	for i := 0; i < len(formula); {
		if quote := formula[i]; quote == '"' || quote == '\'' {
			end := strings.IndexByte(formula[i+1:], quote)
			if end < 0 {
				return out.String() + formula[i:]
			}
			out.WriteString(formula[i : i+end+2])
			i += end + 2
			continue
		}
		n := wordLength(formula[i:])
		if n == 0 {
			out.WriteByte(formula[i])
			i++
			continue
		}
		word := formula[i : i+n]
		if i += n; i < len(formula) && formula[i] == '(' {
			out.WriteString(word) // a function, such as LOG10
		} else {
			out.WriteString(movedReference(word, lines, columns))
		}
	}
	return out.String()
}

// wordLength is how many bytes of a reference, a number or a name a text begins with.
func wordLength(s string) int {
	for i := range len(s) {
		if c := s[i]; !(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '$' || c == '_' || c == '.' || c >= 0x80) {
			return i
		}
	}
	return len(s)
}

// movedReference moves $B$2, B$2, $B2 or B2; any other word is returned as it is.
func movedReference(word string, lines, columns int) string {
	column := strings.TrimPrefix(word, "$")
	fixedColumn := column != word
	letters := len(column) - len(strings.TrimLeft(column, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	row := column[letters:]
	column = column[:letters]
	digits := strings.TrimPrefix(row, "$")
	fixedRow := digits != row
	line, err := strconv.Atoi(digits)
	if err != nil || letters < 1 || letters > 3 || line < 1 || strings.Trim(digits, "0123456789") != "" {
		return word
	}
	if !fixedColumn {
		column = columnName(columnOf(column) + columns)
	}
	if !fixedRow {
		line += lines
	}
	if line < 1 || column == "" {
		return "#REF!"
	}
	dollar := map[bool]string{true: "$"}
	return dollar[fixedColumn] + column + dollar[fixedRow] + strconv.Itoa(line)
}

// columnName is the name of a column, from 0; "" before the first.
func columnName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
