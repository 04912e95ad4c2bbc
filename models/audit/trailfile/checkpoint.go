package trailfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/notes"
)

// Checkpoint states what the first Size entries of a trail are: whoever has it
// signed can show later whether one of them was changed.
type Checkpoint struct {
	Origin string // the trail's name, which is its keys' name; see notes.Origin
	Size   int64  // entries
	Root   tlog.Hash
	Time   time.Time // of signing; UTC, to the microsecond
}

// The errors of a signed checkpoint. They are distinguished because they mean
// different things: another key, another shop's key, a changed text, not a checkpoint
// at all. Whoever does not ask sees ErrForeignKey as ErrUnknownKey.
var (
	ErrUnknownKey    = errors.New("not signed by a key that is trusted here")
	ErrForeignKey    = fmt.Errorf("%w: it is of another trail", ErrUnknownKey)
	ErrBadSignature  = errors.New("the signature does not fit the text: it was changed after signing, or forged")
	ErrNotCheckpoint = errors.New("not a checkpoint")
)

// firstYear is the first that a time of the trail may have; the last is 9999.
const firstYear = 2000

// timePrefix begins the extension line of a checkpoint.
const timePrefix = "time "

// Text is what is signed: origin, size and root as C2SP's tlog-checkpoint has
// them, and the time in an extension line.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n%s%s\n", c.Origin, c.Size, c.Root, timePrefix,
		c.Time.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano))
}

// Sign writes the checkpoint as a note signed by every key.
func (c Checkpoint) Sign(keys ...note.Signer) (string, error) {
	if len(keys) == 0 {
		return "", errors.New("sign checkpoint: no key")
	}
	for _, k := range keys {
		if !notes.Signs(k.Name(), c.Origin) {
			return "", fmt.Errorf("sign checkpoint: the key is named %q, the trail %q", k.Name(), c.Origin)
		}
	}
	signed, err := note.Sign(&note.Note{Text: c.Text()}, keys...)
	if err != nil {
		return "", fmt.Errorf("sign checkpoint: %w", err)
	}
	return string(signed), nil
}

// Unverified reads a checkpoint without verifying its signatures, to show what it
// claims. Nothing may be concluded from it.
func Unverified(signed string) (Checkpoint, error) {
	text, _, ok := strings.Cut(signed, "\n\n")
	if !ok || len(signed) > notes.Max {
		return Checkpoint{}, fmt.Errorf("%w: a signed note has a blank line before its signatures", ErrNotCheckpoint)
	}
	return ParseText(text + "\n")
}

// ParseText reads the signed text of a checkpoint. There is one way to write
// each, so that equal checkpoints are equal bytes.
func ParseText(text string) (Checkpoint, error) {
	refused := func(what string) (Checkpoint, error) {
		return Checkpoint{}, fmt.Errorf("%w: %s", ErrNotCheckpoint, what)
	}
	lines := strings.Split(text, "\n")
	if len(lines) != 5 || lines[4] != "" {
		return refused("want four lines: origin, size, root, time")
	}
	c := Checkpoint{Origin: lines[0]}
	if notes.JudgeName(c.Origin) != nil {
		return refused("the origin is no name of a trail")
	}
	var err error
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 || c.Size > MaxLeaves ||
		strconv.FormatInt(c.Size, 10) != lines[1] {
		return refused("the size is no number of entries")
	}
	if c.Root, err = tlog.ParseHash(lines[2]); err != nil || c.Root.String() != lines[2] {
		return refused("the root is not a hash of 32 bytes in base64")
	}
	at, ok := strings.CutPrefix(lines[3], timePrefix)
	c.Time, err = time.Parse(time.RFC3339Nano, at)
	if !ok || err != nil || c.Time.UTC().Format(time.RFC3339Nano) != at || c.Time.Nanosecond()%1000 != 0 || c.Time.Year() < firstYear {
		return refused("the time is not in UTC as RFC 3339 writes it, to the microsecond at most")
	}
	c.Time = c.Time.UTC()
	return c, nil
}

// Notes finds the signed checkpoints of a text, such as a file of the directory of
// checkpoints: each is a text, an empty line and its signatures, followed by another
// empty line. Anything else is skipped.
func Notes(text string) (notes []string) {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	for i := 1; i < len(parts); i++ {
		if !strings.HasPrefix(parts[i], "— ") {
			continue
		}
		said := strings.TrimLeft(parts[i-1], "\n") + "\n"
		if _, err := ParseText(said); err == nil {
			notes = append(notes, said+"\n"+strings.TrimRight(parts[i], "\n")+"\n")
		}
	}
	return notes
}
