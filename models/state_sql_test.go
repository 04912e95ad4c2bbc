package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestOpenSQLIsOpen: the states in which the database allows no second cancellation
// are those that State.Open reports.
func TestOpenSQLIsOpen(t *testing.T) {
	t.Parallel()
	var open []string
	for _, s := range []models.State{
		models.Requested, models.Sending, models.Accepted, models.Unknown, models.Withdrawn,
		models.Expired, models.Rejected, models.Confirmed, models.NotCanceled,
	} {
		if s.Open() {
			open = append(open, "'"+string(s)+"'")
		}
	}
	if got, want := models.OpenSQL, "("+strings.Join(open, ", ")+")"; got != want {
		t.Errorf("OpenSQL = %s, want %s", got, want)
	}
}

// TestStatesInSQLHaveAnOwner: no statement contains a state as a literal, or a new
// state would have to be searched for in a hundred texts. Statements are built from
// the constants.
func TestStatesInSQLHaveAnOwner(t *testing.T) {
	t.Parallel()
	types := []string{
		"State", "SaleState", "ResultStatus", "EndpointState", "MailState", "RunState",
	}
	// States that are not stored in a column.
	unstored := []string{"models/audit/trailfile/", "models/apikeys/", "models/audit/verify/trail.go"}
	var states []string
	literals := map[string][]string{} // by file
	modelstest.EachSource(t, func(path, source string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if of, ok := n.Type.(*ast.Ident); ok && strings.HasPrefix(path, "models/") && slices.Contains(types, of.Name) &&
					!slices.ContainsFunc(unstored, func(at string) bool { return strings.HasPrefix(path, at) }) {
					for _, v := range n.Values {
						if text, ok := v.(*ast.BasicLit); ok {
							state, _ := strconv.Unquote(text.Value)
							if state != "" {
								states = append(states, regexp.QuoteMeta(state))
							}
						}
					}
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(text, "'") {
					literals[path] = append(literals[path], text)
				}
			}
			return true
		})
	})
	if len(states) < 50 {
		t.Fatalf("found %d states, want those of all %d types", len(states), len(types))
	}
	state := regexp.MustCompile("'(" + strings.Join(states, "|") + ")'")
	for path, texts := range literals {
		for _, text := range texts {
			if found := state.FindString(text); found != "" {
				t.Errorf("%s writes %s itself; see models/state_sql.go:\n%s", path, found, text)
			}
		}
	}
}
