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
	dir := os.Getenv("SHOTS")
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// A server of its own: the pictures show a day, not the leftovers of tests.
	s := ownServer(t, noon)
	sales := s.cases(t)
	shoot(t, s, everyPage(t, s, sales), dir)
	shoot(t, s, trailPages(sales), dir)
	// Made now: a terminal that does not answer holds up the next for three minutes.
	sales["requested"] = s.queued(t)
	s.stop(t)
	shoot(t, startIn(t, s.dir, "2026-11-20T20:30:00-06:00"), evening(sales), dir)
}

// shoot looks at each place on each screen.
func shoot(t *testing.T, s *server, places []place, dir string) {
	t.Helper()
	for _, screen := range []screen{desk, phone} {
		byRole := map[string]*page{}
		for _, to := range places {
			p := byRole[to.role]
			if p == nil {
				p = s.openFor(t, to.role, screen)
				byRole[to.role] = p
			}
			p.prefer("light")
			p.visit(to)
			if wide := p.tooWide(); len(wide) > 0 {
				t.Errorf("%s at %d px scrolls sideways: %q", to.name, screen.width, wide)
			}
			if small := p.tooSmall(); screen.phone && len(small) > 0 {
				t.Errorf("%s on a phone has targets under 44 px: %q", to.name, small)
			}
			p.keep(dir, to.name, "")
			if os.Getenv("SHOTS") != "" {
				p.prefer("dark")
				p.keep(dir, to.name, "-dark")
			}
		}
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
