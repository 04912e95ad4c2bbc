package trailfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/trailfile/notes"

	"golang.org/x/mod/sumdb/tlog"
)

// The expected hashes were computed apart from this code, by python3's hashlib
// from the text of FORMAT.md.
func sampleLeaf(n int64) Leaf {
	return Leaf{ID: n + 1, Era: 1, TxID: 700 + uint64(n), Canonical: fmt.Appendf(nil, `{"v":2,"n":%d,"x":"ñ"}`, n)}
}

func TestLeafHashes(t *testing.T) {
	t.Parallel()
	want := []string{
		"Evo8KJVdbdrQRs3vfMhnh0W8ClO0c1TZIBT6UN65N7s=", "ETVNDnuaK8nTyWrJztW3lRsI6PgydHeGXQ362NrZUyE=",
		"hhfiPA+SDCNVuEY/J2ruzKRdFrbzo5Rr1Xwlk583Ulc=", "44THZ7YZkXPtOMnFDBrxbYtM7NeSVA7gZXvsoD2SpDQ=",
		"O1tVF7vkrQIsV4LMDZzA4Ra7bzR7CdUnuwMkwHg7EQg=",
	}
	roots := []string{
		"Evo8KJVdbdrQRs3vfMhnh0W8ClO0c1TZIBT6UN65N7s=", "+5PHDJkj9DOBvLTcy18mB6/AaV9RMd6WNGj80rFVehA=",
		"LaTMICQ+WdKEgjBztcq8MDx1RcUGay7k9160GuFPBYg=", "N8ktYNHBG5rIUSK80AqSDvTeKINunwTXNG/HJOQj0ss=",
		"CAX7fKA6+3MHOzE8Kiq8U8V/9vVlHudRl9HVgcuNTrU=",
	}
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(at))
		for i, x := range at {
			out[i] = stored[x]
		}
		return out, nil
	})
	for n := range int64(5) {
		h := sampleLeaf(n).Hash()
		if h.String() != want[n] {
			t.Errorf("Hash of leaf %d = %s, want %s", n, h, want[n])
		}
		more, err := tlog.StoredHashesForRecordHash(n, h, reader)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, more...)
		if root, err := tlog.TreeHash(n+1, reader); err != nil || root.String() != roots[n] {
			t.Errorf("root of %d leaves = %s, %v, want %s", n+1, root, err, roots[n])
		}
	}
	extreme := Leaf{ID: math.MaxInt64, Era: math.MaxInt32, TxID: math.MaxUint64}
	if got, want := extreme.Hash().String(), "ynLLIhOkJ/Lu61jpGpF4VIo4EwajP/E0isHORh/0lW4="; got != want {
		t.Errorf("Hash of the largest numbers = %s, want %s", got, want)
	}
}

// The key of RFC 8032's first test; the signature was made apart from this code.
const (
	samplePrivate = "PRIVATE+KEY+tienda.example/bitacora+061db9da+AZ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
	samplePublic  = "tienda.example/bitacora+061db9da+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
	sampleNote    = "tienda.example/bitacora\n5\nCAX7fKA6+3MHOzE8Kiq8U8V/9vVlHudRl9HVgcuNTrU=\ntime 2026-11-21T01:59:59.25Z\n" +
		"\n— tienda.example/bitacora Bh252oEHTFjVOtL9wMz151h9HfmRXWlNRtr9s3ko8vCYrR+Fts7lYVaY2ha/4jMOPyRukNYOupbFeXvRok6uIaTWHA0=\n"
)

