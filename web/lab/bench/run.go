package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/wiring"
	"veinte/web/lab"
)

// bench is one run.
type bench struct {
	benchCommand
	pg         *localpg.Server
	dir        string
	url        string
	calendar   models.Calendar
	now        time.Time
	cookie     string // of a manager of two stores
	supervisor string // of a user who sees all stores
	report     Report
	// trailFilled is set once the trail exists.
	trailFilled bool
	progress    func(string)
}

// measure measures everything and returns the report. It starts what it needs on
// loopback and stops it again.
func measure(ctx context.Context, o benchCommand, progress func(string)) (*Report, error) {
	b := &bench{benchCommand: o, progress: progress, now: time.Now()}
	b.report.Sales, b.report.Connections = o.Sales, o.Connections
	var err error
	if b.calendar, err = models.NewCalendar("20:00", "America/Mexico_City"); err != nil {
		return nil, err
	}
	if b.dir = o.Keep; b.dir == "" {
		if b.dir, err = os.MkdirTemp("/var/tmp", "veinte-bench-"); err != nil {
			return nil, fmt.Errorf("make folder: %w", err)
		}
		defer os.RemoveAll(b.dir)
	} else if err := os.MkdirAll(b.dir, 0o711); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	if err := os.Chmod(b.dir, 0o711); err != nil { // PostgreSQL runs as another user when we are root
		return nil, err
	}
	progress("starting PostgreSQL, fsync on")
	b.pg, err = localpg.Start(ctx, localpg.Options{
		Dir: filepath.Join(b.dir, "postgres"), Settings: map[string]string{
			"shared_buffers": "512MB", "max_wal_size": "4GB",
			"min_wal_size": "1GB",
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.pg.Stop(context.Background()) }()
	if err := b.prepare(ctx); err != nil {
		return nil, err
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
		{"trail", b.measureTrail},
		{"export", b.measureExport},
		{"verify", b.measureVerifying},
	} {
		if o.Only != "" && o.Only != part.name {
			continue
		}
		if err := part.measure(ctx); err != nil {
			return nil, err
		}
	}
	return &b.report, nil
}

// prepare makes the database, its million sales, and two signed-in users.
func (b *bench) prepare(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.pg.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	b.url = b.pg.DSN("bench", "veinte_app")
	var kept bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'bench')`).Scan(&kept); err != nil {
		return fmt.Errorf("look for what was kept: %w", err)
	}
	if kept {
		b.trailFilled = true
		return b.signIn(ctx)
	}
	if err := lab.Prepare(ctx, b.pg, "bench"); err != nil {
		return err
	}
	owner := b.pg.DSN("bench", "postgres")
	if b.Only == "trail" || b.Only == "export" || b.Only == "verify" {
		b.Sales, b.report.Sales = 0, 0 // except today's
	}
	b.progress(fmt.Sprintf("writing %d sales", b.Sales))
	if err := fill(ctx, owner, b.Sales, b.calendar, b.now); err != nil {
		return err
	}
	return b.signIn(ctx)
}

func (b *bench) signIn(ctx context.Context) error {
	db, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	b.cookie, err = b.person(ctx, db, accounts.Input{
		Email: "manager@veinte.example", Name: "Manager", Role: models.Manager, StoreIDs: []int64{typicalStore, busyStore},
	})
	if err != nil {
		return err
	}
	b.supervisor, err = b.person(ctx, db, accounts.Input{
		Email: "supervisor@veinte.example", Name: "Supervisor", Role: models.Supervisor, AllStores: true,
	})
	return err
}

// open opens the database as the server does.
func (b *bench) open(ctx context.Context) (*database.DB, error) {
	return database.Open(ctx, database.DBConfig{
		URL: b.url, Application: "veinte bench", Logger: slog.New(slog.DiscardHandler), MaxConns: recorders + 4,
	})
}

// person creates an account, unless it exists, and signs in.
func (b *bench) person(ctx context.Context, db *database.DB, in accounts.Input) (cookie string, err error) {
	in.Password = "only for this measurement"
	var there *models.Error
	if _, err := wiring.Over(db).Accounts.CreateUser(ctx, models.System("bench", ""), in); err != nil &&
		(!errors.As(err, &there) || there.Field != "email") {
		return "", err
	}
	cookie, _, err = wiring.Over(db).Accounts.Login(ctx, models.Actor{Address: "127.0.0.1"}, in.Email, in.Password)
	return cookie, err
}

// serve starts the server as a process of its own.
func (b *bench) serve(ctx context.Context, more ...string) (*lab.Process, time.Duration, error) {
	env := append([]string{
		"DATABASE_URL=" + b.url, "CANCEL_BASE_URL=http://127.0.0.1:9", "ACCESS_TOKEN=bench",
		"RESULTS_SECRET=" + resultsSecret, "ADMIN_ADDR=", "LOG_LEVEL=error",
	}, more...)
	return b.start(ctx, b.Bin, "/readyz", env, "serve", "--addr", "ADDR")
}

const resultsSecret = "bench-results-secret-0123456789"

// measurePages compares today's page, of a typical and of the busiest store, with
// the hand-written handler, and measures the memory meanwhile.
func (b *bench) measurePages(ctx context.Context) error {
	b.progress("starting the server, five times")
	var p *lab.Process
	for i := range 5 {
		if p != nil {
			if err := p.Stop(); err != nil {
				return err
			}
		}
		var took time.Duration
		var err error
		if p, took, err = b.serve(ctx); err != nil {
			return err
		}
		if i == 0 || ms(took) < b.report.StartReady {
			b.report.StartReady = ms(took)
		}
	}
	defer func() { _ = p.Stop() }()
	if info, err := os.Stat(b.Bin); err == nil {
		b.report.Binary = float64(info.Size()) / 1e6
	}
	b.report.Idle, _ = resident(p)
	var err error
	if b.report.Page, err = b.comparePage(ctx, p, typicalStore); err != nil {
		return err
	}
	if b.report.Busiest, err = b.comparePage(ctx, p, busyStore); err != nil {
		return err
	}
	if err := b.busiest(p); err != nil {
		return err
	}
	_, b.report.Loaded = resident(p)
	return nil
}

func (b *bench) page(p *lab.Process, store int64) target {
	return target{url: fmt.Sprintf("http://%s/sales?store=%d", p.Addr, store), cookie: b.cookie}
}

func (b *bench) comparePage(ctx context.Context, p *lab.Process, store int64) (Compare, error) {
	b.progress(fmt.Sprintf("today's page of store %d against the hand-written handler", store))
	ours := b.page(p, store)
	body, err := fetch(ours)
	if err != nil {
		return Compare{}, err
	}
	file := filepath.Join(b.dir, "page-"+strconv.FormatInt(store, 10))
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return Compare{}, err
	}
	day := string(b.calendar.Day(b.now))
	self, err := os.Executable()
	if err != nil {
		return Compare{}, err
	}
	hand, _, err := b.start(ctx, self, "/", []string{"DATABASE_URL=" + b.url},
		"--hand", "ADDR", "--hand-page", file, "--hand-store", strconv.FormatInt(store, 10), "--hand-day", day)
	if err != nil {
		return Compare{}, err
	}
	defer func() { _ = hand.Stop() }()
	c, err := compare(ours, b.page(hand, store), b.Connections, b.Turn, b.Turns)
	c.Bytes = len(body)
	return c, err
}

// busiest compares the busiest store's page with a typical one's, alternately.
func (b *bench) busiest(p *lab.Process) error {
	c, err := compare(b.page(p, busyStore), b.page(p, typicalStore), b.Connections, b.Turn, b.Turns)
	b.report.BusyRatio = c.Ratio
	return err
}

func fetch(t target) ([]byte, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(t.url)
	req.Header.SetCookie("veinte_session", t.cookie)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, fmt.Errorf("fetch %s: %w", t.url, err)
	}
	if resp.StatusCode() != fasthttp.StatusOK {
		return nil, fmt.Errorf("fetch %s: status %d", t.url, resp.StatusCode())
	}
	return append([]byte(nil), resp.Body()...), nil
}
