package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"veinte/web/commands"
)

// Restore is veinte restore. Its exit codes are those of audit verify.
type Restore struct {
	Dir      string `arg:"" optional:"" type:"path" help:"The folder that veinte backup made."`
	Check    bool   `help:"Verify: the backup's files; with --database also that database. After --into it is done in any case."`
	Into     string `env:"RESTORE_INTO" secret:"" xor:"of" placeholder:"URL" help:"Restore into this empty database, as a superuser or as the owner. One that is not there is made."`
	Database string `env:"RESTORE_DATABASE" secret:"" xor:"of" placeholder:"URL" help:"A database that was restored otherwise (pgBackRest, a snapshot of a disk, pg_restore), as its owner, before a server uses it."`

	Key           []string `placeholder:"VKEY" sep:"none" help:"Public key of the trail that you trust: name+hash+key; may be repeated. Else that of AUDIT_KEY_FILE."`
	KeyFile       string   `name:"audit-key-file" env:"AUDIT_KEY_FILE" type:"path" placeholder:"FILE" help:"Keys of the trail, to verify with when there is no --key."`
	Checkpoint    []string `type:"path" placeholder:"FILE" sep:"none" help:"Checkpoints that were kept elsewhere; may be repeated."`
	CheckpointDir string   `name:"audit-checkpoint-dir" env:"AUDIT_CHECKPOINT_DIR" type:"path" placeholder:"DIR" help:"Where the servers keep checkpoints: shows how much the restored trail lacks."`

	FailoverKeepsCommits string `env:"FAILOVER_KEEPS_COMMITS" default:"off" hidden:""`
}

// Run restores and verifies. An error that prevents it leaves the verdict undecided.
func (r *Restore) Run(ctx context.Context, files *commands.SecretFiles) error {
	err := r.run(ctx, files)
	if errors.Is(err, context.Canceled) {
		err = errors.New(say("backup.stopped"))
	}
	return commands.Undecided(err)
}

func (r *Restore) run(ctx context.Context, files *commands.SecretFiles) error {
	switch {
	case len(files.Problems) > 0:
		return errors.New(strings.Join(files.Problems, "\n"))
	case r.Into != "" && r.Dir == "", r.Into == "" && !r.Check, r.Dir == "" && r.Database == "":
		return errors.New(say("restore.what"))
	}
	var m *manifest
	if r.Dir != "" {
		var err error
		if m, err = read(r.Dir); err != nil {
			return err
		}
		fmt.Println(say("restore.whole", "N", len(summed), "At", inUTC(m.Made), "Version", m.Version,
			"Schema", m.Schema, "Postgres", m.Postgres))
	}
	address := r.Database
	if r.Into != "" {
		address = r.Into
	}
	if address == "" {
		m.Counts.print()
		m.printSealed()
		return nil
	}
	of, err := at(address)
	if err != nil {
		return fmt.Errorf("--into, --database: %w", err)
	}
	if r.Into != "" {
		if err := r.into(ctx, of, m); err != nil {
			return err
		}
	}
	err = r.verify(ctx, address, of, m)
	if r.Into != "" {
		fmt.Println(say("restore.next", "Roles", strings.Join(m.Roles.Others, ", ")))
		m.printKeep()
	}
	return err
}

// into restores the dump, all of it or nothing.
func (r *Restore) into(ctx context.Context, to *place, m *manifest) error {
	tool, _, err := find(ctx, "pg_restore")
	if err != nil {
		return err
	}
	conn, err := to.open(ctx, m)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	t, err := targetOf(ctx, conn)
	switch {
	case err != nil:
		return err
	case t.Things > 0:
		return errors.New(say("restore.notEmpty", "Database", to.config.Database, "N", t.Things))
	case t.Encoding != "UTF8":
		return errors.New(say("restore.encoding", "Database", to.config.Database, "Encoding", t.Encoding))
	case t.Major < m.major():
		return errors.New(say("restore.olderServer", "Server", t.Major, "Postgres", m.Postgres))
	}
	if err := m.prepareRoles(ctx, conn, t); err != nil {
		return err
	}
	args := []string{"--exit-on-error", "--single-transaction", "--no-password", "--dbname=" + to.conninfo}
	if !t.Super { // nobody else may give things away: all belongs to who restores
		args = append(args, "--no-owner")
	}
	if err := to.run(ctx, tool, nil, append(args, filepath.Join(r.Dir, dumpFile))...); err != nil {
		return fmt.Errorf("%s\n%w", say("restore.failed", "Database", to.config.Database), err)
	}
	fmt.Println(say("restore.restored", "Database", to.config.Database))
	return nil
}

// open connects to the database, which is made where it is missing.
func (p *place) open(ctx context.Context, m *manifest) (*pgx.Conn, error) {
	conn, err := p.connect(ctx)
	if err == nil || !noDatabase(err) {
		return conn, err
	}
	beside := p.beside("postgres")
	if conn, err = beside.connect(ctx); err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	t, err := targetOf(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := m.prepareRoles(ctx, conn, t); err != nil {
		return nil, err
	}
	tool, _, err := find(ctx, "createdb")
	if err != nil {
		return nil, err
	}
	args := []string{"--no-password", "--encoding=UTF8", "--template=template0", "--maintenance-db=" + beside.conninfo}
	if t.Super {
		args = append(args, "--owner="+m.Roles.Owner)
	}
	if err := p.run(ctx, tool, nil, append(args, p.config.Database)...); err != nil {
		return nil, err
	}
	fmt.Println(say("restore.madeDatabase", "Database", p.config.Database))
	return p.connect(ctx)
}

// prepareRoles makes the roles that the dump grants rights to, or says which are missing.
func (m *manifest) prepareRoles(ctx context.Context, conn *pgx.Conn, t target) error {
	missing, err := missingRoles(ctx, conn, append([]string{m.Roles.Owner}, m.Roles.Others...))
	if err != nil || len(missing) == 0 {
		return err
	}
	if !t.MayMake {
		return errors.New(say("restore.rolesMissing", "Roles", strings.Join(missing, ", ")))
	}
	for _, name := range missing {
		if err := makeRole(ctx, conn, name); err != nil {
			return err
		}
	}
	fmt.Println(say("restore.rolesMade", "Roles", strings.Join(missing, ", ")))
	return nil
}
