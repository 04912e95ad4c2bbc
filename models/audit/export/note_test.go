package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/exportnote"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestTheNoteOfAnExport: what the trail says of a file leaves signed, and holds every file
// to it: one that was changed, another one, and the note of other filters.
func TestTheNoteOfAnExport(t *testing.T) {
	t.Parallel()
	keys, _ := modelstest.NewKeys(t)
	var seals *sealing.Service
	o := modelstest.NewOffice(t, func(c *wiring.Config) {
		seals = sealing.New(sealing.Config{DB: c.DB, Clock: c.Clock, Signers: keys.Signers(), Public: keys.Public()})
		c.Seals = seals
	})
	o.Request(o.Sale(125000))
	seal := func() {
		t.Helper()
		entries := modelstest.Count(t, o.Owner, `SELECT max(id) FROM audit_entries`)
		modelstest.WaitFor(t, "all to be sealed", func() bool { // other tests' transactions delay it
			_, err := seals.Seal(t.Context())
			return err == nil && modelstest.Count(t, o.Owner, `SELECT coalesce(max(entry_id), 0) FROM sealed_entries`) >= entries
		})
	}
	seal()
	id := func() int64 { return int64(modelstest.Count(t, o.Owner, `SELECT max(id) FROM audit_exports`)) }
	take := func(actor models.Actor, f audit.Filter) (file []byte, signed string) {
		t.Helper()
		file = sealedExport(t, o, actor, f)
		seal()
		signed, err := o.Export.Note(t.Context(), actor, id())
		if err != nil {
			t.Fatal(err)
		}
		return file, signed
	}
	file, signed := take(o.Supervisor, audit.Filter{Action: models.ActionCancellationRequested})
	scoped := modelstest.Person(models.Supervisor, o.Store)
	other, otherSigned := take(scoped, audit.Filter{})
	n, err := exportnote.Open(signed, keys.Verifiers())
	if err != nil {
		t.Fatal(err)
	}
	if n.Filters != `{"action":"cancellation.requested"}` || n.Stores != "all" || n.Entries != 1 ||
		n.Bytes != int64(len(file)) || n.Format != "jsonl" {
		t.Errorf("the note says %+v", n)
	}
	var head trailfile.Header
	if line, _, _ := bytes.Cut(file, []byte("\n")); json.Unmarshal(line, &head) != nil {
		t.Fatalf("the header is %s", line)
	}
	if c, err := trailfile.Open(head.Checkpoint, keys.Verifiers()); err != nil || c.Size != n.Size || c.Root != n.Root {
		t.Errorf("the note is of the checkpoint %d %s, the file of %d %s (%v)", n.Size, n.Root, c.Size, c.Root, err)
	}
	second, err := exportnote.Open(otherSigned, keys.Verifiers())
	if err != nil || second.Stores != fmt.Sprint(o.Store.ID) || second.Filters != "{}" {
		t.Errorf("the note of a person of one store says %+v, %v", second, err)
	}

	rows := bytes.SplitAfter(file, []byte("\n"))
	for _, tt := range []struct {
		fact string
		of   exportnote.Note
		file []byte
		want string
	}{
		{"the file", n, file, ""},
		{"the other file", second, other, ""},
		{"a row removed", n, bytes.Join(append(rows[:1:1], rows[2:]...), nil), "bytes, the file that left had"},
		{"a row added", n, bytes.Join(append(append(rows[:2:2], rows[1]), rows[2:]...), nil), "bytes, the file that left had"},
		{"a byte edited", n, bytes.Replace(file, []byte("125000"), []byte("025000"), 1), "its SHA-256 is"},
		{"filters edited", n, bytes.Replace(file, []byte("cancellation.requested"), []byte("cancellation.withdrawn"), 1), "its SHA-256"},
		{"cut at its end", n, file[:len(file)-1], "bytes, the file that left had"},
		{"the file under another's note", second, file, "bytes, the file that left had"},
		{"another file under this note", n, other, "bytes, the file that left had"},
		{"an empty one", n, nil, "it has 0 bytes"},
	} {
		if got, err := tt.of.Compare(bytes.NewReader(tt.file)); err != nil || !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, %v, want %q", tt.fact, got, err, tt.want)
		}
	}
	if _, err := n.Compare(io.MultiReader(bytes.NewReader(file), brokenReader{})); err == nil {
		t.Error("a file that cannot be read to its end was compared")
	}

	stranger, _ := modelstest.NewKeys(t)
	checkpoint, err := o.Sealing.LatestCheckpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fact, note string
		keys       *trailfile.Keys
		want       error
	}{
		{"filters of another note", strings.Replace(signed, n.Filters, "{}", 1), keys, trailfile.ErrBadSignature},
		{"another count", strings.Replace(signed, "entries 1\n", "entries 2\n", 1), keys, trailfile.ErrBadSignature},
		{"another hash", strings.Replace(signed, n.SHA256, second.SHA256, 1), keys, trailfile.ErrBadSignature},
		{"another root", strings.Replace(signed, n.Root.String(), second.Root.String(), 1), keys, trailfile.ErrBadSignature},
		{"stores widened", strings.Replace(otherSigned, "stores "+second.Stores, "stores all", 1), keys, trailfile.ErrBadSignature},
		{"a key that is not trusted", signed, stranger, trailfile.ErrUnknownKey},
		{"a checkpoint in its place", checkpoint.Note, keys, exportnote.ErrNotNote},
		{"a line more", strings.Replace(signed, "\nentry ", "\nseen by nobody\nentry ", 1), keys, exportnote.ErrNotNote},
		{"nothing", "", keys, exportnote.ErrNotNote},
	} {
		if tt.note == signed && tt.keys == keys {
			t.Errorf("%s: the note was not changed", tt.fact)
		}
		if _, err := exportnote.Open(tt.note, tt.keys.Verifiers()); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.fact, err, tt.want)
		}
	}
	if _, err := trailfile.Open(signed, keys.Verifiers()); !errors.Is(err, trailfile.ErrNotCheckpoint) {
		t.Errorf("the note of an export in place of a checkpoint: %v", err)
	}

	// Nothing is signed that was not sealed.
	modelstest.Exec(t, o.Owner, `ALTER TABLE audit_entries DISABLE TRIGGER USER`)
	modelstest.Exec(t, o.Owner, `DO $$ BEGIN EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', (SELECT tableoid::regclass
		FROM audit_entries LIMIT 1)); END $$`)
	modelstest.Exec(t, o.Owner, `UPDATE audit_entries SET after = jsonb_set(after, '{sha256}', to_jsonb(repeat('0', 64)))
		WHERE after->>'sha256' = $1`, second.SHA256)
	if _, err := o.Export.Note(t.Context(), scoped, second.Export); !errors.Is(err, export.ErrNotSignable) {
		t.Errorf("the note of an altered entry: %v", err)
	}
	if _, err := o.Export.Note(t.Context(), scoped, n.Export); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("the note of somebody else's export: %v", err)
	}
}

// brokenReader fails.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the disk") }
