package web

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"veinte/migrations"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/wiring"
	"veinte/web/commands"
)

type serveCommand struct {
	settings `embed:""`
	Migrate  bool `help:"Bring the schema up to date first; DATABASE_URL must then be its owner's."`
}

func (s *serveCommand) Run(ctx context.Context, files *commands.SecretFiles) error {
	c, err := s.prepare(ctx, files)
	if err != nil {
		return err
	}
	server, err := newServer(ctx, c, models.ShiftedClock(0), nil)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	return server.run(ctx, ln)
}

// prepare checks the settings, and brings the schema up to date where that is wanted.
func (s *serveCommand) prepare(ctx context.Context, files *commands.SecretFiles) (*checked, error) {
	c, err := s.settings.checkServed(files.Problems)
	if err == nil && s.Migrate {
		err = migrateUp(ctx, c.databaseURL, migrations.Roles{}, commands.SealKeys{}, io.Discard)
	}
	return c, err
}

type migrateCommand struct {
	Up     migrateUpCommand     `cmd:"" help:"Apply what is pending."`
	Status migrateStatusCommand `cmd:"" help:"List every migration and whether it is applied, and which versions may serve side by side."`
}

type migrateUpCommand struct {
	commands.OwnerURL `embed:""`
	commands.SealKeys `embed:""`
	AppRole           string `name:"app-role" env:"APP_ROLE" help:"The role the server uses; it is granted what it needs, and cannot alter the trail. It must exist, and is remembered."`
	SealerRole        string `name:"sealer-role" env:"SEALER_ROLE" help:"The role of veinte seal, where a process of its own seals the trail; the server may then not. It must exist, and is remembered."`
}

func (m *migrateUpCommand) Run(ctx context.Context) error {
	return migrateUp(ctx, m.DatabaseURL, migrations.Roles{Server: m.AppRole, Sealer: m.SealerRole}, m.SealKeys, os.Stdout)
}

func migrateUp(ctx context.Context, url string, roles migrations.Roles, seal commands.SealKeys, out io.Writer) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	applied, err := migrations.Up(ctx, db, roles)
	for _, name := range applied {
		fmt.Fprintln(out, "applied", name)
	}
	if err == nil && len(applied) == 0 {
		fmt.Fprintln(out, "up to date")
	}
	if err != nil || len(applied) == 0 {
		return err
	}
	migrated, err := database.Open(ctx, database.DBConfig{URL: url, Application: "veinte migrate", MaxConns: 2})
	if err != nil {
		return err
	}
	defer migrated.Close()
	defer seal.Seal(ctx, migrated)
	return wiring.Over(migrated).Operations.SchemaMigrated(ctx, commands.Operator(), applied) // the trail exists by now
}

type migrateStatusCommand struct {
	commands.OwnerURL `embed:""`
}

func (m *migrateStatusCommand) Run(ctx context.Context) error {
	db, err := sql.Open("pgx", m.DatabaseURL)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	steps, err := migrations.Status(ctx, db)
	for _, s := range steps {
		state := "pending"
		if s.Applied {
			state = "applied"
		}
		fmt.Println(state, s.Name)
	}
	if err != nil {
		return err
	}
	schemas, err := migrations.Compare(ctx, db)
	if err != nil {
		return err
	}
	fmt.Println(schemas.Text())
	return schemas.Err()
}

type healthcheckCommand struct {
	Addr string `env:"ADDR" help:"Where the server listens (default :8020, or :$PORT)."`
	Port string `env:"PORT" hidden:""`
}

// Run requests /readyz; the exit code shows the result.
func (h *healthcheckCommand) Run() error {
	m := mistakes{}
	addr := (&settings{Addr: h.Addr, Port: h.Port}).address(&m)
	if err := m.err(); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	client := http.Client{Timeout: 3 * time.Second}
	resp, err := client.Get("http://" + net.JoinHostPort(host, port) + "/readyz")
	if err != nil {
		return fmt.Errorf("ask %s: %w", addr, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", resp.Status)
	}
	return nil
}
