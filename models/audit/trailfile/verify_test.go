package trailfile

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/modelstest/mutated"
)

// testNonce is a nonce as entries have it.
func testNonce(n int64) string {
	raw := make([]byte, 16)
	binary.BigEndian.PutUint64(raw, uint64(n)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(raw[8:], uint64(n))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// testEntry is an entry as the product writes them.
func testEntry(n int64) Leaf {
	return Leaf{ID: n + 1, Era: 1, TxID: 700 + uint64(n)/3, Canonical: fmt.Appendf(nil,
		`{"v":2,"nonce":"%s","at":"2026-11-20T18:00:00.000000Z","actor":"Ana \"la jefa\" Pérez",`+
			`"role":"manager","action":"cancellation.moved","outcome":"success","amountCentavos":%d,"after":{"a":"\\u003c\t"}}`,
		testNonce(n), 100+n)}
}

// testExport is an export of size entries that omits those for which keep is false,
// and the requested checkpoints of smaller sizes.
func testExport(t testing.TB, size int64, keep func(n int64) bool, sizes ...int64) (file []byte, notes []string) {
	t.Helper()
	return exportOf(t, size, testEntry, keep, sizes...)
}

// exportOf is an export of other entries.
func exportOf(
	t testing.TB, size int64, entry func(n int64) Leaf, keep func(n int64) bool, sizes ...int64,
) (file []byte, notes []string) {
	t.Helper()
	keys, err := ParseKeys(samplePrivate)
	if err != nil {
		t.Fatal(err)
	}
	var tree Edge
	hashes := make([]tlog.Hash, size)
	sign := func() string {
		c := Checkpoint{
			Origin: keys.Origin(), Size: tree.Size, Root: tree.Root(),
			Time: time.Date(2026, 11, 21, 1, 0, int(tree.Size), 0, time.UTC),
		}
		signed, err := c.Sign(keys.Signers()...)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	for n := range size {
		hashes[n] = entry(n).Hash()
		tree.Add(hashes[n])
		for _, s := range sizes {
			if s == tree.Size {
				notes = append(notes, sign())
			}
		}
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := w.Begin(Header{
		Origin: keys.Origin(), PublicKeys: keys.Public(), ExportedAt: "2026-11-21T02:00:00Z", Complete: keep == nil,
		Filters: testFilters(keep != nil), Checkpoint: sign(),
	}); err != nil {
		t.Fatal(err)
	}
	from := int64(0)
	gap := func(to int64) {
		var roots []tlog.Hash
		for at := from; at < to; {
			var sub Edge
			level := Subtree(at, to)
			for range int64(1) << level {
				sub.Add(hashes[at])
				at++
			}
			roots = append(roots, sub.Root())
		}
		if roots != nil {
			_ = w.Gap(from, to, roots)
		}
	}
	for n := range size {
		if keep != nil && !keep(n) {
			continue
		}
		gap(n)
		l := entry(n)
		_ = w.Entry(n, l, hashes[n])
		from = n + 1
	}
	gap(size)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), notes
}

func sampleVerifiers(t testing.TB) note.Verifiers {
	t.Helper()
	v, err := ParsePublic(samplePublic)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func replaced(from, to string) func([]byte) []byte {
	return func(f []byte) []byte { return bytes.Replace(f, []byte(from), []byte(to), 1) }
}

// lines edits the lines of a file.
func lines(edit func([]string) []string) func([]byte) []byte {
	return func(f []byte) []byte { return []byte(strings.Join(edit(strings.SplitAfter(string(f), "\n")), "")) }
}

func odd(n int64) bool { return n%5 == 1 }

// wrongs are files that were made of good ones, and the expected findings. The
// verifier in Python must come to the same.
var wrongs = []struct {
	fact   string
	keep   func(int64) bool
	do     func([]byte) []byte
	code   Code
	n      int64
	line   int64
	python int // exit code; 0 is the same as ours
}{
	{fact: "an amount", do: replaced(`amountCentavos\":140`, `amountCentavos\":14`), code: BadBytes, n: 40, line: 42},
	{
		fact: "an amount in a part of the trail", keep: odd, do: replaced(`amountCentavos\":141`, `amountCentavos\":241`), code: BadBytes,
		n: 41, line: 19,
	},
	{fact: "a number", do: replaced(`"id":41,`, `"id":42,`), code: BadBytes, n: 40, line: 42},
	{fact: "a transaction", do: replaced(`"id":41,"era":1,"txid":"713"`, `"id":41,"era":1,"txid":"714"`), code: BadBytes, n: 40, line: 42},
	{fact: "an era", do: replaced(`"id":41,"era":1`, `"id":41,"era":2`), code: BadBytes, n: 40, line: 42},
	{
		fact: "a hash", do: lines(func(l []string) []string { l[41] = l[41][:len(l[41])-20] + "AAAA" + l[41][len(l[41])-16:]; return l }),
		code: BadBytes, n: 40, line: 42,
	},
	{fact: "a line taken out", do: lines(func(l []string) []string { return append(l[:41:41], l[42:]...) }), code: BadOrder, n: 40, line: 42},
	{fact: "a line twice", do: lines(func(l []string) []string { return append(l[:42:42], l[41:]...) }), code: BadOrder, n: 40, line: 43},
	{
		fact: "two lines in each other's place", do: lines(func(l []string) []string { l[41], l[42] = l[42], l[41]; return l }), code: BadOrder,
		n: 40, line: 42,
	},
	{
		fact: "the last entry taken out", do: lines(func(l []string) []string { return append(l[:len(l)-3:len(l)-3], l[len(l)-2:]...) }),
		code: BadFooter, n: -1, line: 301,
	},
	{fact: "the footer taken out", do: lines(func(l []string) []string { return l[:len(l)-2] }), code: Truncated, n: -1, line: 302},
	{fact: "cut within a line", do: func(f []byte) []byte { return f[:len(f)/2] }, code: Truncated, n: -1},
	{fact: "cut within the header", do: func(f []byte) []byte { return f[:100] }, code: NotExport, n: -1, line: 1},
	{fact: "something behind the footer", do: func(f []byte) []byte { return append(f, "{}\n"...) }, code: BadLine, n: -1, line: 303},
	{fact: "the footer's sum", do: replaced(`"amountCentavos":"`, `"amountCentavos":"1`), code: BadFooter, n: -1, line: 302},
	{fact: "the footer's count", do: replaced(`{"entries":`, `{"entries":1`), code: BadFooter, n: -1, line: 302},
	{fact: "the checkpoint's size", do: replaced(`bitacora\n300\n`, `bitacora\n299\n`), code: BadSignature, n: -1, line: 1},
	{fact: "no checkpoint", do: replaced(`"checkpoint":"`, `"checkpoint":"x`), code: BadSignature, n: -1, line: 1},
	{fact: "another format", do: replaced("export/1", "export/9"), code: NotExport, n: -1, line: 1},
	{fact: "a gap's hash", keep: odd, do: replaced(`"hashes":["`, `"hashes":["AAAA`), code: BadLine, n: 0, line: 2},
	{fact: "a number beyond 64 bits", do: replaced(`"id":41,`, `"id":9223372036854775808,`), code: BadLine, n: 40, line: 42},
	{fact: "a number with a zero before it", do: replaced(`"id":41,`, `"id":041,`), code: BadLine, n: 40, line: 42},
	{
		fact: "deep JSON in the place of a line",
		do:   lines(func(l []string) []string { l[41] = strings.Repeat(`{"gap":`, 50_000) + "\n"; return l }), code: BadLine, n: 40, line: 42,
	},
	{
		fact: "a very long line", do: lines(func(l []string) []string { l[41] = strings.Repeat("x", 100<<20) + "\n"; return l }), code: BadLine,
		n: 40, line: 42,
	},
	{fact: "empty", do: func([]byte) []byte { return nil }, code: NotExport, n: -1},
	{fact: "a picture", do: func([]byte) []byte { return []byte("\x89PNG\r\n\x1a\n\x00\x00") }, code: NotExport, n: -1, line: 1},
	{
		fact: "a gap that announces itself complete", keep: odd, do: replaced(`"complete":false`, `"complete":true`),
		code: NotAsAnnounced, n: 0, line: 2,
	},
}

func TestWrongFilesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range wrongs {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			file, _ := testExport(t, 300, tt.keep)
			file = tt.do(file)
			v := Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t)})
			if len(v.Findings) == 0 {
				t.Fatalf("Verify = %+v, want %s", v, tt.code)
			}
			if f := v.Findings[0]; f.Code != tt.code || f.N != tt.n || tt.line != 0 && f.Line != tt.line {
				t.Errorf("Verify found first %s (%+v), want %s, n %d, line %d", f, f, tt.code, tt.n, tt.line)
			}
			if len(file) > 1<<20 {
				return // Python takes its time for those
			}
			want := map[State]int{Altered: 1, Undecided: 2}[v.State]
			if tt.python != 0 {
				want = tt.python
			}
			python(t, want, file, samplePublic)
		})
	}
}

