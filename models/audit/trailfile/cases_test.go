package trailfile

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
)

var update = flag.Bool("update", false, "write the conformance cases anew")

// casesFolder has the conformance cases, for whoever writes a verifier of their own.
const casesFolder = "testdata/cases"

// conformance is a file with what a verifier says of it, as cases.json has it.
type conformance struct {
	Name string   `json:"name"`
	File string   `json:"file"`
	Keys []string `json:"keys"`
	With []string `json:"with,omitempty"` // kept checkpoints, proofs of consistency
	strangersAsked
	Verdict string `json:"verdict"`
	N       int64  `json:"n"`  // of the first bad entry; -1 for none
	ID      int64  `json:"id"` // 0 for none

	file  []byte
	with  [][]byte
	roots [][]byte
}

// cases collects the conformance cases. They are made anew each time, from keys and
// entries that are always the same.
type cases struct {
	t      testing.TB
	all    []*conformance
	stamps stamps
}

// add adds a case. The verdict is intact, altered or undecided, and the n of the first bad
// entry, such as "altered 2"; its id is one more, or, with a star ("altered 2*"), not known,
// because its line is not there or cannot be read.
func (c *cases) add(name, verdict string, file []byte, with ...[]byte) *conformance {
	k := &conformance{Name: name, Keys: []string{samplePublic}, N: -1, file: file, with: with}
	words := strings.Fields(verdict)
	k.Verdict = strings.Replace(words[0], "undecided", "cannot decide", 1)
	if len(words) > 1 {
		if _, err := fmt.Sscan(strings.TrimSuffix(words[1], "*"), &k.N); err != nil {
			c.t.Fatal(err)
		}
		if !strings.HasSuffix(words[1], "*") {
			k.ID = k.N + 1
		}
	}
	k.File = name + map[bool]string{true: ".json", false: ".jsonl"}[bytes.Contains(file[:min(len(file), 40)], []byte("audit-proof"))]
	for i := range with {
		k.With = append(k.With, fmt.Sprintf("%s.with%d.txt", name, i+1))
	}
	c.all = append(c.all, k)
	return k
}

// trusting says which keys are trusted.
func (k *conformance) trusting(keys ...string) { k.Keys = keys }

// our is what our verifier says.
func (k *conformance) our(t *testing.T) (verdict string, n, id int64) {
	t.Helper()
	check, wrong := Check{}, error(nil)
	check.Keys, wrong = ParsePublic(k.Keys...)
	for _, w := range k.with {
		if bytes.HasPrefix(bytes.TrimSpace(w), []byte("{")) {
			c, err := ReadConsistency(bytes.NewReader(w))
			if err != nil {
				wrong = err
			}
			check.Consistency = append(check.Consistency, c)
			continue
		}
		notes := Notes(string(w))
		if len(notes) == 0 {
			wrong = ErrNotCheckpoint // as the command says
		}
		check.Checkpoints = append(check.Checkpoints, notes...)
	}
	if err := k.asks(&check, k.roots); err != nil {
		wrong = err
	}
	if wrong != nil {
		return "cannot decide", -1, 0
	}
	var v *Verdict
	if strings.HasSuffix(k.File, ".json") {
		_, v = VerifyProof(bytes.NewReader(k.file), check)
	} else {
		v = Verify(bytes.NewReader(k.file), check)
	}
	n = -1
	if len(v.Findings) > 0 {
		n, id = v.Findings[0].N, v.Findings[0].ID
	}
	if len(check.Checkpoints) > 0 && v.Compared == 0 && v.State == Intact {
		t.Errorf("%s: nothing was compared, and it is called intact", k.Name)
	}
	return map[State]string{Intact: "intact", Altered: "altered", Undecided: "cannot decide"}[v.State], n, id
}

