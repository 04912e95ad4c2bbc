package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// finding is a place in the source that an analyzer objects to.
type finding struct{ at, function, what string }

func (f finding) String() string { return fmt.Sprintf("%s (%s): %s", f.at, f.function, f.what) }

// shippedSource calls f with every file of the program, parsed, tests and the
// laboratory apart.
func shippedSource(t *testing.T, f func(files *token.FileSet, path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(notShipped, filepath.ToSlash(path)) || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case d.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, "_templ.go"):
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f(files, strings.TrimPrefix(filepath.ToSlash(path), "../"), parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
