package handlers_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// answered are the requirements that the table must have a row for.
var answered = []string{
	"10.2.1", "10.2.1.1", "10.2.1.2", "10.2.1.3", "10.2.1.4", "10.2.1.5", "10.2.1.6", "10.2.1.7", "10.2.2",
	"10.3.1", "10.3.2", "10.3.4", "10.4.1", "10.5.1",
}

// TestTheTableOfTheTrail: each requirement has a row, each row names tests, and
// each of these is a test that runs.
func TestTheTableOfTheTrail(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../models/TRAIL.md")
	noError(t, err)
	tests := everyTest(t)
	rows := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		if !strings.HasPrefix(line, "| 10.") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("a row of %d cells, want requirement, what it asks, answer and test: %s", len(cells), line)
			continue
		}
		rows[strings.TrimSpace(cells[0])] = true
		named := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[3], -1)
		if len(named) == 0 {
			t.Errorf("a row without a test: %s", line)
		}
		for _, name := range named {
			if !tests[name[1]] {
				t.Errorf("the row of %s names %s, which is no test", strings.TrimSpace(cells[0]), name[1])
			}
		}
	}
	for _, requirement := range answered {
		if !rows[requirement] {
			t.Errorf("the table has no row for %s", requirement)
		}
	}
}

// everyTest are the names of all tests of this module, as the compiler reads them.
func everyTest(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, decl := range parsed(t, path).Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f) {
				names[f.Name.Name] = true
			}
		}
		return nil
	})
	noError(t, err)
	return names
}

// isTest reports whether go test runs the function.
func isTest(f *ast.FuncDecl) bool {
	params := f.Type.Params.List
	if !strings.HasPrefix(f.Name.Name, "Test") || len(params) != 1 {
		return false
	}
	star, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := star.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "T"
}
