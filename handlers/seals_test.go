package handlers_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

// TestPapersCarryTheSeal: the closing of a day has the first checkpoint over its entry, a
// customer notice the last; both are drawn while nothing is sealed.
func TestPapersCarryTheSeal(t *testing.T) {
	t.Parallel()
	h, _ := closedDay(t)
	v := h.as(h.user("Sara", models.Supervisor))
	slip := fmt.Sprintf("/sales/%d/slip", h.count(`SELECT min(id) FROM sales`))
	for _, path := range []string{"/closings/2026-11-20", slip} {
		if page := v.get(path).want(200); len(page.attrs("seal", "data-size")) != 0 {
			t.Errorf("%s has a seal, and nothing was sealed", path)
		}
	}
	h.sealAll()
	// Other tests' transactions may have had it sealed in two steps.
	first := h.text(`SELECT min(c.size)::text FROM checkpoints c, sealed_entries l JOIN audit_entries e ON e.id = l.entry_id
		WHERE e.action = 'day.closed' AND c.size > l.n`)
	v.get(slip).want(200) // which is an entry
	h.sealAll()
	last := h.text(`SELECT max(size)::text FROM checkpoints`)
	for path, size := range map[string]string{"/closings/2026-11-20": first, slip: last} {
		page := v.get(path).want(200)
		root := h.text(`SELECT encode(root, 'base64') FROM checkpoints WHERE size = ` + size)
		if got := page.attrs("seal", "data-size"); len(got) != 1 || got[0] != size || !strings.Contains(page.body, root) {
			t.Errorf("%s shows a seal over %v entries, want %s with the root %s", path, got, size, root)
		}
		if len(page.attrs("seal-code", "viewBox")) != 1 {
			t.Errorf("%s has no code for a camera", path)
		}
	}
	if first == last {
		t.Error("the trail did not grow")
	}
}

// TestAPaperDoesNotWaitForItsSeal: while nobody can read checkpoints, papers come without a
// seal, before the database gives up by itself.
func TestAPaperDoesNotWaitForItsSeal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	closed, _ := closedDay(t)
	h := newHouseOf(t, closed.Office, func(c *handlers.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	h.sealAll()
	v := h.as(h.user("Sara", models.Supervisor))
	slip := fmt.Sprintf("/sales/%d/slip", h.count(`SELECT min(id) FROM sales`))
	papers := []string{"/closings/2026-11-20", slip}
	for _, path := range papers { // also what every page shows is known from here on
		v.get(path).want(200)
	}
	h.sealAll()
	lock, err := h.Owner.BeginTx(t.Context(), nil)
	h.must(err)
	defer func() { _ = lock.Rollback() }()
	_, err = lock.Exec(`LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE`)
	h.must(err)
	for _, path := range papers {
		log.Reset()
		page := v.get(path).want(200)
		if len(page.attrs("seal", "data-size")) != 0 || len(page.attrs("seal-code", "viewBox")) != 0 {
			t.Errorf("%s has a seal that nobody can read", path)
		}
		said := log.String()
		if strings.Count(said, "a paper has no seal") != 1 || !strings.Contains(said, "deadline exceeded") || strings.Contains(said, "ERROR") {
			t.Errorf("%s: the log says %q, want a warning that its time was over", path, said)
		}
	}
	h.must(lock.Rollback())
	for _, path := range papers {
		if page := v.get(path).want(200); len(page.attrs("seal", "data-size")) != 1 {
			t.Errorf("%s has no seal afterwards", path)
		}
	}
}
