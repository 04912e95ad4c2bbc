package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/wiring"
	"veinte/web/lab"
)

// bench is one run.
type bench struct {
	benchCommand
	bin        string // the program that is being measured
	pg         *localpg.Server
	dir        string
	db         *database.DB // as the server opens it
	calendar   models.Calendar
	now        time.Time
	keyFile    string // with which the trail is sealed
	keys       *trailfile.Keys
	manager    string // the session of a manager of two stores
	supervisor string // of a user who sees all stores
	reused     bool   // the database is that of an earlier run
	figures    []*Figure
}

func (b *bench) progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// measure measures everything. It starts what it needs on loopback and stops it again.
func (b *bench) measure(ctx context.Context) (err error) {
	if b.calendar, err = models.NewCalendar(cutoff, "America/Mexico_City"); err != nil {
		return err
	}
	if b.dir = b.Keep; b.dir == "" {
		if b.dir, err = os.MkdirTemp("/var/tmp", "veinte-bench-"); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		defer os.RemoveAll(b.dir)
	}
	// PostgreSQL runs as another user when we are root.
	if err := errors.Join(os.MkdirAll(b.dir, 0o711), os.Chmod(b.dir, 0o711)); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	b.progress("starting PostgreSQL, fsync on")
	b.pg, err = localpg.Start(ctx, localpg.Options{Dir: filepath.Join(b.dir, "postgres"), Settings: map[string]string{
		"shared_buffers": "512MB", "max_wal_size": "4GB", "min_wal_size": "1GB",
	}})
	if err != nil {
		return err
	}
	defer func() { _ = b.pg.Stop(context.Background()) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer b.db.Close()
	return b.measureParts(ctx)
}

// measureParts measures each part, and where there are two programs has them take turns.
func (b *bench) measureParts(ctx context.Context) error {
	programs, rounds := []string{b.Bin}, 1
	if b.Old != "" {
		programs, rounds = []string{b.Bin, b.Old}, b.Rounds
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{
		{"pages", b.measurePages},
		{"clicks", b.measureClicks},
		{"live", b.measureLive},
		{"door", b.measureDoor},
		{"api", b.measureAPI},
		{"imports", b.measureImports},
		{"seal", b.measureSealing},
		{"verify", b.measureVerifying},
		{"trail", b.measureTrail},
	} {
		if b.Only != "" && b.Only != part.name {
			continue
		}
		for range rounds {
			for _, b.bin = range programs {
				b.progress("%s of %s", part.name, b.bin)
				if err := part.measure(ctx); err != nil {
					return fmt.Errorf("%s of %s: %w", part.name, b.bin, err)
				}
			}
		}
	}
	return nil
}

// prepare makes the database, its million sales, the key of the trail and two
// signed-in users.
func (b *bench) prepare(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.pg.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'bench')`).Scan(&b.reused); err != nil {
		return fmt.Errorf("look for an earlier run's database: %w", err)
	}
	if !b.reused {
		if err := lab.Prepare(ctx, b.pg, "bench"); err != nil {
			return err
		}
		if b.Only == "trail" || b.Only == "verify" {
			b.Sales = 0 // except today's
		}
		b.progress("writing %d sales", b.Sales)
		if err := fill(ctx, b.owner(), b.Sales, b.calendar, b.now); err != nil {
			return err
		}
	}
	if b.db, err = database.Open(ctx, database.DBConfig{
		URL: b.url(), Application: "veinte bench", Logger: slog.New(slog.DiscardHandler), MaxConns: sealWriters + 4,
	}); err != nil {
		return err
	}
	if err := b.loadKey(); err != nil {
		return err
	}
	b.manager, err = b.person(ctx, "manager", models.Manager, typicalStore, busyStore)
	if err != nil {
		return err
	}
	b.supervisor, err = b.person(ctx, "supervisor", models.Supervisor)
	return err
}

// url is the database as the server reaches it, owner as its owner does.
func (b *bench) url() string   { return b.pg.DSN("bench", "veinte_app") }
func (b *bench) owner() string { return b.pg.DSN("bench", "postgres") }

// loadKey reads the key of the trail, which an earlier run may have made.
func (b *bench) loadKey() (err error) {
	b.keyFile = filepath.Join(b.dir, "audit-key")
	if _, err := os.Stat(b.keyFile); err != nil {
		private, _, err := trailfile.GenerateKey("bench.veinte.example/bitacora")
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.keyFile, []byte(private+"\n"), 0o600); err != nil {
			return fmt.Errorf("write key: %w", err)
		}
	}
	b.keys, err = trailfile.LoadKeys(b.keyFile)
	return err
}

// person makes an account of stores, or of all, unless it exists, and signs in.
func (b *bench) person(ctx context.Context, name string, role models.Role, stores ...int64) (session string, err error) {
	in := accounts.Input{
		Email: name + "@veinte.example", Name: name, Role: role, StoreIDs: stores, AllStores: len(stores) == 0,
		Password: "only for this measurement",
	}
	service := wiring.Over(b.db).Accounts
	var there *models.Error
	if _, err := service.CreateUser(ctx, models.System("bench", ""), in); err != nil && (!errors.As(err, &there) || there.Field != "email") {
		return "", err
	}
	session, _, err = service.Login(ctx, models.Actor{Address: "127.0.0.1"}, in.Email, in.Password)
	return session, err
}

// cutoff has sales cancelable at almost any hour of the day.
const cutoff = "23:59"

const resultsSecret = "bench-results-secret-0123456789"

// serving measures with a server of its own.
func (b *bench) serving(ctx context.Context, measure func(*lab.Process) error, settings ...string) error {
	p, _, err := b.serve(ctx, settings...)
	if err != nil {
		return err
	}
	return errors.Join(measure(p), p.Stop())
}

// serve starts the server as a process of its own.
func (b *bench) serve(ctx context.Context, settings ...string) (*lab.Process, time.Duration, error) {
	env := append([]string{
		"DATABASE_URL=" + b.url(), "CANCEL_BASE_URL=http://127.0.0.1:9", "ACCESS_TOKEN=bench",
		"RESULTS_SECRET=" + resultsSecret, "ADMIN_ADDR=", "LOG_LEVEL=error", "CUTOFF=" + cutoff,
	}, settings...)
	return b.start(ctx, b.bin, "/readyz", env, "serve", "--addr", "ADDR")
}
