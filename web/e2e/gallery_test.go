package e2e

import (
	"fmt"
	"os"
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
	if len(paths) < 20 {
		t.Fatalf("the gallery leads to %d pages, want every state of the main job's", len(paths))
	}
	places := []place{{name: "gallery", path: "/gallery"}}
	for _, path := range paths {
		places = append(places, place{name: "gallery-" + path[len("/gallery?page="):], path: path})
	}
	return places
}

// Every component and every state keeps nobody out and fits every screen: at
// three widths, in both languages, by light and by dark. With SHOTS=dir a
// picture of each is kept there.
func TestGallery(t *testing.T) {
	t.Parallel()
	places := galleryPlaces(t)
	if dir := os.Getenv("SHOTS"); dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, sc := range []screen{phone, tablet, desk} {
		for _, lang := range []string{"es-MX", "en"} {
			t.Run(fmt.Sprintf("%d px %s", sc.width, lang), func(t *testing.T) {
				t.Parallel()
				p := shared.open(t, sc)
				p.setCookie("veinte_language", lang)
				for _, to := range places {
					p.lookAt(t, to, lang)
				}
			})
		}
	}
}

// lookAt checks one place of the gallery as it stands on the tab's screen.
func (p *page) lookAt(t *testing.T, to place, lang string) {
	t.Helper()
	p.prefer("light")
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
	report(t, to.name+" by light", p.axe())
	p.prefer("dark") // only colours differ
	report(t, to.name+" by dark", p.axe("color-contrast"))
	if dir := os.Getenv("SHOTS"); dir != "" {
		p.keep(dir, to.name+"."+lang, "-dark")
		p.prefer("light")
		p.keep(dir, to.name+"."+lang, "")
	}
}
