package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// statements are the functions that take SQL, with the place of it among their
// arguments.
var statements = map[string]int{
	"Exec": 0, "Raw": 0, "Where": 0, "Or": 0, "Not": 0, "Having": 0, "Joins": 0, "Order": 0, "Group": 0, "Select": 0, "Table": 0, "Expr": 0,
	"Queue": 0, "Query": 0, "QueryRow": 0, "QueryContext": 1, "QueryRowContext": 1, "ExecContext": 1, "PrepareContext": 1,
	"Rows": 2, "Row": 2, "TxRows": 2, "TxRow": 2,
	"Pluck": 0, "Distinct": 0, "InnerJoins": 0, "Update": 0, "UpdateColumn": 0,
	"Take": 1, "Find": 1, "First": 1, "Last": 1, "Delete": 1, // a condition of gorm's beside what is found
}

// notSQL are packages with functions of the same names, and takers of paces.
var notSQL = map[string]bool{"cmp": true, "audit": true, "slices": true, "sso": true}

// makers are the functions of ours that return SQL of the program's own words: lists of
// columns and calls of locks.
var makers = []string{"Names", "Values", "InsertSales", "WaitingCall", "Trying"}

// numbersAlone is a format that takes nothing but numbers.
var numbersAlone = regexp.MustCompile(`^[^%]*(%d[^%]*)*$`)

// forwarded are functions of ours that pass on SQL which their callers give them, with its
// place among their arguments: the callers are looked at like those of PostgreSQL's.
var forwarded = map[string][]int{
	"migrations.each": {2}, "models/audit/compare.open": {2, 3}, "models/audit/compare.each": {2},
	"models/audit/verify.auditWith": {2}, "models/imports.storeChunk": {2}, "models/intake.Each": {2},
	"models/oversight.rowsOf": {2}, "models/review.queue": {2},
	"models/sales.found": {2}, "models/webhooks.exec": {1}, "models/webhooks.hasten": {2, 3},
}

// forwardedBy returns the SQL that a call gives such a function of its own package, or of
// another by its name.
func forwardedBy(folder string, call *ast.CallExpr) (given []ast.Expr) {
	called := call.Fun
	if index, ok := called.(*ast.IndexExpr); ok {
		called = index.X
	}
	name := calledName(&ast.CallExpr{Fun: called})
	of := folder
	if selector, ok := called.(*ast.SelectorExpr); ok {
		if from, ok := selector.X.(*ast.Ident); ok {
			of = from.Name // of another package, or a method of this one
		}
	}
	for full, places := range forwarded {
		home, function, _ := strings.Cut(full, ".")
		if function != name || home != folder && path.Base(home) != of {
			continue
		}
		for _, place := range places {
			if place < len(call.Args) {
				given = append(given, call.Args[place])
			}
		}
	}
	return given
}

// sqlOf lists the statements of a file that are not made of the program's own words: a
// text may be put together from literals, constants and package variables, and from
// nothing that a function was given or computed.
func sqlOf(files *token.FileSet, at string, file *ast.File) (calls int, found []finding) {
	folder := path.Dir(at)
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		name := folder + "." + function.Name.Name
		own := localTexts(function)
		ast.Inspect(function.Body, func(n ast.Node) bool {
			if text := clauseOf(n); text != nil {
				calls++
				if what := foreign(text, own); what != "" {
					found = append(found, finding{files.Position(n.Pos()).String(), name, "SQL from " + what})
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			given := forwardedBy(folder, call)
			if text, isSQL := statementOf(call); isSQL {
				given = append(given, text)
			}
			for _, text := range given {
				calls++
				if what := foreign(text, own); what != "" {
					found = append(found, finding{files.Position(call.Pos()).String(), name, "SQL from " + what})
				}
			}
			return true
		})
	}
	return calls, found
}

// clauseOf returns the text of gorm's clause.Expr{SQL: …}, written out.
func clauseOf(n ast.Node) ast.Expr {
	written, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if of, ok := written.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Expr" && of.Sel.Name != "NamedExpr" {
		return nil
	}
	for _, part := range written.Elts {
		if field, ok := part.(*ast.KeyValueExpr); ok {
			if name, ok := field.Key.(*ast.Ident); ok && name.Name == "SQL" {
				return field.Value
			}
		}
	}
	return nil
}

