package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/lineage"
	"veinte/views/ui"
)

// TestAnotherDatabaseIsOnEveryPage: in words for each cause, with what was not sent and
// what to do; who oversees is led to what is to be reviewed.
func TestAnotherDatabaseIsOnEveryPage(t *testing.T) {
	t.Parallel()
	for _, role := range models.Roles {
		for _, cause := range []lineage.Cause{lineage.Copied, lineage.Promoted, lineage.Behind, lineage.Lost} {
			for lang, look := range map[string]string{"es-MX": "mira su terminal", "en": "look at its terminal"} {
				p := page(t, role, "/sales", "12:00:00")
				p.Notices.Database = &lineage.Change{Cause: cause, Doubts: 1032, Left: 7, NoticedAt: p.Now.Add(-time.Hour)}
				text := draw(t, lang, ui.Notices(p, false))
				for part, want := range map[string]bool{
					`data-kind="database"`: true, "1,032": true, ": 7.": true, "11:00": true, look: true, "notice.database": false,
					`href="/review"`: p.Actor.May(models.Oversee),
				} {
					if strings.Contains(text, part) != want {
						t.Errorf("%s in %s, %s: %q shown: %t, want %t:\n%s", role, lang, cause, part, !want, want, text)
					}
				}
			}
		}
	}
}

// TestAPromiseThatDoesNotHoldIsTold to those who can correct it.
func TestAPromiseThatDoesNotHoldIsTold(t *testing.T) {
	t.Parallel()
	for _, role := range models.Roles {
		for _, lang := range []string{"es-MX", "en"} {
			p := page(t, role, "/sales", "12:00:00")
			p.Notices.Unkept = true
			text := draw(t, lang, ui.Notices(p, false))
			if has, want := strings.Contains(text, "synchronous_standby_names"), p.Actor.May(models.ManageSettings); has != want {
				t.Errorf("%s is told in %s: %t, want %t:\n%s", role, lang, has, want, text)
			}
		}
	}
}
