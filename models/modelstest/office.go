package modelstest

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/secretbox"
	"veinte/models/terminals"
	"veinte/models/webhooks"
	"veinte/models/wiring"
)

// Office is a back office at noon in Mexico City: a store with a terminal, its
// people, a service with programmed replies, and tasks that wait to be run.
type Office struct {
	tb         testing.TB
	DB         *database.DB
	URL        string  // of the application's role
	Owner      *sql.DB // the owner's own way into the database
	Clock      *Clock
	Queue      *Queue
	API        *API // cancellations
	Inquiries  *API
	Config     wiring.Config
	Deliveries *webhooks.Service
	*wiring.Services
	Store      *models.Store
	Terminal   *models.Terminal
	Manager    models.Actor // of Store
	Supervisor models.Actor // of every store
	Admin      models.Actor
	number     int64
	orders     atomic.Int64
	enrolled   sync.Map // by id: those that have a row
}

// Noon is when an office opens: a Friday, eight hours before the cut-off.
const Noon = "2026-11-20T12:00:00-06:00"

// Waits are those of an office.
var Waits = models.Waits{Answer: 30 * time.Second, Result: 180 * time.Second, Quiet: 180 * time.Second}

// NewOffice opens an office in a database of its own. Each change may alter what
// the service is made of.
func NewOffice(tb testing.TB, changes ...func(*wiring.Config)) *Office {
	tb.Helper()
	app, owner := URLs(tb)
	db, err := sql.Open("pgx", owner)
	if err != nil {
		tb.Fatalf("open as owner: %v", err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	o := &Office{URL: app, Owner: db, DB: Open(tb, app)}
	return o.Branch(tb, changes...)
}

// Branch opens another office in the same database, with a clock, a store, a
// terminal, people, a service and tasks of its own. It costs a hundredth of a
// database, so table tests use it.
func (o *Office) Branch(tb testing.TB, changes ...func(*wiring.Config)) *Office {
	tb.Helper()
	n := branches.Add(1)
	b := &Office{tb: tb, URL: o.URL, Owner: o.Owner, DB: o.DB, Clock: NewClock(At(tb, Noon)), number: n}
	b.Queue, b.API, b.Inquiries = NewQueue(b.DB), NewAPI(b.Clock), NewAPI(b.Clock)
	b.API.guard = b.checkCommitted
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		tb.Fatalf("calendar: %v", err)
	}
	b.Config = wiring.Config{
		DB: b.DB, Queue: b.Queue, API: b.API, Inquiries: b.Inquiries, Clock: b.Clock,
		Window: models.Window{Calendar: calendar, Margin: 5 * time.Second}, Waits: Waits,
		Logger: slog.New(slog.DiscardHandler), CanMail: true, Box: SecretBox(tb),
	}
	b.Deliveries = webhooks.New(webhooks.Config{DB: b.DB, Clock: b.Clock, Box: SecretBox(tb), AllowPrivate: true})
	b.Config.Deliveries = b.Deliveries
	b.Config.Actor = b.current
	for _, change := range changes {
		change(&b.Config)
	}
	b.Services = wiring.New(b.Config)
	b.Admin, b.Supervisor = Person(models.Administrator), Person(models.Supervisor)
	b.Store = Store(tb, b.DB, b.Clock.Now(), fmt.Sprintf("T-%d", n))
	b.Terminal = b.NewTerminal(b.Store)
	b.Manager = Person(models.Manager, b.Store)
	return b
}

// branches and serials number what must differ within a database.
var branches, serials atomic.Int64

// NextSerial returns a serial number that no other terminal of the tests has.
func NextSerial() string { return fmt.Sprintf("2%09d", serials.Add(1)) }

// SecretBoxKey is the encryption key of an office.
const SecretBoxKey = "c2VhbGluZyBrZXkgb2YgdGhlIHRlc3RzLCAzMiBieXQ="

// SecretBox returns a secretbox.Box with SecretBoxKey.
func SecretBox(tb testing.TB) *secretbox.Box {
	tb.Helper()
	s, err := secretbox.New(SecretBoxKey)
	if err != nil {
		tb.Fatalf("make sealer: %v", err)
	}
	return s
}

// SecondServer returns the same office as a second server: with a pool of its own.
func (o *Office) SecondServer() *wiring.Services {
	o.tb.Helper()
	config := o.Config
	config.DB = Open(o.tb, o.URL)
	return wiring.New(config)
}

// NewTerminal registers a terminal in a store.
func (o *Office) NewTerminal(store *models.Store) *models.Terminal {
	o.tb.Helper()
	serial := NextSerial()
	t, err := o.Terminals.CreateTerminal(context.Background(), o.Admin, terminals.Input{
		SerialNumber: serial, Label: "Caja " + serial[6:], MerchantID: "M" + serial, StoreID: store.ID,
	})
	if err != nil {
		o.tb.Fatalf("create terminal %s: %v", serial, err)
	}
	return t
}

// OrderNumber returns an order number that no other has, as a terminal gives it now: it
// begins with the time and the terminal, which proves the day of its sale.
func (o *Office) OrderNumber(serial models.SerialNumber) string {
	return fmt.Sprintf("%s-%s-V%d-%06d", o.Clock.Now().In(models.MexicoCity).Format("060102150405"), serial, o.number, o.orders.Add(1))
}

// UnprovenSale has a terminal of the office post a sale whose day nobody can prove: its
// order number holds no time, and the terminal was silent before.
func (o *Office) UnprovenSale(amount models.Money) *models.Sale {
	o.tb.Helper()
	t := o.NewTerminal(o.Store)
	p := o.SalePost(t.SerialNumber, amount)
	p.OrderID = fmt.Sprintf("V-%d-%06d", o.number, o.orders.Add(1))
	o.Post(p)
	s := o.FindSale(p.OrderID)
	if !s.DayNotProven() {
		o.tb.Fatalf("the day of sale %s is proven", s.OrderID)
	}
	return s
}

// SalePost returns the post of an approved sale made now, with an order number
// that no other has.
func (o *Office) SalePost(serial models.SerialNumber, amount models.Money) models.Post {
	n := o.orders.Add(1)
	return models.Post{
		Kind: models.ResultSale, Body: fmt.Sprintf(`{"n":%d}`, n), SerialNumber: string(serial), MerchantID: "M" + string(serial),
		OrderID: o.OrderNumber(serial), Folio: fmt.Sprintf("F%06d", n), Amount: &amount, ResponseCode: "00",
		Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Address: "198.51.100.7",
	}
}

// Sale has the office's terminal sell something now.
func (o *Office) Sale(amount models.Money) *models.Sale {
	o.tb.Helper()
	return o.SaleAt(o.Terminal, amount)
}

// SaleAt has a terminal sell something now.
func (o *Office) SaleAt(t *models.Terminal, amount models.Money) *models.Sale {
	o.tb.Helper()
	p := o.SalePost(t.SerialNumber, amount)
	o.Post(p)
	return o.FindSale(p.OrderID)
}

// FindSale reads the one sale of an order number.
func (o *Office) FindSale(orderID string) *models.Sale {
	o.tb.Helper()
	var id int64
	if err := o.Owner.QueryRow(`SELECT id FROM sales WHERE order_id = $1`, orderID).Scan(&id); err != nil {
		o.tb.Fatalf("find sale %s: %v", orderID, err)
	}
	return &o.SaleDetail(id).Sale
}

// Post posts a terminal's result to the results endpoint and returns what became of
// it.
func (o *Office) Post(p models.Post) models.Result {
	o.tb.Helper()
	if err := o.Results.Receive(context.Background(), p); err != nil {
		o.tb.Fatalf("Receive(%+v) = %v", p, err)
	}
	var id int64
	if err := o.Owner.QueryRow(`SELECT max(id) FROM results WHERE serial_number = $1`, p.SerialNumber).Scan(&id); err != nil {
		o.tb.Fatalf("find result of terminal %s: %v", p.SerialNumber, err)
	}
	return o.Result(id)
}

// Result reads what became of a post.
func (o *Office) Result(id int64) models.Result {
	o.tb.Helper()
	r := models.Result{ID: id}
	err := o.Owner.QueryRow(`SELECT kind, status, note, sale_id, cancellation_id, attempt_number FROM results WHERE id = $1`, id).
		Scan(&r.Kind, &r.Status, &r.Note, &r.SaleID, &r.CancellationID, &r.AttemptNumber)
	if err != nil {
		o.tb.Fatalf("read result %d: %v", id, err)
	}
	return r
}

// SealTrail seals the trail with a key of its own, at least up to the entry: transactions
// of other tests' databases delay it.
func (o *Office) SealTrail(upTo int64) {
	o.tb.Helper()
	private, _, err := trailfile.GenerateKey("pruebas.example/bitacora")
	if err != nil {
		o.tb.Fatalf("make key: %v", err)
	}
	keys, err := trailfile.ParseKeys(private)
	if err != nil {
		o.tb.Fatalf("read key: %v", err)
	}
	seals := sealing.New(sealing.Config{
		DB: o.DB, Clock: o.Clock, Signers: keys.Signers(), Public: keys.Public(), Logger: slog.New(slog.DiscardHandler),
	})
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		if _, err := seals.Seal(context.Background()); err != nil {
			o.tb.Fatalf("seal: %v", err)
		}
		if Count(o.tb, o.Owner, `SELECT count(*) FROM sealed_entries WHERE entry_id = $1`, upTo) == 1 {
			return
		}
	}
	o.tb.Fatalf("entry %d is still not sealed", upTo)
}
