package trailfile

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// MaxNote is how long a signed checkpoint may be, in bytes, and maxSignatures how many
// may have signed it.
const (
	MaxNote       = 64 << 10
	maxSignatures = 100
)

// Open verifies a signed checkpoint. At least one of the known keys must have
// signed it, and none of their lines may fail, not even beside one that is right. It
// reads notes itself, not by the note package, which takes a signature in several
// spellings and looks at the first line of each key alone.
//
// Errors: ErrNotCheckpoint, ErrUnknownKey, ErrForeignKey, ErrBadSignature.
func Open(signed string, keys note.Verifiers) (Checkpoint, error) {
	c, text, lines, err := readNote(signed)
	if err != nil {
		return Checkpoint{}, err
	}
	var own note.Verifier
	var others []string
	for _, l := range lines {
		key, err := keys.Verifier(l.name, l.hash)
		if unknown := (*note.UnknownVerifierError)(nil); errors.As(err, &unknown) {
			others = append(others, fmt.Sprintf("%s+%08x", l.name, l.hash))
			continue
		}
		if err != nil {
			return Checkpoint{}, fmt.Errorf("%w: %w", ErrUnknownKey, err)
		}
		if !key.Verify([]byte(text), l.signature) {
			return Checkpoint{}, fmt.Errorf("%w (key %s+%08x)", ErrBadSignature, l.name, l.hash)
		}
		own = key
	}
	switch {
	case own == nil:
		return Checkpoint{}, unknownKey(c.Origin, others, keys)
	case own.Name() != c.Origin:
		return Checkpoint{}, fmt.Errorf("%w: the key is named %q, the trail %q", ErrForeignKey, own.Name(), c.Origin)
	}
	return c, nil
}

// unknownKey says whether another key of the same trail has signed, or another trail's.
func unknownKey(origin string, signers []string, keys note.Verifiers) error {
	by := strings.Join(signers, ", ")
	named, ok := keys.(namedVerifiers)
	switch {
	case !ok:
		return fmt.Errorf("%w: signed by %s", ErrUnknownKey, by)
	case slices.Contains(named.names, origin):
		return fmt.Errorf("%w: signed by %s, of the same name: the key was replaced, or somebody else made that one", ErrUnknownKey, by)
	}
	return fmt.Errorf("%w: signed by %s, and trusted is %s", ErrForeignKey, by, strings.Join(slices.Compact(named.names), ", "))
}

// signatureLine is a line below a note's text.
type signatureLine struct {
	name      string
	hash      uint32
	signature []byte
}

// readNote reads a signed note: the four lines of a checkpoint, an empty line, and
// signatures. There is one way to write each.
func readNote(signed string) (c Checkpoint, text string, lines []signatureLine, err error) {
	refused := func(what string) (Checkpoint, string, []signatureLine, error) {
		return Checkpoint{}, "", nil, fmt.Errorf("%w: %s", ErrNotCheckpoint, what)
	}
	if len(signed) > MaxNote {
		return refused(fmt.Sprintf("longer than %d bytes", MaxNote))
	}
	text, signatures, ok := strings.Cut(signed, "\n\n")
	if !ok {
		return refused("a signed note has an empty line before its signatures")
	}
	text += "\n"
	if c, err = ParseText(text); err != nil {
		return c, "", nil, err
	}
	rest, ok := strings.CutSuffix(signatures, "\n")
	if !ok {
		return refused("it has no signature, or its last line has no end")
	}
	for _, line := range strings.Split(rest, "\n") {
		l, ok := readSignature(line)
		if !ok || len(lines) == maxSignatures {
			return refused("a line below its text is no signature")
		}
		lines = append(lines, l)
	}
	return c, text, lines, nil
}

func readSignature(line string) (l signatureLine, ok bool) {
	line, dash := strings.CutPrefix(line, "— ")
	name, text, blank := strings.Cut(line, " ")
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if !dash || !blank || judgeName(name) != nil || err != nil || len(raw) < 5 || strings.ContainsAny(text, "\r\n") {
		return l, false
	}
	return signatureLine{name, binary.BigEndian.Uint32(raw), raw[4:]}, true
}

// judgePublic refuses what RFC 8032 allows no key to be: a text with another spelling, a
// name that is none, a point that is not on the curve or not written in its one form, and
// the points of small order, under which a signature fits many texts.
func judgePublic(text string) error {
	parts := strings.SplitN(text, "+", 3) // base64 may contain a plus
	raw, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) != 33 || strings.ContainsAny(parts[2], "\r\n") {
		return errors.New("its base64 is not as it has to be")
	}
	if err := judgeName(parts[0]); err != nil {
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