// TestConformance: both verifiers come to the verdicts of the committed cases, and those
// are what this test makes.
func TestConformance(t *testing.T) {
	t.Parallel()
	c := &cases{t: t}
	c.everything()
	if len(c.all) < 470 {
		t.Errorf("%d cases, want 470 at least", len(c.all))
	}
	files, total := map[string][]byte{}, 0
	var list []string
	for _, k := range c.all {
		if _, twice := files[k.File]; twice {
			t.Errorf("two cases are named %s", k.Name)
		}
		files[k.File] = k.file
		for i, w := range k.with {
			files[k.With[i]] = w
		}
		for i, r := range k.roots {
			files[k.Roots[i]] = r
		}
		line, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(line))
	}
	files["cases.json"] = []byte("[\n" + strings.Join(list, ",\n") + "\n]\n")
	for _, f := range files {
		total += len(f)
	}
	if total > 1_500_000 {
		t.Errorf("the cases have %d bytes", total)
	}
	c.stamps.used(t)
	if *update {
		writeCases(t, files)
	}
	compareCases(t, files)
	said := pythonCases(t)
	for _, k := range c.all {
		want := fmt.Sprintf("%s\t%d\t%d", k.Verdict, k.N, k.ID)
		verdict, n, id := k.our(t)
		if got := fmt.Sprintf("%s\t%d\t%d", verdict, n, id); got != want {
			t.Errorf("%s: we say %q, want %q", k.Name, got, want)
		}
		if !strings.HasPrefix(said[k.Name], want+"\t") {
			t.Errorf("%s: verify.py says %q, want %q", k.Name, said[k.Name], want)
		}
	}
}