// statementOf returns the argument of a call that is SQL. One argument more than
// PostgreSQL's drivers need, such as a context, may stand before it.
func statementOf(call *ast.CallExpr) (ast.Expr, bool) {
	name, generic := "", call.Fun
	if index, ok := generic.(*ast.IndexExpr); ok {
		generic = index.X
	}
	selector, ok := generic.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	name = selector.Sel.Name
	if of, ok := selector.X.(*ast.Ident); ok && notSQL[of.Name] {
		return nil, false
	}
	place, known := statements[name]
	if known && place == 0 && len(call.Args) > 0 && (name == "Exec" || name == "Query" || name == "QueryRow") && isContext(call.Args[0]) {
		place = 1
	}
	if !known || len(call.Args) <= place {
		return nil, false
	}
	return call.Args[place], true
}

func isContext(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "ctx"
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "WithoutCancel" || s.Sel.Name == "Background" || s.Sel.Name == "UserContext" || s.Sel.Name == "Context")
	}
	return false
}

// localTexts are the variables of a function with everything that is assigned to them.
// Its parameters have the value nil.
func localTexts(function *ast.FuncDecl) map[string][]ast.Expr {
	own := map[string][]ast.Expr{}
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, f := range list.List {
			for _, n := range f.Names {
				own[n.Name] = append(own[n.Name], nil)
			}
		}
	}
	fields(function.Recv)
	fields(function.Type.Params)
	ast.Inspect(function.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			fields(n.Type.Params)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok {
					value := n.Rhs[0]
					if len(n.Rhs) == len(n.Lhs) {
						value = n.Rhs[i]
					}
					own[id.Name] = append(own[id.Name], value)
				}
			}
		case *ast.RangeStmt:
			for _, of := range []ast.Expr{n.Key, n.Value} {
				if id, ok := of.(*ast.Ident); ok {
					own[id.Name] = append(own[id.Name], n.X)
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					own[id.Name] = append(own[id.Name], n.Values[i])
				}
			}
		}
		return true
	})
	return own
}

// foreign names the part of a text that is not the program's own; "" when there is
// none.
func foreign(e ast.Expr, own map[string][]ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return ""
	case *ast.ParenExpr:
		return foreign(e.X, own)
	case *ast.IndexExpr: // of a list or a table of texts
		return foreign(e.X, own)
	case *ast.BinaryExpr:
		if what := foreign(e.X, own); what != "" {
			return what
		}
		return foreign(e.Y, own)
	case *ast.CompositeLit:
		for _, part := range e.Elts {
			if what := foreign(part, own); what != "" {
				return what
			}
		}
		return ""
	case *ast.Ident:
		values, local := own[e.Name]
		if !local {
			return "" // of the package
		}
		rest := maps.Clone(own) // what is added to a text is looked at without the text
		delete(rest, e.Name)
		for _, v := range values {
			if v == nil {
				return "what it was given, " + e.Name
			}
			if what := foreign(v, rest); what != "" {
				return what
			}
		}
		return ""
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok && own[of.Name] == nil && ast.IsExported(e.Sel.Name) {
			return "" // a constant or variable of another package
		}
		return "a field, " + e.Sel.Name
	case *ast.CallExpr:
		name := calledName(e)
		if name == "Sprintf" && len(e.Args) > 0 {
			if format, ok := e.Args[0].(*ast.BasicLit); ok && numbersAlone.MatchString(format.Value) {
				return ""
			}
		}
		if slices.Contains(makers, name) {
			return ""
		}
		return "a call of " + name
	}
	return fmt.Sprintf("a %T", e)
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return "a function"
}

