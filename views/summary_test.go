package views

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/views/locale"
)

// beyondLabels are fields whose words are no label: a confirmation that its own
// refusal repeats, files that are refused for what is in them, and rows of reasons
// and stores, which only a forged form gets wrong.
var beyondLabels = map[string]bool{"f-laterCutoff": true, "f-file": true, "f-receipt.chargedTwice": true, "f-receiptStore.2": true}

// TestASummaryOfErrorsNamesItsFields: what is refused is found by the name that
// stands at its field, and no two lines of a summary say the same.
func TestASummaryOfErrorsNamesItsFields(t *testing.T) {
	t.Parallel()
	fields := map[string]bool{}
	for name, page := range samplePages(t) {
		for _, lang := range locale.Languages {
			root, err := html.Parse(strings.NewReader(draw(t, lang, page)))
			if err != nil {
				t.Fatal(err)
			}
			told := map[string]bool{}
			for _, a := range refusedIn(root) {
				id := strings.TrimPrefix(attrOf(a, "href"), "#")
				said := strings.Join(strings.Fields(textIn(a)), " ")
				if told[said] {
					t.Errorf("%s in %s says twice %q", name, lang, said)
				}
				told[said], fields[id] = true, true
				if beyondLabels[id] {
					continue
				}
				label := calledIn(root, id)
				if strings.HasSuffix(label, "?") {
					continue // its refusal asks again
				}
				if label == "" || !strings.HasPrefix(said, label+": ") {
					t.Errorf("%s in %s says %q of %s, which is called %q", name, lang, said, id, label)
				}
			}
		}
	}
	if len(fields) < 40 {
		t.Errorf("%d refused fields on the sample pages, want more to look at", len(fields))
	}
}

func attrOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// textIn is all the text below a node.
func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func refusedIn(root *html.Node) []*html.Node {
	var links []*html.Node
	for n := range root.Descendants() {
		if n.Data == "a" && n.Parent.Data == "li" && attrOf(n.Parent.Parent.Parent, "class") == "error-summary" {
			links = append(links, n)
		}
	}
	return links
}

// calledIn is what a form calls the field of an id: the first words of its label, of
// the label around it, of its group's legend, or of the section that it is all of.
func calledIn(root *html.Node, id string) string {
	first := func(n *html.Node) string {
		for d := range n.Descendants() {
			if text := strings.Join(strings.Fields(d.Data), " "); d.Type == html.TextNode && text != "" {
				return text
			}
		}
		return ""
	}
	for n := range root.Descendants() {
		if n.Data == "label" && attrOf(n, "for") == id {
			return first(n)
		}
	}
	for n := range root.Descendants() {
		if attrOf(n, "id") != id {
			continue
		}
		for up := n.Parent; up != nil; up = up.Parent {
			if up.Data == "fieldset" || up.Data == "section" {
				return first(up)
			}
		}
	}
	return ""
}
