package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/wiring"
	"veinte/web/lab"
	"veinte/web/lab/bench/yardstick"
)

// How much is measured.
var (
	tableSales    = flag.Int("sales", 1_000_000, "sales in the table")
	connections   = flag.Int("connections", 32, "connections at once")
	turn          = flag.Duration("turn", 4*time.Second, "how long one turn of load lasts")
	turns         = flag.Int("turns", 3, "turns of each side")
	openPages     = flag.Int("pages", 2000, "pages open on one server while somebody clicks, at least 500")
	sealedEntries = flag.Int("sealed", 1_000_000, "entries that are exported and verified")
	sealSeconds   = flag.Int("seconds", 60, "for how many seconds entries of the trail are sealed at pace")
	trailEntries  = flag.Int("entries", 10_000_000, "entries in the trail whose pages are measured")
)

// cutoff has sales cancelable at almost any hour of the day.
const cutoff = "23:59"

// machine is what all benchmarks share.
type machine struct {
	dir      string
	builds   []string // the program, and the one that it is compared with, if any
	pg       *localpg.Server
	calendar models.Calendar
	now      time.Time
	keyFile  string // with which the trail is sealed
	keys     *trailfile.Keys
}

var (
	shared  machine
	started = sync.OnceValue(shared.start)
)

// TestMain runs the benchmarks, or in a process of its own a page that the product's are
// measured by.
func TestMain(m *testing.M) {
	switch os.Getenv("YARDSTICK") {
	case "hand":
		log.Fatal(yardstick.ServeHand(os.Args[1], os.Getenv("DATABASE_URL")))
	case "naive":
		log.Fatal(yardstick.ServeNaive(os.Args[1], os.Getenv("DATABASE_URL")))
	}
	stop := sync.OnceFunc(shared.stop)
	go func() {
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		<-interrupted
		stop()
		os.Exit(130)
	}()
	code := m.Run()
	stop()
	os.Exit(code)
}

// start starts PostgreSQL on loopback, with a database that each benchmark copies.
func (m *machine) start() (err error) {
	ctx := context.Background()
	m.now = time.Now()
	if m.calendar, err = models.NewCalendar(cutoff, "America/Mexico_City"); err != nil {
		return err
	}
	if m.dir, err = os.MkdirTemp("/var/tmp", "veinte-bench-"); err != nil {
		return err
	}
	if err := os.Chmod(m.dir, 0o711); err != nil { // PostgreSQL runs as another user when we are root
		return err
	}
	bin := os.Getenv("VEINTE_BIN")
	if bin == "" {
		if bin, err = lab.Build(ctx, m.dir); err != nil {
			return err
		}
	}
	m.builds = []string{bin}
	if old := os.Getenv("VEINTE_OLD_BIN"); old != "" {
		m.builds = append(m.builds, old)
	}
	m.keyFile = filepath.Join(m.dir, "audit-key")
	private, _, err := trailfile.GenerateKey("bench.veinte.example/bitacora")
	if err != nil {
		return err
	}
	if err := os.WriteFile(m.keyFile, []byte(private+"\n"), 0o600); err != nil {
		return err
	}
	if m.keys, err = trailfile.LoadKeys(m.keyFile); err != nil {
		return err
	}
	settings := map[string]string{"shared_buffers": "512MB", "max_wal_size": "4GB", "min_wal_size": "1GB"}
	if m.pg, err = localpg.Start(ctx, localpg.Options{Dir: filepath.Join(m.dir, "postgres"), Settings: settings}); err != nil {
		return err
	}
	if err := lab.Prepare(ctx, m.pg, "template"); err != nil {
		return err
	}
	return fill(ctx, m.pg.DSN("template", "postgres"), *tableSales, m.calendar, m.now)
}

func (m *machine) stop() {
	if m.pg != nil {
		_ = m.pg.Stop(context.Background())
	}
	_ = os.RemoveAll(m.dir)
}

// bench is a benchmark's own database, with two signed-in users.
type bench struct {
	*machine
	name       string
	db         *database.DB // as the server opens it
	manager    string       // the session of a manager of two stores
	supervisor string       // of a user who sees all stores
}

