package web

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/migrations"
	"veinte/models/audit/trailfile"
	"veinte/models/localpg"
)

// prepareDatabase makes the demo's database and the restricted role that serves it,
// as in production.
func prepareDatabase(ctx context.Context, pg *localpg.Server, offset time.Duration) error {
	conn, err := pgx.Connect(ctx, pg.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect to the demo's database: %w", err)
	}
	defer conn.Close(ctx)
	for _, thing := range []struct{ exists, create string }{
		{"SELECT 1 FROM pg_roles WHERE rolname = 'veinte_app'", "CREATE ROLE veinte_app LOGIN"},
		{"SELECT 1 FROM pg_database WHERE datname = 'veinte'", "CREATE DATABASE veinte"},
	} {
		tag, err := conn.Exec(ctx, thing.exists)
		if err == nil && tag.RowsAffected() == 0 {
			_, err = conn.Exec(ctx, thing.create)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", thing.create, err)
		}
	}
	db, err := sql.Open("pgx", pg.DSN("veinte", "postgres"))
	if err != nil {
		return fmt.Errorf("open the demo's database: %w", err)
	}
	defer db.Close()
	if _, err = migrations.Up(ctx, db, migrations.Roles{Server: "veinte_app"}); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `INSERT INTO installation (kind, marked_at, clock_offset)
		SELECT 'demo', now() + o, o FROM make_interval(secs => $1) o
		ON CONFLICT (one) DO UPDATE SET clock_offset = excluded.clock_offset`, offset.Seconds())
	if err != nil {
		return fmt.Errorf("set the clock of the demo's database: %w", err)
	}
	return nil
}

// demoKey returns the key in a file, and makes it when there is none. The demo stores
// its keys beside what they protect, which must never be done on a real server.
func demoKey(path string, generate func() (string, error)) (string, error) {
	stored, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(stored)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the demo's key: %w", err)
	}
	key, err := generate()
	if err == nil {
		err = os.WriteFile(path, []byte(key+"\n"), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("make the demo's key: %w", err)
	}
	return key, nil
}

// newRelayKey returns a key that encrypts stored data.
func newRelayKey() (string, error) {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.StdEncoding.EncodeToString(raw[:]), nil
}

// newAuditKey returns a key that signs the trail.
func newAuditKey() (string, error) {
	private, _, err := trailfile.GenerateKey("demo.veinte.example/bitacora")
	return private, err
}