// builtSQL are the functions that put SQL together from more than the program's words,
// each with what it is made of. Values of people and programs are arguments in all of
// them.
var builtSQL = map[string]string{
	"migrations.grant": "rows of database_rights, which migrations write, and quoted names of roles",
	"migrations.each":  "its callers give constants",

	"models/alerts.findings": "a query of the kind of rule", "models/audit.keys": "the search's own statements; words are arguments",
	"models/audit.Steps":                "a clause of numbered arguments",
	"models/changes.places":             "tables and columns of the kinds, numbered arguments and limits",
	"models/sales.SalesOfRange":         "the clauses of query, columns, and a limit",
	"models/sales.CancellationsOfRange": "the clauses of query, and a limit",
	"models/audit/archive.alone":        "the call of a lock", "models/audit/archive.remove": "a partition's quoted name",
	"models/audit/archive.lockEntries": "a partition's quoted name", "models/audit/archive.current": "a partition's quoted name",
	"models/audit/archive.recorded": "a partition's quoted name",
	"models/audit/compare.open":     "its callers give constants", "models/audit/compare.more": "the name that open was given",
	"models/audit/compare.each":       "its callers give constants",
	"models/audit/export.WriteLeaves": "a filter of audit.Where", "models/audit/export.Estimate": "a filter, and a table of its callers",
	"models/audit/export.expect": "a filter, and a table of its callers", "models/audit/export.read": "a filter of audit.Where",
	"models/audit/export.sumSales": "a filter of audit.Where", "models/audit/export.writeEntries": "a filter of audit.Where",
	"models/audit/export.sealedUnder": "a filter of audit.Where", "models/audit/verify.auditWith": "its callers give constants",
	"models/audit/verify.inSnapshot": "a snapshot's name, from PostgreSQL", "models/cancellations.decide": "a condition of gorm",
	"models/cancellations.ConfirmClaims": "a condition of gorm", "models/closings.freezeSales": "columns by state",
	"models/database.find":       "the statement of the last write",
	"models/database.limitRole":  "the program's own limits",
	"models/database.LockShared": "a lock's own expression", "models/database.Row": "for its callers, which are looked at",
	"models/database.Exec": "for its callers, which are looked at", "models/database.Query": "for its callers, which are looked at",
	"models/database.QueryRow": "for its callers, which are looked at", "models/database.shareRounds": "a query of gorm",
	"models/database.Rows": "for its callers, which are looked at", "models/database.TxRows": "for its callers, which are looked at",
	"models/imports.storeChunk": "its callers give constants", "models/review.queue": "its callers give constants",
	"models/review.queueOwn": "constants; what reads their rows is a call",
	"models/sales.writeDay":  "conditions with arguments", "models/savedviews.SavedViews": "an order of gorm, whose value is an argument",
	"models/intake.Each": "its callers give constants", "models/oversight.rowsOf": "its callers give constants",
	"models/reconciliation.Reconciliations": "a scope of its own words", "models/reconciliation.Reconciliation": "a scope of its own words",
	"models/reconciliation.LastReported": "a scope of its own words",
	"models/sales.DayRevision":           "one of two constants",
	"models/sales.DaySales":              "conditions with arguments", "models/sales.found": "its callers give constants",
	"models/sales.FoundElsewhere": "conditions with arguments", "models/terminals.Health": "one of the list of problems",
	"models/terminals.countProblems": "the list of problems", "models/terminals.ProblemsOf": "the list of problems",
	"models/terminals.WorstProblems": "the list of problems",
	"models/sales.TerminalDay":       "lists of columns", "models/terminals.Terminals": "conditions with arguments",
	"models/terminals.Stores": "numbers of arguments", "models/webhooks.exec": "its callers give constants",
	"models/webhooks.hasten": "its callers give constants",
	"web.prepareDatabase":    "its own list",
}

// hasSQL reports whether a file is of a package that speaks to PostgreSQL.
func hasSQL(path string) bool {
	return strings.HasPrefix(path, "models/") && !strings.HasPrefix(path, "models/table/") ||
		strings.HasPrefix(path, "migrations/") || strings.HasPrefix(path, "web/commands/") || path == "web/demo_prepare.go"
}

