package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tablet is the width between a phone and a desk.
var tablet = screen{768, 1024, true}

// view is one way to check a page.
type view struct {
	screen
	lights []string // by which axe looks at it; without, only whether it fits
}

var bothLights = []string{"light", "dark"}

var (
	// Axe looks at every page in both languages, on both screens and by both lights.
	// Spanish on a phone it sees state by state in the gallery; every language on
	// every screen is for those who take pictures, and have the time.
	pageViews = map[string][]view{
		"es-MX": {{desk, bothLights}, {phone, nil}},
		"en":    {{desk, nil}, {phone, bothLights}},
	}
	galleryViews = map[string][]view{
		"es-MX": {{desk, nil}, {tablet, nil}, {phone, bothLights}},
		"en":    {{phone, []string{"light"}}}, // its words are shorter, and no darker
	}
)

// everyView is for those who take pictures (make shots).
var everyView = []view{{desk, bothLights}, {tablet, bothLights}, {phone, bothLights}}

// somePlaces is the number of pages that one tab checks; other tabs check the rest.
const somePlaces = 25

// Accessibility: axe finds nothing on any page, in either language, in the light and
// the dark theme, and every page fits a phone and a desktop. With SHOTS=dir a
// picture of each is written there, by name, language, width and theme (make shots).
func TestPages(t *testing.T) {
	t.Parallel()
	s := shared
	if os.Getenv("SHOTS") != "" {
		s = ownServer(t, noon) // the pictures show a day, not the leftovers of tests
	}
	sales := s.everyState(t)
	checkPages(t, s, slices.Concat(everyPage(t, s, sales), trailPages(sales), picturePages(), paperPages(sales)), pageViews)
}

// The same for the pages that look otherwise after the cut-off.
func TestEveningPages(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	sales := s.everyState(t)
	// It is made now, because a terminal that does not respond delays the next sale
	// for three minutes.
	sales["requested"] = s.queued(t)
	s.stop(t)
	checkPages(t, startIn(t, s.dir, "2026-11-20T20:30:00-06:00"), evening(sales), pageViews)
}

// checkPages checks pages of a server, in each language.
func checkPages(t *testing.T, s *server, places []place, views map[string][]view) {
	t.Helper()
	for _, lang := range []string{"es-MX", "en"} {
		for some := range slices.Chunk(places, somePlaces) {
			t.Run(lang+" from "+some[0].name, func(t *testing.T) {
				t.Parallel()
				byRole := map[string]*page{}
				for _, to := range some {
					p := byRole[to.role]
					if p == nil {
						p = s.openFor(t, to.role, desk)
						p.setCookie("veinte_language", lang)
						byRole[to.role] = p
					}
					if savesPictures() {
						p.checkPage(to, lang, everyView)
					} else {
						p.checkPage(to, lang, views[lang])
					}
				}
			})
		}
	}
}

// checkPage opens one page and checks it on one screen after another, as when a user
// resizes the window.
func (p *page) checkPage(to place, lang string, views []view) {
	p.t.Helper()
	for i, l := range views {
		p.screen = l.screen
		p.resize(l.screen)
		p.prefer("light")
		if i == 0 {
			p.visit(to)
			if got := p.attribute("html", "lang"); got != lang {
				p.t.Errorf("language of %s = %s, want %s", to.name, got, lang)
			}
		}
		where := fmt.Sprintf("%s in %s at %d px", to.name, lang, l.width)
		if wide := p.tooWide(); len(wide) > 0 {
			p.t.Errorf("%s scrolls sideways: %q", where, wide)
		}
		if small := p.tooSmall(); l.width == phone.width && len(small) > 0 {
			p.t.Errorf("%s has targets under 44 px: %q", where, small)
		}
		for _, light := range l.lights {
			p.prefer(light)
			p.savePicture(to.name, lang, light)
			report(p.t, where+" by "+light, p.axe(axeRules[light]...))
		}
	}
}

// axeRules are what axe looks for: by dark only colours differ.
var axeRules = map[string][]string{"dark": {"color-contrast"}}

// savesPictures reports whether pictures are requested.
func savesPictures() bool { return os.Getenv("SHOTS") != "" }

// savePicture writes a picture of the page to the folder SHOTS, if it is set.
func (p *page) savePicture(name, lang, light string) {
	p.t.Helper()
	if !savesPictures() {
		return
	}
	png := p.picture()
	if !bytes.HasPrefix(png, []byte("\x89PNG")) {
		p.t.Errorf("the picture of %s is no PNG", name)
	}
	file := filepath.Join(os.Getenv("SHOTS"), fmt.Sprintf("%s.%s-%d-%s.png", name, lang, p.screen.width, light))
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
