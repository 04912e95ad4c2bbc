package trailfile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/jsontext"
)

// object is a JSON object whose members are read one by one. The library takes a member in
// other letters and one that is there twice, and so two readers could see two files.
type object map[string][]byte

var errMember = errors.New("a member is missing, or is not what it has to be")

// readObject reads an object. With names it has these and no others; those behind a "?"
// may be missing.
func readObject(text []byte, names ...string) (object, error) {
	text = bytes.Trim(text, " \t\r\n")
	if !utf8.Valid(text) || !json.Valid(text) || len(text) < 2 || text[0] != '{' {
		return nil, errors.New("not a JSON object in UTF-8")
	}
	if jsontext.Deepest(text) > maxNesting {
		return nil, errTooDeep
	}
	if jsontext.Twice(text) || jsontext.HalfPair(text) {
		return nil, errors.New("a name twice, or half a character")
	}
	o := object{}
	rest, more := jsontext.Blanks(text[1:]), len(jsontext.Blanks(text[1:len(text)-1])) > 0
	for more {
		var f Field
		f.Key, f.Value, rest, more = jsontext.Member(rest)
		name, err := textOf(f.Key)
		if err != nil {
			return nil, err
		}
		o[name] = f.Value
	}
	for name := range o {
		if len(names) > 0 && !slices.Contains(names, name) && !slices.Contains(names, "?"+name) {
			return nil, fmt.Errorf("a member %s, which is not known", strconv.Quote(shorten(name)))
		}
	}
	for _, name := range names {
		if _, there := o[name]; !there && name[0] != '?' {
			return nil, fmt.Errorf("%w: %s", errMember, name)
		}
	}
	return o, nil
}

// textOf is the text of a JSON string without its quotes.
func textOf(inner []byte) (string, error) {
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(slices.Concat([]byte{'"'}, inner, []byte{'"'}), &s)
	return s, err
}

// unescaped is a JSON value; where it is a text with escapes, between quotes what they mean.
func unescaped(value []byte) []byte {
	if value[0] != '"' || bytes.IndexByte(value, '\\') < 0 {
		return value
	}
	s, _ := textOf(value[1 : len(value)-1])
	return slices.Concat([]byte{'"'}, []byte(s), []byte{'"'})
}

// text reads a member that is a text.
func (o object) text(name string) (string, error) {
	value := o[name]
	if len(value) < 2 || value[0] != '"' {
		return "", fmt.Errorf("%w: %s", errMember, name)
	}
	return textOf(value[1 : len(value)-1])
}

// number reads a member that is a whole number from 0, in its one form.
func (o object) number(name string) (int64, error) {
	s := &scanner{rest: o[name]}
	n := s.number()
	if s.err != nil || len(s.rest) > 0 {
		return 0, fmt.Errorf("%w: %s", errMember, name)
	}
	return n, nil
}

// hashes reads a member that is a list of hashes.
func (o object) hashes(name string) (hashes []tlog.Hash, err error) {
	var texts []*string
	if value := o[name]; len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &texts) != nil {
		return nil, fmt.Errorf("%w: %s", errMember, name)
	}
	for _, text := range texts {
		if text == nil {
			return nil, fmt.Errorf("%w: %s", errMember, name)
		}
		s, h := &scanner{rest: []byte(*text)}, tlog.Hash{}
		s.hash(&h)
		if s.err != nil || len(s.rest) > 0 {
			return nil, fmt.Errorf("%w: %s", errMember, name)
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}

// texts reads a member that is a list of texts, or is not there.
func (o object) texts(name string) (list []string, err error) {
	value, there := o[name]
	if !there {
		return nil, nil
	}
	var texts []*string
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &texts) != nil || slices.Contains(texts, nil) {
		return nil, fmt.Errorf("%w: %s", errMember, name)
	}
	for _, text := range texts {
		list = append(list, *text)
	}
	return list, nil
}

func hashTexts(hashes []tlog.Hash) []string {
	texts := make([]string, len(hashes))
	for i, h := range hashes {
		texts[i] = base64.StdEncoding.EncodeToString(h[:])
	}
	return texts
}

// maxNesting is how deep objects and lists may be nested. What the product writes is six
// deep; readers stop between a few hundred and ten thousand, each elsewhere.
const maxNesting = 100

var errTooDeep = fmt.Errorf("nested deeper than %d", maxNesting)

// wholeNumber reads -2⁶³ to 2⁶³-1 in its one decimal form.
func wholeNumber(value []byte) (int64, bool) {
	if len(value) == 0 || len(value) > 20 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, false
	}
	var own [20]byte
	return n, bytes.Equal(strconv.AppendInt(own[:0], n, 10), value)
}
