package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const axeFile = "testdata/axe/axe-4.14.1.min.js"

// axeSource is what is injected into pages through the debugger, which no
// content security policy stops.
var axeSource = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(axeFile)
	return string(text), err
})

// The vendored files are those that npm publishes.
func TestAxeIsAsPublished(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("testdata/axe/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for line := range strings.Lines(string(sums)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile("testdata/axe/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("sha256 of %s = %s, want %s", name, got, want)
		}
		files++
	}
	if files != 3 {
		t.Errorf("files in SHA256SUMS = %d, want 3", files)
	}
}

// spread has everything drawn and nothing stuck to the window's edge: of what waits
// until it is scrolled to, axe would measure the room that is kept for it, and of
// what lies under the bar what the bar leaves.
var spread = chromedp.Evaluate[chromedp.Void](`{
	const all = new CSSStyleSheet();
	all.replaceSync("* { content-visibility: visible !important } .several-bar { position: static !important }");
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, all]; }`)

// violation is what axe finds, one per element.
type violation struct{ Rule, Target, Summary string }

// axe runs every rule of WCAG 2.0 to 2.2, A and AA, on the page; with rules,
// only those.
func (p *page) axe(rules ...string) []violation {
	p.t.Helper()
	source, err := axeSource()
	if err != nil {
		p.t.Fatal(err)
	}
	only := `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]}`
	if len(rules) > 0 {
		only = fmt.Sprintf(`{type: "rule", values: [%q]}`, strings.Join(rules, `", "`))
	}
	if !eval[bool](p, "!!window.axe") {
		p.do(chromedp.Evaluate[chromedp.Void](source+";0"), spread)
	}
	var found []violation
	call(p, func(ctx context.Context) (err error) {
		found, err = chromedp.Run(ctx, chromedp.Evaluate[[]violation](`(async () => {
			const violations = async (where, only) => (await axe.run(where, {runOnly: only, resultTypes: ["violations"], preload: false}))
				.violations.flatMap(v => v.nodes.map(n => ({Rule: v.id, Target: n.target.join(" "), Summary: n.failureSummary})));
			const all = await violations(document, `+only+`), at = [scrollX, scrollY], found = [];
			for (const v of all) {
				// What happens to lie half under the bar of a phone is whole once it is scrolled to.
				const it = v.Rule === "target-size" && document.querySelector(v.Target);
				it && it.scrollIntoView({block: "center", behavior: "instant"});
				if (!it || (await violations(it, {type: "rule", values: ["target-size"]})).length) found.push(v);
			}
			scrollTo({left: at[0], top: at[1], behavior: "instant"});
			return found;
		})()`, chromedp.EvalAwaitPromise))
		return err
	})
	return found
}

func (p *page) prefer(scheme string) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}

// A page with something wrong is found out, or the test below proves nothing.
func TestAxeFindsViolations(t *testing.T) {
	t.Parallel()
	p := shared.open(t, desk)
	p.goTo("/login")
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const img = document.createElement("img"), words = document.createElement("p");
		words.textContent = "pale"; words.className = "pale";
		document.querySelector("main").append(img, words);
		const sheet = new CSSStyleSheet(); sheet.replaceSync(".pale { color: #aaa; background: #fff }");
		document.adoptedStyleSheets = [sheet]; }`))
	got := map[string]bool{}
	for _, v := range p.axe() {
		got[v.Rule] = true
	}
	if !got["image-alt"] || !got["color-contrast"] || len(got) != 2 {
		t.Errorf("rules violated = %v, want image-alt and color-contrast", got)
	}
	if got := p.axe("color-contrast"); len(got) != 1 {
		t.Errorf("violations of the rule color-contrast = %v, want one", got)
	}
}

// openFor is a browser for a role, or for nobody.
func (s *server) openFor(t testing.TB, role string, sc screen) *page {
	t.Helper()
	if role == "" {
		return s.open(t, sc)
	}
	return s.openAs(t, role, sc)
}

func report(t testing.TB, where string, found []violation) {
	t.Helper()
	for _, v := range found {
		t.Errorf("axe on %s: %s at %s: %s", where, v.Rule, v.Target, strings.ReplaceAll(v.Summary, "\n", " "))
	}
}
