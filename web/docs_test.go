package web

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxReadme limits the lines of a README; longer text belongs beside what it
// documents.
const maxReadme = 130

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// TestReadmesSayTheSame compares the outlines of the two: headings, links, commands
// and pictures.
func TestReadmesSayTheSame(t *testing.T) {
	t.Parallel()
	outline := func(name string) []string {
		text := page(t, name)
		if lines := strings.Count(text, "\n"); lines > maxReadme {
			t.Errorf("%s has %d lines, want at most %d", name, lines, maxReadme)
		}
		var parts []string
		for _, m := range regexp.MustCompile(`(?m)^(#+) |\]\(([^)]+)\)|^(make \w+)`).FindAllStringSubmatch(text, -1) {
			part := m[1] + m[2] + m[3]
			if !strings.HasPrefix(part, "README") && !strings.HasPrefix(part, "https://semver.org") {
				parts = append(parts, part)
			}
		}
		return parts
	}
	english, spanish := outline("../README.md"), outline("../README.es.md")
	if len(english) < 20 || !slices.Equal(english, spanish) {
		t.Errorf("the outlines differ:\n%q\n%q", english, spanish)
	}
}

// TestDocumentedTargetsExist checks that every make target named in the
// documentation exists.
func TestDocumentedTargetsExist(t *testing.T) {
	t.Parallel()
	makefile, found := page(t, "../Makefile"), 0
	named := regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z0-9-]*)")
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		for _, m := range named.FindAllStringSubmatch(page(t, path), -1) {
			found++
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which the Makefile does not have", path, m[1])
			}
		}
		return nil
	})
	must(t, err)
	if found < 10 {
		t.Errorf("found %d targets, want those of every page", found)
	}
}

// TestDocumentedLinksLeadSomewhere checks every link between pages of documentation,
// including pictures and headings.
func TestDocumentedLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|src="([^"]+)"`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor := regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "help" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir // help: the guides have links of their own, tested in views
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(page(t, path), -1) {
			to := m[1] + m[2]
			if strings.HasPrefix(to, "https:") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, to)
				continue
			}
			if anchor == "" {
				continue
			}
			var anchors []string
			for _, h := range heading.FindAllStringSubmatch(page(t, target), -1) {
				anchors = append(anchors, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
			}
			if !slices.Contains(anchors, anchor) {
				t.Errorf("%s links to %s, and there is no such heading", path, to)
			}
		}
		return nil
	})
	must(t, err)
}

// TestEveryMetricAndCodeIsExplained: the page for operators has each metric, and what each code
// of /healthz means.
func TestEveryMetricAndCodeIsExplained(t *testing.T) {
	t.Parallel()
	said := page(t, "deploy/README.md")
	explained := func(what, glob string, names *regexp.Regexp, atLeast int) {
		sources, err := filepath.Glob(glob)
		must(t, err)
		found := 0
		for _, file := range sources {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range names.FindAllStringSubmatch(page(t, file), -1) {
				found++
				if !regexp.MustCompile("[|`].*`" + regexp.QuoteMeta(m[1]) + "[`{]").MatchString(said) {
					t.Errorf("deploy/README.md does not explain %s %s", what, m[1])
				}
			}
		}
		if found < atLeast {
			t.Errorf("found %d times %s, want all of them", found, what)
		}
	}
	explained("the metric", "metrics/*.go", regexp.MustCompile(`"(veinte_[a-z_]+)"`), 30)
	explained("the code", "../models/operations/health.go", regexp.MustCompile(`"((?:service|clock|database)\.[a-zA-Z]+)"`), 8)
	explained("the code", "../models/database/outage.go", regexp.MustCompile(`"(outage\.[a-z]+)"`), 6)
}

// TestAlarmsAreOfMetricsThatExist: each rule reads metrics that the server has, and the page
// says what to do about it.
func TestAlarmsAreOfMetricsThatExist(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("metrics/*.go")
	must(t, err)
	var code strings.Builder
	for _, name := range sources {
		if !strings.HasSuffix(name, "_test.go") {
			code.WriteString(page(t, name))
		}
	}
	rules, said := page(t, "deploy/alarms.yml"), page(t, "deploy/README.md")
	alarms := regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1)
	for _, m := range alarms {
		if !strings.Contains(said, "| `"+m[1]+"` |") {
			t.Errorf("deploy/README.md does not say what to do about %s", m[1])
		}
	}
	metrics := regexp.MustCompile(`\bveinte_[a-z_]+`).FindAllString(rules, -1)
	for _, name := range metrics {
		if !strings.Contains(code.String(), `"`+strings.TrimSuffix(name, "_bucket")+`"`) {
			t.Errorf("an alarm reads %s, which is no metric", name)
		}
	}
	if len(alarms) < 10 || len(metrics) < 10 {
		t.Errorf("found %d alarms of %d metrics, want all of them", len(alarms), len(metrics))
	}
}

// TestSecurityPagesNameTestsThatExist: what the pages about security claim is shown by
// tests, each of which is there; and the table of attacks does not shrink.
func TestSecurityPagesNameTestsThatExist(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(page(t, path), -1) {
				tests[m[1]] = true
			}
		}
		return err
	}))
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	pages, err := filepath.Glob("deploy/security/*.md")
	must(t, err)
	if len(pages) < 4 {
		t.Errorf("pages about security: %v, want all of them", pages)
	}
	for _, name := range pages {
		found := named.FindAllStringSubmatch(page(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s names no test", name)
		}
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which is no test", name, m[1])
			}
		}
	}
	attacks := 0
	for line := range strings.Lines(page(t, "deploy/security/ATTACKS.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Attack |") {
			continue
		}
		attacks++
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) != 4 || !named.MatchString(cells[3]) {
			t.Errorf("an attack needs a name, what is sent, what came back and its test: %s", line)
		}
	}
	if attacks < 60 {
		t.Errorf("the table has %d attacks, want 60 or more", attacks)
	}
}

// TestTheASVSSheetAddsUp counts the lines of the sheet: each requirement once, the totals
// as its head states them, and nothing met without a test, a file or a target that shows it.
func TestTheASVSSheetAddsUp(t *testing.T) {
	t.Parallel()
	const levels1And2 = 253 // requirements of ASVS 5.0
	text := page(t, "deploy/security/ASVS.md")
	shows := regexp.MustCompile("`(Test|Fuzz)[A-Z]\\w*`|`make [a-z]|\\]\\(")
	number := regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
	seen, totals := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 4 || !strings.Contains(cells[0], ".") {
			continue
		}
		for one := range strings.SplitSeq(cells[0], ", ") {
			if seen[one] || !number.MatchString(one) {
				t.Errorf("%s is no number, or is there twice", one)
			}
			seen[one] = true
			totals[cells[2]]++
		}
		if cells[2] == "met" && !shows.MatchString(cells[3]) {
			t.Errorf("%s is met, and nothing shows it: %s", cells[0], cells[3])
		}
	}
	states := fmt.Sprintf("Of %d requirements %d are met, %d partly, %d not met, and %d do not apply", len(seen),
		totals["met"], totals["partly"], totals["**not met**"], totals["n/a"])
	known := totals["met"] + totals["partly"] + totals["**not met**"] + totals["n/a"] // there may be none of one
	if len(seen) != levels1And2 || known != levels1And2 || !strings.Contains(text, states) {
		t.Errorf("the lines (%v) add up to: %s; want %d, and the head to say so", totals, states, levels1And2)
	}
}
