package commands

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"veinte/models/audit/trailfile"
	"veinte/views/locale"
)

// Everything that can be wrong with a file of the trail has words in each language; the
// codes are read from where they are declared.
func TestFindingsHaveWords(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../models/audit/trailfile/verdict.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) == 0 {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	if len(codes) < 15 {
		t.Fatalf("only %d codes were found", len(codes))
	}
	for _, code := range codes {
		if !locale.Has("trailFinding." + code) {
			t.Errorf("trailFinding.%s has no words", code)
		}
	}
	for _, state := range []trailfile.State{trailfile.Intact, trailfile.Altered, trailfile.Undecided} {
		if !locale.Has("trailState." + string(state)) {
			t.Errorf("trailState.%s has no words", state)
		}
	}
}
