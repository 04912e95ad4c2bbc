package views

import (
	"strings"
	"testing"
)

// A secret is shown by the page that made it and by no other.
func TestOnlyOnePageShowsASecret(t *testing.T) {
	t.Parallel()
	for name, c := range samplePages(t) {
		if got := draw(t, "es-MX", c); strings.Contains(got, "vk_live_aaaa") != (name == "key-shown") {
			t.Errorf("%s shows a secret: %t", name, name != "key-shown")
		}
	}
}
