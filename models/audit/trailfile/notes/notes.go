// Package notes reads signed notes (C2SP signed-note) and the keys that sign them, each in
// its one form. The note package of the checksum database takes a signature in several
// spellings, and so two readers could see two notes.
package notes

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Max is how long a signed note may be, in bytes, and maxSignatures how many may have
// signed it.
const (
	Max           = 64 << 10
	maxSignatures = 100
)

// Signature is a line below a note's text.
type Signature struct {
	Name  string // of the key
	Hash  uint32 // of the key
	Bytes []byte
}

// Cut divides a note into its text and the lines of its signatures.
func Cut(signed string) (text, signatures string, err error) {
	if len(signed) > Max {
		return "", "", fmt.Errorf("longer than %d bytes", Max)
	}
	text, signatures, ok := strings.Cut(signed, "\n\n")
	if !ok {
		return "", "", errors.New("a signed note has an empty line before its signatures")
	}
	return text + "\n", signatures, nil
}

// Signatures reads the lines below a note's text.
func Signatures(below string) (lines []Signature, err error) {
	rest, ok := strings.CutSuffix(below, "\n")
	if !ok {
		return nil, errors.New("it has no signature, or its last line has no end")
	}
	for _, line := range strings.Split(rest, "\n") {
		l, ok := readSignature(line)
		if !ok || len(lines) == maxSignatures {
			return nil, errors.New("a line below its text is no signature")
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func readSignature(line string) (l Signature, ok bool) {
	line, dash := strings.CutPrefix(line, "— ")
	name, text, blank := strings.Cut(line, " ")
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if !dash || !blank || JudgeName(name) != nil || err != nil || len(raw) < 5 || strings.ContainsAny(text, "\r\n") {
		return l, false
	}
	return Signature{name, binary.BigEndian.Uint32(raw), raw[4:]}, true
}

// SignedBy returns the names and hashes of the keys whose signatures a note bears,
// name+hash. None of them is verified.
func SignedBy(signed string) (keys []string) {
	_, sigs, _ := strings.Cut(signed, "\n\n")
	for line := range strings.Lines(sigs) {
		name, text, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "— "), " ")
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil && len(raw) > 4 {
			keys = append(keys, fmt.Sprintf("%s+%x", name, raw[:4]))
		}
	}
	return keys
}

// JudgeName refuses names that a note cannot carry.
func JudgeName(name string) error {
	clean := strings.Map(func(r rune) rune {
		if r <= ' ' || r == '+' || r >= 0x7f {
			return -1
		}
		return r
	}, name)
	if name == "" || clean != name || len(name) > 200 {
		return fmt.Errorf("%q is no name for a key: want something like tienda.example/bitacora, without spaces, accents or +", name)
	}
	return nil
}

// Origin is the first line of a checkpoint: the name of the trail, which its keys bear. After
// entries were lost the trail begins anew, and what is signed from then on must not be taken
// for what continues the checkpoints of before: its origin is name#2, then name#3.
func Origin(name string, beginning int) string {
	if beginning <= 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, beginning)
}

// MaxBeginning is the last that a trail may have.
const MaxBeginning = 9999

// SplitOrigin divides an origin into the name and which beginning of the trail it is of.
func SplitOrigin(origin string) (name string, beginning int) {
	i := strings.LastIndexByte(origin, '#')
	if i > 0 {
		n, err := strconv.Atoi(origin[i+1:])
		if err == nil && n > 1 && n <= MaxBeginning && origin == Origin(origin[:i], n) {
			return origin[:i], n
		}
	}
	return origin, 1
}

// Signs reports whether a key of that name signs what has the origin.
func Signs(key, origin string) bool {
	name, _ := SplitOrigin(origin)
	return key == name
}

// SameTrail reports whether two origins are of one trail, perhaps of two beginnings of it.
func SameTrail(a, b string) bool {
	name, _ := SplitOrigin(b)
	return Signs(name, a)
}

// JudgeKeyName refuses names for a new key that a note cannot carry, or that a trail has
// which begins anew.
func JudgeKeyName(name string) error {
	if _, beginning := SplitOrigin(name); beginning > 1 {
		return fmt.Errorf("%q is no name for a key: a trail that begins anew is called so", name)
	}
	return JudgeName(name)
}

// JudgePublic refuses what RFC 8032 allows no key to be: a text with another spelling, a
// name that is none, a point that is not on the curve or not written in its one form, and
// the points of small order, under which a signature fits many texts.
func JudgePublic(text string) error {
	parts := strings.SplitN(text, "+", 3) // base64 may contain a plus
	raw, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) != 33 || strings.ContainsAny(parts[2], "\r\n") {
		return errors.New("its base64 is not as it has to be")
	}
	if err := JudgeName(parts[0]); err != nil {
		return err
	}
	little := slices.Clone(raw[1:])
	little[31] &= 0x7f // without the sign of x
	slices.Reverse(little)
	y, one := new(big.Int).SetBytes(little), big.NewInt(1)
	if y.Cmp(curveP) >= 0 || smallOrder(y) {
		return errors.New("it is a point that is no key")
	}
	// x² = (y²-1) / (dy²+1) has a root when the product of both has one.
	square := new(big.Int).Mul(y, y)
	below := new(big.Int).Mul(curveD, square)
	below.Add(below, one)
	if big.Jacobi(below.Mul(below, square.Sub(square, one)).Mod(below, curveP), curveP) != 1 {
		return errors.New("it is no point of the curve")
	}
	return nil
}

// The curve of Ed25519 (RFC 8032): its prime and its d.
var (
	curveP = number("57896044618658097711785492504343953926634992332820282019728792003956564819949")
	curveD = number("37095705934669439343138083508754565189542113879843219016388785533085940283555")
)

// orderEight is the second coordinate of four of the eight points of small order; that of
// four others is its opposite, or 0, 1 or -1.
var orderEight = number("2707385501144840649318225287225658788936804267575313519463743609750303402022")

func smallOrder(y *big.Int) bool {
	other := new(big.Int).Sub(curveP, y)
	return y.IsInt64() && y.Int64() <= 1 || other.IsInt64() && other.Int64() == 1 || y.Cmp(orderEight) == 0 || other.Cmp(orderEight) == 0
}

func number(decimal string) *big.Int {
	n, _ := new(big.Int).SetString(decimal, 10)
	return n
}