func TestFilesThatAreIntact(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1, 2, 5, 255, 256, 257, 1000} {
		for fact, keep := range map[string]func(int64) bool{
			"complete": nil, "a part": odd, "nothing": func(int64) bool { return false }, "the end": func(n int64) bool { return n > 200 },
		} {
			file, notes := testExport(t, size, keep, 1, 2, size)
			v := Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t)})
			if v.State != Intact || v.Entries+v.LeftOut != size {
				t.Errorf("Verify(%d, %s) = %+v", size, fact, v)
			}
			if keep == nil {
				if v := Verify(bytes.NewReader(file), Check{Keys: sampleVerifiers(t), Checkpoints: notes}); v.State != Intact ||
					v.Compared != len(notes) {
					t.Errorf("Verify(%d, %s) with checkpoints = %+v", size, fact, v)
				}
				python(t, 0, file, samplePublic, notes...)
			} else if size == 257 {
				python(t, 0, file, samplePublic)
			}
		}
	}
}

// TestAnotherPast: everything was written anew, but for a checkpoint elsewhere.
func TestAnotherPast(t *testing.T) {
	t.Parallel()
	file, notes := testExport(t, 300, nil, 100, 200, 300)
	_, longer := testExport(t, 400, nil, 400)
	keys, _ := ParseKeys(samplePrivate)
	c, err := Open(notes[1], keys.Verifiers())
	if err != nil {
		t.Fatal(err)
	}
	c.Root[0] ^= 1
	other, err := c.Sign(keys.Signers()...)
	if err != nil {
		t.Fatal(err)
	}
	_, public, err := GenerateKey("tienda.example/bitacora")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		fact  string
		key   string
		notes []string
		state State
		code  Code
		words string
	}{
		{"another past", samplePublic, []string{notes[0], other}, Altered, OtherTrail, "from n 100 to n 199"},
		{"a checkpoint that is larger", samplePublic, longer, Undecided, NotComparable, "400 entries"},
		{"no checkpoint at all", samplePublic, []string{"x"}, Undecided, NoCheckpoint, "checkpoint 1"},
		{"another key", public, nil, Undecided, UnknownKey, "tienda.example/bitacora+061db9da"},
	}
	for _, tt := range tests {
		k, err := ParsePublic(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		v := Verify(bytes.NewReader(file), Check{Keys: k, Checkpoints: tt.notes})
		if v.State != tt.state || v.Findings[0].Code != tt.code || !strings.Contains(v.Findings[0].String(), tt.words) {
			t.Errorf("Verify with %s = %s, %v, want %s, %s", tt.fact, v.State, v.Findings, tt.state, tt.code)
		}
		python(t, map[State]int{Altered: 1, Undecided: 2}[tt.state], file, tt.key, tt.notes...)
	}
}