func TestNoSQLFromStrings(t *testing.T) {
	t.Parallel()
	calls, used := 0, map[string]bool{}
	shippedSource(t, func(files *token.FileSet, name string, file *ast.File) {
		if !hasSQL(name) {
			return
		}
		n, found := sqlOf(files, name, file)
		calls += n
		for _, f := range found {
			used[f.function] = true
			if builtSQL[f.function] == "" {
				t.Errorf("%s; give values as arguments, or say in builtSQL what it is made of", f)
			}
		}
	})
	for name := range builtSQL {
		if !used[name] {
			t.Errorf("%s puts no SQL together any more: take it out of builtSQL", name)
		}
		if _, looked := forwarded[name]; looked != (builtSQL[name] == "its callers give constants") {
			t.Errorf("that the callers of %s give constants is looked at: %t", name, looked)
		}
	}
	if calls < 300 {
		t.Errorf("found %d statements, want those of the program", calls)
	}
}

// TestSQLFromStringsIsFound proves that the test above can fail.
func TestSQLFromStringsIsFound(t *testing.T) {
	t.Parallel()
	for code, wrong := range map[string]int{
		`db.Query(ctx, "SELECT 1 WHERE a = '" + name + "'")`:                              1,
		`db.Query(ctx, fmt.Sprintf("SELECT %s", name))`:                                   1,
		`q := "SELECT "; q += name; db.QueryRow(ctx, q)`:                                  1,
		`q := fmt.Sprint("x", name); t.Raw(q)`:                                            1,
		`t.Where("a = " + in.Name)`:                                                       1,
		`t.Order(in.Sort)`:                                                                1,
		`for _, q := range in.List { t.Exec(q) }`:                                         1,
		`database.TxRows[row](ctx, t, name)`:                                              1,
		`func(q string) { t.Exec(q) }("x")`:                                               1,
		`db.QueryContext(ctx, "SELECT 1 ORDER BY " + name)`:                               1,
		`t.Take(&row, "a = " + name)`:                                                     1,
		`t.Delete(&row, fmt.Sprintf("id = %s", name))`:                                    1,
		`t.Pluck(name, &rows)`:                                                            1,
		`t.Update(in.Column, 1)`:                                                          1,
		`t.Clauses(clause.Expr{SQL: "x " + name})`:                                        1,
		`migrations.each(ctx, tx, "SELECT " + name, nil)`:                                 1,
		`intake.Each(ctx, t, name, nil)`:                                                  1,
		`oversight.rowsOf[row](ctx, l, in.Query)`:                                         1,
		`migrations.each(ctx, tx, "SELECT 1", nil)`:                                       0,
		`t.Take(&row, "a = ?", name)`:                                                     0,
		`t.Delete(&row, 7)`:                                                               0,
		`db.Query(ctx, "SELECT 1 WHERE a = $1", name)`:                                    0,
		`t.Where("a = ? AND state = " + models.RequestedSQL, name)`:                       0,
		`t.Exec(fmt.Sprintf("SET LOCAL statement_timeout = %d", n))`:                      0,
		`q := "SELECT 1"; if b { q += " LIMIT 1" }; db.Query(ctx, q)`:                     0,
		`for _, q := range []string{"A", own} { t.Exec(q) }`:                              0,
		`db.Query(ctx, "SELECT " + columns.Names("s.") + " FROM sales WHERE a = $1", in)`: 0,
	} {
		files := token.NewFileSet()
		source := "package p\nfunc g(ctx context.Context, in Input, name string, n int, b bool) {\n" + code + "\n}\n"
		file, err := parser.ParseFile(files, "models/p/canary.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if _, found := sqlOf(files, "models/p/canary.go", file); len(found) != wrong {
			t.Errorf("%s: found %v, want %d", code, found, wrong)
		}
	}
}
