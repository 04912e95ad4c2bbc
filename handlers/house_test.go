package handlers_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers"
	"veinte/handlers/entrance"
	"veinte/handlers/results"
	"veinte/models"
	"veinte/models/addresses"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
	settingsview "veinte/views/settings"
)

// secret opens the results endpoint of a house.
const secret = "s3cret-of-the-door"

// ownAddresses make the own address of each terminal of a house.
var ownAddresses = func() *addresses.Keys {
	keys, err := addresses.New(masterKey)
	if err != nil {
		panic(err)
	}
	return keys
}()

// masterKey is the key of ownAddresses.
const masterKey = "bWFzdGVyLWtleS1vZi10aGUtaG91c2UtMDAwMDAwMDE="

// house is an office with its pages, and with a second store whose affairs are
// none of the first one's business.
type house struct {
	*modelstest.Office
	tb           testing.TB
	app          *fiber.App
	there        *models.Store
	terminal     *models.Terminal // of there
	theirs       *models.Sale     // of there, with a cancellation
	cancellation *models.Cancellation

	provider *provider // of the single sign-on

	whence  *whence // where visitors come from; nil for nowhere in particular
	heardMu sync.Mutex
	heard   map[string]string // secrets, by what each is
}

const (
	theirName   = "Sucursal Ajena del Norte"
	theirAmount = models.Money(987654)
)

// newHouse opens a house; each change may alter what its pages are made of.
func newHouse(tb testing.TB, changes ...func(*handlers.Config)) *house {
	tb.Helper()
	o := modelstest.NewOffice(tb, func(c *wiring.Config) { c.Addresses, c.Address = ownAddresses, "https://veinte.test" })
	return newHouseOf(tb, o, changes...)
}

// newHouseOf opens the house of an office.
func newHouseOf(tb testing.TB, o *modelstest.Office, changes ...func(*handlers.Config)) *house {
	tb.Helper()
	h := &house{Office: o, tb: tb, provider: &provider{}}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	programs := handlers.NewAPI(o.Services, o.Clock, log, "http://veinte.test")
	config := handlers.Config{
		API: programs, Connection: &service{},
		Services: o.Services, Clock: o.Clock, Logger: log, Ready: o.DB.Ready,
		SecurityContacts: []string{"mailto:seguridad@tienda.example"},
		SSO:              entrance.NewSSO(h.provider, "Grupo Veinte"),
		SSOSetup:         &settingsview.SSOSetup{Issuer: issuer, ClientID: "veinte", Callback: "http://veinte.test/login/oidc/callback"},
		TakeResult: results.New(results.Config{
			Secret: secret, Keys: o.Config.Addresses, Receiver: o.Results, Clock: o.Clock, Log: log,
		}).Handle,
	}
	config.Events = handlers.NewEvents(o.Services, log)
	config.Events.Stop() // a stream has no end to wait for
	for _, change := range changes {
		change(&config)
	}
	h.app = handlers.New(config)
	return h
}

// withNeighbours adds the second store: a terminal, a sale, a cancellation under way.
func (h *house) withNeighbours() *house {
	h.tb.Helper()
	ctx := context.Background()
	var err error
	h.there, err = h.Terminals.CreateStore(
		ctx, h.Admin, terminals.StoreInput{Code: "AJENA-9", Name: theirName, TimeZone: "America/Tijuana"},
	)
	h.must(err)
	h.terminal, err = h.Terminals.CreateTerminal(ctx, h.Admin, terminals.Input{
		SerialNumber: "7777777777", Label: "Mostrador ajeno", MerchantID: "MAJENO", StoreID: h.there.ID,
	})
	h.must(err)
	h.theirs = h.SaleAt(h.terminal, theirAmount)
	h.cancellation,
		err = h.Cancellations.Request(ctx, models.Actor{
		UserID: 77, Name: "Gerente Ajeno", Role: models.Manager, StoreIDs: []int64{h.there.ID}, Address: "192.0.2.7", RequestID: "r",
	},
		cancellations.CancelRequest{SaleID: h.theirs.ID, Reason: models.ReasonOther, Note: "nota ajena", Click: "ajeno"})
	h.must(err)
	return h
}

func (h *house) must(err error) {
	h.tb.Helper()
	if err != nil {
		h.tb.Fatal(err)
	}
}

// user adds a person who cannot sign in by password; with no stores, they see
// all.
func (h *house) user(name string, role models.Role, stores ...*models.Store) int64 {
	h.tb.Helper()
	var id int64
	h.must(h.Owner.QueryRow(`INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at, access_until)
		VALUES (lower(replace($1, ' ', '.')) || '@veinte.test', $1, $2, $3, 'none', '', $4,
			CASE WHEN $2 = 'auditor' THEN $4::timestamptz::date + 41 END) RETURNING id`,
		name, string(role), len(stores) == 0, h.Clock.Now()).Scan(&id))
	for _, s := range stores {
		h.exec(`INSERT INTO user_stores (user_id, store_id) VALUES ($1, $2)`, id, s.ID)
	}
	return id
}

// session gives a person a cookie that outlasts the test's day.
func (h *house) session(userID int64) string {
	return h.sessionUntil(userID, h.Clock.Now().Add(48*time.Hour))
}

func (h *house) sessionUntil(userID int64, until time.Time) string {
	h.tb.Helper()
	token := rand.Text()
	sum := sha256.Sum256([]byte(token))
	// Used until its end: tests of what rests sign in.
	h.exec(`INSERT INTO sessions (token_hash, user_id, created_at, expires_at, seen_at, address, user_agent)
		VALUES ($1, $2, $3, $4, $4, '', '')`,
		sum[:], userID, h.Clock.Now(), until)
	return token
}

func (h *house) exec(statement string, args ...any) {
	h.tb.Helper()
	if _, err := h.Owner.Exec(statement, args...); err != nil {
		h.tb.Fatalf("%s: %v", statement, err)
	}
}

// count asks for one number.
func (h *house) count(query string, args ...any) int {
	h.tb.Helper()
	var n int
	if err := h.Owner.QueryRow(query, args...).Scan(&n); err != nil {
		h.tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// text asks for one text.
func (h *house) text(query string, args ...any) string {
	h.tb.Helper()
	var s string
	if err := h.Owner.QueryRow(query, args...).Scan(&s); err != nil {
		h.tb.Fatalf("%s: %v", query, err)
	}
	return s
}

// manager is a browser of somebody who works in the first store.
func (h *house) manager() *visitor { return h.as(h.user("Marta Gerente", models.Manager, h.Store)) }

// supervisor is a browser of somebody who looks after every store.
func (h *house) supervisor() *visitor { return h.as(h.user("Sara Supervisora", models.Supervisor)) }

// administrator is a browser of somebody who keeps the map.
func (h *house) administrator() *visitor { return h.as(h.user("Ada Administra", models.Administrator)) }

// as is a browser in which the person is signed in.
func (h *house) as(userID int64) *visitor {
	h.tb.Helper()
	v := h.visitor()
	v.id = userID
	v.jar["veinte_session"] = h.session(userID)
	return v
}

// visitor is a browser in which nobody is signed in.
func (h *house) visitor() *visitor {
	return &visitor{h: h, language: "es-MX", jar: map[string]string{}}
}
