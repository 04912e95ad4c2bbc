package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// trailCase is a conformance case of FORMAT.md with its files.
type trailCase struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Keys    []string `json:"keys"`
	With    []string `json:"with"`
	Verdict string   `json:"verdict"`
	N       int64    `json:"n"`
	ID      int64    `json:"id"`

	Witnesses     []string `json:"witnesses"`
	Quorum        int      `json:"quorum"`
	Roots         []string `json:"roots"`
	MaxAge        int64    `json:"maxAge"`        // seconds
	StampedWithin int64    `json:"stampedWithin"` // seconds
	Now           string   `json:"now"`

	Bytes  []byte   `json:"bytes"`  // of File; base64 on their way to the page
	Others [][]byte `json:"others"` // of With
	PEM    [][]byte `json:"pem"`    // of Roots
}

func trailCases(t *testing.T) (all []*trailCase) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "models", "audit", "trailfile", "testdata", "cases")
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if err := json.Unmarshal(read("cases.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		c.Bytes = read(c.File)
		for _, name := range c.With {
			c.Others = append(c.Others, read(name))
		}
		for _, name := range c.Roots {
			c.PEM = append(c.PEM, read(name))
		}
	}
	return all
}

// fromBase64 makes what Go sent into files of the page.
const fromBase64 = `const bytesOf64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	const chosen = (...files) => { const d = new DataTransfer(); for (const f of files) d.items.add(f); return d.files };`

// verifier opens the page that whoever reads the trail downloads, as a file of this machine.
func (s *server) verifier(t *testing.T, role string, sc screen) *page {
	t.Helper()
	status, text := s.as(t, role).get(t, "/audit/verifier")
	if status != http.StatusOK {
		t.Fatalf("GET /audit/verifier = %d", status)
	}
	file := filepath.Join(t.TempDir(), "verifier.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := s.open(t, sc)
	p.watch.allow("request outside the origin: file://")
	p.do(chromedp.Navigate("file://" + file))
	p.whole()
	return p
}

// TestTheVerifierOfABrowser comes to the verdict of every conformance case, and names the same
// entry.
func TestTheVerifierOfABrowser(t *testing.T) {
	t.Parallel()
	all := trailCases(t)
	given, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	p := shared.verifier(t, auditor, desk)
	p.do(step(fmt.Sprintf(`%s (async () => {
		const out = [];
		for (const c of %s) {
			const others = (c.others ?? []).map((x) => new TextDecoder().decode(bytesOf64(x)));
			const text = (x) => new TextDecoder().decode(bytesOf64(x));
			const wished = { ...c, witnesses: c.witnesses ?? [], roots: (c.pem ?? []).map(text) };
			const v = await verify((async function* () { yield bytesOf64(c.bytes); })(), c.keys, others, undefined, wished);
			out.push(v.state + ' ' + v.n + ' ' + v.id);
		}
		window.said = out;
	})().catch((e) => { window.said = [String(e)]; })`, fromBase64, given)))
	p.until("the verdicts", "window.said")
	said := eval[[]string](p, "window.said")
	if len(said) != len(all) {
		t.Fatalf("%d verdicts, want %d: %.300q", len(said), len(all), said)
	}
	verdicts := map[string]string{"intact": "intact", "altered": "altered", "cannot decide": "undecided"}
	for i, c := range all {
		if want := fmt.Sprintf("%s %d %d", verdicts[c.Verdict], c.N, c.ID); said[i] != want {
			t.Errorf("%s: the page says %q, want %q", c.Name, said[i], want)
		}
	}
}

// TestTheVerifierIsUsed: with a file, a key and a kept checkpoint, on a phone and at a desk, in
// both languages.
func TestTheVerifierIsUsed(t *testing.T) {
	t.Parallel()
	cases := map[string]*trailCase{}
	for _, c := range trailCases(t) {
		cases[c.Name] = c
	}
	for _, tt := range []struct {
		name, state, es, en string
		screen              screen
	}{
		{"proof-kept-3-entries", "intact", "Constancia de una entrada", "Certificate of an entry", phone},
		{"anew-and-a-change", "altered", "no es lo que se selló", "it is not what was sealed", desk},
		{"proof-stamped", "intact", "dice que esto ya existía el", "says that this existed on", phone},
		{"witness-two-of-three", "intact", "2 de 3 testigos lo firmaron", "2 of 3 witnesses signed it", desk},
		{"witness-one-of-three", "undecided", "testigos que firmaron: 1; se pidieron 2", "witnesses that have signed: 1", phone},
		{"kept-of-another-trail", "undecided", "no se puede comparar", "cannot be compared", phone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := shared.verifier(t, auditor, tt.screen)
			c := cases[tt.name]
			given, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if eval[string](p, "document.documentElement.lang") == "en" {
				p.press("#language")
			}
			p.press("form button")
			p.until("what is missing", `document.querySelector("#result").textContent.includes("Elige primero el archivo")`)
			p.do(step(fmt.Sprintf(`{ %s const c = %s;
				document.querySelector("#file").files = chosen(new File([bytesOf64(c.bytes)], c.file));
				document.querySelector("#kept").files = chosen(...(c.others ?? []).map((x, i) => new File([bytesOf64(x)], c.with[i])));
				document.querySelector("#roots").files = chosen(...(c.pem ?? []).map((x, i) => new File([bytesOf64(x)], c.roots[i])));
				document.querySelector("#strangers").open = true;
				document.querySelector("#quorum").value = c.quorum || "" }`,
				fromBase64, given)))
			p.fill("#witnesses", strings.Join(c.Witnesses, "\n"))
			p.fill("#key", c.Keys[0])
			p.press("form button")
			p.until("the verdict", fmt.Sprintf(`document.querySelector("#result").dataset.state === %q`, tt.state))
			p.until("the words", fmt.Sprintf(`document.querySelector("#result").textContent.includes(%q)`, tt.es))
			p.wantFit("the verdict in Spanish")
			p.press("#language")
			p.until("the words in English", fmt.Sprintf(`document.querySelector("#result").textContent.includes(%q)`, tt.en))
		})
	}
}
