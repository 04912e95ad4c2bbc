package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/views/ui"
)

// TestTroubleWithSealingIsTold to those who oversee, in words for each code.
func TestTroubleWithSealingIsTold(t *testing.T) {
	t.Parallel()
	for role, want := range map[models.Role]bool{models.Manager: false, models.Supervisor: true, models.Administrator: true} {
		for _, code := range []string{
			sealing.Shorter, sealing.Different, sealing.Directory, sealing.Foreign, sealing.Unguarded, sealing.Lagging, sealing.Paused,
		} {
			for _, lang := range []string{"es-MX", "en"} {
				p := page(t, role, "/sales", "12:00:00")
				p.Notices.Sealing = &sealing.Trouble{
					Code: code, Sealed: 1200, Seen: 1300, SeenAt: time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC),
					Since: time.Date(2026, 11, 20, 17, 5, 0, 0, time.UTC),
				}
				text := draw(t, lang, ui.Notices(p, false))
				if has := strings.Contains(text, `data-kind="sealing"`); has != want || strings.Contains(text, "notice.seal") {
					t.Errorf("%s is told of %s in %s: %t, want %t:\n%s", role, code, lang, has, want, text)
				}
				if want && code == sealing.Paused && !strings.Contains(text, "11:05") {
					t.Errorf("%s is not told since when the operation runs:\n%s", role, text)
				}
				if want && code == sealing.Shorter && (!strings.Contains(text, "1,200") || !strings.Contains(text, "1,300")) {
					t.Errorf("%s is not told how many entries are missing:\n%s", role, text)
				}
			}
		}
	}
}
