package jsontext

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
)

// tree is a JSON value parsed in one pass. It is for values that are known to be
// valid JSON; PostgreSQL stores them with its own order and blanks.
type tree struct {
	nodes []node
	rest  []byte
}

// node is a value and, in an object, its name. Its parts follow it.
type node struct {
	key   []byte // as JSON; nil outside objects
	value []byte // of what has no parts
	kind  byte   // its first character: { [ " or another
	end   int    // index behind the last of its parts
}

// Trees is what Same needs for two values; it uses it again for the next.
type Trees [2]tree

// Same compares two JSON values by what they mean: the order of names and
// the way to write a text or a number do not count.
func Same(trees *Trees, a, b []byte) bool {
	if sameButBlanks(a, b) {
		return true
	}
	for i, text := range [][]byte{a, b} {
		trees[i].nodes, trees[i].rest = trees[i].nodes[:0], text
		if trees[i].read(nil, 0); trees[i].rest == nil {
			return false
		}
	}
	return sameNode(&trees[0], &trees[1], 0, 0)
}

// sameButBlanks reports whether two values differ only in the blanks that PostgreSQL
// puts behind colons and commas, which is true of most.
func sameButBlanks(a, b []byte) bool {
	inText := false
	for _, c := range b {
		if c == ' ' && !inText && (len(a) == 0 || a[0] != ' ') {
			continue
		}
		if len(a) == 0 || a[0] != c || c == '\\' { // escapes need a full comparison
			return false
		}
		if c == '"' {
			inText = !inText
		}
		a = a[1:]
	}
	return len(a) == 0
}

// deepestJSON is how deep a value may be nested; PostgreSQL's own limit depends
// on its stack, and what the product writes is six deep.
const deepestJSON = 500

// read parses the value at the beginning of the rest; the rest becomes nil where it
// is nested too deep.
func (t *tree) read(key []byte, depth int) {
	t.blanks()
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{key: key, kind: t.rest[0]})
	switch kind := t.rest[0]; {
	case depth > deepestJSON:
		t.rest = nil
		return
	case kind == '{' || kind == '[':
		t.rest = t.rest[1:]
		for t.blanks(); t.rest[0] != '}' && t.rest[0] != ']'; t.blanks() {
			var name []byte
			if kind == '{' {
				name = t.token()
				t.blanks()
				t.rest = t.rest[1:] // the colon
			}
			if t.read(name, depth+1); t.rest == nil {
				return
			}
			if t.blanks(); t.rest[0] == ',' {
				t.rest = t.rest[1:]
			}
		}
		t.rest = t.rest[1:]
	default:
		t.nodes[at].value = t.token()
	}
	t.nodes[at].end = len(t.nodes)
}

func (t *tree) blanks() {
	for len(t.rest) > 0 && (t.rest[0] == ' ' || t.rest[0] == '\t' || t.rest[0] == '\n' || t.rest[0] == '\r') {
		t.rest = t.rest[1:]
	}
}

func (t *tree) token() []byte {
	i := 1
	if t.rest[0] == '"' {
		for ; t.rest[i] != '"'; i++ {
			if t.rest[i] == '\\' {
				i++
			}
		}
		i++
	} else {
		for i < len(t.rest) && bytes.IndexByte([]byte(" \t\r\n,]}"), t.rest[i]) < 0 {
			i++
		}
	}
	token := t.rest[:i]
	t.rest = t.rest[i:]
	return token
}

func sameNode(a, b *tree, i, j int) bool {
	x, y := &a.nodes[i], &b.nodes[j]
	switch {
	case x.kind == '"':
		return y.kind == '"' && sameString(x.value, y.value)
	case x.kind != '{' && x.kind != '[':
		return y.value != nil && y.kind != '"' && (bytes.Equal(x.value, y.value) || sameNumber(x.value, y.value))
	case x.kind != y.kind:
		return false
	}
	if n := a.count(i); n != b.count(j) {
		return false
	} else if x.kind == '{' && n <= fewParts {
		return sameFew(a, b, i, j)
	}
	left, right := a.parts(i), b.parts(j)
	if x.kind == '{' {
		a.byName(left)
		b.byName(right)
	}
	for k := range left {
		if !sameString(a.nodes[left[k]].key, b.nodes[right[k]].key) || !sameNode(a, b, left[k], right[k]) {
			return false
		}
	}
	return true
}

// fewParts is up to how many parts each is looked for among the others: sorting them
// takes longer.
const fewParts = 16

// sameFew compares two objects with equally many parts. No object has a name twice: the
// entry's bytes were looked through for that, and PostgreSQL keeps none.
func sameFew(a, b *tree, i, j int) bool {
	for x := i + 1; x < a.nodes[i].end; x = a.nodes[x].end {
		y := j + 1
		for y < b.nodes[j].end && !sameString(a.nodes[x].key, b.nodes[y].key) {
			y = b.nodes[y].end
		}
		if y == b.nodes[j].end || !sameNode(a, b, x, y) {
			return false
		}
	}
	return true
}

func (t *tree) count(i int) (n int) {
	for at := i + 1; at < t.nodes[i].end; at = t.nodes[at].end {
		n++
	}
	return n
}

func (t *tree) parts(i int) (parts []int) {
	for at := i + 1; at < t.nodes[i].end; at = t.nodes[at].end {
		parts = append(parts, at)
	}
	return parts
}

func (t *tree) byName(parts []int) {
	slices.SortFunc(parts, func(i, j int) int { return bytes.Compare(plain(t.nodes[i].key), plain(t.nodes[j].key)) })
}

// plain is a JSON string without quotes and escapes.
func plain(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return bytes.Trim(s, `"`)
	}
	var text string
	_ = json.Unmarshal(s, &text)
	return []byte(text)
}

func sameString(a, b []byte) bool { return bytes.Equal(a, b) || bytes.Equal(plain(a), plain(b)) }

// sameNumber compares numbers such as 1e2 and 100. A number longer than any that the
// product writes is compared as text.
func sameNumber(a, b []byte) bool {
	if len(a) > 40 || len(b) > 400 || !digit(a[0]) || !digit(b[0]) || exponent(a) {
		return false
	}
	x, okX := new(big.Rat).SetString(string(a))
	y, okY := new(big.Rat).SetString(string(b))
	return okX && okY && x.Cmp(y) == 0
}

func digit(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

// exponent reports whether a number has an exponent of more than three digits,
// which would be a lot to compute with.
func exponent(a []byte) bool {
	i := bytes.IndexAny(a, "eE")
	return i >= 0 && len(a)-i > 5
}
