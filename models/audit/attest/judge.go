package attest

import (
	"errors"
	"fmt"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/stamp"
)

// Stored is a signature of somebody else as the database has it, beside the note of the
// checkpoint that it is over.
type Stored struct {
	Kind Kind
	Name string
	Line string
	Note string // "" when that checkpoint is not there
	Key  string // of a witness that is still asked; "" else
}

// Judge says why a stored signature is not over the checkpoint that is there. It was right
// when it was stored, so either of the two was changed since.
func (s *Stored) Judge() error {
	if s.Note == "" {
		return errors.New("the checkpoint that it is over is not there any more")
	}
	text, _, err := notes.Cut(s.Note)
	if err != nil {
		return err
	}
	line, err := notes.ReadLine(s.Line)
	switch {
	case err != nil || line.Name != s.Name:
		return errors.New("it is no line of a note, or another's")
	case s.Kind == Stamps && !stamp.Is(line):
		return errors.New("it is no time stamp")
	case s.Kind == Stamps:
		if _, err := stamp.Fits(line.Bytes, text); err != nil {
			return fmt.Errorf("by %s: %w", s.Name, err)
		}
		return nil
	}
	v, err := cosign.NewVerifier(s.Key)
	if err != nil || v.KeyHash() != line.Hash {
		return nil // of a witness, or a key of it, that is not asked any more
	}
	if !v.Verify([]byte(text), line.Bytes) {
		return fmt.Errorf("by %s: it is not over this checkpoint", s.Name)
	}
	return nil
}
