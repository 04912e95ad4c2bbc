package trailfile

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
)

// ExportNote states what a file was that left: of which entries, by which filters, how many
// and with which SHA-256. It is signed with the keys of checkpoints, and no reader can take
// one for the other: the first line of a checkpoint is the name of its key, in which no
// blank can be, and that of this note has one.
type ExportNote struct {
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

// exportSuffix ends the first line of the note of an export.
const exportSuffix = " export/1"

// ErrNotExportNote is the error of a text that is no note of an export, a checkpoint too.
var ErrNotExportNote = errors.New("not the note of an export")

// Text is what is signed.
func (n ExportNote) Text() string {
	return fmt.Sprintf("%s%s\nentry %d\nexport %d %s\ncheckpoint %d %s\nfilters %s\nstores %s\nentries %d\nbytes %d\nsha256 %s\n%s%s\n",
		n.Origin, exportSuffix, n.Entry, n.Export, n.Format, n.Size, n.Root, n.Filters, n.Stores, n.Entries, n.Bytes, n.SHA256,
		timePrefix, n.Time.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano))
}

// Sign writes the note, signed by every key.
func (n ExportNote) Sign(keys ...note.Signer) (string, error) {
	if len(keys) == 0 {
		return "", errors.New("sign note of an export: no key")
	}
	if again, err := ParseExportNote(n.Text()); err != nil || again.Text() != n.Text() {
		return "", fmt.Errorf("sign note of an export: %w", errors.Join(err, errors.New("it would not be read as it is written")))
	}
	signed, err := note.Sign(&note.Note{Text: n.Text()}, keys...)
	if err != nil {
		return "", fmt.Errorf("sign note of an export: %w", err)
	}
	return string(signed), nil
}

// OpenExportNote verifies a signed note.
//
// Errors: ErrNotExportNote, ErrUnknownKey, ErrBadSignature.
func OpenExportNote(signed string, keys note.Verifiers) (ExportNote, error) {
	if len(signed) > MaxNote {
		return ExportNote{}, fmt.Errorf("%w: longer than %d bytes", ErrNotExportNote, MaxNote)
	}
	n, err := note.Open([]byte(signed), keys)
	var bad *note.InvalidSignatureError
	var unknown *note.UnverifiedNoteError
	switch {
	case errors.As(err, &bad):
		return ExportNote{}, fmt.Errorf("%w (key %s+%08x)", ErrBadSignature, bad.Name, bad.Hash)
	case errors.As(err, &unknown):
		if _, err := ParseExportNote(unknown.Note.Text); err != nil {
			return ExportNote{}, err
		}
		return ExportNote{}, fmt.Errorf("%w: signed by %s", ErrUnknownKey, signers(unknown.Note.UnverifiedSigs))
	case err != nil:
		return ExportNote{}, fmt.Errorf("%w: %w", ErrNotExportNote, err)
	}
	x, err := ParseExportNote(n.Text)
	if err == nil && n.Sigs[0].Name != x.Origin {
		err = fmt.Errorf("%w: the key is named %q, the trail %q", ErrUnknownKey, n.Sigs[0].Name, x.Origin)
	}
	if err != nil {
		return ExportNote{}, err
	}
	return x, nil
}

// ParseExportNote reads the signed text. There is one way to write each.
func ParseExportNote(text string) (n ExportNote, err error) {
	refused := func(what string) (ExportNote, error) {
		return ExportNote{}, fmt.Errorf("%w: %s", ErrNotExportNote, what)
	}
	lines := strings.Split(text, "\n")
	if len(lines) != 11 || lines[10] != "" {
		return refused("want ten lines")
	}
	var marked bool
	if n.Origin, marked = strings.CutSuffix(lines[0], exportSuffix); !marked || judgeName(n.Origin) != nil {
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
func (n ExportNote) Compare(file io.Reader) (differs string, err error) {
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
