package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

// Options configure a laboratory.
type Options struct {
	Setup
	Durable   bool // PostgreSQL writes through to the disk, as experiments that kill it need
	Stores    int  // terminals and managers are spread over them; 0: 1
	Terminals int  // 0: 10
	Managers  int  // 0: 5
	// Servers is the number of servers to start; terminals post to the last of them,
	// and all users are signed in. Serve starts more.
	Servers int
	// PostsHeld means that terminals post to the experiment, which may hold, alter
	// and deliver posts and judges them itself: the ledger's posts prove nothing.
	PostsHeld bool
	// Postgres are further settings of PostgreSQL.
	Postgres map[string]string
	// PostgresDir is PostgreSQL's data directory; "": in the laboratory's folder,
	// with the ledger and the logs.
	PostgresDir string
	// Database is one that the experiment runs itself, without a schema yet; nil: the
	// laboratory starts a PostgreSQL of its own.
	Database *Database

	Latency     time.Duration // typical, of the service's acknowledgement; 0: 5 ms
	ResultDelay time.Duration // typical, until a terminal acts and posts; 0: 50 ms

	// Settings of every server, as NAME=value. They override the laboratory's own:
	// CANCEL_TIMEOUT=2s, RESULT_WAIT=5s, QUIET_TIME=5s, LOG_LEVEL=warn.
	Settings []string
}

// Lab is a running laboratory. Its methods may be called concurrently, except those
// that start, kill and restart the same process.
type Lab struct {
	Pool       *pgxpool.Pool // the database, as its owner
	Box        *Sandbox      // the sandbox of the payment service
	Managers   []*Person
	Supervisor *Person
	StoreIDs   []int64
	Servers    []*Server

	options Options
	dir     string
	pg      *postgres
	copies  []*Copy
	zone    string // a zone in which it is about noon

	mu     sync.Mutex
	clicks []Click
	orders int
}

// Start starts PostgreSQL and the sandbox, and makes the shop. Close ends everything
// and removes the folder.
func Start(ctx context.Context, o Options) (_ *Lab, err error) {
	set(&o.Stores, 1)
	set(&o.Terminals, 10)
	set(&o.Managers, 5)
	set(&o.Latency, 5*time.Millisecond)
	set(&o.ResultDelay, 50*time.Millisecond)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	l := &Lab{options: o, zone: noonZone(time.Now())}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start laboratory: %w", err), l.Close())
		}
	}()
	// A short path, so that the socket's address stays the same after restarts.
	if l.dir, err = os.MkdirTemp("/var/tmp", "veinte-chaos-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(l.dir, 0o711); err != nil { // PostgreSQL runs as another user when we are root
		return nil, err
	}
	set(&o.PostgresDir, l.dir)
	if err := l.reachDatabase(ctx, o); err != nil {
		return nil, err
	}
	if l.Pool, err = openPool(ctx, l.pg.owner); err != nil {
		return nil, err
	}
	if l.Box, err = startSandbox(ctx, l); err != nil {
		return nil, err
	}
	if err := l.furnish(ctx); err != nil {
		return nil, err
	}
	for range o.Servers {
		if _, err := l.Serve(ctx); err != nil {
			return nil, err
		}
	}
	if o.Servers == 0 {
		return l, nil
	}
	last := l.Servers[o.Servers-1]
	return l, errors.Join(l.PostResultsTo(ctx, last), l.SignIn(ctx, last))
}

// reachDatabase starts PostgreSQL, unless the experiment has one, and makes the schema.
func (l *Lab) reachDatabase(ctx context.Context, o Options) error {
	if o.Database != nil {
		l.pg = &postgres{app: o.Database.App, owner: o.Database.Owner}
		return migrate(ctx, o.Database.Owner)
	}
	l.pg = newPostgres(o.PostgresDir, o.Durable, o.Postgres)
	if err := l.pg.start(ctx); err != nil {
		return err
	}
	return Prepare(ctx, l.pg.server, databaseName)
}

func set[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

// noonZone is a zone in which it is about noon now. So an experiment, which runs at
// any hour, is some hours away from midnight and from the cut-off.
func noonZone(now time.Time) string {
	west := now.UTC().Hour() - 12 // POSIX counts westwards
	return fmt.Sprintf("Etc/GMT%+d", west)
}

// Location is that zone.
func (l *Lab) Location() *time.Location {
	zone, err := time.LoadLocation(l.zone)
	if err != nil {
		panic(err) // noonZone names zones that are in every database
	}
	return zone
}

// Today is the day in that zone, as a ticket has it.
func (l *Lab) Today() string { return time.Now().In(l.Location()).Format(time.DateOnly) }

// Rand is a source of random choices that repeats for the laboratory's seed; streams
// of different numbers are independent. Each is for one goroutine.
func (l *Lab) Rand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(l.options.Seed, stream)) }

