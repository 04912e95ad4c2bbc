// Package exportnote is the signed note of a file that left the trail: FORMAT.md, section 15.
package exportnote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
)

// Note states what a file was that left: of which entries, by which filters, how many
// and with which SHA-256. It is signed with the keys of checkpoints, and no reader can take
// one for the other: the first line of a checkpoint is the name of its key, in which no
// blank can be, and that of this note has one.
type Note struct {
	Origin  string // the trail's name
	Entry   int64  // of the trail, that says the same
	Export  int64
	Format  string
	Size    int64 // and Root: of the checkpoint under which the file was made
	Root    tlog.Hash
	Filters string // a JSON object without line breaks
	Stores  string // the numbers of those that the person saw, with commas; "all"
	Entries int64
	Bytes   int64
	SHA256  string // hex, of the whole file
	Time    time.Time
}

const timePrefix = "time "

// exportSuffix ends the first line of the note of an export.
const exportSuffix = " export/1"

// ErrNotNote is the error of a text that is no note of an export, a checkpoint too.
var ErrNotNote = errors.New("not the note of an export")

// Text is what is signed.
func (n Note) Text() string {
	return fmt.Sprintf("%s%s\nentry %d\nexport %d %s\ncheckpoint %d %s\nfilters %s\nstores %s\nentries %d\nbytes %d\nsha256 %s\n%s%s\n",
		n.Origin, exportSuffix, n.Entry, n.Export, n.Format, n.Size, n.Root, n.Filters, n.Stores, n.Entries, n.Bytes, n.SHA256,
		timePrefix, n.Time.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano))
}

// Sign writes the note, signed by every key.
func (n Note) Sign(keys ...note.Signer) (string, error) {
	if len(keys) == 0 {
		return "", errors.New("sign note of an export: no key")
	}
	if again, err := Parse(n.Text()); err != nil || again.Text() != n.Text() {
		return "", fmt.Errorf("sign note of an export: %w", errors.Join(err, errors.New("it would not be read as it is written")))
	}
	signed, err := note.Sign(&note.Note{Text: n.Text()}, keys...)
	if err != nil {
		return "", fmt.Errorf("sign note of an export: %w", err)
	}
	return string(signed), nil
}

// Open verifies a signed note.
//
// Errors: ErrNotNote, trailfile.ErrUnknownKey, trailfile.ErrForeignKey, trailfile.ErrBadSignature.
func Open(signed string, keys note.Verifiers) (Note, error) {
	text, below, err := notes.Cut(signed)
	if err != nil {
		return Note{}, fmt.Errorf("%w: %w", ErrNotNote, err)
	}
	n, err := Parse(text)
	if err != nil {
		return Note{}, err
	}
	lines, err := notes.Signatures(below)
	if err != nil {
		return Note{}, fmt.Errorf("%w: %w", ErrNotNote, err)
	}
	if err := trailfile.VerifySignatures(n.Origin, text, lines, keys); err != nil {
		return Note{}, err
	}
	return n, nil
}

// Parse reads the signed text. There is one way to write each.
func Parse(text string) (n Note, err error) {
	refused := func(what string) (Note, error) {
		return Note{}, fmt.Errorf("%w: %s", ErrNotNote, what)
	}
	lines := strings.Split(text, "\n")
	if len(lines) != 11 || lines[10] != "" {
		return refused("want ten lines")
	}
	var marked bool
	if n.Origin, marked = strings.CutSuffix(lines[0], exportSuffix); !marked || notes.JudgeName(n.Origin) != nil {
		return refused("the first line is not the trail's name and" + exportSuffix)
	}
	said := make([]string, 0, 9)
	for i, name := range []string{"entry ", "export ", "checkpoint ", "filters ", "stores ", "entries ", "bytes ", "sha256 ", timePrefix} {
		value, ok := strings.CutPrefix(lines[i+1], name)
		if !ok {
			return refused(fmt.Sprintf("line %d does not begin with %q", i+2, name))
		}
		said = append(said, value)
	}
	number, format, _ := strings.Cut(said[1], " ")
	size, root, _ := strings.Cut(said[2], " ")
	n.Format, n.Filters, n.Stores, n.SHA256 = format, said[3], said[4], said[7]
	for _, whole := range []struct {
		text string
		into *int64
	}{{said[0], &n.Entry}, {number, &n.Export}, {size, &n.Size}, {said[5], &n.Entries}, {said[6], &n.Bytes}} {
		if *whole.into, err = strconv.ParseInt(whole.text, 10, 64); err != nil {
			return refused(fmt.Sprintf("%q is no number", whole.text))
		}
	}
	if n.Root, err = tlog.ParseHash(root); err != nil {
		return refused("the root is not a hash of 32 bytes in base64")
	}
	if sum, err := hex.DecodeString(n.SHA256); err != nil || len(sum) != sha256.Size {
		return refused("sha256 is not 32 bytes in hex")
	}
	if !json.Valid([]byte(n.Filters)) || !strings.HasPrefix(n.Filters, "{") {
		return refused("filters is no JSON object")
	}
	if n.Time, err = time.Parse(time.RFC3339Nano, said[8]); err != nil {
		return refused("the time is not in UTC as RFC 3339 writes it")
	}
	if n.Text() != text {
		return refused("it is not written in the one way that it can be")
	}
	return n, nil
}

// Compare reads a file and reports whether it is the one that the note is of; "" when it
// is, and else what is not as the note says.
func (n Note) Compare(file io.Reader) (differs string, err error) {
	sum := sha256.New()
	bytes, err := io.Copy(sum, file)
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case err != nil:
		return "", fmt.Errorf("read the file: %w", err)
	case bytes != n.Bytes:
		return fmt.Sprintf("it has %d bytes, the file that left had %d", bytes, n.Bytes), nil
	case got != n.SHA256:
		return fmt.Sprintf("its SHA-256 is %s, that of the file that left %s", got, n.SHA256), nil
	}
	return "", nil
}
