package web

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// row is a folder with its permitted imports, ours and others'.
type row struct {
	folder string
	ours   []string
	others []string
}

// mayImport is the direction of imports: a row may import only rows above it. The
// longest matching folder decides. Tests may import all of ours, and packages that
// only tests need.
var mayImport = []row{
	{"migrations", nil, []string{"github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/riverqueue/river"}},
	{"static", nil, nil},

	// Packages that any package may use.
	{"models/goroutine", nil, nil},
	{"models/crashpoint", nil, nil},
	{"models/cards", nil, nil},
	{"models/modelstest/cardstest", nil, nil},
	{"models/modelstest/mutated", nil, nil},
	{"models/modelstest/roundtrips", nil, []string{"github.com/jackc/pgx/v5"}},
	{"models/stats", nil, nil},
	{"models/secretbox", nil, nil},
	{"models/privatefile", nil, nil},
	{"models/table", []string{"models/cards"}, []string{"golang.org/x/text"}},
	{"models/audit/trailfile/notes", nil, nil},
	{"models/audit/trailfile/jsontext", nil, nil},
	{"models/audit/trailfile/cosign", []string{"models/audit/trailfile/notes"}, []string{"golang.org/x/mod"}},
	{"models/audit/trailfile/stamp", []string{"models/audit/trailfile/notes"}, nil},
	{"models/audit/trailfile/stamp/stamptest", nil, nil},
	{"models/audit/trailfile/strangers", []string{
		"models/audit/trailfile/cosign", "models/audit/trailfile/notes", "models/audit/trailfile/stamp",
	}, nil},
	{"models/audit/trailfile", []string{
		"models/goroutine", "models/audit/trailfile/jsontext", "models/audit/trailfile/notes", "models/audit/trailfile/strangers",
		"models/privatefile",
	}, []string{"golang.org/x/mod"}},
	{"models/audit/trailfile/exportnote", []string{"models/audit/trailfile", "models/audit/trailfile/notes"}, []string{"golang.org/x/mod"}},
	{"models/audit/witness", []string{
		"models/audit/trailfile", "models/audit/trailfile/cosign", "models/audit/trailfile/notes",
	}, []string{"golang.org/x/mod"}},
	{"models/audit/witness/witnesstest", []string{
		"models/audit/trailfile", "models/audit/trailfile/cosign", "models/audit/trailfile/notes", "models/audit/witness",
	}, []string{"golang.org/x/mod"}},
	{"models/localpg", []string{"models/goroutine"}, nil},

	// The vocabulary, and the packages of the nouns.
	{"models", []string{"models/cards"}, nil},
	{"models/addresses", []string{"models", "models/privatefile"}, nil},
	{"models/database", []string{
		"models", "models/goroutine",
	}, []string{"github.com/jackc/pgx/v5", "gorm.io/driver/postgres", "gorm.io/gorm"}},
	{"models/audit", []string{"models", "models/cards", "models/database"}, []string{"github.com/jackc/pgx/v5"}},
	{"models/audit/sealing", []string{
		"models", "models/audit", "models/database", "models/audit/trailfile", "models/audit/trailfile/exportnote",
		"models/audit/trailfile/notes",
	}, []string{"github.com/jackc/pgx/v5", "golang.org/x/mod"}},
	{"models/audit/attest", []string{
		"models", "models/audit", "models/audit/sealing", "models/audit/trailfile", "models/audit/trailfile/cosign",
		"models/audit/trailfile/notes", "models/audit/trailfile/stamp", "models/audit/witness", "models/database", "models/goroutine",
	}, []string{"golang.org/x/mod"}},
	{"models/audit/verify", []string{
		"models", "models/audit", "models/audit/attest", "models/audit/sealing", "models/database", "models/goroutine",
		"models/audit/trailfile", "models/audit/trailfile/jsontext", "models/audit/trailfile/notes",
	}, []string{"github.com/jackc/pgx/v5", "golang.org/x/mod", "gorm.io/gorm"}},
	{"models/audit/export", []string{
		"models", "models/audit", "models/audit/attest", "models/audit/sealing", "models/database", "models/goroutine", "models/audit/trailfile",
		"models/audit/trailfile/exportnote", "models/audit/verify",
	}, []string{"github.com/jackc/pgx/v5", "golang.org/x/mod", "gorm.io/gorm"}},
	{"models/audit/archive", []string{
		"models", "models/audit", "models/audit/export", "models/audit/sealing", "models/audit/verify", "models/database",
		"models/audit/trailfile",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/accounts/passwords", nil, []string{"github.com/alexedwards/argon2id", "golang.org/x/text"}},
	{"models/accounts/sso", []string{"models", "models/database"}, nil},
	{"models/accounts/proposals", []string{"models", "models/audit", "models/database"}, nil},
	{"models/accounts", []string{
		"models", "models/accounts/passwords", "models/accounts/proposals", "models/accounts/sso", "models/audit", "models/database",
	}, nil},
	{"models/entrance/factors", []string{"models", "models/database", "models/secretbox"}, []string{"github.com/pquerna/otp"}},
	{"models/entrance/passkeys", []string{"models", "models/database"}, []string{"github.com/go-webauthn/webauthn"}},
	{"models/entrance", []string{
		"models", "models/accounts", "models/accounts/passwords", "models/accounts/proposals", "models/accounts/sso", "models/audit",
		"models/database", "models/entrance/factors", "models/entrance/passkeys", "models/secretbox",
	}, nil},
	{"models/counters", []string{
		"models", "models/accounts", "models/accounts/passwords", "models/audit", "models/database", "models/entrance",
	}, nil},
	{"models/apikeys", []string{
		"models", "models/accounts", "models/accounts/proposals", "models/audit", "models/database", "models/goroutine",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/traceability", []string{"models", "models/cards"}, nil},
	{"models/terminals", []string{
		"models", "models/addresses", "models/audit", "models/database", "models/traceability",
	}, []string{"github.com/jackc/pgx/v5", "gorm.io/gorm"}},
	{"models/rules", []string{"models", "models/audit", "models/cards", "models/database"}, []string{"gorm.io/gorm"}},
	{"models/webhooks", []string{"models", "models/audit", "models/database", "models/secretbox"}, []string{"gorm.io/gorm"}},
	{"models/sales", []string{
		"models", "models/audit", "models/audit/export", "models/cards", "models/database", "models/stats", "models/terminals",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/changes", []string{"models", "models/database", "models/sales"}, []string{"github.com/jackc/pgx/v5"}},
	{"models/evidence", []string{"models"}, nil},
	{"models/clocks", []string{"models", "models/audit", "models/crashpoint", "models/database"}, nil},
	{"models/lineage", []string{"models", "models/audit", "models/database"}, nil},
	{"models/cancellations", []string{
		"models", "models/audit", "models/cards", "models/clocks", "models/crashpoint", "models/database", "models/evidence",
		"models/lineage", "models/rules",
		"models/terminals", "models/traceability", "models/webhooks",
	}, []string{"gorm.io/gorm"}},
	{"models/bulk", []string{"models", "models/audit", "models/cancellations", "models/database", "models/terminals"}, nil},
	{"models/notices", []string{"models", "models/audit", "models/cancellations", "models/database"}, nil},
	{"models/intake", []string{
		"models", "models/audit", "models/cards", "models/database", "models/goroutine", "models/sales", "models/terminals",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/results", []string{
		"models", "models/audit", "models/cancellations", "models/crashpoint", "models/database", "models/evidence",
		"models/goroutine", "models/intake", "models/webhooks",
	}, []string{"github.com/jackc/pgx/v5", "gorm.io/gorm"}},
	{"models/imports", []string{
		"models", "models/audit", "models/cards", "models/database", "models/intake", "models/sales", "models/table",
	}, []string{"github.com/jackc/pgx/v5", "gorm.io/gorm"}},
	{"models/reconciliation/report", []string{"models", "models/cards", "models/intake", "models/table"}, nil},
	{"models/reconciliation", []string{
		"models", "models/audit", "models/cancellations", "models/database", "models/evidence", "models/reconciliation/report",
	}, []string{"gorm.io/gorm"}},
	{"models/closings", []string{
		"models", "models/audit", "models/clocks", "models/database", "models/imports", "models/webhooks",
	}, nil},
	{"models/oversight", []string{
		"models", "models/audit", "models/database", "models/stats", "models/sales", "models/terminals",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/alerts", []string{
		"models", "models/accounts", "models/audit", "models/audit/sealing", "models/audit/verify", "models/database", "models/intake",
		"models/rules", "models/webhooks",
	}, nil},
	{"models/review", []string{
		"models", "models/alerts", "models/audit", "models/cancellations", "models/database", "models/oversight",
		"models/reconciliation", "models/sales", "models/terminals",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/savedviews", []string{"models", "models/audit", "models/database", "models/sales"}, []string{"gorm.io/gorm"}},
	{"models/operations", []string{
		"models", "models/audit", "models/audit/sealing", "models/clocks", "models/database", "models/lineage", "models/rules",
		"models/webhooks",
	}, nil},
	// Above all that it compares, so that none of it can lean on its own judge.
	{"models/audit/compare", []string{
		"models", "models/audit", "models/audit/sealing", "models/database",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"models/wiring", []string{
		"models/changes",
		"models", "models/accounts", "models/accounts/proposals",
		"models/addresses", "models/alerts", "models/apikeys", "models/audit", "models/audit/attest", "models/audit/compare",
		"models/audit/export", "models/audit/sealing", "models/audit/verify", "models/bulk", "models/cancellations",
		"models/clocks", "models/closings", "models/counters", "models/database",
		"models/entrance", "models/imports", "models/intake", "models/lineage", "models/notices", "models/operations", "models/oversight",
		"models/reconciliation", "models/results", "models/review", "models/rules", "models/sales", "models/savedviews",
		"models/secretbox", "models/terminals", "models/webhooks",
	}, nil},
	{"models/modelstest", []string{
		"migrations", "models", "models/accounts", "models/alerts", "models/apikeys", "models/audit/sealing", "models/audit/trailfile",
		"models/audit/verify", "models/cancellations", "models/closings", "models/database", "models/imports", "models/intake",
		"models/localpg", "models/oversight", "models/review", "models/rules", "models/secretbox", "models/terminals",
		"models/webhooks", "models/wiring",
	}, []string{
		"github.com/google/go-cmp", "github.com/jackc/pgx/v5", "golang.org/x/mod",
	}},
	{"models/modelstest/rows", []string{"models/modelstest"}, nil},

	{"views/locale", nil, []string{"golang.org/x/text"}},
	{"views/ui", []string{
		"models", "models/audit/sealing", "models/clocks", "models/operations", "models/review", "static",
		"views/locale",
	}, []string{"github.com/a-h/templ"}},
	{"views/seal", []string{"views/locale", "views/ui"}, []string{"github.com/a-h/templ", "rsc.io/qr"}},
	{"views/words", []string{
		"models", "models/accounts/proposals", "models/alerts", "models/audit", "models/reconciliation", "models/sales",
		"models/terminals", "views/locale", "views/ui",
	}, []string{"github.com/a-h/templ"}},
	{"views/sales", []string{
		"models", "models/bulk", "models/audit/compare", "models/cancellations", "models/evidence", "models/intake", "models/notices",
		"models/operations", "models/review", "models/rules", "models/sales", "models/savedviews", "static",
		"views/locale", "views/seal", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/oversight", []string{
		"models", "models/accounts", "models/alerts", "models/audit",
		"models/audit/compare", "models/closings", "models/oversight", "models/review",
		"models/sales", "static", "views/locale", "views/sales", "views/seal", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/today", []string{
		"models", "models/review", "models/sales", "static", "views/locale", "views/oversight", "views/sales", "views/ui",
	}, []string{"github.com/a-h/templ"}},
	{"views/exchange", []string{
		"models", "models/accounts/proposals",
		"models/apikeys", "models/imports", "models/reconciliation", "models/reconciliation/report", "models/results",
		"models/secretbox", "models/webhooks", "views/locale", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/export", []string{
		"models", "models/audit", "models/audit/export", "models/audit/sealing", "models/closings", "models/imports", "models/oversight",
		"models/audit/verify", "models/reconciliation", "models/sales", "models/terminals", "views/exchange", "views/locale", "views/oversight",
		"views/ui", "views/words",
	}, []string{"github.com/klauspost/compress"}},
	{"views/verifier", []string{"views/locale"}, nil},
	{"views/audit", []string{
		"models", "models/alerts", "models/audit", "models/audit/attest", "models/audit/compare", "models/audit/export", "models/audit/sealing",
		"models/audit/verify", "models/sales",
		"models/savedviews", "static", "views/export", "views/locale", "views/sales", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/places", []string{
		"models", "models/accounts", "models/results", "models/sales", "models/terminals", "models/traceability", "views/exchange",
		"views/locale", "views/seal", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ", "rsc.io/qr"}},
	{"views/settings", []string{
		"models", "models/accounts", "models/accounts/proposals", "models/accounts/sso", "models/entrance/factors", "models/operations",
		"models/rules", "views/audit", "views/locale", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/entrance", []string{
		"models", "models/accounts", "models/counters", "models/entrance", "models/entrance/passkeys", "static",
		"views/locale", "views/places", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/samples", []string{
		"models", "models/accounts", "models/accounts/proposals", "models/audit/attest", "models/audit/compare",
		"models/accounts/sso", "models/alerts", "models/apikeys", "models/audit", "models/entrance",
		"models/entrance/factors", "models/entrance/passkeys",
		"models/audit/export", "models/audit/sealing",
		"models/audit/verify", "models/bulk", "models/cancellations", "models/closings", "models/counters",
		"models/database", "models/imports", "models/intake",
		"models/notices", "models/operations", "models/oversight", "models/reconciliation", "models/reconciliation/report", "models/results",
		"models/review", "models/rules", "models/sales", "models/savedviews", "models/terminals", "models/webhooks",
		"views/audit", "views/entrance", "views/exchange", "views/export", "views/oversight", "views/places",
		"views/sales", "views/settings", "views/today", "views/seal", "views/ui", "views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views/gallery", []string{
		"models", "models/apikeys", "models/audit/sealing", "models/clocks", "models/database", "models/entrance", "models/imports",
		"models/lineage", "models/notices", "models/operations", "models/oversight", "models/review", "models/rules", "models/sales",
		"static", "views/audit", "views/entrance",
		"views/exchange", "views/locale", "views/oversight", "views/places", "views/sales", "views/samples", "views/ui",
		"views/words",
	}, []string{"github.com/a-h/templ"}},
	{"views", nil, []string{"github.com/a-h/templ"}},

	{"handlers/pace", nil, nil},
	{"handlers/api/scan", nil, nil},
	{"handlers/api/shapes", nil, nil},
	{"handlers/api/headers", nil, []string{"github.com/danielgtaylor/huma/v2", "github.com/gofiber/fiber/v2"}},
	{"handlers/api/events", []string{"handlers/api/shapes", "models", "models/webhooks"}, []string{"github.com/danielgtaylor/huma/v2"}},
	{"handlers/api/reference", []string{"models/apikeys", "views/exchange", "views/locale"}, []string{"github.com/danielgtaylor/huma/v2"}},
	{"handlers/client", nil, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/results", []string{
		"handlers/client", "handlers/pace", "models", "models/addresses", "models/cards",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/api", []string{
		"handlers/api/events", "handlers/api/headers", "handlers/api/reference", "handlers/api/scan", "handlers/api/shapes", "handlers/pace",
		"models", "models/apikeys", "models/audit", "models/audit/sealing", "models/audit/trailfile", "models/audit/verify",
		"models/cancellations",
		"models/cards", "models/changes", "models/database", "models/intake", "models/rules", "models/sales", "models/terminals",
		"views/exchange", "views/locale",
	}, []string{
		"github.com/danielgtaylor/huma/v2", "github.com/gofiber/fiber/v2", "golang.org/x/mod",
	}},
	{"handlers/kit", []string{
		"handlers/api", "handlers/client", "models", "models/audit", "models/audit/export", "models/cards", "models/database",
		"models/entrance", "models/goroutine", "models/imports", "models/operations", "models/rules", "models/terminals", "views/locale",
		"views/ui",
	}, []string{"github.com/a-h/templ", "github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/sales", []string{
		"handlers/kit", "models", "models/bulk",
		"models/audit/compare", "models/cancellations", "models/cards", "models/intake", "models/notices",
		"models/database", "models/review", "models/rules",
		"models/sales", "models/savedviews", "views/locale", "views/sales", "views/seal", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/oversight", []string{
		"handlers/kit", "models", "models/alerts", "models/audit/compare", "models/closings", "models/oversight", "models/review",
		"views/export", "views/locale", "views/oversight", "views/seal", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/audit", []string{
		"handlers/kit", "models", "models/alerts", "models/audit",
		"models/audit/attest", "models/audit/compare", "models/audit/export", "models/audit/sealing", "models/audit/verify",
		"models/database", "models/sales", "models/savedviews", "views/audit", "views/export", "views/sales", "views/ui", "views/verifier",
		"views/words",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/exchange", []string{
		"handlers/api", "handlers/kit", "models", "models/accounts/proposals",
		"models/apikeys", "models/audit/export", "models/imports", "models/reconciliation",
		"models/reconciliation/report", "models/results", "models/webhooks", "views/exchange", "views/export", "views/locale", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/places", []string{
		"handlers/kit", "models", "models/accounts", "models/database", "models/sales", "models/terminals", "views/export",
		"views/places", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp"}},
	{"handlers/settings", []string{
		"handlers/kit", "models", "models/accounts", "models/accounts/proposals", "models/accounts/sso", "models/audit",
		"models/database", "models/entrance",
		"models/entrance/factors", "models/operations", "models/rules", "views/settings", "views/ui", "views/words",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/today", []string{
		"handlers/kit", "models", "models/accounts/proposals", "models/apikeys", "models/database", "models/operations", "models/review",
		"models/sales", "models/terminals", "views/sales", "views/today",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers/entrance", []string{
		"handlers/kit", "handlers/pace", "models", "models/accounts", "models/accounts/sso", "models/counters", "models/entrance",
		"models/entrance/passkeys", "models/operations", "views/entrance",
		"views/locale", "views/sales", "views/ui",
	}, []string{"github.com/gofiber/fiber/v2"}},
	{"handlers", []string{
		"handlers/api", "handlers/audit", "handlers/entrance", "handlers/exchange", "handlers/kit", "handlers/oversight",
		"handlers/places", "handlers/sales", "handlers/settings", "handlers/today", "models", "models/audit/export", "models/database",
		"models/operations", "models/sales", "models/wiring", "static", "views/entrance", "views/settings", "views/seal",
		"models/audit/sealing", "views/ui",
	}, []string{"github.com/a-h/templ", "github.com/gofiber/fiber/v2", "github.com/valyala/fasthttp", "go.opentelemetry.io/otel"}},

	{"web/tunnel", nil, nil},
	{"web/till", []string{"models", "models/apikeys", "models/sales", "models/wiring"}, nil},
	{"web/cancelapi", []string{
		"models", "models/crashpoint", "models/goroutine", "models/operations", "models/traceability", "web/tunnel",
	}, []string{"golang.org/x/oauth2"}},
	{"web/deliver", []string{"models", "models/webhooks", "web/tunnel"}, nil},
	{"web/oidc", []string{"models"}, []string{"github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"}},
	{"web/metrics", []string{
		"handlers/results", "models", "models/audit/attest", "models/audit/sealing", "models/database", "models/goroutine", "models/operations",
		"models/terminals", "models/webhooks", "models/wiring",
	}, []string{"github.com/prometheus/client_golang"}},
	{"web/mail", []string{"models", "models/alerts"}, []string{"github.com/wneessen/go-mail"}},
	{"web/tracing", []string{"models"}, []string{"github.com/exaring/otelpgx", "github.com/jackc/pgx/v5", "go.opentelemetry.io/otel"}},
	{"web/jobs", []string{
		"models", "models/alerts", "models/database", "models/goroutine", "models/webhooks",
	}, []string{"github.com/jackc/pgx/v5", "github.com/riverqueue/river"}},
	{"web/sandbox", nil, nil},
	{"web/commands", []string{
		"models", "models/accounts", "models/apikeys", "models/audit", "models/audit/archive", "models/audit/attest", "models/audit/compare",
		"models/audit/export",
		"models/audit/sealing", "models/audit/verify", "models/database", "models/goroutine", "models/imports", "models/audit/trailfile",
		"models/audit/trailfile/cosign", "models/audit/trailfile/exportnote", "models/audit/trailfile/notes",
		"models/audit/trailfile/strangers", "models/audit/witness", "models/privatefile",
		"models/wiring", "views/exchange", "views/export", "views/locale", "views/verifier",
	}, []string{"github.com/alecthomas/kong", "golang.org/x/mod"}},
	{"web/deploy", nil, nil},
	{"web/setup", []string{
		"models/audit/trailfile", "models/goroutine", "models/privatefile", "web/commands", "web/deploy",
	}, []string{"github.com/jackc/pgx/v5", "golang.org/x/term"}},
	{"web/backup", []string{
		"models", "models/audit/attest", "models/audit/sealing", "models/audit/trailfile", "models/audit/verify", "models/database",
		"models/lineage", "models/wiring", "views/locale", "web/commands", "web/deploy", "web/setup",
	}, []string{"github.com/alecthomas/kong", "github.com/jackc/pgx/v5", "golang.org/x/mod"}},
	{"web", []string{
		"handlers", "handlers/entrance", "handlers/results", "migrations", "models", "models/accounts", "models/addresses", "models/alerts",
		"models/audit/attest", "models/audit/sealing", "models/clocks", "models/database", "models/goroutine",
		"models/localpg", "models/operations",
		"models/reconciliation/report", "models/rules", "models/sales", "models/secretbox", "models/terminals",
		"models/audit/trailfile", "models/webhooks", "models/wiring", "views/entrance", "views/gallery", "views/locale", "views/oversight",
		"views/settings", "web/backup", "web/cancelapi", "web/commands", "web/deliver", "web/jobs", "web/mail", "web/metrics", "web/oidc",
		"web/sandbox", "web/setup", "web/till", "web/tracing", "web/tunnel",
	}, []string{
		"github.com/alecthomas/kong", "github.com/gofiber/fiber/v2", "github.com/jackc/pgx/v5",
	}},
	{"web/veinte", []string{"web"}, nil},

	// The laboratory tests the program from outside; its module lists its other
	// dependencies.
	{"web/lab/trace", nil, []string{"github.com/jackc/pgx/v5"}},
	{"web/lab", []string{
		"migrations", "models", "models/accounts", "models/database", "models/localpg", "models/terminals", "models/wiring",
		"web/lab/trace",
	}, []string{"github.com/jackc/pgx/v5"}},
	{"web/lab/attack", []string{
		"models", "models/accounts", "models/apikeys", "models/database", "models/wiring", "web/lab",
	}, []string{"github.com/valyala/fasthttp"}},
	{"web/lab/upgrade", []string{"models/localpg", "web/lab"}, []string{"github.com/jackc/pgx/v5"}},
	{"web/lab/soak", []string{"models/audit/trailfile", "web/lab"}, []string{"github.com/jackc/pgx/v5", "github.com/prometheus/common"}},
	{"web/lab/pointintime", nil, nil},
	{"web/lab/provider", nil, []string{"github.com/go-jose/go-jose/v4", "github.com/zitadel/oidc/v3"}},
	{"web/lab/sso", []string{"models", "models/accounts", "web/lab"}, nil},
	{"web/lab/canary", nil, nil},
	// What the product is measured by knows nothing of it.
	{yardstick, nil, []string{
		"github.com/a-h/templ", "github.com/gofiber/fiber/v2", "github.com/jackc/pgx/v5", "github.com/valyala/fasthttp", "gorm.io",
	}},
	{"web/lab/bench", nil, nil},
	{"web/lab/chaos", []string{"web/lab"}, nil},
	{"web/lab/chaos/network", nil, []string{"github.com/Shopify/toxiproxy/v2", "github.com/rs/zerolog"}},
	{"web/lab/failover", nil, []string{"github.com/Shopify/toxiproxy/v2", "github.com/rs/zerolog"}},
	{"web/lab/e2e", nil, []string{"github.com/chromedp", "github.com/makiuchi-d/gozxing"}},
	{"web/lab/lifemodel", nil, nil},
	{"web/lab/witness", nil, []string{"golang.org/x/crypto", "zombiezen.com/go/sqlite"}},
}

// yardstick is written as anybody would, with gorm in a handler.
const yardstick = "web/lab/bench/yardstick"

// testsAlso is what tests may import besides.
var testsAlso = []string{
	"github.com/valyala/fasthttp",
	"veinte", "github.com/prometheus/client_golang", "github.com/google/go-cmp", "pgregory.net/rapid", "go.uber.org/goleak",
	"github.com/jackc/pgx/v5", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/xuri/excelize/v2",
	"golang.org/x/mod", "golang.org/x/net", "golang.org/x/text", "github.com/pquerna/otp", "github.com/descope/virtualwebauthn",
	"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf",
}

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	files, used := 0, map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files++
			checkImports(t, path, used)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("checked %d files, want the whole tree", files)
	}
	for _, r := range mayImport {
		for _, name := range slices.Concat(r.ours, r.others) {
			if !used[r.folder+" "+name] {
				t.Errorf("%s may know %s, and does not: take it out of the table", r.folder, name)
			}
		}
	}
}

// TestRoomsKnowOnlyWhatStandsBeforeThem checks the table itself.
func TestRoomsKnowOnlyWhatStandsBeforeThem(t *testing.T) {
	t.Parallel()
	for _, wrong := range pointUpwards(mayImport) {
		t.Error(wrong)
	}
	canaries := []row{{"models/sales", []string{"models/cancellations"}, nil}, {"models/cancellations", nil, nil}}
	if got := pointUpwards(canaries); len(got) != 1 {
		t.Errorf("a room that knows what stands behind it: found %q, want one", got)
	}
	canaries = []row{{"views/sales", nil, []string{"gorm.io/gorm"}}, {"models/sales", nil, []string{"github.com/gofiber/fiber/v2"}}}
	if got := pointUpwards(canaries); len(got) != 2 {
		t.Errorf("gorm above models and fiber below handlers: found %q, want two", got)
	}
}

// pointUpwards returns a table's mistakes: imports of later rows, gorm above models,
// and fiber below handlers.
func pointUpwards(table []row) (wrong []string) {
	before := map[string]bool{}
	for _, r := range table {
		for _, name := range r.ours {
			if !before[name] {
				wrong = append(wrong, r.folder+" knows "+name+", which does not stand before it")
			}
		}
		for _, name := range r.others {
			if under(name, []string{"gorm.io"}) && !under(r.folder, []string{"models", yardstick}) {
				wrong = append(wrong, r.folder+" knows gorm, which is for models alone")
			}
			if under(name, []string{"github.com/gofiber"}) && !under(r.folder, []string{"handlers", yardstick}) && r.folder != "web" {
				wrong = append(wrong, r.folder+" knows fiber, which is for handlers and web alone")
			}
		}
		before[r.folder] = true
	}
	return wrong
}

// checkImports checks one file, and records which permissions it uses.
func checkImports(t *testing.T, path string, used map[string]bool) {
	t.Helper()
	folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
	var of *row
	for i, r := range mayImport {
		if under(folder, []string{r.folder}) && (of == nil || len(r.folder) > len(of.folder)) {
			of = &mayImport[i]
		}
	}
	if of == nil {
		t.Errorf("%s: the table of imports does not name this folder", path)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Errorf("parse %s: %v", path, err)
		return
	}
	test := strings.HasSuffix(path, "_test.go")
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if under(name, []string{"veinte/web/lab"}) && !under(folder, []string{"web/lab"}) {
			t.Errorf("%s imports %s: the product must not know the laboratory", path, name)
		}
		if !allowed(name, of.ours, of.others, test) {
			t.Errorf("%s imports %s: %s must not know it", path, name, of.folder)
		}
		if rest, ok := strings.CutPrefix(name, "veinte/"); ok && !test {
			used[of.folder+" "+rest] = true
		}
		for _, other := range of.others {
			if under(name, []string{other}) {
				used[of.folder+" "+other] = true
			}
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

// Packages that only test the program from outside are in the laboratory's module,
// web/lab.
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
		t.Errorf("checked %d requirements, want all of them", len(f.Require))
	}
}
