package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models/alerts"
	oversightview "veinte/views/oversight"
)

// TestLettersReadWell in both languages: no key, no empty place, no line that a
// name could break.
func TestLettersReadWell(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"es-MX", "en"} {
		for _, a := range shop.Alerts() {
			subject, text := oversightview.Letter(
				&alerts.Mail{Alert: &a, Language: language, More: int(a.ID) % 3, CreatedAt: a.RaisedAt}, "https://veinte.example",
				window(t).Calendar.Zone(),
			)
			for _, bad := range []string{"alertSays.", "alertKind.", "mail.", "<no value>", "{{", "!("} {
				if strings.Contains(subject+text, bad) {
					t.Errorf("letter of %s in %s has %q: %s\n%s", a.Kind, language, bad, subject, text)
				}
			}
			if !strings.Contains(text, "https://veinte.example/") || strings.Contains(subject, "\n") {
				t.Errorf("letter of %s: %s\n%s", a.Kind, subject, text)
			}
		}
		if subject, text := oversightview.Letter(&alerts.Mail{Language: language}, "", time.UTC); subject == "" ||
			strings.Contains(text, "http") {
			t.Errorf("test letter: %s\n%s", subject, text)
		}
	}
}
