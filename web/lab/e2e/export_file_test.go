package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var exportLink = regexp.MustCompile(`/audit/exports/\d+`)

// choosesFile chooses a file of the content on the page that compares one.
func (p *page) choosesFile(content string) {
	p.t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		p.t.Fatal(err)
	}
	p.until("a file is chosen", fmt.Sprintf(`(() => {
		const chosen = new DataTransfer(), input = document.querySelector("[data-compare] input[type=file]");
		chosen.items.add(new File([%s], "bitacora.csv"));
		input.files = chosen.files;
		return input.dispatchEvent(new Event("change"));
	})()`, text))
}

// wantVerdict waits for the one verdict that the page shows.
func (p *page) wantVerdict(want string) {
	p.t.Helper()
	await(p, "the verdict "+want, `Array.from(document.querySelectorAll("[data-testid=compare-file] [data-verdict]"))
		.filter((said) => said.checkVisibility({visibilityProperty: true})).map((said) => said.dataset.verdict).join(" ")`,
		func(shown string) bool { return shown == want })
}

// TestAFileIsComparedWithWhatLeft in the browser, by its hash, and without scripts.
func TestAFileIsComparedWithWhatLeft(t *testing.T) {
	t.Parallel()
	s := shared.as(t, supervisor)
	status, file := s.get(t, "/audit.csv?action=server.started")
	if status != http.StatusOK || !strings.Contains(file, "server.started") {
		t.Fatalf("the export = %d: %.200s", status, file)
	}
	_, list := s.get(t, "/audit/exports")
	path := exportLink.FindString(list)
	if path == "" {
		t.Fatal("the list of exports leads to none")
	}
	sum := sha256.Sum256([]byte(file))
	hash := hex.EncodeToString(sum[:])
	for _, sc := range []screen{phone, desk} {
		p := shared.openAs(t, supervisor, sc)
		fits := func(what string) {
			t.Helper()
			if sc.phone {
				p.wantFit(what)
			} else if report(t, what, p.axe()); len(p.tooWide()) > 0 {
				t.Errorf("%s: too wide %q", what, p.tooWide())
			}
		}
		p.goTo(path)
		p.see("[data-compare] input[type=file]")
		for _, tt := range []struct{ content, want string }{
			{strings.Replace(file, "server.started", "server.stopped", 1), "other"}, // as long as it was
			{file, "same"},
			{file + "\n", "other"},
			{"", "other"},
		} {
			p.choosesFile(tt.content)
			p.wantVerdict(tt.want)
		}
		fits("a file that is not what left")
		p.choosesFile(file)
		p.wantVerdict("same")
		fits("a file that is what left")
	}
	p := shared.open(t, phone)
	p.withoutScripts()
	p.signInByForm(shared.logins[supervisor])
	p.at("/today")
	p.goTo(path)
	p.until("no chooser without scripts", `!document.querySelector("[data-compare]").checkVisibility()`)
	for _, tt := range []struct{ pasted, want string }{
		{hash + "  bitacora.csv", "same"},
		{strings.ToUpper(hash), "same"},
		{strings.Repeat("0", len(hash)), "other"},
	} {
		p.fill("[name=sha256]", tt.pasted)
		p.press(id("compare-file") + " form button[type=submit]")
		p.until("the answer to what was pasted", fmt.Sprintf("location.search.includes(%q)", strings.Fields(tt.pasted)[0]))
		p.wantVerdict(tt.want)
	}
	p.watch.allow("status of 422")
	p.fill("[name=sha256]", "no es ninguna huella")
	p.press(id("compare-file") + " form button[type=submit]")
	p.wantSays("#e-sha256", "SHA-256")
	p.wantVerdict("")
}
