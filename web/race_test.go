package web

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// otherwise are packages that share memory and are not given to the race detector.
var otherwise = map[string]string{
	"handlers":       "its tests of open pages are, by name",
	"models/localpg": "the launcher of the demo's and the tests' database: its tests are of processes",
	"web":            "its tests are of processes",
	"web/sandbox":    "it stands in for a service, and is not used beside one",
	"web/metrics":    "counts of its own, read by a test of the program",
}

// TestTheRaceDetectorSeesWhatSharesMemory: make race has every package that starts
// goroutines or locks.
func TestTheRaceDetectorSeesWhatSharesMemory(t *testing.T) {
	t.Parallel()
	list := regexp.MustCompile(`(?s)\nRACE := (.*?[^\\])\n`).FindStringSubmatch(page(t, "../Makefile"))
	if list == nil {
		t.Fatal("the Makefile has no list RACE")
	}
	given := map[string]bool{}
	for _, one := range strings.Fields(list[1]) {
		given[strings.TrimPrefix(one, "./")] = true
	}
	seen := func(folder string) bool {
		for at := folder; at != "."; at = path.Dir(at) {
			if given[at+"/..."] {
				return true
			}
		}
		return given[folder] || otherwise[folder] != ""
	}
	shares := map[string]bool{}
	shippedSource(t, func(_ *token.FileSet, name string, file *ast.File) {
		for _, imported := range file.Imports {
			if at := imported.Path.Value; at == `"sync"` || at == `"sync/atomic"` || at == `"veinte/models/goroutine"` {
				shares[path.Dir(name)] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				shares[path.Dir(name)] = true
			}
			return true
		})
	})
	for folder := range shares {
		if !seen(folder) {
			t.Errorf("%s shares memory between goroutines, and make race does not look at it", folder)
		}
	}
	if len(shares) < 20 {
		t.Errorf("%d packages share memory, want those of the program", len(shares))
	}
}
