package e2e

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// tablet is the width between a phone and a desk.
var tablet = screen{768, 1024, true}

// galleryPlaces are the gallery and every state of a page that it leads to.
func galleryPlaces(t testing.TB) []place {
	t.Helper()
	p := shared.open(t, desk)
	p.goTo("/gallery")
	paths := eval[[]string](p, `[...document.querySelectorAll("[data-testid=page-state]")].map(a => a.getAttribute("href"))`)
	if len(paths) < 120 {
		t.Fatalf("the gallery leads to %d pages, want every state of every page", len(paths))
	}
	places := []place{{name: "gallery", path: "/gallery"}}
	for _, path := range paths {
		places = append(places, place{name: "gallery-" + path[len("/gallery?page="):], path: path})
	}
	return places
}

// Every component and every state fits every screen, at a desk in English, else
// in Spanish, and on a phone keeps nobody out. TestAxe looks at the real pages in every language and scheme.
// With SHOTS=dir a picture of each is kept there.
func TestGallery(t *testing.T) {
	t.Parallel()
	places := galleryPlaces(t)
	if dir := os.Getenv("SHOTS"); dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, sc := range []screen{phone, desk, tablet} {
		for j, lang := range []string{"es-MX", "en"} {
			if (sc == desk) != (j == 1) {
				continue // the words are longest in Spanish
			}
			scheme := []string{"light", "dark"}[j]
			// A tab has its time, as every test has: so many places and no more.
			for some := range slices.Chunk(places, 30) {
				t.Run(fmt.Sprintf("%d px %s %s from %s", sc.width, lang, scheme, some[0].name), func(t *testing.T) {
					t.Parallel()
					p := shared.open(t, sc)
					p.setCookie("veinte_language", lang)
					p.prefer(scheme)
					for _, to := range some {
						p.lookAt(t, to, lang, sc == phone)
						if dir := os.Getenv("SHOTS"); dir != "" {
							p.keep(dir, to.name+"."+lang, "-"+scheme)
						}
					}
				})
			}
		}
	}
}

// lookAt checks one place of the gallery as it stands on the tab's screen.
func (p *page) lookAt(t *testing.T, to place, lang string, thorough bool) {
	t.Helper()
	p.visit(to)
	if got := p.attribute("html", "lang"); got != lang {
		t.Errorf("language of %s = %s, want %s", to.name, got, lang)
	}
	if wide := p.tooWide(); len(wide) > 0 {
		t.Errorf("%s at %d px scrolls sideways: %q", to.name, p.screen.width, wide)
	}
	if small := p.tooSmall(); p.screen == phone && len(small) > 0 {
		t.Errorf("%s on a phone has targets under 44 px: %q", to.name, small)
	}
	if thorough {
		report(t, to.name, p.axe())
	}
}
