package web

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// mayImport is the direction of imports: a folder, and what of ours and of
// others it may know. The longest folder that fits decides. Tests are held to
// the same table, but for what only tests need.
var mayImport = []struct {
	folder string
	ours   []string
	others []string
}{
	{"migrations", nil, []string{"github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/riverqueue/river"}},
	{"static", nil, nil},
	{"models", []string{"models/crashpoint", "models/odds", "models/table", "models/trail"}, []string{"github.com/alexedwards/argon2id", "github.com/jackc/pgx/v5", "golang.org/x/mod", "gorm.io/gorm", "gorm.io/driver/postgres"}},
	{"models/crashpoint", nil, nil},
	{"models/odds", nil, nil},
	{"models/table", nil, []string{"golang.org/x/text"}},
	{"models/localpg", nil, []string{"golang.org/x/sys"}},
	{"models/trail", nil, []string{"golang.org/x/mod"}},
	{"models/modelstest", []string{"models", "models/localpg", "models/trail", "migrations"}, []string{"github.com/jackc/pgx/v5"}},
	{"views", []string{
		"models", "static", "views/audit", "views/entrance", "views/exchange", "views/export", "views/gallery", "views/locale", "views/oversight",
		"views/places", "views/sales", "views/samples", "views/settings", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ", "golang.org/x/text"}},
	{"views/ui", []string{"models", "static", "views/locale"}, []string{"github.com/a-h/templ"}},
	{"views/words", []string{"models", "views/locale", "views/ui"}, []string{"github.com/a-h/templ"}},
	{"views/sales", []string{"models", "static", "views/locale", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/oversight", []string{"models", "static", "views/locale", "views/sales", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/exchange", []string{"models", "views/locale", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/export", []string{"models", "views/exchange", "views/locale", "views/oversight", "views/ui", "views/words"}, nil},
	{"views/audit", []string{"models", "views/export", "views/locale", "views/sales", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/places", []string{"models", "views/exchange", "views/locale", "views/sales", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/settings", []string{"models", "views/audit", "views/locale", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/entrance", []string{"models", "static", "views/locale", "views/ui", "views/words"}, []string{"github.com/a-h/templ"}},
	{"views/samples", []string{
		"models", "views/audit", "views/entrance", "views/exchange", "views/export", "views/locale", "views/oversight",
		"views/places", "views/sales", "views/settings", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/gallery", []string{
		"models", "static", "views/audit", "views/entrance", "views/exchange", "views/locale", "views/oversight",
		"views/places", "views/sales", "views/samples", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/locale", nil, []string{"github.com/nicksnyder/go-i18n/v2", "golang.org/x/text"}},
	{"handlers/api", []string{
		"models", "models/apikeys", "models/audit", "models/audit/sealing", "models/audit/verify", "models/cancellations", "models/cards",
		"models/database", "models/intake", "models/rules", "models/sales", "models/terminals", "views/exchange", "views/locale",
	}, []string{"github.com/danielgtaylor/huma/v2", "github.com/gofiber/fiber/v2"}},
	{"handlers/results", []string{"models", "models/cards"}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/kit", []string{
		"handlers/api", "models", "models/audit", "models/audit/export", "models/cards", "models/database", "models/goroutine",
		"models/imports", "models/operations", "models/rules", "models/terminals", "views/locale", "views/ui",
	}, []string{"github.com/a-h/templ", "github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/sales", []string{
		"handlers/kit", "models", "models/cancellations", "models/cards", "models/intake", "models/rules", "models/sales",
		"models/savedviews", "views/locale", "views/sales", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/oversight", []string{
		"handlers/kit", "models", "models/alerts", "models/cancellations", "models/closings", "models/oversight", "models/rules",
		"views/export", "views/locale", "views/oversight", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/audit", []string{
		"handlers/kit", "models", "models/accounts", "models/audit", "models/audit/export", "models/audit/sealing", "models/audit/verify",
		"models/rules", "models/sales", "models/savedviews", "views/audit", "views/export", "views/sales", "views/ui", "views/words",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/exchange", []string{
		"handlers/api", "handlers/kit", "models", "models/apikeys", "models/audit/export", "models/imports", "models/reconciliation",
		"models/reconciliation/report", "models/results", "models/webhooks", "views/exchange", "views/export", "views/locale", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/places", []string{
		"handlers/kit", "models", "models/terminals", "views/places", "views/sales", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/settings", []string{
		"handlers/kit", "models", "models/accounts", "models/cancellations", "models/operations", "models/rules", "views/settings",
		"views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/entrance", []string{
		"handlers/kit", "models", "models/accounts", "models/operations", "views/entrance", "views/locale", "views/sales", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers", []string{
		"handlers/api", "handlers/audit", "handlers/entrance", "handlers/exchange", "handlers/kit", "handlers/oversight",
		"handlers/places", "handlers/sales", "handlers/settings", "models", "models/audit/export", "models/database", "models/operations",
		"models/sales", "models/wiring", "static", "views/entrance", "views/gallery", "views/settings", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"web/cancelapi", []string{"models", "models/crashpoint"}, []string{"golang.org/x/oauth2"}},
	{"web/deliver", []string{"models"}, nil},
	{"web/mail", []string{"models"}, []string{"github.com/wneessen/go-mail"}},
	{"web/jobs", []string{"models"}, []string{"github.com/jackc/pgx/v5", "github.com/riverqueue/river"}},
	{"web/sandbox", nil, nil},
	{"web/veinte", []string{"web"}, nil},
	// The laboratory tries the program from outside; its module says what else it needs.
	{"web/lab", []string{"migrations", "models", "models/localpg", "web/lab/trace"}, []string{"github.com/jackc/pgx/v5"}},
	{"web/lab/bench", []string{"models", "models/localpg", "models/trail", "web/lab"}, []string{
		"github.com/alecthomas/kong", "github.com/jackc/pgx/v5", "github.com/valyala/fasthttp",
	}},
	{"web/lab/chaos", []string{"web/lab"}, nil},
	{"web/lab/chaos/network", nil, []string{"github.com/Shopify/toxiproxy/v2", "github.com/rs/zerolog"}},
	{"web/lab/e2e", []string{"web/lab"}, []string{"github.com/chromedp"}},
	{"web/lab/lifemodel", nil, nil},
	{"web/lab/trace", nil, []string{"github.com/jackc/pgx/v5"}},
	{"web", []string{"handlers", "handlers/api", "migrations", "models", "models/localpg", "models/trail", "views", "views/locale", "web/cancelapi", "web/deliver", "web/jobs", "web/mail", "web/results", "web/sandbox"}, []string{
		"github.com/alecthomas/kong", "github.com/gofiber/fiber/v2", "github.com/jackc/pgx/v5",
		"github.com/prometheus/client_golang", "github.com/valyala/fasthttp", "golang.org/x/mod",
	}},
}

// testsAlso is what tests may know besides.
var testsAlso = []string{
	"veinte", "github.com/google/go-cmp", "pgregory.net/rapid", "go.uber.org/goleak",
	"github.com/jackc/pgx/v5", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/xuri/excelize/v2", "golang.org/x/mod", "golang.org/x/net", "golang.org/x/text",
}

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files++
			checkImports(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("looked at %d files, want the whole tree", files)
	}
}

func checkImports(t *testing.T, path string) {
	t.Helper()
	folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
	at := -1
	for i, row := range mayImport {
		if folder == row.folder || strings.HasPrefix(folder, row.folder+"/") {
			if at < 0 || len(row.folder) > len(mayImport[at].folder) {
				at = i
			}
		}
	}
	if at < 0 {
		t.Errorf("%s: the table of imports does not name this folder", path)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Errorf("parse %s: %v", path, err)
		return
	}
	row := mayImport[at]
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if under(name, []string{"veinte/web/lab"}) && folder != "web/lab" && !strings.HasPrefix(folder, "web/lab/") {
			t.Errorf("%s imports %s: the product must not know the laboratory", path, name)
		}
		if !allowed(name, row.ours, row.others, strings.HasSuffix(path, "_test.go")) {
			t.Errorf("%s imports %s: %s must not know it", path, name, row.folder)
		}
	}
}

func allowed(name string, ours, others []string, test bool) bool {
	first, _, _ := strings.Cut(name, "/")
	if first != "veinte" && !strings.Contains(first, ".") {
		return true // the standard library
	}
	if test && under(name, testsAlso) {
		return true
	}
	if rest, ok := strings.CutPrefix(name, "veinte/"); ok {
		for _, o := range ours {
			if rest == o {
				return true
			}
		}
		return false
	}
	return under(name, others)
}

func under(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if name == p || strings.HasPrefix(name, p+"/") {
			return true
		}
	}
	return false
}

// What only tries the program from outside is in the laboratory's module, web/lab.
func TestTheProductNeedsNothingOfTheLaboratory(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Require {
		for _, name := range []string{"toxiproxy", "zerolog", "chromedp", "cdproto", "veinte/"} {
			if strings.Contains(r.Mod.Path, name) {
				t.Errorf("go.mod requires %s, which only the laboratory needs", r.Mod.Path)
			}
		}
	}
	if len(f.Require) < 20 {
		t.Errorf("looked at %d requirements, want all of them", len(f.Require))
	}
}
