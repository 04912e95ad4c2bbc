// Package web is the program: the server with its settings and its wiring, and the
// commands that run it, for production, the demo and practice. It knows no business
// rule. Commands over a database are in package commands. Command veinte only calls
// Main.
package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"

	"veinte/views/locale"
	"veinte/web/backup"
	"veinte/web/commands"
	"veinte/web/setup"
)

// version is set by the release build. A build without it, such as go install's, has what
// Go wrote into it.
var version string

func init() {
	if version == "" {
		version = builtFrom(debug.ReadBuildInfo())
	}
}

// builtFrom is the version of a module, or the commit of a build in the repository.
func builtFrom(build *debug.BuildInfo, ok bool) string {
	if !ok {
		return "dev"
	}
	if v := build.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, changed := "dev", ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "-dirty"
		}
	}
	return commit + changed
}

// commandLine holds every command with its flags.
type commandLine struct {
	Serve       serveCommand       `cmd:"" help:"Run the server."`
	Setup       setup.Command      `cmd:"" help:"Install: roles and schema in PostgreSQL, keys, settings, a unit for systemd, the first administrator. Run again it changes nothing that is there."`
	Demo        demoCommand        `cmd:"" help:"Try everything on this machine: database, payment service, terminals and a day of sales."`
	Practice    practiceCommand    `cmd:"" help:"Run a server to learn with: a database of its own, a sandbox, sales to cancel every day."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the database's schema up to date, or show how it stands."`
	User        commands.User      `cmd:"" help:"Create, list, disable people; give them a new password."`
	Key         commands.Key       `cmd:"" help:"Keys of the API: create, list, revoke."`
	Sales       commands.Sales     `cmd:"" help:"Import sales from a file."`
	Terminals   commands.Terminals `cmd:"" help:"Import terminals and stores from a file."`
	Audit       commands.Audit     `cmd:"" help:"The audit trail: verify, prove, export, watch, archive; make a key for it."`
	Backup      backup.Backup      `cmd:"" help:"Make a backup: a dump, the trail's last checkpoint, counts, sums, and a list of what a dump lacks."`
	Restore     backup.Restore     `cmd:"" help:"Restore a backup into an empty database, verify it, and say what a server there holds back. Exits 0 when it is as it was, 1 when something differs, 2 when that cannot be decided."`
	Seal        sealCommand        `cmd:"" help:"Seal the trail in a process of its own, with the sealer's role: the servers then need neither the key nor the right."`
	Sealing     commands.Sealing   `cmd:"" help:"The sealing of the trail: have it go on after it was stopped."`
	Sandbox     sandboxCommand     `cmd:"" help:"Run a stand-in for the payment service and its terminals."`
	Config      configCommand      `cmd:"" help:"Print the effective settings; secrets as ***."`
	Healthcheck healthcheckCommand `cmd:"" help:"Ask a running server whether it is ready; for containers."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// Main runs the program with the command line's arguments, until it ends or receives
// a signal; a second one ends it at once. It returns the exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // whoever signals again does not want to wait
	return run(ctx, args)
}

// run parses the command line and runs the command. It returns the exit code.
func run(ctx context.Context, args []string) int {
	var cli commandLine
	files := &commands.SecretFiles{}
	parser, err := kong.New(&cli,
		kong.Name("veinte"),
		kong.Description("Cancel today's card sales before 20:00, and know what became of it."),
		kong.UsageOnError(),
		kong.Resolvers(kong.ResolverFunc(files.Resolve)),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(files, backup.Version(version)),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "veinte:", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		for _, text := range files.Problems { // else a secret would only be said to be missing
			fmt.Fprintln(os.Stderr, "veinte:", text)
		}
		parser.Errorf("%s", err)
		return 2
	}
	if err := checkDatabaseOf(parsed, os.Getenv("INSECURE_DATABASE")); err != nil {
		fmt.Fprintln(os.Stderr, "veinte:", err)
		return 2
	}
	if err := parsed.Run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "veinte:", commands.InWords(err, locale.OfSystem(os.Getenv)))
		var own commands.ExitError
		if errors.As(err, &own) {
			return own.Code
		}
		return 1
	}
	return 0
}

type versionCommand struct{}

func (versionCommand) Run() error {
	fmt.Println("veinte", version)
	return nil
}
