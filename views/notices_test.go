package views

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/operations"
	"veinte/models/rules"
	"veinte/views/ui"
)

// Of several notices the worst is open and the others are one line, so that a phone's
// first screen still has the page.
func TestTheWorstNoticeIsOpen(t *testing.T) {
	t.Parallel()
	p := page(t, models.Administrator, "/sales", "12:00:00")
	at := p.Now.Add(-time.Hour)
	p.Notices.Unanswered = &operations.Unanswered{Since: at, Times: 3}
	p.Notices.Pause = &rules.Pause{PausedAt: at, PausedBy: "Diego", Reason: "mantenimiento"}
	one, more, folded := strings.Cut(draw(t, "es-MX", ui.NoticeList(p)), "<details")
	if !folded || strings.Count(one, `data-testid="notice"`) != 1 || !strings.Contains(one, `data-kind="pause"`) {
		t.Errorf("in sight stands %s, want the pause alone", one)
	}
	if !strings.Contains(more, "y 1 aviso más") || !strings.Contains(more, `data-kind="unanswered"`) {
		t.Errorf("behind it stands %s, want the service that does not answer", more)
	}
	p.Notices.Pause = nil
	if alone := draw(t, "es-MX", ui.NoticeList(p)); strings.Contains(alone, "<details") || strings.Contains(alone, "avisos más") {
		t.Errorf("one notice alone is folded: %s", alone)
	}
}
