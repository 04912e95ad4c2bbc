package views

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/static"
	salesview "veinte/views/sales"
)

var (
	cssClass   = regexp.MustCompile(`^\.([\w-]+)$`)
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/|"[^"]*"`)
	cssRule    = regexp.MustCompile(`([^{};]*)\{`)
)

// styled are the classes of which a style sheet says how they look wherever they
// stand, rather than only in some place.
func styled(t *testing.T, address string) map[string]bool {
	t.Helper()
	data, _, ok := static.Open(address)
	if !ok {
		t.Fatalf("%s: no such file", address)
	}
	classes := map[string]bool{}
	for _, rule := range cssRule.FindAllStringSubmatch(cssComment.ReplaceAllString(string(data), ""), -1) {
		for selector := range strings.SplitSeq(rule[1], ",") {
			if m := cssClass.FindStringSubmatch(strings.TrimSpace(selector)); m != nil {
				classes[m[1]] = true
			}
		}
	}
	return classes
}

// TestPagesLoadTheStylesOfWhatTheyShow: the pages of the counter load fewer style
// sheets than the others, and what they show must not be styled elsewhere.
func TestPagesLoadTheStylesOfWhatTheyShow(t *testing.T) {
	t.Parallel()
	sheets := map[string]map[string]bool{}
	for _, name := range []string{"app.css", "office.css", "charts.css", "gallery.css", "first.css", "help.css", "paper.css", "slip.css"} {
		sheets[static.URL(name)] = styled(t, static.URL(name))
	}
	pages := samplePages(t)
	several := shop.AllStores("14:00:00")
	several.Path, several.Actor.Role = "/sales", "supervisor"
	pages["sales-supervisor"] = salesview.Sales(several)
	for name, page := range pages {
		if strings.HasPrefix(name, "part-") {
			continue // goes into a page that has its styles
		}
		root, err := html.Parse(strings.NewReader(draw(t, "es-MX", page)))
		if err != nil {
			t.Fatal(err)
		}
		classes, loaded := map[string]bool{}, map[string]bool{}
		for n := range root.Descendants() {
			if n.Data == "link" && attrOf(n, "rel") == "stylesheet" {
				loaded[attrOf(n, "href")] = true
			}
			for _, c := range strings.Fields(attrOf(n, "class")) {
				classes[c] = true
			}
		}
		for c := range classes {
			here, where := false, ""
			for sheet, says := range sheets {
				here = here || says[c] && loaded[sheet]
				if says[c] {
					where = sheet
				}
			}
			if where != "" && !here {
				t.Errorf("%s has the class %s, whose styles are in %s, which it does not load", name, c, where)
			}
		}
	}
}

// TestHeadingsStandOverTheirValues: quantities are at the right and so is the heading
// over them; everything else, an identifier too, is at the left.
func TestHeadingsStandOverTheirValues(t *testing.T) {
	t.Parallel()
	columns := 0
	for name, page := range samplePages(t) {
		root, err := html.Parse(strings.NewReader(draw(t, "es-MX", page)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data != "table" || !slices.Contains(strings.Fields(attrOf(n, "class")), "plain") {
				continue
			}
			var heads []*html.Node
			for row := range n.Descendants() {
				if row.Data != "tr" {
					continue
				}
				cells := cellsOf(row)
				if row.Parent.Data == "thead" {
					heads = cells
					columns += len(cells)
					continue
				}
				for i, cell := range cells {
					if len(cells) == len(heads) && isRight(cell) != isRight(heads[i]) {
						t.Errorf("%s: %q does not stand over %q", name, textIn(heads[i]), textIn(cell))
					}
				}
			}
		}
	}
	if columns < 100 {
		t.Errorf("%d columns on the sample pages, want more to look at", columns)
	}
}

func cellsOf(row *html.Node) []*html.Node {
	var cells []*html.Node
	for n := range row.ChildNodes() {
		if n.Data == "th" || n.Data == "td" {
			cells = append(cells, n)
		}
	}
	return cells
}

func isRight(cell *html.Node) bool {
	return slices.Contains(strings.Fields(attrOf(cell, "class")), "num")
}
