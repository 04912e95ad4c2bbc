package trailfile

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/jsontext"
)

// Header is the first line of an export.
type Header struct {
	Format     string         `json:"format"`
	Origin     string         `json:"origin"`
	PublicKeys []string       `json:"publicKeys"` // for whoever has none yet; not to be trusted from here
	ExportedAt string         `json:"exportedAt"` // RFC 3339, UTC
	Zone       string         `json:"zone"`       // of every time in the file
	Filters    map[string]any `json:"filters"`
	Complete   bool           `json:"complete"` // every sealed entry is in it
	Checkpoint string         `json:"checkpoint"`
	// Attested are checkpoints of the trail that strangers have signed, the oldest first.
	// The whole header is at most 1 MiB.
	Attested []string `json:"attested,omitempty"`
}

// ExportFormat is the format that the first line states.
const ExportFormat = "veinte-audit-export/1"

// footer is the last line of an export.
type footer struct {
	Entries int64  `json:"entries"`
	Amount  string `json:"amountCentavos"`
	SHA256  string `json:"sha256"` // of everything before this line, hex
	End     bool   `json:"end"`
}

// readHeader reads a first line. Members that are not known are skipped.
func readHeader(text []byte) (h Header, err error) {
	o, err := readObject(text)
	if err != nil {
		return h, err
	}
	if h.Format, err = o.text("format"); err != nil {
		return h, err
	}
	if h.Format != ExportFormat {
		return h, fmt.Errorf("its format is %q; this program reads %s", shorten(h.Format), ExportFormat)
	}
	var all []error
	for _, m := range []struct {
		name string
		to   *string
	}{{"origin", &h.Origin}, {"exportedAt", &h.ExportedAt}, {"zone", &h.Zone}, {"checkpoint", &h.Checkpoint}} {
		*m.to, err = o.text(m.name)
		all = append(all, err)
	}
	switch string(o["complete"]) {
	case "true":
		h.Complete = true
	case "false":
	default:
		all = append(all, fmt.Errorf("%w: complete", errMember))
	}
	var keys []*string
	if err := json.Unmarshal(o["publicKeys"], &keys); err != nil || slices.Contains(keys, nil) {
		all = append(all, fmt.Errorf("%w: publicKeys", errMember))
	}
	if f := o["filters"]; string(f) != "null" && (len(f) == 0 || json.Unmarshal(f, &h.Filters) != nil) {
		all = append(all, fmt.Errorf("%w: filters", errMember))
	}
	if h.Zone != "UTC" {
		all = append(all, fmt.Errorf("%w: zone", errMember))
	}
	h.Attested, err = o.texts("attested")
	return h, errors.Join(append(all, err)...)
}

// Writer writes an export as FORMAT.md defines it: a header, entries and gaps in the
// order of the tree, and a footer, without which it counts as truncated. It computes
// no hashes of entries itself and checks nothing; that is the verifier's work.
type Writer struct {
	out     io.Writer
	sum     hash.Hash // of everything that was sent
	buf     []byte
	entries int64
	rules   entryRules
	amount  int64 // of the entries that are well-formed
}

// sendAt is how much is gathered before it is sent, in bytes.
const sendAt = 64 << 10

// NewWriter makes a writer; Begin comes first.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, sum: sha256.New()} }

// Begin writes the header and fills in its format and zone.
func (w *Writer) Begin(h Header) error {
	h.Format, h.Zone = ExportFormat, "UTC"
	line, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("encode header: %w", err)
	}
	w.buf = append(append(w.buf, line...), '\n')
	return w.send(0)
}

// Entry writes leaf n, and its hash as it was sealed: with it a verifier can name an
// entry that was changed since. Columns of the database that do not say what the
// entry's bytes say are named beside it.
func (w *Writer) Entry(n int64, leaf Leaf, sealed tlog.Hash, differs ...string) error {
	amount := int64(0)
	if w.rules.read(leaf.Canonical) == nil {
		amount = w.rules.amount
	}
	return w.EntryOf(n, leaf, sealed, amount, differs...)
}

// EntryOf is Entry for who has split the entry's bytes: amount is what AmountOf says.
func (w *Writer) EntryOf(n int64, leaf Leaf, sealed tlog.Hash, amount int64, differs ...string) error {
	w.buf = strconv.AppendInt(append(w.buf, `{"n":`...), n, 10)
	w.buf = appendLeaf(append(w.buf, ','), leaf)
	w.buf = base64.StdEncoding.AppendEncode(append(w.buf, `,"hash":"`...), sealed[:])
	w.buf = append(w.buf, '"')
	for i, name := range differs {
		w.buf = append(append(append(w.buf, []string{`,"differs":["`, `,"`}[min(i, 1)]...), name...), '"')
	}
	if len(differs) > 0 {
		w.buf = append(w.buf, ']')
	}
	w.buf = append(w.buf, "}\n"...)
	w.entries++
	w.amount, _ = sumOf(w.amount, amount)
	return w.send(sendAt)
}

func appendLeaf(b []byte, leaf Leaf) []byte {
	b = strconv.AppendInt(append(b, `"id":`...), leaf.ID, 10)
	b = strconv.AppendInt(append(b, `,"era":`...), int64(leaf.Era), 10)
	b = strconv.AppendUint(append(b, `,"txid":"`...), leaf.TxID, 10)
	b = appendText(append(b, `","entry":"`...), leaf.Canonical)
	return append(b, '"')
}

// Gap writes the hashes of the subtrees that cover [from, to), which is left out.
func (w *Writer) Gap(from, to int64, hashes []tlog.Hash) error {
	w.buf = strconv.AppendInt(append(w.buf, `{"gap":{"from":`...), from, 10)
	w.buf = strconv.AppendInt(append(w.buf, `,"to":`...), to, 10)
	w.buf = append(w.buf, `,"hashes":[`...)
	for i := range hashes {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = append(base64.StdEncoding.AppendEncode(append(w.buf, '"'), hashes[i][:]), '"')
	}
	w.buf = append(w.buf, "]}}\n"...)
	return w.send(sendAt)
}

// Close writes the footer, with the sum of the amounts that the entries' bytes say. It
// does not close what it writes to.
func (w *Writer) Close() error {
	if err := w.send(0); err != nil {
		return err
	}
	line, err := json.Marshal(footer{w.entries, strconv.FormatInt(w.amount, 10), hex.EncodeToString(w.sum.Sum(nil)), true})
	if err != nil {
		return fmt.Errorf("encode footer: %w", err)
	}
	w.buf = append(append(w.buf, line...), '\n')
	return w.send(0)
}

// SHA256 is that of the file, in hex, once it is closed.
func (w *Writer) SHA256() string { return hex.EncodeToString(w.sum.Sum(nil)) }

func (w *Writer) send(from int) error {
	if len(w.buf) < from {
		return nil
	}
	w.sum.Write(w.buf)
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// appendText writes bytes into a JSON string, with the fewest escapes: of the
// quote, the backslash, and what is below a blank.
func appendText(b, text []byte) []byte {
	from := 0
	for i, c := range text {
		if !jsontext.Special[c] {
			continue
		}
		b = append(b, text[from:i]...)
		if c < ' ' {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, '\\', c)
		}
		from = i + 1
	}
	return append(b, text[from:]...)
}
