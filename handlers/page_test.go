package handlers_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// page is an answer's HTML, read as a person or a script would.
type page struct {
	tb   testing.TB
	what string
	body string
	root *html.Node
}

func newPage(tb testing.TB, what, body string) *page {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		tb.Fatalf("%s: %v", what, err)
	}
	p := &page{tb: tb, what: what, body: body, root: root}
	p.hookRows()
	return p
}

var (
	rowOfSale = regexp.MustCompile(`^sale-\d+$`)
	serialEnd = regexp.MustCompile(`\d{10}$`)
)

// hookRows gives each row of today's list the hooks that other elements have in the page:
// rows are fifty, and carry only what a browser needs. What they say is read as shown.
func (p *page) hookRows() {
	set := func(n *html.Node, key, value string) { n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value}) }
	for _, row := range p.all(func(n *html.Node) bool { return n.Data == "tr" && rowOfSale.MatchString(attr(n, "id")) }) {
		var cells []*html.Node
		for cell := range row.ChildNodes() {
			cells = append(cells, cell)
		}
		last := len(cells) - 1
		order, serial := cells[last-1], serialEnd.FindString(textOf(cells[last-3]))
		number := textOf(order)
		if before, after, apart := strings.Cut(number, "·"); apart {
			number = before + after + "-" + serial
		}
		set(row, "data-testid", "sale")
		set(row, "data-order-id", number)
		set(row, "data-serial", serial)
		if attr(row, "data-state") == "" {
			set(row, "data-state", "cancelable")
		}
		for link := range cells[last].ChildNodes() {
			if strings.HasSuffix(attr(link, "href"), "/cancellation/new") {
				set(link, "data-testid", "cancel")
			}
		}
	}
}

// all returns the elements that match, in the page's order.
func (p *page) all(match func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && match(n) {
			found = append(found, n)
		}
	}
	return found
}

func attr(n *html.Node, name string) string {
	v, _ := lookUp(n, name)
	return v
}

func lookUp(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// byTestID returns the elements with the data-testid.
func (p *page) byTestID(id string) []*html.Node {
	return p.all(func(n *html.Node) bool { return attr(n, "data-testid") == id })
}

// one returns the only element with the data-testid.
func (p *page) one(id string) *html.Node {
	p.tb.Helper()
	found := p.byTestID(id)
	if len(found) != 1 {
		p.tb.Fatalf("%s has %d elements with data-testid %q, want 1\n%s", p.what, len(found), id, p.words())
	}
	return found[0]
}

// attrs returns an attribute of each element with the data-testid.
func (p *page) attrs(id, name string) []string {
	var values []string
	for _, n := range p.byTestID(id) {
		values = append(values, attr(n, name))
	}
	return values
}

// field returns what a form's field holds: the first of the name that is not
// hidden away unchecked.
func (p *page) field(name string) string {
	p.tb.Helper()
	value, found := "", false
	for _, n := range p.all(func(n *html.Node) bool { return attr(n, "name") == name }) {
		_, checked := lookUp(n, "checked")
		kind := attr(n, "type")
		switch {
		case n.Data == "textarea":
			return textOf(n)
		case n.Data == "select":
			return chosen(n)
		case kind == "radio" || kind == "checkbox":
			found = true
			if checked && value == "" {
				value = attr(n, "value")
			}
		default:
			return attr(n, "value")
		}
	}
	if !found {
		p.tb.Fatalf("%s has no field %q\n%s", p.what, name, p.words())
	}
	return value
}

func chosen(list *html.Node) string {
	for n := range list.Descendants() {
		if _, ok := lookUp(n, "selected"); ok {
			return attr(n, "value")
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// words is what can be read on the page, spaces made single.
func (p *page) words() string {
	var b strings.Builder
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// says fails unless the page has the words.
func (p *page) says(words string) {
	p.tb.Helper()
	if !strings.Contains(p.words(), words) {
		p.tb.Errorf("%s does not say %q:\n%s", p.what, words, p.words())
	}
}

// hides fails if any of the texts is anywhere in the answer.
func (p *page) hides(texts ...string) {
	p.tb.Helper()
	for _, s := range texts {
		if strings.Contains(p.body, s) {
			p.tb.Errorf("%s holds %q:\n%s", p.what, s, p.words())
		}
	}
}

// forms returns the fields of each form by name; its action stands under "".
func (p *page) forms() []map[string]string {
	var forms []map[string]string
	for _, f := range p.all(func(n *html.Node) bool { return n.Data == "form" }) {
		fields := map[string]string{"": attr(f, "action")}
		for n := range f.Descendants() {
			name := attr(n, "name")
			switch {
			case n.Type != html.ElementNode || name == "":
			case n.Data == "select":
				fields[name] = chosen(n)
			case n.Data == "textarea":
				fields[name] = textOf(n)
			default:
				fields[name] = attr(n, "value")
			}
		}
		forms = append(forms, fields)
	}
	return forms
}

func isPost(n *html.Node) bool { return n.Data == "form" && attr(n, "method") == "post" }

// entryPage is the page of the youngest entry of an action, which has all that it tells.
func (h *house) entryPage(action string) string {
	h.tb.Helper()
	return "/audit/" + h.text(`SELECT max(id)::text FROM audit_entries WHERE action = $1`, action)
}
