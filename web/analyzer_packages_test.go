package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// guarded are packages that can do what no input may lead to, with the files or folders
// that have them. A package without any is in none.
var guarded = map[string][]string{
	"C": nil, "unsafe": nil, "plugin": nil, "encoding/gob": nil, "text/template": nil, "html/template": nil,
	"crypto/md5": nil,
	// Older authorities name their certificate by it, in what a better hash has signed.
	"crypto/sha1": {"models/audit/trailfile/stamp/verify.go"}, "crypto/des": nil, "crypto/rc4": nil, "crypto/dsa": nil,
	"crypto/cipher": {"models/secretbox/"}, "crypto/aes": {"models/secretbox/"},
	"net/http/pprof": {"web/metrics/"},
	// Where cells are made that no spreadsheet reckons, where files are read, and the sandbox.
	"encoding/csv": {"views/export/", "models/table/", "web/sandbox/"},
	// The database and the sandbox of the demo, an authority in tests, what writes the list of common passwords, what
	// installs, and PostgreSQL's own tools for backups.
	"os/exec": {
		"models/localpg/", "web/sandbox.go", "models/accounts/passwords/generate.go", "web/setup/run.go",
		"web/backup/tools.go",
		"models/audit/trailfile/stamp/stamptest/",
	},
	// What is made up for a demo, and when a delivery is tried again.
	"math/rand/v2": {"web/demo_day.go", "web/practice_day.go", "web/simulation.go", "web/sandbox/", "models/webhooks/lane.go"},
	"math/rand":    nil,
}

// dangers lists what a file has of these, a TLS client that believes everybody, and
// regular expressions made of what somebody sent.
func dangers(files *token.FileSet, path string, file *ast.File) (found []finding) {
	note := func(at token.Pos, function, what string) {
		found = append(found, finding{files.Position(at).String(), function, what})
	}
	for _, imported := range file.Imports {
		name, _ := strconv.Unquote(imported.Path.Value)
		folders, is := guarded[name]
		allowed := !is
		for _, folder := range folders {
			allowed = allowed || strings.HasPrefix(path, folder)
		}
		if !allowed {
			note(imported.Pos(), "import", name)
		}
	}
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		own := localTexts(function)
		ast.Inspect(function.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "InsecureSkipVerify" {
					note(n.Pos(), function.Name.Name, "a certificate that nobody looks at")
				}
			case *ast.CallExpr:
				of, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || len(n.Args) == 0 {
					return true
				}
				if from, ok := of.X.(*ast.Ident); ok && from.Name == "regexp" && strings.Contains(of.Sel.Name, "Compile") {
					if what := foreign(n.Args[0], own); what != "" {
						note(n.Pos(), function.Name.Name, "a regular expression from "+what)
					}
				}
			}
			return true
		})
	}
	return found
}

func TestDangerousPackagesStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	looked := 0
	shippedSource(t, func(files *token.FileSet, path string, file *ast.File) {
		looked++
		for _, f := range dangers(files, path, file) {
			t.Error(f)
		}
	})
	if looked < 300 {
		t.Errorf("looked at %d files, want those of the program", looked)
	}
}

// TestADangerousPackageIsFound proves that the test above can fail.
func TestADangerousPackageIsFound(t *testing.T) {
	t.Parallel()
	for code, wrong := range map[string]int{
		`import "os/exec"`:       1,
		`import "unsafe"`:        1,
		`import "math/rand"`:     1,
		`import "crypto/sha1"`:   1,
		`import "crypto/sha256"`: 0,
		`import "crypto/rand"`:   0,
		`func f() { _ = tls.Config{InsecureSkipVerify: on} }`:       1,
		`func f(text string) { regexp.MustCompile("^" + text) }`:    1,
		`func f() { regexp.MustCompile("^a$") }`:                    0,
		`func f(in Input) { regexp.CompilePOSIX(in.Text) }`:         1,
		`func f(in Input) { regexp.MatchString("^a$", in.Pattern)}`: 0,
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "canary.go", "package p\n"+code+"\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if found := dangers(files, "handlers/canary.go", file); len(found) != wrong {
			t.Errorf("%s: found %v, want %d", code, found, wrong)
		}
	}
}
