package trailfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"veinte/models/audit/trailfile/notes"
)

// Open verifies a signed checkpoint.
//
// Errors: ErrNotCheckpoint, ErrUnknownKey, ErrForeignKey, ErrBadSignature.
func Open(signed string, keys note.Verifiers) (Checkpoint, error) {
	text, below, err := notes.Cut(signed)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrNotCheckpoint, err)
	}
	c, err := ParseText(text)
	if err != nil {
		return Checkpoint{}, err
	}
	lines, err := notes.Signatures(below)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrNotCheckpoint, err)
	}
	if err := VerifySignatures(c.Origin, text, lines, keys); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// VerifySignatures verifies the signatures of a text of the trail origin. At least one of the
// known keys must have signed it, and none of their lines may fail, not even beside one
// that is right.
//
// Errors: ErrUnknownKey, ErrForeignKey, ErrBadSignature.
func VerifySignatures(origin, text string, lines []notes.Signature, keys note.Verifiers) error {
	var own note.Verifier
	var others []string
	for _, l := range lines {
		key, err := keys.Verifier(l.Name, l.Hash)
		if unknown := (*note.UnknownVerifierError)(nil); errors.As(err, &unknown) {
			others = append(others, fmt.Sprintf("%s+%08x", l.Name, l.Hash))
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnknownKey, err)
		}
		if !key.Verify([]byte(text), l.Bytes) {
			return fmt.Errorf("%w (key %s+%08x)", ErrBadSignature, l.Name, l.Hash)
		}
		own = key
	}
	switch {
	case own == nil:
		return unknownKey(origin, others, keys)
	case !notes.Signs(own.Name(), origin):
		return fmt.Errorf("%w: the key is named %q, the trail %q", ErrForeignKey, own.Name(), origin)
	}
	return nil
}

// unknownKey says whether another key of the same trail has signed, or another trail's.
func unknownKey(origin string, signers []string, keys note.Verifiers) error {
	by := strings.Join(signers, ", ")
	named, ok := keys.(namedVerifiers)
	switch {
	case !ok:
		return fmt.Errorf("%w: signed by %s", ErrUnknownKey, by)
	case slices.ContainsFunc(named.names, func(name string) bool { return notes.Signs(name, origin) }):
		return fmt.Errorf("%w: signed by %s, of the same name: the key was replaced, or somebody else made that one", ErrUnknownKey, by)
	}
	return fmt.Errorf("%w: signed by %s, and trusted is %s", ErrForeignKey, by, strings.Join(slices.Compact(named.names), ", "))
}