// setup copies the database for a benchmark.
func setup(b *testing.B) *bench {
	b.Helper()
	s, err := newBench(b)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func newBench(b *testing.B) (s *bench, err error) {
	if err := started(); err != nil {
		return nil, err
	}
	ctx := b.Context()
	s = &bench{machine: &shared, name: strings.ToLower(b.Name())}
	if err := s.administer(ctx, "CREATE DATABASE "+s.name+" TEMPLATE template", "CHECKPOINT"); err != nil {
		return nil, err
	}
	b.Cleanup(func() {
		if err := s.administer(context.Background(), "DROP DATABASE "+s.name+" WITH (FORCE)"); err != nil {
			b.Error(err)
		}
	})
	if s.db, err = database.Open(ctx, database.DBConfig{
		URL: s.url(), Application: "veinte bench", Logger: slog.New(slog.DiscardHandler), MaxConns: sealWriters + 4,
	}); err != nil {
		return nil, err
	}
	b.Cleanup(s.db.Close)
	if s.manager, err = s.person(ctx, "manager", models.Manager, typicalStore, busyStore); err != nil {
		return nil, err
	}
	s.supervisor, err = s.person(ctx, "supervisor", models.Supervisor)
	return s, err
}

// url is the database as the server reaches it, owner as its owner does.
func (s *bench) url() string   { return s.pg.DSN(s.name, "veinte_app") }
func (s *bench) owner() string { return s.pg.DSN(s.name, "postgres") }

// administer carries out commands for the PostgreSQL server as a whole.
func (m *machine) administer(ctx context.Context, commands ...string) error {
	conn, err := pgx.Connect(ctx, m.pg.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	for _, c := range commands {
		if _, err := conn.Exec(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// person makes an account of stores, or of all, unless it exists, and signs in.
func (s *bench) person(ctx context.Context, name string, role models.Role, stores ...int64) (session string, err error) {
	in := accounts.Input{
		Email: name + "@veinte.example", Name: name, Role: role, StoreIDs: stores, AllStores: len(stores) == 0,
		Password: "only for this measurement",
	}
	services := wiring.Over(s.db)
	var there *models.Error
	_, err = services.Accounts.CreateUser(ctx, models.System("bench", ""), in)
	if err != nil && (!errors.As(err, &there) || there.Field != "email") {
		return "", err
	}
	session, _, err = services.Entrance.Login(ctx, models.Actor{Address: "127.0.0.1"}, in.Email, in.Password)
	return session, err
}

// build is the program that is being measured.
type build struct {
	*bench
	bin     string
	figures map[string][]float64 // by metric, a value a round
}

func (s *bench) build(bin string) *build {
	return &build{bench: s, bin: bin, figures: map[string][]float64{}}
}

func (p *build) record(metric string, value float64) {
	p.figures[metric] = append(p.figures[metric], value)
}

// recordTimes records the median and the 99th percentile.
func (p *build) recordTimes(prefix string, each []time.Duration) {
	p.record(prefix+"median-ms", ms(quantile(each, 0.5)))
	p.record(prefix+"p99-ms", ms(quantile(each, 0.99)))
}

// run is a benchmark below another.
func (s *bench) run(b *testing.B, name string, measure func(context.Context, *build) error) {
	b.Run(name, func(b *testing.B) { s.measure(b, measure) })
}

// measure measures each build in each round, and reports the medians; of two builds
// also the old one's, and the ratio to it.
func (s *bench) measure(b *testing.B, measure func(context.Context, *build) error) {
	b.Helper()
	var builds []*build
	for _, bin := range s.builds {
		builds = append(builds, s.build(bin))
	}
	for b.Loop() {
		for _, p := range builds {
			if err := measure(b.Context(), p); err != nil {
				b.Fatalf("%s: %v", p.bin, err)
			}
		}
	}
	b.ReportMetric(0, "ns/op") // a round has pauses and warm-ups
	for metric, values := range builds[0].figures {
		value := quantile(values, 0.5)
		b.ReportMetric(value, metric)
		if len(builds) == 1 {
			continue
		}
		old := quantile(builds[1].figures[metric], 0.5)
		b.ReportMetric(old, "old-"+metric)
		if old != 0 {
			b.ReportMetric(value/old, metric+"-to-old")
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func quantile[T cmp.Ordered](all []T, q float64) (at T) {
	if len(all) == 0 {
		return at
	}
	all = slices.Sorted(slices.Values(all))
	return all[min(int(q*float64(len(all))), len(all)-1)]
}