// python runs the verifier that was written from FORMAT.md alone.
func python(t testing.TB, want int, file []byte, key string, notes ...string) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is missing: apt install python3, or brew install python")
	}
	dir := t.TempDir()
	args := []string{"testdata/verify.py", filepath.Join(dir, "file"), key}
	if err := os.WriteFile(args[1], file, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, n := range notes {
		args = append(args, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(args[len(args)-1], []byte(n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("python3", args...).CombinedOutput()
	var exit *exec.ExitError
	code := 0
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != want || !bytes.HasPrefix(out, []byte([]string{"intact", "altered", "cannot"}[want])) {
		t.Errorf("verify.py exits with %d, want %d: %s", code, want, out)
	}
	return string(out)
}

func FuzzVerify(f *testing.F) {
	file, _ := testExport(f, 20, nil)
	part, _ := testExport(f, 20, odd)
	mutated.Add(f, [][]byte{file, part}, func(input []byte) { f.Add(input) })
	keys, _ := ParsePublic(samplePublic)
	f.Fuzz(func(t *testing.T, changed []byte) {
		v := Verify(bytes.NewReader(changed), Check{Keys: keys})
		if v.State == Intact && v.Size != 20 {
			t.Errorf("intact, with %d entries", v.Size)
		}
		for _, found := range v.Findings { // lines are read in goroutines, which recover
			if strings.HasPrefix(found.Detail, "panic") {
				t.Errorf("a panic: %s", found.Detail)
			}
		}
		_, _ = VerifyProof(bytes.NewReader(changed), Check{Keys: keys})
	})
}
