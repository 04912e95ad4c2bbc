package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/reconciliation/report"
	"veinte/models/webhooks"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// recordedStructs are those of models that an entry holds as they are.
var recordedStructs = map[string]bool{"stateOf": true, "Mapping": true, "ProbeStep": true, "AlertFacts": true}

// recordedIn are the functions of models that make what an entry holds.
var recordedIn = regexp.MustCompile(`(?i)told|correctable|ofImport|toldRules|record`)

// TestNoFieldOfAnEntryShowsItsCode reads the source of models for the names of
// what is told of an act: whoever adds one adds its words.
func TestNoFieldOfAnEntryShowsItsCode(t *testing.T) {
	t.Parallel()
	told := recordedFields(t)
	if len(told) < 60 {
		t.Fatalf("only %d fields of entries were found in models: %v", len(told), told)
	}
	for _, name := range told {
		for _, lang := range locale.Languages {
			if !locale.Has("field."+name) && words.FieldWord(locale.With(t.Context(), lang), "", name) == name {
				t.Errorf("field.%s has no words in %s: an entry would show %q", name, lang, name)
			}
		}
	}
}

// TestNoKnownValueOfAnEntryShowsItsCode: the same for what the fields hold.
func TestNoKnownValueOfAnEntryShowsItsCode(t *testing.T) {
	t.Parallel()
	values := map[string][]string{
		"state": codes(models.SaleStates), "role": codes(audit.TrailRoles), "action": codes(models.Actions), "outcome": codes(models.Outcomes),
		"scopes": codes(apikeys.Scopes), "columns": codes(report.Fields), "words": codes(report.Meanings),
		"events": codes(webhooks.WebhookEvents), "amounts": {"point", "comma", "centavos"}, "dates": {"iso", "dmy", "mdy"},
		"step": {"dns", "connect", "tls", "token", "answer"}, "endpointKind": {"relay", "webhook"},
		"rule": codes(alerts.Kinds), "use": {"page"},
	}
	for name, all := range values {
		for _, code := range all {
			if got := words.NewAuditNames(nil, nil, nil).Text(locale.With(t.Context(), "es-MX"), name, code); got == code {
				t.Errorf("%s %q is shown as it is", name, code)
			}
		}
	}
	filter := []byte(`{"min":"1250.00","storeId":2,"actorId":7,"from":"2026-11-01","action":"cancellation.moved","zone":"America/Cancun"}`)
	names := words.NewAuditNames(shop.Stores(), []words.Person{{ID: 7, Name: "Ana Torres Luna"}}, nil)
	said := ""
	for _, d := range names.Differences(locale.With(t.Context(), "es-MX"), &models.AuditEntry{After: filter}) {
		said += d.Name + ": " + d.After + "\n"
	}
	want := "Acción: Cambio de estado de la cancelación\nPersona: Ana Torres Luna\nDesde: 1 nov 2026\nMonto desde: $1,250.00\n" +
		"Sucursal: Cancún Centro\nZona horaria: " + ui.ZoneName(locale.With(t.Context(), "es-MX"), "America/Cancun") + "\n"
	if said != want {
		t.Errorf("a filter in words:\n%s\nwant:\n%s", said, want)
	}
}

func codes[T ~string](all []T) []string {
	var codes []string
	for _, c := range all {
		codes = append(codes, string(c))
	}
	return codes
}

func recordedFields(t *testing.T) []string {
	t.Helper()
	names := map[string]bool{}
	for _, name := range below(t, "../models", ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncDecl:
				if recordedIn.MatchString(x.Name.Name) {
					keysOf(x, names)
				}
			case *ast.CallExpr:
				if sel, ok := x.Fun.(*ast.SelectorExpr); ok && recordedIn.MatchString(sel.Sel.Name) {
					for _, arg := range x.Args {
						keysOf(arg, names)
					}
				}
			case *ast.CompositeLit:
				if id, ok := x.Type.(*ast.Ident); ok && id.Name == "about" {
					keysOf(x, names)
				}
			case *ast.TypeSpec:
				if s, ok := x.Type.(*ast.StructType); ok && recordedStructs[x.Name.Name] {
					tagsOf(s, names)
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(names))
}

// keysOf collects the keys of maps of texts, written as literals or assigned.
func keysOf(n ast.Node, names map[string]bool) {
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`).MatchString(s) {
				names[s] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CompositeLit:
			if _, ok := x.Type.(*ast.MapType); ok {
				for _, e := range x.Elts {
					add(e.(*ast.KeyValueExpr).Key)
				}
			}
		case *ast.AssignStmt:
			for _, left := range x.Lhs {
				if i, ok := left.(*ast.IndexExpr); ok {
					add(i.Index)
				}
			}
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && (id.Name == "tell" || id.Name == "put") && len(x.Args) > 0 {
				add(x.Args[0])
			}
		}
		return true
	})
}

func tagsOf(s *ast.StructType, names map[string]bool) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
			names[name] = true
		}
	}
}
