package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOnlyItsRoomMovesACancellation reads the source: nothing outside
// models/cancellations writes its table, but for the time at which a person reviewed
// one. The compiler holds the same for the room's methods; this holds it for SQL.
func TestOnlyItsRoomMovesACancellation(t *testing.T) {
	t.Parallel()
	others, read := append([]string{"../models/cancellations"}, notShipped...), 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(others, path) || strings.HasPrefix(d.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case d.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		read++
		for _, at := range cancellationWrites(t, path, nil) {
			t.Errorf("%s: writes cancellations outside its room", at)
		}
		return nil
	})
	must(t, err)
	if read < 500 {
		t.Errorf("read %d files, want the program's", read)
	}
}

// TestAWriteOfCancellationsIsFound proves that the test above can fail.
func TestAWriteOfCancellationsIsFound(t *testing.T) {
	t.Parallel()
	for code, wrong := range map[string]int{
		"t.Exec(`UPDATE cancellations SET state = ?`, s)":                                       1,
		"t.Exec(`WITH a AS (SELECT 1)\n\tinsert into cancellations (id) SELECT 1`)":             1,
		"t.Exec(`DELETE FROM ONLY cancellations`)":                                              1,
		"t.Model(&models.Cancellation{}).Where(`id = ?`, 1).Update(`state`, s)":                 1,
		"t.Table(`cancellations`).Updates(m)":                                                   1,
		"t.Table(`cancellations c`).Where(`true`).UpdateColumn(`version`, 2)":                   1,
		"t.Create(&models.Cancellation{})":                                                      1,
		"t.Model(&models.Cancellation{}).Where(`id = ?`, 1).Update(\"reviewed_at\", now)":       0,
		"t.Model(&models.Cancellation{}).Where(`id = ?`, 1).Find(&all)":                         0,
		"t.Exec(`SELECT 1 FROM cancellations WHERE state = ? FOR UPDATE`)":                      0,
		"t.Exec(`UPDATE cancellation_counts SET n = 1`)":                                        0,
		"t.Model(&models.Result{}).Where(`cancellation_id = ?`, 1).Update(`status`, `ignored`)": 0,
	} {
		if got := cancellationWrites(t, "canary.go", "package p\nfunc g() {\n"+code+"\n}\n"); len(got) != wrong {
			t.Errorf("%s: found %v, want %d", code, got, wrong)
		}
	}
}

var (
	writesInSQL    = regexp.MustCompile(`(?i)\b(UPDATE|INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|COPY|TRUNCATE)\s+(ONLY\s+)?cancellations\b`)
	namesTheTable  = regexp.MustCompile("^[\"`]cancellations\\b")
	methodsOfWrite = []string{"Create", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "FirstOrCreate"}
)

// cancellationWrites returns where a file writes the table of cancellations, by SQL
// or through gorm.
func cancellationWrites(t *testing.T, path string, source any) (at []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, 0)
	must(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && writesInSQL.MatchString(n.Value) {
				at = append(at, files.Position(n.Pos()).String())
			}
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains(methodsOfWrite, method.Sel.Name) && chainNamesTheTable(n) && !reviews(n) {
				at = append(at, files.Position(n.Pos()).String())
			}
		}
		return true
	})
	return at
}

// chainNamesTheTable reports whether a chain of gorm's calls is about cancellations.
func chainNamesTheTable(call *ast.CallExpr) bool {
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			found = found || n.Kind == token.STRING && namesTheTable.MatchString(n.Value)
		case *ast.CompositeLit:
			s, ok := n.Type.(*ast.SelectorExpr)
			found = found || ok && s.Sel.Name == "Cancellation"
		}
		return !found
	})
	return found
}

// reviews reports whether a call sets the time of a review, and nothing else.
func reviews(call *ast.CallExpr) bool {
	if call.Fun.(*ast.SelectorExpr).Sel.Name != "Update" || len(call.Args) != 2 {
		return false
	}
	column, ok := call.Args[0].(*ast.BasicLit)
	return ok && column.Value == `"reviewed_at"`
}
