package verifier

import (
	"regexp"
	"strings"
	"testing"

	"veinte/views/locale"
)

// TestThePageStandsAlone: it is small, asks for nothing, and has words for all that it can
// find.
func TestThePageStandsAlone(t *testing.T) {
	t.Parallel()
	page, err := Page()
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 150_000 {
		t.Errorf("the page has %d bytes, want 150,000 at most", len(page))
	}
	text := string(page)
	asks := regexp.MustCompile(`(?:src|href|action)=|https?:|import\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|url\(`)
	if m := asks.FindString(text); m != "" {
		t.Errorf("the page has %q: it may ask for something", m)
	}
	if !strings.Contains(text, `content="default-src 'none';`) || strings.Count(text, "</script>") != 1 {
		t.Error("the page may load something, or its words end its script")
	}
	used := regexp.MustCompile(`(?:wrong|refused|fails)\((?:e, )?'(\w+)'|others\.push\('(\w+)'|(?:c\.why\] = \[\w+, |: |\? )'(\w+)'\]`)
	verify := trail + stamp + strangers + verify
	weak := regexp.MustCompile(`weak\.push\(\['\w+', '(\w+)'|(?:return|\?|:) '((?:stamp|witness)\w+)'`)
	found := 0
	for _, m := range weak.FindAllStringSubmatch(verify, -1) {
		found++
		if key := "verifier.found." + m[1] + m[2]; !locale.Has(key) {
			t.Errorf("%s has no words", key)
		}
	}
	for _, m := range used.FindAllStringSubmatch(verify, -1) {
		found++
		if key := "verifier.found." + strings.Join(m[1:], ""); !locale.Has(key) {
			t.Errorf("%s has no words", key)
		}
	}
	if found < 45 {
		t.Errorf("only %d kinds of findings were read in the scripts", found)
	}
	for _, key := range locale.Keys("verifier.") {
		last := key[strings.LastIndexByte(key, '.')+1:]
		if !strings.Contains(script+frame, key) && !strings.Contains(verify+script, "'"+strings.TrimSuffix(last, "Says")+"'") {
			t.Errorf("nothing says %s", key)
		}
	}
	for _, m := range regexp.MustCompile(`say\('(verifier\.[\w.]+)'|data-say="([\w.]+)"`).FindAllStringSubmatch(script+frame, -1) {
		if key := m[1] + m[2]; !strings.HasSuffix(key, ".") && !locale.Has(key) {
			t.Errorf("%s has no words", key)
		}
	}
}
