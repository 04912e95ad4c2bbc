package views

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/operations"
	"veinte/views/ui"
)

// TestRefusedAccessIsOnEveryPage: administrators read what to correct and where,
// others whom to call. A doubt is mentioned where there is one.
func TestRefusedAccessIsOnEveryPage(t *testing.T) {
	t.Parallel()
	for _, role := range models.Roles {
		for _, lang := range []string{"es-MX", "en"} {
			for _, doubt := range []bool{true, false} {
				p := page(t, role, "/sales", "12:00:00")
				p.Notices.Access = &operations.AccessRefused{Since: p.Now, Doubt: doubt, Call: []string{"Diego Ruiz", "Ana Paz"}}
				text := draw(t, lang, ui.Notices(p, false))
				fixes := role == models.Administrator
				for part, want := range map[string]bool{
					`data-kind="access"`: true, "12:00": true, "/settings/connection": fixes, "Diego Ruiz, Ana Paz": !fixes,
					map[string]string{"es-MX": "verificar", "en": "in doubt"}[lang]: doubt,
				} {
					if strings.Contains(text, part) != want {
						t.Errorf("%s in %s, doubt %t: %q shown: %t, want %t:\n%s", role, lang, doubt, part, !want, want, text)
					}
				}
			}
		}
	}
	p := page(t, models.Manager, "/sales", "12:00:00")
	p.Notices.Access = &operations.AccessRefused{Since: p.Now}
	if text := draw(t, "en", ui.Notices(p, false)); !strings.Contains(text, "Call the administration.") {
		t.Errorf("nobody to name:\n%s", text)
	}
}
