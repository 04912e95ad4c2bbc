package views

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/static"
)

func TestEveryIconOnAPageIsInTheSprite(t *testing.T) {
	t.Parallel()
	icons, _, _ := static.Open(static.URL("icons.svg"))
	faces, _, _ := static.Open(static.URL("faces.svg"))
	sprite := slices.Concat(icons, faces)
	used := regexp.MustCompile(`<use href="[^"#]*#([^"]*)"`)
	for name, c := range samplePages(t) {
		for _, m := range used.FindAllStringSubmatch(draw(t, "es-MX", c), -1) {
			if !strings.Contains(string(sprite), `<symbol id="`+m[1]+`"`) {
				t.Errorf("%s uses the icon %q, which the sprite lacks", name, m[1])
			}
		}
	}
}
