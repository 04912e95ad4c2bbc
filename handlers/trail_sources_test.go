package handlers_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func keys[V any](m map[string]V) map[string]bool {
	all := map[string]bool{}
	for k := range m {
		all[k] = true
	}
	return all
}

// taskKinds are the names of the constants of models.TaskKind.
func taskKinds(t *testing.T) (names []string) {
	t.Helper()
	ast.Inspect(parsed(t, "../models/tasks.go"), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "TaskKind" {
				names = append(names, spec.Names[0].Name)
			}
		}
		return true
	})
	if len(names) < 6 {
		t.Fatalf("found the tasks %v, want six at least", names)
	}
	return names
}

// workers are what web/jobs registers with River: the types of the workers, and the
// arguments of the periodic jobs, which share one.
func workers(t *testing.T) (names []string) {
	t.Helper()
	ast.Inspect(parsed(t, "../web/jobs/jobs.go"), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if f.Sel.Name != "AddWorker" {
				return true
			}
			if made, ok := call.Args[1].(*ast.UnaryExpr); ok {
				names = append(names, made.X.(*ast.CompositeLit).Type.(*ast.Ident).Name)
			}
		case *ast.IndexExpr:
			if name, ok := f.X.(*ast.Ident); ok && name.Name == "repeat" {
				names = append(names, f.Index.(*ast.Ident).Name)
			}
		}
		return true
	})
	if len(names) < 7 {
		t.Fatalf("found the workers %v, want seven at least", names)
	}
	return names
}

// notServed are the rooms that no server runs: what tries the program from
// outside, the sandbox of the service, and what only tests use.
var notServed = []string{"../web/lab", "../web/sandbox", "../models/modelstest"}

// tickers are the functions of the server that do something again and again by
// themselves, without River.
func tickers(t *testing.T) (names []string) {
	t.Helper()
	for _, root := range []string{"../models", ".", "../web"} {
		noError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if slices.Contains(notServed, filepath.ToSlash(path)) {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file := parsed(t, path)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && ticks(f) {
					names = append(names, file.Name.Name+" "+funcName(f))
				}
			}
			return nil
		}))
	}
	if len(names) < 5 {
		t.Fatalf("found the tickers %v, want five at least", names)
	}
	return names
}

// ticks reports whether a function has a ticker.
func ticks(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			from, isName := s.X.(*ast.Ident)
			found = found || isName && from.Name == "time" && slices.Contains([]string{"NewTicker", "Tick", "AfterFunc"}, s.Sel.Name)
		}
		return !found
	})
	return found
}

func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		return "(*" + star.X.(*ast.Ident).Name + ")." + f.Name.Name
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s has moved: tell this test where to", path)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
