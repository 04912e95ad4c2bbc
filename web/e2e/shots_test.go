package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Every page fits the screen it is shown on. With SHOTS=dir a picture of each
// is kept there, by name, width and light.
func TestShots(t *testing.T) {
	t.Parallel()
	// A server of its own: the pictures show a day, not the leftovers of tests.
	s := ownServer(t, noon)
	dir := os.Getenv("SHOTS")
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	places := everyPage(t, s)
	for _, screen := range []screen{desk, phone} {
		t.Run(fmt.Sprintf("%d px", screen.width), func(t *testing.T) {
			byRole := map[string]*page{}
			for _, to := range places {
				p := byRole[to.role]
				if p == nil {
					p = s.openFor(t, to.role, screen)
					byRole[to.role] = p
				}
				p.prefer("light")
				p.visit(to)
				p.wantNoSidewaysScroll(to.name)
				if screen.phone {
					p.wantLargeTargets(to.name)
				}
				p.keep(dir, to.name, "")
				if os.Getenv("SHOTS") != "" {
					p.prefer("dark")
					p.keep(dir, to.name, "-dark")
				}
			}
		})
	}
}

// keep writes a picture of the page.
func (p *page) keep(dir, name, light string) {
	p.t.Helper()
	png := p.picture()
	if !bytes.HasPrefix(png, []byte("\x89PNG")) {
		p.t.Errorf("the picture of %s is no PNG", name)
	}
	file := filepath.Join(dir, fmt.Sprintf("%s-%d%s.png", name, p.screen.width, light))
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// wantNoSidewaysScroll checks that nothing is wider than the screen.
func (p *page) wantNoSidewaysScroll(name string) {
	p.t.Helper()
	wide := eval[[]string](p, fmt.Sprintf(`(() => {
		const root = document.documentElement, room = root.clientWidth;
		if (root.scrollWidth <= room && innerWidth <= %d) return [];
		// What scrolls by itself is no reason for the page to.
		const inScroller = e => { for (let a = e.parentElement; a && a !== document.body; a = a.parentElement)
			if (getComputedStyle(a).overflowX !== "visible") return true; };
		return [...document.querySelectorAll("body *")]
			.filter(e => e.getBoundingClientRect().right > room + 0.5 && e.checkVisibility() && !inScroller(e))
			.slice(0, 8).map(e => e.tagName.toLowerCase() + "." + e.className + " to " + Math.round(e.getBoundingClientRect().right))
			.concat("page " + root.scrollWidth + ", room " + room + ", view " + innerWidth) })()`, p.screen.width))
	if len(wide) > 0 {
		p.t.Errorf("%s at %d px scrolls sideways: %q", name, p.screen.width, wide)
	}
}

// wantLargeTargets checks that a thumb can hit what a form or a list offers.
func (p *page) wantLargeTargets(name string) {
	p.t.Helper()
	small := eval[[]string](p, `[...document.querySelectorAll(
			".button, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, label.toggle, label.radio, .chip, nav a, summary")]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height < 43.5)
		.map(e => e.tagName.toLowerCase() + "." + e.className + " “" + (e.innerText || e.name || "").trim().slice(0, 30) + "” " + e.getBoundingClientRect().height.toFixed(1) + " px")`)
	if len(small) > 0 {
		p.t.Errorf("%s on a phone has targets under 44 px: %q", name, small)
	}
}
