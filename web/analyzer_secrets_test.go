package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// logged are the functions that write a line of the log or on the terminal, and those
// that make an error or give a logger what each of its lines has: both end there.
var logged = []string{
	"Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "Log", "LogAttrs",
	"Print", "Printf", "Println", "Fprint", "Fprintf", "Fprintln", "Errorf", "With", "panic", "Fatal", "Fatalf", "Panic", "Panicf",
}

// secretName is a name by which a secret goes in the source. What is said about one, such
// as whether there is any, has another name.
var secretName = regexp.MustCompile(`(?i)(^|[a-z_])(password|passphrase|secret|token|apikey|credential|cookie|authorization|` +
	`privatekey|attemptkey|cardnumber|databaseurl|dsn|nonce|verifier|recoverycode|signingkey)s?$`)

// saidSecrets are the functions that print a secret to whoever asked for it, at a
// terminal, once.
var saidSecrets = map[string]string{
	"web/commands.Run": "veinte key create prints the key, once",
	"web.printDemo":    "the sign-ins of the demo, whose database has nobody's data",
	"web.serve":        "practice prints the sign-ins of its own people, whose database has nobody's data",
}

// aboutSecrets begins names of what is said of one: how long it may be, that it is missing.
var aboutSecrets = regexp.MustCompile(`^(max|min|Outage)[A-Z]`)

func namesSecret(name string) bool {
	return secretName.MatchString(name) && !aboutSecrets.MatchString(name)
}

// secretsOf lists what a file writes into the log under a secret's name.
func secretsOf(files *token.FileSet, path string, file *ast.File) (calls int, found []finding) {
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		name := filepath.ToSlash(filepath.Dir(path)) + "." + function.Name.Name
		ast.Inspect(function.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains(logged, calledName(call)) {
				return true
			}
			calls++
			for _, argument := range call.Args {
				if what := secretIn(argument); what != "" {
					found = append(found, finding{files.Position(call.Pos()).String(), name, what + " reaches a log"})
				}
			}
			return true
		})
	}
	return calls, found
}

// secretIn returns the name of a secret whose value is part of an expression.
func secretIn(e ast.Expr) (what string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr: // what another function makes of it is looked at there
			name := calledName(n)
			return name == "string" || name == "Sprintf" || name == "Sprint" || name == "String" || name == "Any"
		case *ast.SelectorExpr:
			if namesSecret(n.Sel.Name) {
				what = n.Sel.Name
			}
			return false
		case *ast.Ident:
			if namesSecret(n.Name) {
				what = n.Name
			}
		}
		return true
	})
	return what
}

func TestNoSecretReachesALog(t *testing.T) {
	t.Parallel()
	calls, used := 0, map[string]bool{}
	shippedSource(t, func(files *token.FileSet, path string, file *ast.File) {
		n, found := secretsOf(files, path, file)
		calls += n
		for _, f := range found {
			used[f.function] = true
			if saidSecrets[f.function] == "" {
				t.Error(f)
			}
		}
	})
	for name := range saidSecrets {
		if !used[name] {
			t.Errorf("%s prints no secret any more: take it out of saidSecrets", name)
		}
	}
	if calls < 100 {
		t.Errorf("found %d lines of a log, want those of the program", calls)
	}
}

// TestASecretInALogIsFound proves that the test above can fail.
func TestASecretInALogIsFound(t *testing.T) {
	t.Parallel()
	for code, wrong := range map[string]int{
		`log.Info("signed in", "password", in.Password)`:                   1,
		`s.log.WarnContext(ctx, "no", "token", string(token))`:             1,
		`slog.Error(fmt.Sprintf("bad %s", c.accessToken))`:                 1,
		`fmt.Fprintln(os.Stderr, resultsSecret)`:                           1,
		`log.Warn("x", slog.String("key", in.APIKey))`:                     1,
		`log.Info("signed in", "user", in.Email)`:                          0,
		`log.Info("no token for the service yet", "error", err)`:           0,
		`log.Info("keys", "count", len(tokens))`:                           0,
		`fmt.Println("veinte", version)`:                                   0,
		`log.Info("the secret of an endpoint was changed", "id", e.ID)`:    0,
		`log.Debug("asked", "authorization", r.Header.Authorization + "")`: 1,
		`return fmt.Errorf("sign in with %s: %w", in.Password, err)`:       1,
		`log = log.With("key", accessToken)`:                               1,
		`panic(fmt.Sprint("no ", c.databaseURL))`:                          1,
		`return fmt.Errorf("read the token: %w", err)`:                     0,
		`return fmt.Errorf("longer than %d bytes", maxToken)`:              0,
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "canary.go", "package p\nfunc g() {\n"+code+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if _, found := secretsOf(files, "canary.go", file); len(found) != wrong {
			t.Errorf("%s: found %v, want %d", code, found, wrong)
		}
	}
}