func sampleKeys(t *testing.T) *Keys {
	t.Helper()
	k, err := ParseKeys("# of tests\n\n" + samplePrivate + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestCheckpointsAreSignedNotes(t *testing.T) {
	t.Parallel()
	k := sampleKeys(t)
	if got := k.Public()[0]; got != samplePublic {
		t.Errorf("public key = %s, want %s", got, samplePublic)
	}
	c, err := Open(sampleNote, k.Verifiers())
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	want := time.Date(2026, 11, 21, 1, 59, 59, 250e6, time.UTC)
	if c.Size != 5 || !c.Time.Equal(want) || c.Origin != "tienda.example/bitacora" ||
		c.Root.String() != "CAX7fKA6+3MHOzE8Kiq8U8V/9vVlHudRl9HVgcuNTrU=" {
		t.Errorf("Open = %+v", c)
	}
	if signed, err := c.Sign(k.Signers()...); err != nil || signed != sampleNote {
		t.Errorf("Sign = %q, %v, want %q", signed, err, sampleNote)
	}
}

func TestOpenTellsApart(t *testing.T) {
	t.Parallel()
	keys := sampleKeys(t).Verifiers()
	private, public, err := GenerateKey("tienda.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	other, err := ParsePublic(public)
	if err != nil {
		t.Fatal(err)
	}
	both, err := ParseKeys(private + "\n" + samplePrivate)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := Open(sampleNote, keys)
	rotated, err := c.Sign(both.Signers()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(rotated, keys); err != nil {
		t.Errorf("the old key does not open what both signed: %v", err)
	}
	if _, err := Open(rotated, other); err != nil {
		t.Errorf("the new key does not open what both signed: %v", err)
	}
	if _, err := Open(sampleNote, other); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("Open with another key = %v, want ErrUnknownKey", err)
	}
	tests := []struct{ fact, signed string }{
		{"nothing", ""},
		{"no signature", strings.SplitAfter(sampleNote, "\n\n")[0]},
		{"a binary", "\x00\xff\n\n\n"},
		{"a cut note", sampleNote[:len(sampleNote)-3]},
		{"far too long", strings.Repeat("x", notes.Max+1)},
	}
	for _, tt := range tests {
		if _, err := Open(tt.signed, keys); !errors.Is(err, ErrNotCheckpoint) {
			t.Errorf("Open(%s) = %v, want ErrNotCheckpoint", tt.fact, err)
		}
	}
	for _, change := range []string{"\n5\n,\n6\n", ":59.25Z,:59.26Z", "CAX7,CAX8"} {
		from, to, _ := strings.Cut(change, ",")
		if _, err := Open(strings.Replace(sampleNote, from, to, 1), keys); !errors.Is(err, ErrBadSignature) {
			t.Errorf("Open with %q for %q = %v, want ErrBadSignature", to, from, err)
		}
	}
}

func TestTextOfACheckpointHasOneForm(t *testing.T) {
	t.Parallel()
	good := strings.SplitAfter(sampleNote, "\n\n")[0]
	good = good[:len(good)-1]
	if _, err := ParseText(good); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"\n5\n|\n05\n", "\n5\n|\n-5\n", "\n5\n|\n+5\n", "\n5\n|\n9223372036854775808\n", "\n5\n|\n5.0\n",
		"2026-11-21T01:59:59.25Z|2026-11-21T01:59:59.250Z", "01:59:59.25Z|01:59:59.25+00:00", "time |when ",
		"rU=\n|rV=\n", "rU=\n|\n", "\ntime|\nmore\ntime", "tienda.example/bitacora|",
	} {
		from, to, _ := strings.Cut(change, "|")
		text := strings.Replace(good, from, to, 1)
		if _, err := ParseText(text); !errors.Is(err, ErrNotCheckpoint) {
			t.Errorf("ParseText(%q) = %v, want ErrNotCheckpoint", text, err)
		}
	}
}

func TestKeyFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	foreign, _, err := GenerateKey("other.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := LoadKeys(write("good", samplePrivate+"\n", 0o600)); err != nil {
		t.Errorf("a good key file: %v", err)
	}
	// For a server beside a process that seals.
	k, err := LoadKeys(write("public", samplePublic+"\n", 0o600))
	if err != nil || len(k.Signers()) != 0 || len(k.Public()) != 1 || k.Origin() != "tienda.example/bitacora" {
		t.Errorf("a file with a public key alone = %v, %v, want one public key of the trail and nothing that signs", k, err)
	}
	tests := []struct{ fact, path, want string }{
		{"missing", filepath.Join(dir, "none"), "no such file"},
		{"a directory", dir, "not a file"},
		{"others may read it", write("open", samplePrivate, 0o644), "chmod 600"},
		{"empty", write("empty", "\n# nothing\n", 0o600), "holds no key"},
		{"a public key beside a private one", write("both", samplePrivate+"\n"+samplePublic, 0o600), "line 2: private and public keys"},
		{"a private key beside a public one", write("both2", samplePublic+"\n"+samplePrivate, 0o600), "line 2: private and public keys"},
		{"a letter wrong", write("typo", strings.Replace(samplePrivate, "1hsZ", "1hsY", 1), 0o600), "line 1 is no private key"},
		{"two names", write("names", samplePrivate+"\n"+foreign, 0o600), "line 2: the key is named"},
		{"twice", write("twice", samplePrivate+"\n"+samplePrivate, 0o600), "the same key again"},
	}
	for _, tt := range tests {
		_, err := LoadKeys(tt.path)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("LoadKeys of a file that is %s = %v, want %q", tt.fact, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "1hsZ") {
			t.Errorf("LoadKeys of a file that is %s repeats the key: %v", tt.fact, err)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v", sampleKeys(t), sampleKeys(t), sampleKeys(t)); got != "*** *** ***" {
		t.Errorf("keys print as %s", got)
	}
}

func TestPublicKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", samplePrivate, samplePublic + "A", strings.Replace(samplePublic, "tienda", "fienda", 1),
		samplePublic[:len(samplePublic)-4],
	} {
		_, err := ParsePublic(text)
		if err == nil {
			t.Errorf("ParsePublic(%q) took it", text)
		}
		if err != nil && strings.Contains(err.Error(), "PRIVATE+KEY") {
			t.Errorf("ParsePublic repeats a private key: %v", err)
		}
	}
	for _, name := range []string{"", "con espacio", "año", "a+b", "a\nb", strings.Repeat("x", 201)} {
		if _, _, err := GenerateKey(name); err == nil {
			t.Errorf("GenerateKey(%q) took the name", name)
		}
	}
}
