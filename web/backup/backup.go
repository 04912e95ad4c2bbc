package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"

	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/views/locale"
	"veinte/web/commands"
)

// say gives the words for a key in the language of the system.
func say(key string, args ...any) string { return locale.In(locale.OfSystem(os.Getenv), key, args...) }

// Backup is veinte backup.
type Backup struct {
	commands.OwnerURL `embed:""`
	Out               string `required:"" type:"path" placeholder:"DIR" help:"Folder to make; it must not be there. It gets its name once everything is in it and on the disk."`
	Settings          string `type:"path" placeholder:"FILE" help:"File of the server's settings, to list the secrets that they name (default: /etc/veinte/veinte.env, where it is; else this process's environment)."`
}

// Run makes the backup.
func (b *Backup) Run(ctx context.Context, app *kong.Kong, files *commands.SecretFiles, version Version) error {
	if len(files.Problems) > 0 {
		return errors.New(strings.Join(files.Problems, "\n"))
	}
	err := b.run(ctx, version, secretSettings(app))
	if errors.Is(err, context.Canceled) { // else the program would end as if it had succeeded
		return errors.New(say("backup.stopped"))
	}
	return err
}

func (b *Backup) run(ctx context.Context, version Version, secrets []string) error {
	from, err := at(b.DatabaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL %w", err)
	}
	tool, major, err := find(ctx, "pg_dump")
	if err != nil {
		return err
	}
	keep, err := keep(secrets, b.Settings)
	if err != nil {
		return err
	}
	conn, err := from.connect(ctx)
	if err != nil {
		return fmt.Errorf("reach database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	m := &manifest{Format: manifestFormat, Version: string(version), Keep: keep}
	err = made(b.Out, func(dir string) error {
		return inSnapshot(ctx, conn, func(tx pgx.Tx, snapshot string) error {
			note, err := m.describe(ctx, tx, major)
			if err != nil {
				return err
			}
			if err := commands.WriteSynced(filepath.Join(dir, checkpointFile), os.O_EXCL, commands.Content(note)); err != nil {
				return err
			}
			if err := from.dump(ctx, tool, snapshot, filepath.Join(dir, dumpFile)); err != nil {
				return err
			}
			return m.write(dir)
		})
	})
	if err != nil {
		return err
	}
	return m.print(b.Out)
}

// describe fills the manifest from the database, and returns the last checkpoint with what
// others signed over it; "" when nothing was sealed.
func (m *manifest) describe(ctx context.Context, tx pgx.Tx, tool int) (note string, err error) {
	ours, err := isOurs(ctx, tx)
	if err == nil && !ours {
		err = errors.New(say("backup.notOurs"))
	}
	if err != nil {
		return "", err
	}
	f, err := factsOf(ctx, tx)
	switch {
	case err != nil:
		return "", err
	case !f.Owns:
		return "", errors.New(say("backup.notOwner", "Owner", f.Owner))
	case tool < f.Major:
		return "", errors.New(say("backup.olderTool", "Tool", "pg_dump", "Version", tool, "Server", f.Major))
	}
	m.Schema, m.Postgres, m.Database, m.Roles.Owner = f.Schema, f.Postgres, f.Identity, f.Owner
	if m.Roles.Others, err = granted(ctx, tx, f.Owner); err != nil {
		return "", err
	}
	if m.Counts, err = counted(ctx, tx); err != nil {
		return "", err
	}
	if m.Months, err = archivedMonths(ctx, tx); err != nil {
		return "", err
	}
	if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&m.Made); err != nil {
		return "", err
	}
	c, _, err := sealing.CheckpointIn(ctx, tx)
	if c == nil || err != nil {
		return "", err
	}
	m.Sealed = sealed{Entries: c.Size, At: &c.SealedAt}
	return attest.Noted(ctx, tx, c)
}

// dump writes what pg_dump gives, in a snapshot, into a file.
func (p *place) dump(ctx context.Context, tool, snapshot, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = p.run(ctx, tool, file, "--format=custom", "--no-password", "--snapshot="+snapshot, "--dbname="+p.conninfo)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// made makes a folder that only its owner may read. It gets its name once fill is done and
// all is on the disk; after an error nothing is left.
func made(dir string, fill func(dir string) error) (err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New(say("backup.there", "Dir", dir))
		}
		return err
	}
	part := dir + ".part"
	if err := os.Mkdir(part, 0o700); errors.Is(err, fs.ErrExist) {
		return errors.New(say("backup.partThere", "Dir", part))
	} else if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	if err := fill(part); err != nil {
		return err
	}
	if err := commands.SyncDir(filepath.Join(part, manifestFile)); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		return err
	}
	return commands.SyncDir(dir)
}

// print says what was made, and what to keep besides.
func (m *manifest) print(dir string) error {
	sum, err := commands.SHA256Of(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	fmt.Println(say("backup.made", "Dir", dir, "At", m.Made.UTC().Format(time.RFC3339), "Schema", m.Schema, "Postgres", m.Postgres))
	m.Counts.print()
	m.printSealed()
	fmt.Println(say("backup.sum", "File", sumsFile, "Sum", sum))
	if len(m.Keep) == 0 {
		fmt.Println(say("backup.noSettings"))
	} else {
		fmt.Println(say("backup.keep"))
	}
	m.printKeep()
	return nil
}

func (c *counts) print() {
	var all int64
	for _, n := range c.Cancellations {
		all += n
	}
	fmt.Println(say("backup.counts", "Sales", c.Sales, "Cancellations", all, "Open", c.open(), "Results", c.Results, "Entries", c.Entries))
}

func (m *manifest) printSealed() {
	if m.Sealed.At == nil {
		fmt.Println(say("backup.notSealed"))
		return
	}
	fmt.Println(say("backup.sealed", "N", m.Sealed.Entries, "At", m.Sealed.At.UTC().Format(time.RFC3339)))
}

// printKeep lists what a restored installation needs besides.
func (m *manifest) printKeep() {
	for _, k := range m.Keep {
		line := "  " + k.Where
		if k.Setting != "" {
			line = "  " + k.Setting + ": " + k.Where
		}
		fmt.Println(line)
		for _, key := range k.Public {
			fmt.Println("    " + key)
		}
	}
	for _, of := range m.Months {
		fmt.Println("  " + say("backup.month", "Month", of.Month, "Sum", of.SHA256))
	}
}