// Progress reports what is being done.
func (l *Lab) Progress(format string, args ...any) { l.options.Progress(fmt.Sprintf(format, args...)) }

// Serial is the serial number of a terminal, counted from 0.
func (l *Lab) Serial(terminal int) string { return strconv.Itoa(1490000000 + terminal) }

// StoreOf is the index of the store of a terminal or a manager.
func (l *Lab) StoreOf(i int) int { return i % len(l.StoreIDs) }

// Terminals is the number of terminals.
func (l *Lab) Terminals() int { return l.options.Terminals }

// DatabaseURL is how a server reaches the database. It is the same after a restart.
func (l *Lab) DatabaseURL() string { return l.pg.app }

// furnish makes the stores, their terminals and their people.
func (l *Lab) furnish(ctx context.Context) error {
	db, err := database.Open(ctx, database.DBConfig{URL: l.pg.app, Application: "veinte lab"})
	if err != nil {
		return err
	}
	defer db.Close()
	admin := Administrator
	for i := range l.options.Stores {
		store, err := wiring.Over(db).Terminals.CreateStore(ctx, admin, terminals.StoreInput{
			Code: fmt.Sprintf("S%d", i), Name: fmt.Sprintf("Roma %d", i), TimeZone: "America/Mexico_City",
		})
		if err != nil {
			return fmt.Errorf("create store %d: %w", i, err)
		}
		l.StoreIDs = append(l.StoreIDs, store.ID)
	}
	calendar, err := models.NewCalendar("20:00", l.zone)
	if err != nil {
		return err
	}
	services := wiring.New(wiring.Config{DB: db, Clock: models.ShiftedClock(0), Window: models.Window{Calendar: calendar}})
	for i := range l.options.Terminals {
		_, err := services.Terminals.CreateTerminal(ctx, admin, terminals.Input{
			SerialNumber: l.Serial(i), Label: fmt.Sprintf("Caja %d", i), MerchantID: merchant(i), StoreID: l.StoreIDs[l.StoreOf(i)],
		})
		if err != nil {
			return fmt.Errorf("create terminal %d: %w", i, err)
		}
		if err := l.Box.Control(ctx, "PUT", "/control/terminals/"+l.Serial(i), map[string]any{"merchantId": merchant(i)}, nil); err != nil {
			return err
		}
	}
	for i := range l.options.Managers {
		p, err := newPerson(ctx, l, db, accounts.Input{
			Name: fmt.Sprintf("Encargado %d", i), Role: models.Manager, StoreIDs: []int64{l.StoreIDs[l.StoreOf(i)]},
		})
		if err != nil {
			return err
		}
		l.Managers = append(l.Managers, p)
	}
	l.Supervisor, err = newPerson(ctx, l, db, accounts.Input{Name: "Supervisora", Role: models.Supervisor, AllStores: true})
	return err
}

// Administrator is the actor that makes the shop; it has no row.
var Administrator = models.Actor{UserID: 1, Name: "Diego", Role: models.Administrator, AllStores: true}

func merchant(terminal int) string { return strconv.Itoa(900000 + terminal) }

// Close ends everything that was started. It may be called after a failure, and more
// than once.
func (l *Lab) Close() error {
	var errs []error
	for _, s := range l.Servers {
		s.process.Kill()
		errs = append(errs, s.process.log.Close())
	}
	l.Servers = nil
	if l.Box != nil {
		l.Box.process.Kill()
		errs = append(errs, l.Box.close())
		l.Box = nil
	}
	if l.Pool != nil {
		l.Pool.Close()
		l.Pool = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	for _, c := range l.copies {
		errs = append(errs, c.server.Stop(ctx))
	}
	l.copies = nil
	if l.pg != nil && l.pg.server != nil {
		errs = append(errs, l.pg.server.Stop(ctx))
		l.pg = nil
	}
	if l.dir != "" {
		errs = append(errs, os.RemoveAll(l.dir))
		l.dir = ""
	}
	return errors.Join(errs...)
}

// File is a file of the laboratory's folder.
func (l *Lab) File(name string) string { return l.file(name) }

func (l *Lab) file(name string) string { return filepath.Join(l.dir, name) }