func writeCases(t *testing.T, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(casesFolder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(casesFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(casesFolder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compareCases compares what is committed with what is made.
func compareCases(t *testing.T, files map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(casesFolder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(files) {
		t.Errorf("%s has %d files, want %d; run go test -run Conformance -update", casesFolder, len(entries), len(files))
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(casesFolder, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not as it is made (%v); run go test -run Conformance -update, and read the difference", name, err)
		}
	}
}

// pythonCases is what the verifier in Python says of each case.
func pythonCases(t *testing.T) map[string]string {
	t.Helper()
	var stderr bytes.Buffer
	run := exec.Command("python3", "testdata/verify.py", "--cases", casesFolder)
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("verify.py --cases: %v\n%s", err, &stderr)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, verdict, _ := strings.Cut(line, "\t")
		said[name] = verdict
	}
	return said
}

// caseSize is how many entries the trail of the cases has.
const caseSize = 5

// caseEntry is entry n of the trail of the cases.
func caseEntry(n int64) Leaf {
	rest := []string{
		`"actor":"server","role":"system","action":"server.started","outcome":"success"`,
		`"actorId":7,"actor":"Ana \"la jefa\" Pérez","role":"manager","action":"session.started","outcome":"success"`,
		`"actorId":7,"actor":"Ana","role":"manager","action":"sale.recorded","outcome":"success","storeId":3,"amountCentavos":12500,` +
			`"after":{"orderId":"V-1"},"reason":"x"`,
		`"actorId":7,"actor":"Ana","role":"manager","action":"cancellation.requested","outcome":"success","cancellationId":9,` +
			`"after":{"state":"requested","sequence":1}`,
		`"actor":"worker","role":"system","action":"cancellation.moved","outcome":"success","cancellationId":9,` +
			`"before":{"state":"requested"},"after":{"state":"sending","sequence":2}`,
	}
	return Leaf{ID: n + 1, Era: 1, TxID: 700 + uint64(n), Canonical: fmt.Appendf(nil,
		`{"v":2,"nonce":"%s","at":"2026-11-20T18:00:0%d.000000Z",%s}`, testNonce(n), n, rest[n])}
}

// with is the trail of the cases in which the bytes of entry n are others, before it was
// sealed.
func (c *cases) with(n int64, canonical string) []byte {
	file, _ := exportOf(c.t, caseSize, func(i int64) Leaf {
		l := caseEntry(i)
		if i == n {
			l.Canonical = []byte(canonical)
		}
		return l
	}, nil)
	return file
}

// edited is the export of the cases, edited. What stands in pairs is replaced once each.
func (c *cases) edited(pairs ...string) []byte {
	file, _ := exportOf(c.t, caseSize, caseEntry, nil)
	return replace(c.t, file, pairs...)
}

// part is an export without entries 1 and 2, edited.
func (c *cases) part(pairs ...string) []byte {
	file, _ := exportOf(c.t, caseSize, caseEntry, func(n int64) bool { return n < 1 || n > 2 })
	return replace(c.t, file, pairs...)
}

func replace(t testing.TB, file []byte, pairs ...string) []byte {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !bytes.Contains(file, []byte(pairs[i])) {
			t.Fatalf("%q is not in the file:\n%s", pairs[i], file)
		}
		file = bytes.Replace(file, []byte(pairs[i]), []byte(pairs[i+1]), 1)
	}
	return file
}

// footed gives a file the footer that fits what stands before it.
func (c *cases) footed(file []byte) []byte {
	c.t.Helper()
	return refooted(c.t, file)
}

// byLines edits the lines of the export of the cases.
func (c *cases) byLines(edit func(l []string) []string) []byte {
	file, _ := exportOf(c.t, caseSize, caseEntry, nil)
	return []byte(strings.Join(edit(slices.Clone(strings.SplitAfter(strings.TrimSuffix(string(file), "\n"), "\n"))), "") + "\n")
}

// noted is the export of the cases with another note for a checkpoint, and a footer that
// fits.
func (c *cases) noted(edit func(note string) string) []byte {
	c.t.Helper()
	file, notes := exportOf(c.t, caseSize, caseEntry, nil, caseSize)
	was, err := json.Marshal(notes[0])
	if err != nil {
		c.t.Fatal(err)
	}
	now, err := json.Marshal(edit(notes[0]))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.footed(replace(c.t, file, string(was), string(now)))
}

// wide is an export of the last entry alone, so that a checkpoint of 3 entries ends within a
// subtree.
func (c *cases) wide() []byte {
	file, _ := exportOf(c.t, caseSize, caseEntry, func(n int64) bool { return n == 4 })
	return file
}

// keyText is the text of a public key whose point is written in hex.
func keyText(name, point string) string {
	raw, err := hex.DecodeString("01" + point)
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256(slices.Concat([]byte(name+"\n"), raw))
	return fmt.Sprintf("%s+%x+%s", name, hash[:4], base64.StdEncoding.EncodeToString(raw))
}

// sampleKey is a key whose seed is one byte, 32 times.
func sampleKey(name string, seed byte) (public string, signer note.Signer) {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, 32))
	public = keyText(name, hex.EncodeToString(private.Public().(ed25519.PublicKey)))
	secret := base64.StdEncoding.EncodeToString(append([]byte{1}, private.Seed()...))
	signer, err := note.NewSigner("PRIVATE+KEY+" + name + "+" + strings.Split(public, "+")[1] + "+" + secret)
	if err != nil {
		panic(err)
	}
	return public, signer
}

func (c *cases) sampleSigner() note.Signer {
	keys, err := ParseKeys(samplePrivate)
	if err != nil {
		c.t.Fatal(err)
	}
	return keys.Signers()[0]
}

// signedBy signs the text of a note with other keys.
func (c *cases) signedBy(signed string, signers ...note.Signer) string {
	text, _, _ := strings.Cut(signed, "\n\n")
	n, err := note.Sign(&note.Note{Text: text + "\n"}, signers...)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(n)
}

// at signs a note with another time, and renamed gives it the origin of another trail.
func (c *cases) at(signed string, when time.Time) string {
	claim, err := Unverified(signed)
	if err != nil {
		c.t.Fatal(err)
	}
	claim.Time = when
	return c.signedBy(claim.Text()+"\n", c.sampleSigner())
}

func (c *cases) renamed(signed string) string {
	return strings.Replace(signed, "tienda.example", "other.example", 1)
}
