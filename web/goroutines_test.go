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

// notShipped are folders of programs that test ours from outside.
var notShipped = []string{"../models/modelstest", "../web/lab"}

// TestEveryGoroutineRecovers parses the source: a function that a go statement or a
// group's Go starts must begin with a deferred function that recovers. goroutine.Go
// does that for its callers.
func TestEveryGoroutineRecovers(t *testing.T) {
	t.Parallel()
	started := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(notShipped, filepath.ToSlash(path)) || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case d.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		n, wrong := goroutinesOf(t, path, nil)
		started += n
		for _, at := range wrong {
			t.Errorf("%s: a goroutine that does not begin by recovering: start it with goroutine.Go", at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if started < 8 {
		t.Errorf("found %d goroutines, want those of the program", started)
	}
}

// TestAGoroutineThatDoesNotRecoverIsFound proves that the test above can fail.
func TestAGoroutineThatDoesNotRecoverIsFound(t *testing.T) {
	t.Parallel()
	const recovers = "defer func() { if p := recover(); p != nil { say(p) } }()"
	for code, wrong := range map[string]int{
		"go f()":                                1,
		"go x.f(1)":                             1,
		"go func() { f() }()":                   1,
		"go func() { f(); " + recovers + " }()": 1,
		"go func() { defer f() }()":             1,
		"go func() { defer func() { func() { recover() }() }() }()": 1, // recovers nothing
		"group.Go(func() { f() })":                                  1,
		"group.Go(f)":                                               1,
		"func() { go f() }()":                                       1,
		"go func() { " + recovers + "; f() }()":                     0,
		"go func() { defer goroutine.Recover(log, `f`); f() }()":    0,
		"group.Go(func() { defer s.recovered(); f() })":             0,
		"goroutine.Go(log, `f`, f)":                                 0,
	} {
		if _, got := goroutinesOf(t, "canary.go", "package p\nfunc g() {\n"+code+"\n}\n"); len(got) != wrong {
			t.Errorf("%s: found %d, want %d", code, len(got), wrong)
		}
	}
}

// goroutinesOf counts the goroutines that a file starts, and lists those that do not
// recover.
func goroutinesOf(t *testing.T, path string, source any) (started int, wrong []string) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("parse %s: %v", path, err)
	}
	check := func(at token.Pos, what ast.Expr) {
		started++
		if literal, ok := what.(*ast.FuncLit); !ok || !recoversFirst(literal) {
			wrong = append(wrong, fmt.Sprint(files.Position(at)))
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			check(n.Pos(), n.Call.Fun)
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && of.Sel.Name == "Go" && len(n.Args) == 1 {
				check(n.Pos(), n.Args[0])
			}
		}
		return true
	})
	return started, wrong
}

// recoversFirst reports whether the function defers, before anything else, one that
// recovers: Recover of the package goroutine, the sandbox's own, or a literal.
func recoversFirst(f *ast.FuncLit) bool {
	if len(f.Body.List) == 0 {
		return false
	}
	first, ok := f.Body.List[0].(*ast.DeferStmt)
	if !ok {
		return false
	}
	switch deferred := first.Call.Fun.(type) {
	case *ast.SelectorExpr:
		of, ok := deferred.X.(*ast.Ident)
		return ok && (of.Name == "goroutine" && deferred.Sel.Name == "Recover" || deferred.Sel.Name == "recovered")
	case *ast.Ident:
		return deferred.Name == "Recover" // within the package goroutine
	case *ast.FuncLit:
		return callsRecover(deferred.Body)
	}
	return false
}

// callsRecover searches for recover in the function itself. In a nested function it
// would not recover.
func callsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if _, within := n.(*ast.FuncLit); within {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "recover" {
				found = true
			}
		}
		return !found
	})
	return found
}
