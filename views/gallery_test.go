package views

import (
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/static"
	"veinte/views/gallery"
	salesview "veinte/views/sales"
)

var update = flag.Bool("update", false, "write the golden files anew")

const goldenDir = "testdata/gallery"

// Each component looks as it did when somebody last looked:
// go test ./views -run Golden -update
func TestGolden(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, part := range gallery.GalleryParts() {
		known[part.Name+".html"] = true
		t.Run(part.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(goldenDir, part.Name+".html")
			got := readable(draw(t, "es-MX", part.Body))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s is drawn otherwise (-golden +drawn); if that is right, run with -update:\n%s", part.Name, diff)
			}
		})
	}
	files, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("%s/%s is of no component", goldenDir, f.Name())
		}
	}
}

var (
	hashed = regexp.MustCompile(`(/static/[a-z]+)\.[0-9a-f]{12}\.`)
	opened = regexp.MustCompile(
		`(<(?:/?(?:ul|ol|li|dl|div|section|nav|table|thead|tbody|tr|form|fieldset)|` +
			`p|dt|h[1-6]|th|td|label|input|select|option|textarea|button|a|svg|span)\b)`,
	)
)

// readable writes an element per line, and files without their hashes.
func readable(html string) string {
	html = hashed.ReplaceAllString(html, "$1.")
	html = opened.ReplaceAllString(html, "\n$1")
	var lines []string
	for line := range strings.Lines(html) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// demoView is the gallery as whoever is signed in to the demo sees it.
func demoView(tb testing.TB) *gallery.GalleryView {
	tb.Helper()
	p := page(tb, models.Administrator, "/gallery", "19:20:03")
	p.Demo = true
	return &gallery.GalleryView{Page: p}
}

// Nothing on the gallery may change a real thing, and nothing changes by itself:
// a form asks for a sale that does not exist, or no server takes its token.
func TestGalleryIsStill(t *testing.T) {
	t.Parallel()
	const token = "the-reader's-token"
	frame := demoView(t).Page
	frame.CSRF = token
	own := regexp.MustCompile(`method="post" action="/(?:language|logout)"[^>]*>\s*<input[^>]*` + regexp.QuoteMeta(html.EscapeString(token)))
	number := regexp.MustCompile(`(?:href|action)="/(?:sales|cancellations)/(\d+)`)
	office := shop.OfficePages()
	for _, p := range gallery.All(frame) {
		got := draw(t, "en", p.Body)
		if strings.Contains(got, "data-live") || strings.Contains(got, "hx-get") {
			t.Errorf("%s asks the server by itself", p.Name)
		}
		if _, beside := office[p.Name]; beside {
			forms := strings.Count(got, `action="/language"`) + strings.Count(got, `action="/logout"`)
			if all, frames := strings.Count(got, html.EscapeString(token)), len(own.FindAllString(got, -1)); all != frames || frames != forms {
				t.Errorf("%s has the reader's token in %d places, want it in the frame's %d forms alone", p.Name, all, forms)
			}
			continue
		}
		for _, m := range number.FindAllStringSubmatch(got, -1) {
			if len(m[1]) < len("4503599627370496") {
				t.Errorf("%s leads to %s, want only numbers that no sale has", p.Name, m[0])
			}
		}
	}
}

// The gallery has what the product has: every state of a sale in every place
// that shows states, and every refusal of a state by its name.
func TestGalleryHasEveryState(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range gallery.All(demoView(t).Page) {
		if names[p.Name] {
			t.Errorf("two pages are called %s", p.Name)
		}
		names[p.Name] = true
	}
	chips := draw(t, "en", gallery.GalleryStatus())
	for _, state := range models.SaleStates {
		if !names["story-"+string(state)] {
			t.Errorf("the gallery has no story of a sale that is %s", state)
		}
		if !strings.Contains(chips, "state-"+string(state)+`"`) {
			t.Errorf("the gallery has no chip of a sale that is %s", state)
		}
	}
}

// What a shop loads holds nothing of the gallery.
func TestOnlyTheGalleryLoadsItsStyles(t *testing.T) {
	t.Parallel()
	if !strings.Contains(draw(t, "en", gallery.Gallery(demoView(t))), static.URL("gallery.css")) {
		t.Error("the gallery does not load its styles")
	}
	if strings.Contains(draw(t, "en", salesview.Sales(shop.Sales("19:52:03"))), "gallery") {
		t.Error("the list of sales names the gallery")
	}
}
