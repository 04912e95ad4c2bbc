package views

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/models"
	oversightview "veinte/views/oversight"
)

// A list is read: what an item has to be typed for it waits behind its button.
func TestNoFormStandsOpenInAList(t *testing.T) {
	t.Parallel()
	folded := 0
	for name, page := range shop.OfficePages() {
		doc, err := html.Parse(strings.NewReader(draw(t, "es-MX", page)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Data != "input" && n.Data != "textarea" || attrOf(n, "name") != "note" || !within(n, "li") {
				continue
			}
			if !within(n, "details") {
				t.Errorf("%s: a note stands open in an item of a list", name)
			}
			folded++
		}
	}
	if folded == 0 {
		t.Error("no list has a note, want those of alerts, of the inbox and of a report")
	}
}

// within reports whether a node lies in an element of that name.
func within(n *html.Node, name string) bool {
	for at := range n.Ancestors() {
		if at.Data == name {
			return true
		}
	}
	return false
}

// Alerts stand below their day, with the time alone beside each.
func TestAlertsHaveTheirDayAsHeading(t *testing.T) {
	t.Parallel()
	v := &oversightview.AlertsView{Page: page(t, models.Supervisor, "/alerts", "20:41:00")}
	v.List.Alerts = shop.Alerts()[:3]
	for i, at := range []int{1, 2, 26} { // hours ago
		v.List.Alerts[i].RaisedAt = v.Now.Add(-time.Duration(at) * time.Hour)
	}
	got := draw(t, "es-MX", oversightview.Alerts(v))
	if n := strings.Count(got, `data-testid="alert-day"`); n != 2 {
		t.Errorf("%d days above the alerts of two, want 2", n)
	}
	for _, want := range []string{">19:41<", ">18:41<"} {
		if !strings.Contains(got, want) {
			t.Errorf("an alert of today lacks its time %s", want)
		}
	}
}
