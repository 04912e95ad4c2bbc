package notes

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Line writes a signature as a line of a note, without its end: a key's name, its hash and
// the bytes.
func Line(name string, hash uint32, bytes []byte) string {
	raw := binary.BigEndian.AppendUint32(nil, hash)
	return "— " + name + " " + base64.StdEncoding.EncodeToString(append(raw, bytes...))
}

// ReadLine reads one line of a signature, without its end.
func ReadLine(line string) (Signature, error) {
	l, ok := readSignature(line)
	if !ok {
		return l, fmt.Errorf("no line of a signature: %.60q", line)
	}
	return l, nil
}

// Lines returns the lines of a note's signatures as they are written, without their ends;
// none where the text is no note.
func Lines(signed string) []string {
	_, below, err := Cut(signed)
	if err != nil {
		return nil
	}
	if _, err := Signatures(below); err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(below, "\n"), "\n")
}

// AddLines adds signatures to a note, in their order behind those that it has: each once,
// and only as they fit, for a note has at most 64 KiB and 100 of them. What does not fit
// is left out.
//
// An error says that the text is no note, or a line no signature.
func AddLines(signed string, lines ...string) (string, error) {
	there := Lines(signed)
	if there == nil {
		return "", fmt.Errorf("add to a note: %.60q is none", signed)
	}
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		if _, err := ReadLine(line); err != nil {
			return "", fmt.Errorf("add to a note: %w", err)
		}
		if slices.Contains(there, line) || len(there) == maxSignatures || len(signed)+len(line)+1 > Max {
			continue
		}
		there = append(there, line)
		signed += line + "\n"
	}
	return signed, nil
}
