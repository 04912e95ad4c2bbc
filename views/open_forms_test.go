package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
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
			if !within(n, "details") && name != "review-refused" { // the one that was refused
				t.Errorf("%s: a note stands open in an item of a list", name)
			}
			folded++
		}
	}
	if folded == 0 {
		t.Error("no list has a note, want those of a report and the one that was refused")
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
