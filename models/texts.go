package models

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
)

// ArrayOf splits an array whose elements need no quotes.
func ArrayOf(from any) ([]string, error) {
	var s string
	switch v := from.(type) {
	case string:
		s = v
	case []byte:
		s = string(v)
	default:
		return nil, fmt.Errorf("read array: it is a %T", from)
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	if s == "" {
		return nil, nil
	}
	return strings.Split(s, ","), nil
}

// Texts is a list of texts, stored as a PostgreSQL array.
type Texts []string

// Value writes the array, each element in quotes.
func (t Texts) Value() (driver.Value, error) {
	quoted := make([]string, len(t))
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i := range t {
		quoted[i] = `"` + escape.Replace(t[i]) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}", nil
}

// Scan reads an array whose elements contain no comma and no quote, such as
// addresses.
func (t *Texts) Scan(from any) error {
	elements, err := ArrayOf(from)
	if err != nil {
		return fmt.Errorf("read texts: %w", err)
	}
	*t = nil
	for _, e := range elements {
		*t = append(*t, strings.Trim(e, `"`))
	}
	return nil
}

func JsonNumber(n int64) string { return strconv.FormatInt(n, 10) }

// Truncate cuts a text to at most n bytes without breaking a character.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// Unaccented removes accents, as audit_terms of the database does.
func Unaccented(s string) string { return unaccented.Replace(s) }

var unaccented = func() *strings.Replacer {
	from := []rune("áàâäãåÁÀÂÄÃÅéèêëÉÈÊËíìîïÍÌÎÏóòôöõÓÒÔÖÕúùûüÚÙÛÜñÑçÇ")
	to := "aaaaaaaaaaaaeeeeeeeeiiiiiiiioooooooooouuuuuuuunncc"
	pairs := []string{"\u0301", "", "\u0300", "", "\u0303", "", "\u0308", ""}
	for i, r := range from {
		pairs = append(pairs, string(r), to[i:i+1])
	}
	return strings.NewReplacer(pairs...)
}()
