package ui

import "strings"

// A browser is found by the first of these names, since most call themselves by several.
var (
	browsers = []struct{ has, name string }{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser", "Samsung"},
		{"Firefox", "Firefox"},
		{"FxiOS", "Firefox"},
		{"CriOS", "Chrome"},
		{"Chrome", "Chrome"},
		{"Safari", "Safari"},
		{"curl", "curl"},
	}
	systems = []struct{ has, name string }{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"},
		{"Linux", "Linux"},
	}
)

// Agent is what a browser says of itself, as people call it: "Chrome · Android". "" when
// it says nothing that is known.
func Agent(said string) string {
	var parts []string
	for _, names := range [][]struct{ has, name string }{browsers, systems} {
		for _, n := range names {
			if strings.Contains(said, n.has) {
				parts = append(parts, n.name)
				break
			}
		}
	}
	return strings.Join(parts, " · ")
}
